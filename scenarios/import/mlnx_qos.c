/* SPDX-License-Identifier: Apache-2.0
 * Each kind of line is a row: how it begins, and what reads the rest. */
#include "scenarios/import/mlnx_qos.h"

#include "base/memory.h"
#include "scenarios/format/lines.h"
#include "scenarios/import/notes.h"

#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 8, DSCPS = 64, UNSET = -1, BUFFER_MAX = 1 << 30, BUFFER_MIN = 16 * 1024 };
enum { ROCE_DSCP = 26, CNP_DSCP = 48, DSCPS_IN_LINE = 14 };

struct reader {
    struct arena arena;
    struct lines lines;
    struct diag *diag;
    struct notes notes;
    int priority_of_dscp[DSCPS];   /* UNSET: not said */
    int enabled[PRIORITIES];       /* of PFC */
    int buffer_of[PRIORITIES];     /* number of the receive buffer */
    int64_t buffer[PRIORITIES];    /* bytes */
    int class_of[PRIORITIES];      /* traffic class of a priority */
    int weight[PRIORITIES];        /* of a traffic class; 0: strict; UNSET: not said */
    int members[PRIORITIES];       /* priorities of a traffic class */
    struct diag_place class_place; /* of the line "tc: .." */
    int class;                     /* the present one, or UNSET */
    int pfc_line;                  /* 0: none */
};

/* ---- words ---- */

static const char blanks[] = " \t";

static const char *skip(const char *at)
{
    return at + strspn(at, blanks);
}

static void wrong(struct reader *reader, const char *at, const char *expected)
{
    const size_t width = strcspn(at, " \t,");
    diag_add(reader->diag, DIAG_ERROR, lines_place(&reader->lines, at, width), reader->lines.text,
             "expected %s", expected);
}

static void note(struct reader *reader, const char *at, const char *text)
{
    notes_add(&reader->notes, lines_place(&reader->lines, at, 1), "%s", text);
}

/* A number up to `max`; false and a message when there is none.  `at` moves behind it. */
static bool number(struct reader *reader, const char **at, int64_t max, const char *expected,
                   int64_t *value)
{
    const size_t digits = strspn(*at, "0123456789");
    *value = digits == 0 || digits > 12 ? -1 : strtoll(*at, NULL, 10);
    if (*value < 0 || *value > max) {
        wrong(reader, *at, expected);
        return false;
    }
    *at += digits;
    return true;
}

/* Eight numbers with blanks or commas between them. */
static const char *numbers(struct reader *reader, const char *at, int64_t max, const char *expected,
                           int64_t out[PRIORITIES])
{
    for (int i = 0; i < PRIORITIES; i++) {
        at = skip(at);
        if (!number(reader, &at, max, expected, &out[i]))
            return NULL;
        at += *at == ',';
    }
    return at;
}

static void small_numbers(struct reader *reader, const char *at, int64_t max, const char *expected,
                          int out[PRIORITIES])
{
    int64_t values[PRIORITIES];
    if (numbers(reader, at, max, expected, values) == NULL)
        return;
    for (int i = 0; i < PRIORITIES; i++)
        out[i] = (int)values[i];
}

/* ---- lines ---- */

static void read_trust(struct reader *reader, const char *at)
{
    if (strcmp(at, "dscp") != 0)
        note(reader, at, "this device does not trust DSCP; here the priority is always DSCP/8");
}

/* "prio:3 dscp:31,30,29," */
static void read_map(struct reader *reader, const char *at)
{
    static const char expected[] = "prio:N dscp:N,N,.. with priorities 0 to 7 and DSCPs 0 to 63";
    int64_t priority, dscp;
    if (!number(reader, &at, PRIORITIES - 1, expected, &priority))
        return;
    at = skip(at);
    if (strncmp(at, "dscp:", 5) != 0) {
        wrong(reader, at, expected);
        return;
    }
    for (at += 5; *at != '\0' && strchr(blanks, *at) == NULL; at += *at == ',') {
        const char *from = at;
        if (!number(reader, &at, DSCPS - 1, expected, &dscp))
            return;
        if (reader->priority_of_dscp[dscp] != UNSET) {
            wrong(reader, from, "each DSCP once");
            return;
        }
        reader->priority_of_dscp[dscp] = (int)priority;
    }
}

/* "130944,130944,0,0,0,0,0,0,total_size=262016" */
static void read_buffers(struct reader *reader, const char *at)
{
    numbers(reader, at, BUFFER_MAX, "eight sizes of receive buffers", reader->buffer);
}

static void read_enabled(struct reader *reader, const char *at)
{
    if (reader->pfc_line != 0) {
        wrong(reader, at, "one device: PFC appears twice");
        return;
    }
    reader->pfc_line = reader->lines.number;
    small_numbers(reader, at, 1, "0 or 1 for each of eight priorities", reader->enabled);
}

static void read_buffer_map(struct reader *reader, const char *at)
{
    small_numbers(reader, at, PRIORITIES - 1, "a buffer, 0 to 7, for each of eight priorities",
                  reader->buffer_of);
}

static void read_cable(struct reader *reader, const char *at)
{
    note(reader, at, "here the cable length is set on the host's link");
}

/* "ets, bw: 40%", "strict", "vendor" */
static void read_algorithm(struct reader *reader, const char *at)
{
    int64_t percent;
    if (strncmp(at, "ets, bw:", 8) != 0) {
        if (strcmp(at, "strict") != 0)
            note(reader, at, "an algorithm that is neither strict nor ets: strict here");
        reader->weight[reader->class] = 0;
        return;
    }
    at = skip(at + 8);
    const char *from = at;
    if (!number(reader, &at, 100, "a share from 0% to 100%", &percent))
        return;
    if (percent == 0)
        note(reader, from, "a weight of 0% is 1 here; 0 would be strict");
    reader->weight[reader->class] = percent == 0 ? 1 : (int)percent;
}

/* "3 ratelimit: unlimited, tsa: ets, bw: 40%" */
static void read_class(struct reader *reader, const char *at)
{
    static const char limit[] = " ratelimit: ", tsa[] = ", tsa: ";
    int64_t class;
    reader->class = UNSET;
    reader->class_place = lines_place(&reader->lines, at, 1);
    if (!number(reader, &at, PRIORITIES - 1, "a traffic class, 0 to 7", &class))
        return;
    const char *comma = strstr(at, tsa);
    if (strncmp(at, limit, strlen(limit)) != 0 || comma == NULL) {
        wrong(reader, at, "tc: N ratelimit: .., tsa: ..");
        return;
    }
    if (reader->weight[class] != UNSET) {
        wrong(reader, at, "each traffic class once");
        return;
    }
    at += strlen(limit);
    reader->class = (int)class;
    if (strncmp(at, "unlimited,", 10) != 0)
        note(reader, at, "a rate limit of a traffic class has no counterpart");
    read_algorithm(reader, comma + strlen(tsa));
}

/* "priority:  3" below a traffic class. */
static void read_member(struct reader *reader, const char *at)
{
    int64_t priority;
    if (reader->class == UNSET)
        wrong(reader, at, "a traffic class before its priorities");
    else if (number(reader, &at, PRIORITIES - 1, "a priority, 0 to 7", &priority)) {
        reader->class_of[priority] = reader->class;
        if (++reader->members[reader->class] == 2)
            notes_add(&reader->notes, reader->class_place,
                      "several priorities share traffic class %d; here each has its weight",
                      reader->class);
    }
}

static void pass(struct reader *reader, const char *at)
{
    (void)reader;
    (void)at;
}

static const struct {
    const char *begins;
    void (*read)(struct reader *reader, const char *at);
} rows[] = {
    {"DCBX mode:", pass},         {"Priority trust state:", read_trust},
    {"dscp2prio mapping:", pass}, {"default priority:", pass},
    {"prio:", read_map},          {"Receive buffer size (bytes):", read_buffers},
    {"Cable len:", read_cable},   {"PFC configuration:", pass},
    {"priority  ", pass}, /* the head of the table */
    {"enabled", read_enabled},    {"buffer", read_buffer_map},
    {"tc:", read_class},          {"priority:", read_member},
};

static void read_line(struct reader *reader)
{
    const char *text = skip(reader->lines.text);
    if (*text == '\0')
        return;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strncmp(text, rows[i].begins, strlen(rows[i].begins)) == 0) {
            rows[i].read(reader, skip(text + strlen(rows[i].begins)));
            return;
        }
    notes_add(&reader->notes, lines_place(&reader->lines, text, 1), "not understood: left out");
}

/* ---- the result ---- */

static bool has_map(const struct reader *reader)
{
    for (int i = 0; i < DSCPS; i++)
        if (reader->priority_of_dscp[i] != UNSET)
            return true;
    return false;
}

static int priority_of(const struct reader *reader, int dscp)
{
    const int priority = reader->priority_of_dscp[dscp];
    return priority != UNSET ? priority : has_map(reader) ? 0 : dscp / PRIORITIES;
}

/* The usual DSCP if it is lossless, else the first that is, else the usual one. */
static int roce_dscp(const struct reader *reader)
{
    if (reader->enabled[priority_of(reader, ROCE_DSCP)])
        return ROCE_DSCP;
    for (int i = 0; i < DSCPS; i++)
        if (reader->enabled[priority_of(reader, i)])
            return i;
    return ROCE_DSCP;
}

static void put_map(const struct reader *reader, FILE *out)
{
    if (!has_map(reader))
        return;
    fputs("      dscp-to-priority: {", out);
    for (int i = 0; i < DSCPS; i++)
        fprintf(out, "%s%d: %d",
                i == 0                   ? ""
                : i % DSCPS_IN_LINE == 0 ? ",\n        "
                                         : ", ",
                i, priority_of(reader, i));
    fputs("} # dscp2prio mapping\n", out);
}

static void put_pfc(const struct reader *reader, FILE *out)
{
    const char *between = "";
    bool any = false;
    for (int p = 0; p < PRIORITIES; p++)
        any |= reader->enabled[p];
    if (!any) {
        fputs("      pfc: false # enabled: no priority\n", out);
        return;
    }
    fputs("      pfc-priorities: [", out);
    for (int p = 0; p < PRIORITIES; p++)
        if (reader->enabled[p]) {
            fprintf(out, "%s%d", between, p);
            between = ", ";
        }
    fputs("] # enabled\n", out);
}

/* The buffers of the lossless priorities, or of all without PFC, each once. */
static void put_buffer(const struct reader *reader, FILE *out)
{
    int64_t bytes = 0;
    unsigned counted = 0, pfc = 0;
    for (int p = 0; p < PRIORITIES; p++)
        pfc |= (unsigned)reader->enabled[p] << p;
    for (int p = 0; p < PRIORITIES; p++) {
        const int b = reader->buffer_of[p] == UNSET ? 0 : reader->buffer_of[p];
        if ((pfc == 0 || (pfc >> p & 1)) && !(counted >> b & 1) && reader->buffer[b] > 0)
            bytes += reader->buffer[b];
        counted |= (pfc == 0 || (pfc >> p & 1)) ? 1U << b : 0;
    }
    if (bytes >= BUFFER_MIN && bytes <= BUFFER_MAX)
        fprintf(out, "      rx-buffer: %lldB # Receive buffer size, of %s priorities\n",
                (long long)bytes, pfc == 0 ? "all" : "the lossless");
}

static void put_weights(const struct reader *reader, FILE *out)
{
    for (int p = 0; p < PRIORITIES; p++) {
        const int class = reader->class_of[p];
        if (class != UNSET && reader->weight[class] != UNSET)
            fprintf(out, "      weight-%d: %d # tc: %d\n", p, reader->weight[class], class);
    }
}

static void write(const struct reader *reader, FILE *out)
{
    const int dscp = roce_dscp(reader);
    fputs("# From mlnx_qos; all other settings are defaults.\n"
          "hosts:\n  defaults:\n    rnic:\n",
          out);
    fprintf(out, "      dscp: %d # %s\n      priority: %d\n", dscp,
            reader->enabled[priority_of(reader, dscp)] ? "of a lossless priority" : "the usual one",
            priority_of(reader, dscp));
    fprintf(out, "      cnp-priority: %d # of DSCP %d\n", priority_of(reader, CNP_DSCP), CNP_DSCP);
    put_pfc(reader, out);
    put_buffer(reader, out);
    put_weights(reader, out);
    put_map(reader, out);
}

/* ---- all ---- */

static void unset(struct reader *reader)
{
    for (int i = 0; i < DSCPS; i++)
        reader->priority_of_dscp[i] = UNSET;
    for (int p = 0; p < PRIORITIES; p++)
        reader->buffer_of[p] = reader->class_of[p] = reader->weight[p] = UNSET;
    reader->class = UNSET;
}

static void read_file(struct reader *reader, const char *name, const char *text, size_t length)
{
    const struct diag_place place = {.file = name};
    reader->lines.file = text == NULL ? tree_read(&reader->arena, name, reader->diag)
                                      : tree_hold(&reader->arena, name, text, length);
    if (reader->lines.file == NULL)
        return;
    if (reader->lines.file->length > MLNX_QOS_BYTES_MAX) {
        diag_add(reader->diag, DIAG_ERROR, place, NULL, "the file is larger than 1 MiB");
        return;
    }
    while (reader->diag->errors < DIAG_MAX && lines_next(&reader->lines, &reader->arena))
        read_line(reader);
    if (!diag_failed(reader->diag) && reader->pfc_line == 0)
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "expected the output of mlnx_qos -i DEVICE, with its table of PFC");
}

bool mlnx_qos_import(const char *name, const char *text, size_t length,
                     struct mlnx_qos_result *result, struct diag *diag)
{
    size_t yaml_size, notes_size;
    struct reader reader = {.diag = diag};
    reader.notes.arena = &reader.arena;
    *result = (struct mlnx_qos_result){0};
    unset(&reader);
    read_file(&reader, name, text, length);
    if (!diag_failed(diag)) {
        FILE *yaml = memory_stream(&result->yaml, &yaml_size);
        FILE *notes = memory_stream(&result->notes, &notes_size);
        write(&reader, yaml);
        notes_print(&reader.notes, "", notes);
        memory_stream_end(yaml);
        memory_stream_end(notes);
    }
    arena_free(&reader.arena);
    return !diag_failed(diag);
}

void mlnx_qos_free(struct mlnx_qos_result *result)
{
    free(result->yaml);
    free(result->notes);
    *result = (struct mlnx_qos_result){0};
}

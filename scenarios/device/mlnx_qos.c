/* SPDX-License-Identifier: Apache-2.0
 * mlnx_qos - reads the output of `mlnx_qos -i DEVICE` of a ConnectX as a scenario's hosts: the map
 * from DSCP to priority, the priorities with PFC, the receive buffer shared by the lossless
 * priorities, and the weights of traffic classes.
 * If a file contains several outputs, the last one counts. Settings without a counterpart are
 * reported: rate limits, cable length. Each kind of line is a table row: the beginning of the line,
 * and the function that reads the rest.
 * Source: mlnx_qos of mlnx-tools (its output), IEEE 802.1Q-2018 37 (ETS); Linux
 * drivers/net/ethernet/mellanox/mlx5/core/en_dcbnl.c (mlx5e_build_tc_group, mlx5e_build_tc_tx_bw):
 * classes with tsa vendor form one group with 100 % each, above strict and ets classes. */
#include "scenarios/device/device.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { PRIORITIES = 8, DSCPS = 64, UNSET = -1, BUFFER_MAX = 1 << 30, BUFFER_MIN = 16 * 1024 };
enum { ROCE_DSCP = 26, CNP_DSCP = 48, DSCPS_IN_LINE = 14, VENDOR_WEIGHT = 100 };

struct reader {
    struct device *device;
    int priority_of_dscp[DSCPS];            /* UNSET: not in the output */
    int enabled[PRIORITIES];                /* by priority: PFC enabled */
    int buffer_of[PRIORITIES];              /* by priority: number of its receive buffer */
    int64_t buffer[PRIORITIES];             /* by buffer: bytes */
    int class_of[PRIORITIES];               /* by priority: traffic class */
    int weight[PRIORITIES];                 /* by traffic class; 0: strict; UNSET: not in the
                                             * output */
    bool vendor[PRIORITIES];                /* by traffic class: tsa is vendor */
    int members[PRIORITIES];                /* by traffic class: number of priorities */
    struct diag_place place_of[PRIORITIES]; /* by traffic class: place of its line "tc: .." */
    struct diag_place buffer_place;
    int class;     /* current traffic class, or UNSET */
    int pfc_line;  /* line of the PFC table; 0: none */
    int line;      /* first line of this output; 0: none */
    bool is_trust; /* the output has the trust state ... */
    bool is_pcp;   /* ... and it is PCP, so the DSCP map is unused */
};

/* ---- words ---- */

static const char blanks[] = " \t";

static const char *skip(const char *at)
{
    return at + strspn(at, blanks);
}

static void report_error(struct reader *reader, const char *at, const char *expected)
{
    device_error(reader->device, at, strcspn(at, " \t,"), "expected %s", expected);
}

static void add_note(struct reader *reader, const char *at, const char *text)
{
    device_note(reader->device, at, "%s", text);
}

/* Reads a number up to `max` and moves `at` behind it; false, with a message, if there is none. */
static bool number(struct reader *reader, const char **at, int64_t max, const char *expected,
                   int64_t *value)
{
    const size_t digits = strspn(*at, "0123456789");
    *value = digits == 0 || digits > 12 ? -1 : strtoll(*at, NULL, 10);
    if (*value < 0 || *value > max) {
        report_error(reader, *at, expected);
        return false;
    }
    *at += digits;
    return true;
}

/* Reads eight numbers separated by blanks or commas. */
static const char *read_numbers(struct reader *reader, const char *at, int64_t max,
                                const char *expected, int64_t out[PRIORITIES])
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
    if (read_numbers(reader, at, max, expected, values) == NULL)
        return;
    for (int i = 0; i < PRIORITIES; i++)
        out[i] = (int)values[i];
}

/* ---- lines ---- */

static void unset_values(struct reader *reader)
{
    *reader = (struct reader){.device = reader->device, .class = UNSET};
    for (int i = 0; i < DSCPS; i++)
        reader->priority_of_dscp[i] = UNSET;
    for (int p = 0; p < PRIORITIES; p++)
        reader->buffer_of[p] = reader->class_of[p] = reader->weight[p] = UNSET;
}

/* Begins another output: discards what was read so far, including its notes. */
static void begin_output(struct reader *reader)
{
    struct device *device = reader->device;
    const int first = reader->line;
    if (first != 0) {
        unset_values(reader);
        device->notes.count = 0;
        device_note(device, device->text,
                    "another output of mlnx_qos: this last one is used, not that of line %d",
                    first);
    }
    reader->line = device->lines.number;
}

static void read_mode(struct reader *reader, const char *at)
{
    begin_output(reader);
    if (strncmp(at, "OS controlled", 13) != 0)
        add_note(reader, at,
                 "DCBX of the firmware: what the switch announces may override these values");
}

/* Priority of packets with neither a DSCP nor a VLAN tag, which are not modeled. */
static void read_default(struct reader *reader, const char *at)
{
    if (*at != '\0' && strcmp(at, "0") != 0)
        add_note(reader, at, "a default priority has no counterpart");
}

static void read_trust(struct reader *reader, const char *at)
{
    const bool is_pcp = strncmp(at, "pcp", 3) == 0;
    if (reader->line == 0 || reader->is_trust || reader->pfc_line != 0)
        begin_output(reader);
    reader->is_trust = true;
    reader->is_pcp = is_pcp;
    if (is_pcp)
        add_note(
            reader, at,
            "this device trusts PCP: RoCE without a VLAN tag has priority 0, whatever its DSCP");
    else if (strcmp(at, "dscp") != 0 && strcmp(at, "both") != 0)
        add_note(reader, at, "an unknown state of trust: taken as dscp");
}

/* Reads the head of the PFC table. */
static void read_pfc(struct reader *reader, const char *at)
{
    (void)at;
    if (reader->pfc_line != 0)
        begin_output(reader);
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
        report_error(reader, at, expected);
        return;
    }
    for (at += 5; *at != '\0' && strchr(blanks, *at) == NULL; at += *at == ',') {
        const char *from = at;
        if (!number(reader, &at, DSCPS - 1, expected, &dscp))
            return;
        if (reader->priority_of_dscp[dscp] != UNSET) {
            report_error(reader, from, "each DSCP once");
            return;
        }
        reader->priority_of_dscp[dscp] = (int)priority;
    }
}

/* "130944,130944,0,0,0,0,0,0,total_size=262016" */
static void read_buffers(struct reader *reader, const char *at)
{
    reader->buffer_place = lines_place(&reader->device->lines, at, 1);
    read_numbers(reader, at, BUFFER_MAX, "eight sizes of receive buffers", reader->buffer);
}

static void read_enabled(struct reader *reader, const char *at)
{
    if (reader->pfc_line != 0) {
        report_error(reader, at, "one row enabled in a table of PFC");
        return;
    }
    reader->pfc_line = reader->device->lines.number;
    small_numbers(reader, at, 1, "0 or 1 for each of eight priorities", reader->enabled);
}

static void read_buffer_map(struct reader *reader, const char *at)
{
    small_numbers(reader, at, PRIORITIES - 1, "a buffer, 0 to 7, for each of eight priorities",
                  reader->buffer_of);
}

static void read_cable(struct reader *reader, const char *at)
{
    add_note(reader, at, "not imported: a scenario sets the cable length at the host's link");
}

/* "ets, bw: 40%", "strict", "vendor" */
static void read_algorithm(struct reader *reader, const char *at)
{
    int64_t percent;
    if (strncmp(at, "ets, bw:", 8) != 0) {
        reader->vendor[reader->class] = strcmp(at, "vendor") == 0;
        if (strcmp(at, "strict") != 0 && !reader->vendor[reader->class])
            add_note(reader, at,
                     "an unknown algorithm (expected strict, ets or vendor): imported as strict");
        reader->weight[reader->class] = 0;
        return;
    }
    at = skip(at + 8);
    const char *from = at;
    if (!number(reader, &at, 100, "a share from 0% to 100%", &percent))
        return;
    if (percent == 0)
        add_note(reader, from, "a weight of 0% is imported as 1, since 0 means strict");
    reader->weight[reader->class] = percent == 0 ? 1 : (int)percent;
}

/* "3 ratelimit: unlimited, tsa: ets, bw: 40%" */
static void read_class(struct reader *reader, const char *at)
{
    static const char limit[] = " ratelimit: ", tsa[] = ", tsa: ";
    int64_t class;
    reader->class = UNSET;
    const struct diag_place place = lines_place(&reader->device->lines, at, 1);
    if (!number(reader, &at, PRIORITIES - 1, "a traffic class, 0 to 7", &class))
        return;
    const char *comma = strstr(at, tsa);
    if (strncmp(at, limit, strlen(limit)) != 0 || comma == NULL) {
        report_error(reader, at, "tc: N ratelimit: .., tsa: ..");
        return;
    }
    if (reader->weight[class] != UNSET) {
        report_error(reader, at, "each traffic class once");
        return;
    }
    at += strlen(limit);
    reader->class = (int)class;
    reader->place_of[class] = place;
    if (strncmp(at, "unlimited,", 10) != 0)
        add_note(reader, at, "a rate limit of a traffic class has no counterpart");
    read_algorithm(reader, comma + strlen(tsa));
}

/* "priority:  3" below a traffic class. */
static void read_member(struct reader *reader, const char *at)
{
    int64_t priority;
    if (reader->class == UNSET)
        report_error(reader, at, "a traffic class before its priorities");
    else if (number(reader, &at, PRIORITIES - 1, "a priority, 0 to 7", &priority)) {
        reader->class_of[priority] = reader->class;
        if (++reader->members[reader->class] == 2)
            notes_add(&reader->device->notes, reader->place_of[reader->class],
                      "several priorities share traffic class %d: each of them gets its weight",
                      reader->class);
    }
}

static void skip_line(struct reader *reader, const char *at)
{
    (void)reader;
    (void)at;
}

static const struct {
    const char *begins;
    void (*read)(struct reader *reader, const char *at);
} mlnx_qos_rows[] = {
    {"DCBX mode:", read_mode},
    {"Priority trust state:", read_trust},
    {"Priority trust mode:", read_trust},
    {"dscp2prio mapping:", skip_line},
    {"default priority:", read_default},
    {"prio:", read_map},
    {"Receive buffer size (bytes):", read_buffers},
    {"Cable len:", read_cable},
    {"PFC configuration:", read_pfc},
    {"priority  ", skip_line}, /* head of the table */
    {"enabled", read_enabled},
    {"buffer", read_buffer_map},
    {"tc:", read_class},
    {"priority:", read_member},
};

enum { ROWS = sizeof mlnx_qos_rows / sizeof mlnx_qos_rows[0] };

/* The row of a line without leading blanks; ROWS: none. */
static size_t row_of(const char *text)
{
    size_t row = 0;
    while (row < ROWS && !text_begins(text, mlnx_qos_rows[row].begins))
        row++;
    return row;
}

bool device_mlnx_qos_has(const char *line)
{
    return row_of(skip(line)) < ROWS;
}

static void read_line(struct reader *reader)
{
    const char *text = skip(reader->device->text);
    const size_t row = row_of(text);
    if (row < ROWS)
        mlnx_qos_rows[row].read(reader, skip(text + strlen(mlnx_qos_rows[row].begins)));
    else if (*text != '\0')
        add_note(reader, text, "not understood: left out");
}

/* ---- result ---- */

static bool has_map(const struct reader *reader)
{
    for (int i = 0; i < DSCPS; i++)
        if (reader->priority_of_dscp[i] != UNSET)
            return true;
    return false;
}

static int priority_of(const struct reader *reader, int dscp)
{
    const int priority = reader->is_pcp ? 0 : reader->priority_of_dscp[dscp];
    return priority != UNSET ? priority : has_map(reader) ? 0 : dscp / PRIORITIES;
}

/* The conventional DSCP if it is lossless, else the first lossless one, else the conventional
 * one. */
static int roce_dscp(const struct reader *reader)
{
    if (reader->enabled[priority_of(reader, ROCE_DSCP)])
        return ROCE_DSCP;
    for (int i = 0; i < DSCPS; i++)
        if (reader->enabled[priority_of(reader, i)])
            return i;
    return ROCE_DSCP;
}

/* `line` 0: the file as a whole. */
static void add_origin(const struct reader *reader, const char *row, const char *spelled, int line)
{
    const char *file = reader->device->lines.file->name;
    device_origin(reader->device, row, spelled,
                  (struct diag_place){.file = file, .line = line > 0 ? line : 1, .column = 1});
}

static void put_map(const struct reader *reader, FILE *out)
{
    if (!has_map(reader) && !reader->is_pcp)
        return;
    add_origin(reader, "dscp-to-priority", "dscp2prio mapping", reader->line);
    fputs("      dscp-to-priority: {", out);
    for (int i = 0; i < DSCPS; i++)
        fprintf(out, "%s%d: %d",
                i == 0                   ? ""
                : i % DSCPS_IN_LINE == 0 ? ",\n        "
                                         : ", ",
                i, priority_of(reader, i));
    fputs(reader->is_pcp ? "} # trust in PCP\n" : "} # dscp2prio mapping\n", out);
}

static void put_pfc(const struct reader *reader, FILE *out)
{
    const char *between = "";
    bool any = false;
    for (int p = 0; p < PRIORITIES; p++)
        any |= reader->enabled[p];
    add_origin(reader, any ? "pfc-priorities" : "pfc", "PFC configuration, enabled",
               reader->pfc_line);
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

/* Writes the sum of the buffers of the lossless priorities, or of all priorities without PFC, each
 * buffer once. The remaining buffers are reported as not modeled. */
static void put_buffer(const struct reader *reader, FILE *out)
{
    int64_t bytes = 0, all = 0;
    unsigned counted = 0, pfc = 0;
    for (int p = 0; p < PRIORITIES; p++)
        pfc |= (unsigned)reader->enabled[p] << p;
    for (int p = 0; p < PRIORITIES; p++) {
        const int b = reader->buffer_of[p] == UNSET ? 0 : reader->buffer_of[p];
        counted |= (pfc == 0 || (pfc >> p & 1)) ? 1U << b : 0;
    }
    for (int b = 0; b < PRIORITIES; b++) {
        bytes += (counted >> b & 1) ? reader->buffer[b] : 0;
        all += reader->buffer[b];
    }
    const bool fits = bytes >= BUFFER_MIN && bytes <= BUFFER_MAX;
    if (fits) {
        fprintf(out, "      rx-buffer: %lldB # Receive buffer size, of %s priorities\n",
                (long long)bytes, pfc == 0 ? "all" : "the lossless");
        add_origin(reader, "rx-buffer", "Receive buffer size", reader->buffer_place.line);
    } else if (all > 0)
        notes_add(&reader->device->notes, reader->buffer_place,
                  "a receive buffer of %lld B for the lossless priorities is outside 16 KiB to "
                  "1 GiB: the default is used",
                  (long long)bytes);
    if (fits && all > bytes)
        notes_add(&reader->device->notes, reader->buffer_place,
                  "the receive buffers of lossy priorities, %lld B, are left out",
                  (long long)(all - bytes));
}

/* Vendor classes alone form one group with equal weights; together with others, they are served
 * first. */
static void weigh_vendors(struct reader *reader)
{
    int vendors = 0, others = 0, last = UNSET;
    for (int class = 0; class < PRIORITIES; class ++) {
        vendors += reader->vendor[class];
        others += reader->weight[class] != UNSET && !reader->vendor[class];
        last = reader->vendor[class] ? class : last;
    }
    for (int class = 0; class < PRIORITIES; class ++)
        if (reader->vendor[class] && others == 0)
            reader->weight[class] = VENDOR_WEIGHT;
    if (vendors > 1 && others > 0)
        notes_add(&reader->device->notes, reader->place_of[last],
                  "classes of tsa vendor share the link equally, before the others: imported with "
                  "the higher priority first");
}

static void put_weights(const struct reader *reader, FILE *out)
{
    for (int p = 0; p < PRIORITIES; p++) {
        const int class = reader->class_of[p];
        if (class == UNSET || reader->weight[class] == UNSET)
            continue;
        fprintf(out, "      weight-%d: %d # tc: %d\n", p, reader->weight[class], class);
        add_origin(reader, arena_format(&reader->device->arena, "weight-%d", p), "tc",
                   reader->place_of[class].line);
    }
    for (int class = 0; class < PRIORITIES; class ++)
        if (reader->weight[class] != UNSET && reader->members[class] == 0)
            notes_add(&reader->device->notes, reader->place_of[class],
                      "traffic class %d has no priority: its weight is left out", class);
}

static void write_values(const struct reader *reader, FILE *out)
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

/* ---- main function ---- */

void device_mlnx_qos(struct device *device, FILE *out)
{
    struct reader reader = {.device = device};
    unset_values(&reader);
    while (device_line(device))
        read_line(&reader);
    if (!diag_failed(device->diag) && reader.pfc_line == 0)
        device_refuse(device, "expected the output of mlnx_qos -i DEVICE, with its table of PFC");
    if (diag_failed(device->diag))
        return;
    weigh_vendors(&reader);
    write_values(&reader, out);
}

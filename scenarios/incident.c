/* SPDX-License-Identifier: Apache-2.0
 * Both files become sorted lists of counters; the later one's order is that of the result. */
#include "scenarios/incident.h"

#include "base/check.h"
#include "scenarios/tree.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 8 };

struct counter {
    const char *port, *name;
    int64_t value;
    struct diag_place place;
};

struct list {
    struct counter *items;
    size_t count;
};

enum section { SECTION_NONE, SECTION_ETHTOOL, SECTION_PFC_RX, SECTION_PFC_TX };

struct reader {
    struct arena *arena;
    const struct tree_file *file;
    const char *port; /* of `ethtool -S` */
    struct diag *diag;
    FILE *notes;
    struct list list;
    enum section section;
    const char *line; /* NUL-terminated copy */
    int number;
};

static struct diag_place place_at(const struct reader *reader, const char *at, size_t width)
{
    return (struct diag_place){.file = reader->file->name,
                               .line = reader->number,
                               .column = (int)(at - reader->line) + 1,
                               .width = (int)width};
}

static void wrong(struct reader *reader, const char *at, size_t width, const char *text)
{
    diag_add(reader->diag, DIAG_ERROR, place_at(reader, at, width), reader->line, "%s", text);
}

/* ---- words and numbers ---- */

static const char blanks[] = " \t";
static const char word_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./[]";

static const char *next_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, blanks);
    *length = strcspn(word, blanks);
    *at = word + *length;
    return word;
}

static bool is_word(const char *word, size_t length)
{
    return length > 0 && length <= INCIDENT_WORD_MAX && strspn(word, word_letters) >= length;
}

/* A copy in which everything that no word has is '_': it can stand in JSON as it is. */
static const char *clean_word(struct arena *arena, const char *text, size_t length)
{
    char *word = arena_text(arena, text, length);
    for (char *at = word; *at != '\0'; at++)
        *at = strchr(word_letters, *at) == NULL ? '_' : *at;
    return word;
}

/* Commas between thousands do not count. */
static bool read_number(const char *text, size_t length, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',' && i > 0)
            continue;
        const int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || *value > (INT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return length > 0;
}

static void add(struct reader *reader, const char *port, const char *name, const char *number,
                size_t length)
{
    static const char expected[] = "expected a count from 0 to 9223372036854775807";
    int64_t value;
    if (!read_number(number, length, &value)) {
        wrong(reader, number, length > 0 ? length : 1, expected);
        return;
    }
    if (reader->list.count == INCIDENT_COUNTERS_MAX) {
        wrong(reader, number, length, "more than 200000 counters");
        return;
    }
    struct counter *counter = arena_push(reader->arena, (void **)(void *)&reader->list.items,
                                         &reader->list.count, sizeof *counter);
    *counter = (struct counter){port, name, value, place_at(reader, number, length)};
}

/* ---- lines ---- */

/* "     rx_prio3_pause: 148213".  Some drivers' names have blanks and colons: they become '_'. */
static void read_ethtool(struct reader *reader)
{
    const char *at = reader->line + strspn(reader->line, blanks);
    const char *colon = strrchr(at, ':');
    const size_t width = colon == NULL ? 0 : (size_t)(colon - at);
    if (width == 0 || width > INCIDENT_WORD_MAX) {
        wrong(reader, at, 1, "expected a counter such as \"rx_prio3_pause: 148213\"");
        return;
    }
    const char *name = clean_word(reader->arena, at, width);
    size_t length;
    at = colon + 1;
    const char *number = next_word(&at, &length);
    add(reader, reader->port, name, number, length);
}

/* "Ethernet0   1,200   201  ..": a column for each priority; N/A where the switch has none. */
static void read_pfc(struct reader *reader)
{
    const char *at = reader->line, *way = reader->section == SECTION_PFC_RX ? "rx" : "tx";
    size_t length;
    const char *word = next_word(&at, &length);
    if (!is_word(word, length)) {
        wrong(reader, word, 1, "expected a port and its counts");
        return;
    }
    const char *port = arena_text(reader->arena, word, length);
    for (int priority = 0; priority < COLUMNS_MAX; priority++) {
        word = next_word(&at, &length);
        if (length == 3 && strncmp(word, "N/A", 3) == 0)
            continue;
        add(reader, port, arena_format(reader->arena, "%s_prio%d_pause", way, priority), word,
            length);
        if (length == 0)
            return;
    }
    word = next_word(&at, &length);
    if (length > 0)
        wrong(reader, word, length, "expected 8 counts, one for each priority");
}

/* Heads of tables; "Port Rx" and seven more columns is what all of SONiC's releases print. */
static bool read_head(struct reader *reader)
{
    const char *text = reader->line + strspn(reader->line, blanks);
    if (strncmp(text, "NIC statistics:", 15) == 0)
        reader->section = SECTION_ETHTOOL;
    else if (strncmp(text, "Port Rx", 7) == 0)
        reader->section = SECTION_PFC_RX;
    else if (strncmp(text, "Port Tx", 7) == 0)
        reader->section = SECTION_PFC_TX;
    else
        return false;
    return true;
}

static void read_line(struct reader *reader)
{
    const char *text = reader->line;
    if (text[strspn(text, " \t-")] == '\0' || read_head(reader))
        return;
    if (reader->section == SECTION_ETHTOOL)
        read_ethtool(reader);
    else if (reader->section != SECTION_NONE)
        read_pfc(reader);
    else
        fprintf(reader->notes, "%s:%d:1: note: before the first table: left out\n",
                reader->file->name, reader->number);
}

static void read_lines(struct reader *reader)
{
    const char *text = reader->file->text;
    for (size_t at = 0; at < reader->file->length && reader->diag->errors < DIAG_MAX;) {
        const char *newline = memchr(text + at, '\n', reader->file->length - at);
        const size_t end = newline == NULL ? reader->file->length : (size_t)(newline - text);
        size_t length = end - at;
        length -= length > 0 && text[end - 1] == '\r';
        reader->line = arena_text(reader->arena, text + at, length);
        reader->number++;
        if (memchr(reader->line, '\0', length) != NULL)
            wrong(reader, reader->line, 1, "a text cannot contain a NUL character");
        else
            read_line(reader);
        at = end + 1;
    }
}

/* ---- files ---- */

static int by_name(const void *a, const void *b)
{
    const struct counter *const *x = a, *const *y = b;
    const int port = strcmp((*x)->port, (*y)->port);
    return port != 0 ? port : strcmp((*x)->name, (*y)->name);
}

/* Sorted, each counter once. */
static const struct counter **sorted(struct reader *reader)
{
    const struct list *list = &reader->list;
    const struct counter **index = arena_array(reader->arena, list->count + 1, sizeof *index);
    for (size_t i = 0; i < list->count; i++)
        index[i] = &list->items[i];
    qsort(index, list->count, sizeof *index, by_name);
    for (size_t i = 1; i < list->count; i++)
        if (by_name(&index[i - 1], &index[i]) == 0)
            diag_add(reader->diag, DIAG_ERROR, index[i]->place, NULL,
                     "%s of %s stands twice, also in line %d", index[i]->name, index[i]->port,
                     index[i - 1]->place.line);
    return index;
}

static const char *port_of(struct arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash == NULL ? file : slash + 1;
    return clean_word(arena, base, strcspn(base, "."));
}

static bool read_file(struct reader *reader, const struct incident_input *input)
{
    reader->file = input->text == NULL
                       ? tree_read(reader->arena, input->name, reader->diag)
                       : tree_hold(reader->arena, input->name, input->text, input->length);
    if (reader->file != NULL && reader->file->length > INCIDENT_BYTES_MAX)
        diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = input->name}, NULL,
                 "the file is larger than %d MiB", INCIDENT_BYTES_MAX / 1024 / 1024);
    if (diag_failed(reader->diag))
        return false;
    read_lines(reader);
    if (!diag_failed(reader->diag) && reader->list.count == 0)
        diag_add(reader->diag, DIAG_ERROR, (struct diag_place){.file = input->name}, NULL,
                 "expected the output of ethtool -S or of show pfc counters");
    return !diag_failed(reader->diag);
}

/* ---- differences ---- */

/* The digit of "..prioN.." or -1. */
static int priority_of(const char *name)
{
    const char *prio = strstr(name, "prio");
    return prio != NULL && prio[4] >= '0' && prio[4] <= '7' ? prio[4] - '0' : -1;
}

static void put(FILE *out, const struct counter *counter, int64_t difference, bool first)
{
    const int priority = priority_of(counter->name);
    fprintf(out, "%s\n  {\"port\": \"%s\", \"priority\": ", first ? "" : ",", counter->port);
    if (priority >= 0)
        fprintf(out, "%d", priority);
    else
        fputs("null", out);
    fprintf(out, ", \"name\": \"%s\", \"difference\": %lld}", counter->name, (long long)difference);
}

static void note(FILE *notes, const struct counter *counter, const char *text)
{
    fprintf(notes, "%s:%d:%d: note: %s of %s %s\n", counter->place.file, counter->place.line,
            counter->place.column, counter->name, counter->port, text);
}

static const struct counter *find(const struct counter **index, size_t count,
                                  const struct counter *wanted)
{
    const struct counter **found = bsearch(&wanted, index, count, sizeof *index, by_name);
    return found == NULL ? NULL : *found;
}

static void compare(struct reader *before, struct reader *after, FILE *out)
{
    const struct counter **old = sorted(before), **new = sorted(after);
    bool first = true;
    fputs("{\"stormglass-counters\": 1, \"counters\": [", out);
    for (size_t i = 0; i < after->list.count; i++) {
        const struct counter *now = &after->list.items[i];
        const struct counter *then = find(old, before->list.count, now);
        if (then == NULL)
            note(after->notes, now, "is not in the earlier file: left out");
        else if (then->value > now->value)
            note(after->notes, now, "went back, so it was set to zero in between: left out");
        else if (then->value < now->value) {
            put(out, now, now->value - then->value, first);
            first = false;
        }
    }
    fputs("\n]}\n", out);
    for (size_t i = 0; i < before->list.count; i++)
        if (find(new, after->list.count, &before->list.items[i]) == NULL)
            note(after->notes, &before->list.items[i], "is not in the later file: left out");
}

bool incident_counters(const struct incident_input *before, const struct incident_input *after,
                       struct incident_result *result, struct diag *diag)
{
    struct arena arena = {0};
    size_t json_size, notes_size;
    *result = (struct incident_result){0};
    FILE *json = open_memstream(&result->json, &json_size);
    FILE *notes = open_memstream(&result->notes, &notes_size);
    CHECK(json != NULL && notes != NULL);
    const char *port = port_of(&arena, after->name);
    struct reader old = {.arena = &arena, .port = port, .diag = diag, .notes = notes};
    struct reader new = old;
    if (read_file(&old, before) && read_file(&new, after))
        compare(&old, &new, json);
    CHECK(fclose(json) == 0 && fclose(notes) == 0);
    arena_free(&arena);
    if (diag_failed(diag))
        incident_free(result);
    return !diag_failed(diag);
}

void incident_free(struct incident_result *result)
{
    free(result->json);
    free(result->notes);
    *result = (struct incident_result){0};
}

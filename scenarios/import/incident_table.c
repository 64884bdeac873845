/* SPDX-License-Identifier: Apache-2.0
 * incident_table - SONiC's tables of counters.
 * Columns get the names that a run database has for the same count (docs/counters.md).
 * Source: sonic-utilities, scripts pfcstat, queuestat and pg-drop. */
#include "scenarios/import/incident_private.h"

#include <stdio.h>
#include <string.h>

enum { PRIORITIES = 8, TITLE_BYTES = 160 };

static bool is_word(const char *word, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(word, known, length) == 0;
}

/* The number of "PG3" after its letters, or -1. */
static int number_after(const char *word, size_t length, const char *letters)
{
    const size_t head = strlen(letters);
    if (length <= head || length > head + 3 || strncmp(word, letters, head) != 0)
        return -1;
    int number = 0;
    for (size_t i = head; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return -1;
        number = number * 10 + word[i] - '0';
    }
    return number;
}

/* ---- heads ---- */

static void add_column(struct incident_table *table, const char *name, int priority)
{
    table->names[table->columns] = name;
    table->priorities[table->columns++] = priority;
}

static void by_priority(struct incident_reader *reader, const char *name)
{
    reader->section = INCIDENT_TABLE;
    for (int priority = 0; priority < PRIORITIES; priority++)
        add_column(&reader->table, name, priority);
}

/* "PG0 PG1 ..", more than 8 on some. */
static void by_group(struct incident_reader *reader, const char *at)
{
    size_t length;
    const char *word = incident_word(&at, &length);
    for (; length > 0 && reader->table.columns < INCIDENT_COLUMNS_MAX;
         word = incident_word(&at, &length)) {
        const int group = number_after(word, length, "PG");
        add_column(&reader->table,
                   group >= 0 && group < PRIORITIES ? "rx_prio%d_buffer_dropped" : NULL, group);
    }
    reader->section = INCIDENT_TABLE;
}

/* "Counter/pkts Counter/bytes Drop/pkts Drop/bytes" and what a release has more. */
static void by_queue(struct incident_reader *reader, const char *at)
{
    static const struct {
        const char *word, *name;
    } known[] = {
        {"Counter/pkts", "tx_prio%d_packets"},
        {"Counter/bytes", "tx_prio%d_bytes"},
        {"Drop/pkts", "tx_prio%d_queue_dropped"},
        {"EcnMarked/pkts", "tx_prio%d_ecn_marked"},
    };
    size_t length;
    const char *word = incident_word(&at, &length);
    for (; length > 0 && reader->table.columns < INCIDENT_COLUMNS_MAX;
         word = incident_word(&at, &length)) {
        const char *name = NULL;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (is_word(word, length, known[i].word))
                name = known[i].name;
        if (name == NULL)
            reader->table.unknown[reader->table.columns] = incident_place(reader, word, 1);
        add_column(&reader->table, name, -1);
    }
    reader->table.by_queue = true;
    reader->section = INCIDENT_TABLE;
}

/* Not "Port Rx" but "Port", and the next word. */
static bool begin_table(struct incident_reader *reader, const char *word, size_t length,
                        const char *at)
{
    reader->table = (struct incident_table){0};
    if (is_word(word, length, "Rx"))
        by_priority(reader, "rx_prio%d_pause");
    else if (is_word(word, length, "Tx"))
        by_priority(reader, "tx_prio%d_pause");
    else if (is_word(word, length, "TxQ"))
        by_queue(reader, at);
    else if (is_word(word, length, "PG0") && reader->drops_follow)
        by_group(reader, word);
    else {
        reader->section = INCIDENT_OTHER;
        incident_note(reader, word, "a table that a run has no counters for: left out");
    }
    reader->drops_follow = false;
    return true;
}

/* Titles: "Ingress PG dropped packets:", "For namespace :". */
static bool read_title(struct incident_reader *reader, const char *text)
{
    const size_t length = strlen(text);
    const bool drops = strncmp(text, "Ingress PG dropped packets:", 27) == 0;
    if (!drops && strncmp(text, "For namespace", 13) != 0 &&
        (reader->section == INCIDENT_ETHTOOL || length < 2 || length > TITLE_BYTES ||
         text[length - 1] != ':'))
        return false;
    reader->drops_follow = drops;
    reader->section = INCIDENT_NONE;
    return true;
}

bool incident_head(struct incident_reader *reader)
{
    const char *at = reader->line, *text = at + strspn(at, " \t");
    size_t length;
    if (read_title(reader, text))
        return true;
    const char *word = incident_word(&at, &length);
    if (!is_word(word, length, "Port"))
        return false;
    word = incident_word(&at, &length);
    return length > 0 && begin_table(reader, word, length, at);
}

/* ---- rows ---- */

static void leave_queue(struct incident_reader *reader, struct diag_place place)
{
    if (reader->queues_left++ == 0)
        reader->queue_place = place;
}

void incident_tell_left(const struct incident_reader *reader)
{
    const struct diag_place *first = &reader->queue_place;
    if (reader->queues_left > 0)
        fprintf(reader->notes,
                "%s:%d:%d: note: rows left out because a run has no such queue: %u; the first is "
                "here\n",
                first->file, first->line, first->column, reader->queues_left);
}

/* "UC3": of multicast queues, and of those above 7, a run has none. */
static bool read_queue(struct incident_reader *reader, const char **at, int *queue)
{
    size_t length;
    const char *word = incident_word(at, &length);
    const int unicast = number_after(word, length, "UC"), plain = number_after(word, length, "");
    *queue = unicast >= 0 ? unicast : plain;
    if (length == 0)
        incident_wrong(reader, word, 1, "expected a queue such as UC3");
    else if (*queue < 0 || *queue >= PRIORITIES)
        leave_queue(reader, incident_place(reader, word, length));
    else
        return true;
    return false;
}

static bool is_not_there(const char *word, size_t length)
{
    return is_word(word, length, "N/A");
}

/* A column is missed when somebody counts in it, and once. */
static void note_column(struct incident_reader *reader, int column)
{
    struct diag_place *place = &reader->table.unknown[column];
    if (place->file != NULL)
        fprintf(reader->notes, "%s:%d:%d: note: a column that a run does not have: left out\n",
                place->file, place->line, place->column);
    place->file = NULL;
}

void incident_row(struct incident_reader *reader)
{
    const struct incident_table *table = &reader->table;
    const char *at = reader->line;
    size_t length;
    int queue = -1;
    const char *word = incident_word(&at, &length);
    if (!incident_is_port(word, length)) {
        incident_wrong(reader, word, 1, "expected a port and its counts");
        return;
    }
    const char *port = arena_text(reader->arena, word, length);
    if (reader->named)
        port = arena_format(reader->arena, "%s:%s", reader->port, port);
    if (table->by_queue && !read_queue(reader, &at, &queue))
        return;
    for (int i = 0; i < table->columns; i++) {
        word = incident_word(&at, &length);
        if (length > 0 && table->names[i] == NULL && !is_not_there(word, length))
            note_column(reader, i);
        if (table->names[i] == NULL || is_not_there(word, length))
            continue;
        char name[INCIDENT_WORD_MAX];
        const char *digit = strstr(table->names[i], "%d");
        snprintf(name, sizeof name, "%.*s%d%s", (int)(digit - table->names[i]), table->names[i],
                 table->by_queue ? queue : table->priorities[i], digit + 2);
        incident_add(reader, port, arena_text(reader->arena, name, strlen(name)), word, length);
        if (length == 0)
            return;
    }
    word = incident_word(&at, &length);
    if (length > 0)
        incident_wrong(reader, word, length,
                       table->by_queue ? "expected no more counts than the table has columns"
                                       : "expected 8 counts, one for each priority");
}

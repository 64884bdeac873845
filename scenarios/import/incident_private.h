/* SPDX-License-Identifier: Apache-2.0
 * incident_private - what the parts of the counters' reader share.
 * incident_read.c makes a list of what a file prints, incident_table.c knows SONiC's tables,
 * incident.c compares two lists. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_INCIDENT_PRIVATE_H
#define STORMGLASS_SCENARIOS_IMPORT_INCIDENT_PRIVATE_H

#include "scenarios/format/tree.h"
#include "scenarios/import/incident.h"

enum { INCIDENT_COLUMNS_MAX = 24 };

struct incident_counter {
    const char *port, *name;
    int64_t value;
    struct diag_place place;
};

struct incident_list {
    struct incident_counter *items;
    size_t count;
};

/* A table of SONiC: what stands in each column. */
struct incident_table {
    bool by_queue; /* the second column is a queue, "UC3" */
    int columns;
    const char *names[INCIDENT_COLUMNS_MAX];         /* with %d for the priority; NULL: left out */
    int priorities[INCIDENT_COLUMNS_MAX];            /* where not by_queue */
    struct diag_place unknown[INCIDENT_COLUMNS_MAX]; /* of a head to note; file NULL: none */
};

enum incident_section {
    INCIDENT_NONE,
    INCIDENT_ETHTOOL,
    INCIDENT_TABLE,
    INCIDENT_OTHER /* a table that has no counters for us */
};

struct incident_reader {
    struct arena *arena;
    const struct tree_file *file;
    const char *port; /* of `ethtool -S` */
    bool named;       /* by a line of the file: then it goes before SONiC's names of ports */
    struct diag *diag;
    FILE *notes;
    struct incident_list list;
    enum incident_section section;
    struct incident_table table;
    bool drops_follow; /* the title of the drops of priority groups has been read */
    unsigned queues_left;
    struct diag_place queue_place; /* of the first */
    const char *line;              /* NUL-terminated copy */
    int number;
};

/* Reads a file's counters; false when the diag holds an error. */
bool incident_read(struct incident_reader *reader, const struct incident_input *input);

/* The name of a port, as a file is called: up to its first dot, without folders. */
const char *incident_port(struct arena *arena, const char *file);

/* The head of a table of SONiC becomes reader->table; false when the line is none. */
bool incident_head(struct incident_reader *reader);

void incident_row(struct incident_reader *reader);

/* At the end of a file: what rows were left out. */
void incident_tell_left(const struct incident_reader *reader);

/* ---- words and numbers ---- */

const char *incident_word(const char **at, size_t *length); /* the next one, empty at the end */
void incident_wrong(struct incident_reader *reader, const char *at, size_t width, const char *text);
struct diag_place incident_place(const struct incident_reader *reader, const char *at,
                                 size_t width);
void incident_note(struct incident_reader *reader, const char *at, const char *text);

/* A counter whose number stands at `number`. */
void incident_add(struct incident_reader *reader, const char *port, const char *name,
                  const char *number, size_t length);

bool incident_is_port(const char *word, size_t length);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * incident_private - declarations that the files of the reader share.
 * incident.c opens files and folders, incident_file.c recognizes the kind of a file and reads its
 * lines, incident_log.c reads messages, incident_host.c reads settings of hosts, incident_counts.c
 * computes counts from numbers, incident_fabric.c builds the fabric from configuration and
 * cables. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PRIVATE_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PRIVATE_H

#include "scenarios/counters/counts_walk.h"
#include "scenarios/incident/incident.h"
#include "scenarios/incident/incident_names.h"
#include "scenarios/incident/incident_past.h"

/* A number of a file, before the counts are made. */
struct incident_number {
    struct counts_number number;
    const char *host, *port;
    struct incident_when when;
    uint32_t order; /* in which it was read */
};

/* A printed table that leaves out rows of zeroes: the counters that it lacks were 0. */
struct incident_table {
    const char *table;
    struct incident_when when;
    struct diag_place place;
};

/* Something that sonic_import reads: configuration, or cables of one switch. */
struct incident_input {
    const char *name, *text;
    size_t length;
    const char *owner;  /* of cables: whose neighbors they are; NULL: configuration */
    const char **ports; /* of the owner, that a table of cables names */
    size_t port_count;
};

struct incident_reader {
    struct incident *incident;
    struct arena *arena; /* the incident's */
    struct diag *diag;
    FILE *notes;
    struct incident_number *numbers;
    size_t number_count;
    struct incident_table *tables;
    size_t table_count;
    struct incident_input *inputs;
    size_t input_count;
    const struct incident_past *past; /* or NULL */
    bool *seen;                       /* by number of the past: this look has it too */
    const char **known;               /* digests of the files of the past, sorted */
    size_t known_count;
    const char **known_before;     /* the past's contents, sorted */
    int old_numbers, old_messages; /* lines of this file that the past had */
    const char *data;              /* of this file, incident_past.h; NULL: no counters */
    /* What was read before this file. */
    size_t numbers_before, tables_before, events_before;
    const char *fabric; /* the first scenario among the files, or NULL */
    const char *fabric_text;
    size_t fabric_length;
};

/* Lines of one tool of one host in a file, at their line numbers. */
struct incident_host_text {
    const char *host;
    enum incident_tool tool;
    FILE *out;
    char *text;
    size_t length;
    int lines; /* written */
};

struct incident_host_lines {
    struct incident_host_text **list;
    size_t count;
    const char *host;        /* of the last line */
    enum incident_tool last; /* of the last line, or INCIDENT_TOOLS */
    const char *pending;     /* the last line, whose host the next one shows; NULL: none */
    int number;              /* its number */
    bool continues;          /* it ends with a backslash */
};

/* Takes a line with settings; false: it is read further. */
bool incident_host_take(struct incident_host_lines *lines, struct arena *arena,
                        const struct lines *line, const char *host);
void incident_host_end(struct incident_reader *reader, struct incident_file *about,
                       struct incident_host_lines *lines);
/* Sorts the settings of all files. */
void incident_host_sort(struct incident *incident);
/* Reads the text of a tool. */
void incident_host_read(struct incident_reader *reader, struct incident_file *about,
                        const struct incident_host_text *text);

/* Reads one file, whose name is `within` the folder that the user gave. */
void incident_read_file(struct incident_reader *reader, const struct tree_file *file,
                        const char *within);

/* A line of a log: its time, its host where it has one, the text behind them. */
struct incident_log_line {
    struct incident_when when;
    const char *host; /* or NULL */
    const char *text;
};
bool incident_log_read(struct arena *arena, const char *line, struct incident_log_line *log);
/* The event of a message; false: it is of no kind that is known. */
bool incident_log_event(struct arena *arena, const char *text, struct incident_event *event);

/* Makes the counts of the numbers. */
void incident_make_counts(struct incident_reader *reader);

/* Begins a look that has a past. */
void incident_past_start(struct incident_reader *reader);
/* The past's last sample of the source of that number, or NULL. */
const struct incident_past_number *incident_past_number(const struct incident_reader *reader,
                                                        const struct incident_number *number);
/* Whether a sample is older than the past's. */
bool incident_past_has(const struct incident_past_number *past,
                       const struct incident_number *number);
/* Whether the past had that table, which leaves out rows of zeroes. */
bool incident_past_table(const struct incident_reader *reader, const char *table);
/* Hands the last sample of a source to the next look. */
void incident_past_keep(struct incident_reader *reader, const struct incident_number *last);
/* Whether a file is to be read; what the past had of it is then known to the reader. */
bool incident_past_opens(struct incident_reader *reader, const char *path);
/* The same once its text is known; false: it is read at the next look. */
bool incident_past_begins(struct incident_reader *reader, const struct tree_file *file);
/* Takes back what is in the file where the past had it, under whatever name. */
void incident_past_ends(struct incident_reader *reader, const struct incident_file *about);
void incident_past_finish(struct incident_reader *reader);

/* Lists the configurations among the inputs. */
void incident_list_configs(struct incident_reader *reader);

/* Makes the scenario of configuration, cables or the given fabric. */
void incident_make_fabric(struct incident_reader *reader);

/* "before" than another moment: by rank where both have one from a name, by date where both have
 * one.  0: not known. */
int incident_when_order(const struct incident_when *a, const struct incident_when *b);

/* Errors of a reader, as notes: what it reads is then unknown. */
void incident_note_errors(const struct incident_reader *reader, const struct diag *diag);
void incident_note(const struct incident_reader *reader, struct diag_place place,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

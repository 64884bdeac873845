/* SPDX-License-Identifier: Apache-2.0
 * incident - what an engineer has of an incident: files and folders of counters, configuration,
 * cables and logs, recognized by their content and read with the readers of the importers.
 * A file may hold one output or a whole session: prompts say which host prints, dates when.  Where
 * a file has no prompt, its name and its folder say whose it is and which sample it belongs to
 * ("leaf0-before.txt", "after/leaf0.txt").  What is not there is unknown, not zero.
 * Clocks: times order samples of one host; clocks of different hosts are not compared.
 * Limits:  INCIDENT_FILES_MAX files and INCIDENT_NUMBERS_MAX numbers of all files; of each file,
 *          those of its reader.
 * Owner:   incident_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"

#include <stdint.h>

struct incident_past;
struct opt;
struct scenario;
struct tree_node;

enum {
    INCIDENT_FILES_MAX = 20000,
    INCIDENT_NUMBERS_MAX = 4000000,
    INCIDENT_EVENTS_MAX = 100000,
    INCIDENT_FILE_BYTES_MAX = 8 * 1024 * 1024
};

#define INCIDENT_NO_TIME INT64_MIN

/* When a number was printed: `rank` is the sample that names of files and folders give ("before":
 * 0, "after": 1000, "t3": 3), `seconds` a date in the file, `text` the date as it is written. */
struct incident_when {
    int32_t rank;
    int64_t seconds; /* since 1970, or INCIDENT_NO_TIME */
    const char *text;
};

struct incident_sample {
    struct incident_when when;
    int64_t value;
    struct diag_place place;
};

/* One counter of one port, in all its samples, oldest first. */
struct incident_count {
    const char *host; /* without its domain */
    const char *port; /* or "": the output names none */
    const char *name; /* the run's name; where a run has no such counter, the equipment's */
    bool known;       /* a run has it */
    bool peak;        /* the highest value so far, which has no difference */
    int priority;     /* or -1 */
    struct incident_sample *samples;
    uint32_t sample_count;
    int64_t difference; /* later minus earlier, over resets; with one sample its value */
    bool reset;         /* it decreased in between */
};

/* Kinds of messages of a log, incident_log.def. */
enum incident_event_kind {
#define KIND(id, name, about) INCIDENT_##id,
#include "scenarios/incident/incident_log.def"
#undef KIND
    INCIDENT_EVENT_KINDS
};
const char *incident_event_name(enum incident_event_kind kind);
const char *incident_event_about(enum incident_event_kind kind);

struct incident_event {
    enum incident_event_kind kind;
    const char *host;
    const char *subject; /* controller, card or port that the message names, or "" */
    struct incident_when when;
    struct diag_place place;
};

/* What was read of a file, for the report. */
struct incident_file {
    const char *name;
    const char *host; /* that its name or its first prompt gives */
    uint32_t numbers, cables, log_lines, events;
    uint32_t outputs; /* of tools that print settings of a host */
    bool is_configuration, is_scenario;
    uint32_t lines_left;          /* with digits, and of no kind that is read */
    struct diag_place first_left; /* of them */
    uint32_t malformed;           /* lines that begin like counters and were skipped */
    struct diag_place first_malformed;
    const char *left_out; /* why the whole file is, or NULL */
};

/* A config_db.json among the files. */
struct incident_config {
    const char *host; /* the switch's own name in it */
    const char *file;
    const struct tree_node *root;
};

/* A tool that prints settings of a host, incident_host.def. */
enum incident_tool {
#define TOOL(id, reader, name) INCIDENT_##id,
#include "scenarios/incident/incident_host.def"
#undef TOOL
    INCIDENT_TOOLS
};

/* What a host sets. */
struct incident_setting {
    const char *host;
    enum incident_tool tool;
    const char *name;      /* the parameter */
    const struct opt *row; /* NULL: the priority of DSCP `dscp` */
    int dscp;              /* or -1 */
    int64_t value;
    const char *spelled; /* by the tool */
    struct diag_place place;
};

/* The output of a tool of that host: what it does not set has its default. */
struct incident_host {
    const char *host;
    enum incident_tool tool;
    struct diag_place place;
};

struct incident {
    struct arena arena;
    struct incident_file *files;
    size_t file_count;
    struct incident_count *counts; /* by host, port, name */
    size_t count_count;
    struct incident_event *events; /* in the order of the files */
    size_t event_count;
    const char **hosts; /* with counters or messages, by name */
    size_t host_count;
    struct incident_config *configs; /* from which the fabric was made */
    size_t config_count;
    struct incident_setting *settings; /* of hosts, by tool, parameter and host */
    size_t setting_count;
    struct incident_host *outputs; /* each tool once for each host */
    size_t output_count;
    struct scenario *scenario; /* the fabric, or NULL: no cables are known */
    /* With a past: what the next look compares with, and the number of files that are new. */
    struct incident_past *next;
    size_t changed;
    bool is_unreadable;  /* the error is that a file or folder cannot be read */
    bool rates_assumed;  /* cables are known, the rates of links are not */
    char *scenario_text; /* that it was loaded from, as YAML; NULL with --fabric or without */
    char *notes;         /* notes and warnings, each with FILE:LINE:COLUMN, or empty */
};

struct incident_text {
    const char *name;
    const char *text;
    size_t length;
};

struct incident_ask {
    const char *const *paths; /* files and folders */
    size_t path_count;
    const struct incident_text *texts; /* files in memory, for tests */
    size_t text_count;
    struct scenario *fabric; /* which the incident takes over, or NULL */
    /* What an earlier look saw, or NULL.  Samples and messages that it had are not read again; its
     * last sample of each counter comes before those of this look. */
    const struct incident_past *past;
};

/* False when the diag holds an error; the incident is to be freed all the same. */
bool incident_read(struct incident *incident, const struct incident_ask *ask, struct diag *diag);
void incident_free(struct incident *incident);

/* The count of that name and priority (-1: of none), or NULL: unknown. */
const struct incident_count *incident_find(const struct incident *incident, const char *host,
                                           const char *port, const char *name, int priority);

/* The configuration of a switch, or NULL. */
const struct incident_config *incident_config(const struct incident *incident, const char *host);
/* Where it sets the member of that row of the table; the row or the table where it does not.
 * `row` NULL: any row. */
struct diag_place incident_config_place(const struct incident_config *config, const char *table,
                                        const char *row, const char *field);

/* The host's setting of that tool, parameter and DSCP, or NULL: it has its default. */
const struct incident_setting *incident_setting(const struct incident *incident, const char *host,
                                                const struct incident_setting *like);
const char *incident_tool_name(enum incident_tool tool);

#endif

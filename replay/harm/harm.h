/* SPDX-License-Identifier: Apache-2.0
 * harm - what users lost in a run, and who is to blame for it.
 * Each kind of cause (cause.def) looks at the evidence for what it alone can do: drops, pauses,
 * queue pairs that wait, connections that fail.  What it sees is a clue with a place.  A clue is
 * turned into an accusation by whatever is at that place and could do it: first a fault that was in
 * force, then a setting that differs from those of like ports, switches or hosts, then one that the
 * scenario sets for all, else who or what the kind names.  Load alone accuses nobody.
 * Causes are ranked by what their victims lost: the members of workloads that went by the place.
 * Shares are parts per million, times virtual picoseconds.  Owner: harm_free; names of things are
 * the scenario's. */
#ifndef STORMGLASS_REPLAY_HARM_HARM_H
#define STORMGLASS_REPLAY_HARM_HARM_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HARM_NONE UINT32_MAX

/* Of a member's time: what is less is not worth a victim. */
#define HARM_NOTICED (PPM / 100)

enum { HARM_NAME_BYTES = 160, HARM_SENTENCE_BYTES = 480, HARM_CAUSES_MAX = 16, HARM_VICTIMS = 32 };

#define HARM_SUSPECTS(X)                                                                           \
    X(FAULT, "fault")                                                                              \
    X(HOST, "host")                                                                                \
    X(WORKLOAD, "workload")                                                                        \
    X(SETTING, "setting") X(LINK, "link") X(SWITCH, "switch") X(LOAD, "load")
#define HARM_SEVERITIES(X)                                                                         \
    X(NOTHING, "none") X(SLIGHT, "slight") X(MODERATE, "moderate") X(SEVERE, "severe")

#define X(name, word) HARM_##name,
enum harm_suspect { HARM_SUSPECTS(X) };
enum harm_severity { HARM_SEVERITIES(X) };
#undef X

const char *harm_suspect_word(enum harm_suspect suspect);
const char *harm_severity_word(enum harm_severity severity);

/* How far a victim is from the cause: the nearer, the smaller (victims.h). */
enum harm_class { HARM_DIRECT = 1, HARM_INDIRECT, HARM_SAME_PATH, HARM_UNTOUCHED };

/* "direct"; NULL: no victim. */
const char *harm_class_word(enum harm_class class);

/* Who lost because of a cause: the members of a workload that begin at a host. */
struct harm_victim {
    uint32_t workload, node;
    const char *host;
    enum harm_class class;
    int64_t lost; /* share of their time */
    int64_t failed;
    time_ps paused; /* the longest that a port on their path was, because of the cause */
};

/* Of the first cause and all that are sure: the nearest of a workload's victims, and the longest
 * pause. */
struct harm_workload {
    enum harm_class class;
    time_ps paused;
};

struct harm_cause {
    const char *kind; /* a word of the list of causes */
    enum harm_suspect suspect;
    char name[HARM_NAME_BYTES]; /* "faults.0", a host, a workload, the path of a setting, a port */
    const char *node;           /* where it was seen; NULL: nowhere in particular */
    char port[HARM_NAME_BYTES]; /* empty: none */
    int priority;               /* -1: none */
    uint32_t root;              /* of pauses; HARM_NONE: none */
    int64_t share;              /* of all that was lost */
    bool sure;
    bool confirmed; /* by an experiment: without it less is lost */
    char sentence[HARM_SENTENCE_BYTES];
    struct harm_victim victims[HARM_VICTIMS]; /* those that lost most */
    uint32_t victim_count, victims_in_all;
};

/* How near to a limit the nearest came: parts per million of it. */
struct harm_margin {
    int64_t used;     /* -1: nobody has such a limit */
    const char *node; /* of the nearest */
};

struct harm {
    int64_t lost_ps; /* -1: unknown */
    int64_t failed_operations, lossless_drops, drops, victims;
    enum harm_severity severity;
    char sentence[HARM_SENTENCE_BYTES];
    char untold[HARM_NAME_BYTES]; /* "fault 0, drive-failed": what it cost the run does not tell */
    struct harm_margin headroom;  /* of a lossless group: above it a frame is lost */
    struct harm_margin memory;    /* that groups of a switch share */
    struct harm_margin receive;   /* of a host's receive buffer, to where it pauses */
    struct harm_cause *causes;    /* best first */
    uint32_t cause_count;
    uint32_t runs;                   /* that confirmed causes or ruled them out; 0: nobody tried */
    struct harm_workload *workloads; /* one for each; NULL: unknown */
};

struct cause_kind;
struct harm_scene;

/* Asks all the kinds, a list that NULL ends. */
void harm_judge(struct harm_scene *scene, const struct cause_kind *const *kinds, struct harm *harm);
void harm_free(struct harm *harm);

#endif

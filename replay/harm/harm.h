/* SPDX-License-Identifier: Apache-2.0
 * harm - what workloads lost in a run, and the causes.
 * Each kind of cause (cause.def) searches the evidence for traces that only it leaves: drops,
 * pauses, waiting queue pairs, failed connections. A trace is a clue with a place. The suspect of a
 * clue is whatever can have this effect at the place, in this order: a fault that was active; a
 * setting that differs from similar ports, switches or hosts; a setting that the scenario makes for
 * all; otherwise the object that the kind names. Load is not a fault.
 * Causes are ranked by the loss of their victims, the members of workloads that pass the place.
 * Shares are in parts per million, times in virtual picoseconds. Owner: harm_free; names belong to
 * the scenario. */
#ifndef STORMGLASS_REPLAY_HARM_HARM_H
#define STORMGLASS_REPLAY_HARM_HARM_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HARM_NONE UINT32_MAX

/* Share of a member's time; smaller losses do not make a victim. */
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

/* Distance between victim and cause, ascending (victims.h). */
enum harm_class { HARM_DIRECT = 1, HARM_INDIRECT, HARM_SAME_PATH, HARM_UNTOUCHED };

/* "direct"; NULL if not a victim. */
const char *harm_class_word(enum harm_class class);

/* Members of a workload that start at a host and lost time to a cause. */
struct harm_victim {
    uint32_t workload, node;
    const char *host;
    enum harm_class class;
    int64_t lost; /* share of their time, ppm */
    int64_t failed;
    time_ps paused; /* ps; of the port on their path that was paused longest because of the cause */
};

/* Over the first cause and all certain causes: the smallest distance of the workload's victims, and
 * the longest pause. */
struct harm_workload {
    enum harm_class class;
    time_ps paused;
};

struct harm_cause {
    const char *kind; /* a name in the list of causes */
    enum harm_suspect suspect;
    char name[HARM_NAME_BYTES]; /* "faults.0", a host, a workload, the path of a setting, a port */
    const char *node;           /* where it was observed; NULL: no particular node */
    char port[HARM_NAME_BYTES]; /* empty: none */
    int priority;               /* -1: none */
    uint32_t root;              /* root of pauses; HARM_NONE: none */
    int64_t share;              /* share of the total loss, ppm */
    bool sure;
    bool confirmed; /* an experiment without it shows less loss */
    char sentence[HARM_SENTENCE_BYTES];
    struct harm_victim victims[HARM_VICTIMS]; /* those with the largest loss */
    uint32_t victim_count, victims_in_all;
};

/* How close to a limit the closest object came, in ppm of the limit. */
struct harm_margin {
    int64_t used;     /* -1: no object has such a limit */
    const char *node; /* of the closest one */
};

struct harm {
    int64_t lost_ps; /* -1: unknown */
    int64_t failed_operations, lossless_drops, drops, victims;
    int64_t control_drops; /* of `drops`, frames of link flow control */
    const struct flow_words *flow;
    enum harm_severity severity;
    char sentence[HARM_SENTENCE_BYTES];
    char untold[HARM_NAME_BYTES]; /* "fault 0, drive-failed": its loss is unknown */
    struct harm_margin headroom;  /* of a lossless priority group: frames are lost beyond it */
    struct harm_margin memory;    /* shared memory of a switch */
    struct harm_margin receive;   /* a host's receive buffer, relative to its XOFF threshold */
    struct harm_cause *causes;    /* by rank */
    uint32_t cause_count;
    uint32_t runs;                   /* number of experiments; 0: not tested */
    struct harm_workload *workloads; /* by workload; NULL: unknown */
};

struct cause_kind;
struct harm_scene;

/* Searches all kinds of causes; the list is NULL-terminated. */
void harm_judge(struct harm_scene *scene, const struct cause_kind *const *kinds, struct harm *harm);
void harm_free(struct harm *harm);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * cause - kinds of causes of harm: one file per kind, one line in replay/cause/cause.def.
 * A kind searches the evidence for traces that only it leaves, and reports a clue for each place
 * with such a trace. harm.c determines the suspect of a clue and the loss that it explains. */
#ifndef STORMGLASS_REPLAY_HARM_CAUSE_H
#define STORMGLASS_REPLAY_HARM_CAUSE_H

#include "replay/harm/suspects.h"

struct cause_clue {
    struct suspects_place place;        /* both HARM_NONE: the whole run */
    int priority;                       /* -1: no particular one */
    uint32_t workload;                  /* only its members; HARM_NONE: all workloads */
    unsigned parts;                     /* set of HARM_BIT: kinds of loss that count */
    int64_t strength;                   /* share of that loss attributed to the clue, ppm */
    time_ps from, until;                /* period; 0, 0: the whole run */
    const char *faults;                 /* kinds of faults, separated by spaces; NULL: none */
    bool anywhere;                      /* faults at other places count, too */
    const char *late_faults;            /* kinds of faults to use if no parameter deviates */
    const char *rows;                   /* parameters that may deviate, likeliest first */
    const char *far_rows;               /* parameters that may deviate anywhere */
    const char *later_rows;             /* parameters to use if the others do not deviate */
    const char *general;                /* parameters to use if set for all devices */
    const char *of_workload;            /* parameters of the workload */
    bool ends;                          /* also check `rows` at the hosts of its members */
    bool everywhere;                    /* concerns also members that do not pass the place */
    uint32_t root;                      /* only members stopped by this root; HARM_NONE: all */
    const struct deviation *deviation;  /* only members that it affects; NULL: no deviation */
    bool standing;                      /* ranks before all other causes */
    bool proven;                        /* the trace has no other explanation */
    int64_t least;                      /* minimum loss of each member that passes the place, ppm */
    int64_t most;                       /* maximum loss of any member, ppm; 0: no limit */
    bool untold;                        /* the loss may be larger, but the run does not show it */
    enum harm_suspect otherwise;        /* suspect if none of the above applies */
    char seen[HARM_SENTENCE_BYTES / 2]; /* "leaf1:p3 dropped 96 frames" */
};

/* Kinds of loss that lost frames lead to. */
#define HARM_LOST_PARTS (HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(LOSS) | HARM_BIT(BEHIND))

struct cause_search;

struct cause_kind {
    const char *name;  /* identifier in JSON */
    const char *about; /* one sentence */
    void (*look)(struct cause_search *search, const struct harm_scene *scene);
};

/* An empty clue without place, priority or workload. */
struct cause_clue cause_clue(void);

void cause_report(struct cause_search *search, const struct cause_clue *clue);

/* Reports a clue with a known suspect. */
void cause_accuse(struct cause_search *search, const struct cause_clue *clue,
                  const struct suspect *suspect);

/* Whether the causes found so far, except load, explain a noticeable loss of the member. */
bool cause_is_blamed(const struct cause_search *search, uint32_t member);

/* Reports one clue per root of pauses of these kinds. */
void cause_report_roots(struct cause_search *search, const struct harm_scene *scene, unsigned kinds,
                        const struct cause_clue *shape);

void cause_report_drop(struct cause_search *search, const struct harm_scene *scene,
                       const struct observe_drops *drops, const struct cause_clue *shape,
                       const char *why);

/* The pauses that would have prevented these drops were not sent or not obeyed. */
bool cause_pauses_lost(const struct harm_scene *scene, const struct observe_drops *drops);

/* Reports one clue per port for drops of these causes. `shape` is the clue without the place. */
void cause_report_drops(struct cause_search *search, const struct harm_scene *scene,
                        unsigned drop_causes, int lossless, const struct cause_clue *shape,
                        const char *why);

/* "leaf0:p3" */
const char *cause_port_name(const struct harm_scene *scene, uint32_t port, char *text, size_t size);

#endif

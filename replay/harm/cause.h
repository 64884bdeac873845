/* SPDX-License-Identifier: Apache-2.0
 * cause - what may do harm: one file a kind, one line in replay/cause/cause.def.
 * A kind looks at the scene for what it alone leaves behind, and reports a clue for each place of
 * it.  Who is accused for a clue, and how much was lost by it, is the judge's (harm.c). */
#ifndef STORMGLASS_REPLAY_HARM_CAUSE_H
#define STORMGLASS_REPLAY_HARM_CAUSE_H

#include "replay/harm/suspects.h"

struct cause_clue {
    struct suspects_place place; /* both HARM_NONE: all of the run */
    int priority;                /* -1: none in particular */
    uint32_t workload;           /* only its members; HARM_NONE: all */
    unsigned parts;              /* of HARM_BIT: the lost time that counts */
    int64_t strength;            /* part of it that is due to this, up to PPM */
    time_ps from, until;         /* when; 0, 0: all the time */
    const char *faults;          /* kinds of faults that could, between spaces; NULL: none */
    bool anywhere;               /* ... also at other places */
    const char *late_faults;     /* ... if no parameter deviates */
    const char *rows;            /* parameters that could where they deviate, likeliest first */
    const char *far_rows;        /* ... anywhere */
    const char *later_rows;      /* ... if the others do not */
    const char *general;         /* ... where they are written for all */
    const char *of_workload;     /* ... of the workload */
    bool ends;                   /* rows are looked for at the hosts of its members too */
    bool everywhere;             /* not only members that go by the place */
    uint32_t root;               /* only members that its pauses stopped; HARM_NONE: no root */
    const struct deviation *deviation;  /* only members that it touches; NULL: none */
    bool standing;                      /* it goes before all others */
    bool proven;                        /* what was seen has no other explanation */
    int64_t least;                      /* that it cost everyone who goes by the place */
    int64_t most;                       /* that it can have cost anyone; 0: any part */
    bool untold;                        /* it may have cost more, which the run does not tell */
    enum harm_suspect otherwise;        /* whom to name if there is none of these */
    char seen[HARM_SENTENCE_BYTES / 2]; /* "leaf1:p3 dropped 96 frames" */
};

/* What frames that are lost lead to. */
#define HARM_LOST_PARTS (HARM_BIT(FAILED) | HARM_BIT(STOOD) | HARM_BIT(LOSS) | HARM_BIT(BEHIND))

struct cause_search;

struct cause_kind {
    const char *name;  /* in JSON: a word */
    const char *about; /* one sentence */
    void (*look)(struct cause_search *search, const struct harm_scene *scene);
};

/* A clue without anything in it: place, priority and workload are none. */
struct cause_clue cause_clue(void);

void cause_report(struct cause_search *search, const struct cause_clue *clue);

/* The same, of an exact suspect. */
void cause_accuse(struct cause_search *search, const struct cause_clue *clue,
                  const struct suspect *suspect);

/* By the causes that have looked so far, the member lost something worth mention. */
bool cause_is_explained(const struct cause_search *search, uint32_t member);

/* ... to somebody, not to load. */
bool cause_is_blamed(const struct cause_search *search, uint32_t member);

/* Roots of pauses of these kinds: one clue for each. */
void cause_report_roots(struct cause_search *search, const struct harm_scene *scene, unsigned kinds,
                        const struct cause_clue *shape);

void cause_report_drop(struct cause_search *search, const struct harm_scene *scene,
                       const struct observe_drops *drops, const struct cause_clue *shape,
                       const char *why);

/* Nobody sends the pauses that would have saved these frames, or nobody obeys them. */
bool cause_pauses_lost(const struct harm_scene *scene, const struct observe_drops *drops);

/* Frames of a drop cause: one clue for each port.  `shape` is the clue but for its place. */
void cause_report_drops(struct cause_search *search, const struct harm_scene *scene,
                        unsigned drop_causes, int lossless, const struct cause_clue *shape,
                        const char *why);

/* "leaf0:p3" */
const char *cause_port_name(const struct harm_scene *scene, uint32_t port, char *text, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * culprit - random scenarios with one injected fault: a host that drains slowly or a NIC that
 * pauses without end, under random topology, rates, buffers, load and congestion control. */
#ifndef STORMGLASS_TESTS_LAWS_CULPRIT_H
#define STORMGLASS_TESTS_LAWS_CULPRIT_H

#include "base/rng.h"
#include "replay/run/run.h"

enum { CULPRIT_TEXT_BYTES = 16384 };

/* A scenario that is being written. */
struct culprit_draft {
    struct rng rng;
    char text[CULPRIT_TEXT_BYTES];
    size_t used;
    unsigned hosts, culprit;
    char name[16];    /* of the culprit */
    const char *kind; /* what it does */
};

/* The scenario of that number; its fault is the last line. */
void culprit_draft(struct culprit_draft *draft, uint64_t seed, unsigned number);

/* More text behind it. */
void culprit_add(struct culprit_draft *draft, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Draws: low..high; true in so many of 100; one of the words, whose end is NULL. */
unsigned culprit_between(struct culprit_draft *draft, unsigned low, unsigned high);
bool culprit_chance(struct culprit_draft *draft, unsigned percent);
const char *culprit_pick(struct culprit_draft *draft, const char *const *words);

/* The first `length` bytes of the text are the scenario.  Owner: run_close, scenario_free. */
void culprit_run(struct run *run, const char *text, size_t length, struct scenario **scenario);

/* A number from the environment. */
unsigned culprit_setting(const char *name, unsigned otherwise);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * play - a scenario in every way that must not matter, and the laws that hold in all of them.
 *   watched       one thread, every frame looked at: the laws of tests/laws/run/run_laws.h
 *   unwatched     the same digest, by the way that frames take when nobody looks
 *   several       2 to 7 threads: the same digest, and every value of the result but the threads
 *   recorded      to a database, in which no figure is impossible, and played again from it: equal
 *   remedies      what check proposes repairs what it found (tests/unit/check/remedies.h)
 *   changed       what should change nothing, or everything in proportion (play_change.h) */
#ifndef STORMGLASS_TESTS_SWARM_PLAY_H
#define STORMGLASS_TESTS_SWARM_PLAY_H

#include "reach.h"

enum { PLAY_TEXT = 400 };

enum play_ways { PLAY_THREADS = 1, PLAY_RECORDED = 2, PLAY_CHANGED = 4, PLAY_ALL = 7 };

struct play_outcome {
    char broken[PLAY_TEXT]; /* empty: every law held */
    char law[PLAY_TEXT];    /* the same without numbers and names: which law it was */
    bool refused;           /* the world cannot be built of it */
    bool costly;            /* too many events: it was cut, and only what holds on the way said */
};

/* Plays the text; `reach` may be NULL. */
void play_text(const char *text, uint64_t seed, unsigned ways, struct reach *reach,
               struct play_outcome *outcome);

void play_break(struct play_outcome *outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

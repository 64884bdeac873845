/* SPDX-License-Identifier: Apache-2.0
 * jobs - many runs at once, each in a process of its own.
 * Nothing of one can reach another, and what each came to is written into a pipe.  A process that
 * ends before it has answered is begun again, once; all end with their parent.  Without processes
 * (WebAssembly) they are played one by one.  Other places may take their part of them.  Nothing
 * that is reported may depend on how many there are at once. */
#ifndef STORMGLASS_REPLAY_RUN_JOBS_H
#define STORMGLASS_REPLAY_RUN_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOBS_AT_ONCE_MAX = 256, JOBS_PLACES_MAX = 1024 };

/* Where runs are played too, such as other machines: each place plays one at a time. */
struct jobs_elsewhere {
    void *self;
    uint32_t places;
    /* `errand` is what `jobs` says of a run; it may be given up when this returns. */
    void (*begin)(void *self, uint32_t place, const char *errand, size_t length);
    /* Whether what was begun there has ended: then `well` says whether `result` is its result. */
    bool (*ended)(void *self, uint32_t place, void *result, size_t bytes, bool *well);
    /* What is under way there shall end; that it has is told as ever. */
    void (*stop)(void *self, uint32_t place);
};

struct jobs {
    void *self;
    /* Plays number `index` and fills in `result`, which is all zero. */
    void (*play)(void *self, uint32_t index, void *result);
    /* In the order in which they end; `well` false: its process ended too early, twice.  NULL:
     * nobody wants to know before all are done. */
    void (*done)(void *self, uint32_t index, bool well);
    uint32_t count;
    uint32_t at_once; /* 0: as many as there are processors */
    void *results;    /* `count` of `bytes` each, all zero */
    size_t bytes;
    const struct jobs_elsewhere *elsewhere; /* NULL: all are played here */
    /* What a place elsewhere is told of number `index`; the caller frees it. */
    char *(*errand)(void *self, uint32_t index, size_t *length);
    /* Asked again and again: what is true ends all as a stop does.  NULL: it is never enough. */
    bool (*enough)(void *self);
    /* Whether what was answered can be a result, whatever its bytes are: if not it is as if the
     * process had died.  NULL: it always is. */
    bool (*sound)(void *self, uint32_t index, const void *result);
};

/* How many that are. */
uint32_t jobs_at_once(const struct jobs *jobs);

/* False: one of the processes ended too early, twice, a stop was asked for (replay/run/stop.h),
 * or it was enough: then those under way are asked to end, and no other is begun. */
bool jobs_play(const struct jobs *jobs);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * jobs - parallel runs, each in its own process.
 * Runs cannot affect each other, and each writes its result to a pipe. A process that ends without
 * a result is restarted once. All processes end with their parent. Without processes (WebAssembly)
 * runs are done one by one. Other places may take a part of the runs. Reported results must not
 * depend on the number of parallel runs. */
#ifndef STORMGLASS_REPLAY_RUN_JOBS_H
#define STORMGLASS_REPLAY_RUN_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JOBS_AT_ONCE_MAX = 256, JOBS_PLACES_MAX = 1024 };

/* Other places for runs, such as remote machines; each does one run at a time. */
struct jobs_elsewhere {
    void *self;
    uint32_t places;
    /* `errand` is the description from `jobs`; it may be freed when this returns. */
    void (*begin)(void *self, uint32_t place, const char *errand, size_t length);
    /* Whether the run at that place has ended; then `well` indicates whether `result` is valid. */
    bool (*ended)(void *self, uint32_t place, void *result, size_t bytes, bool *well);
    /* Stops the run at that place; its end is reported as usual. */
    void (*stop)(void *self, uint32_t place);
};

struct jobs {
    void *self;
    /* Does run number `index` and fills in `result`, which is zeroed. */
    void (*play)(void *self, uint32_t index, void *result);
    /* Called in the order in which runs end; `well` is false if the process failed twice. NULL: no
     * notification. */
    void (*done)(void *self, uint32_t index, bool well);
    uint32_t count;
    uint32_t at_once; /* 0: number of processors */
    void *results;    /* `count` results of `bytes` each, zeroed */
    size_t bytes;
    const struct jobs_elsewhere *elsewhere; /* NULL: all runs are local */
    /* The description of run `index` for another place; the caller frees it. */
    char *(*errand)(void *self, uint32_t index, size_t *length);
    /* Polled repeatedly: when true, ends all runs like a stop. NULL: never. */
    bool (*enough)(void *self);
    /* Whether a received result is valid; its bytes may be arbitrary. If not, the process counts as
     * failed. NULL: always valid. */
    bool (*sound)(void *self, uint32_t index, const void *result);
};

/* The effective number of parallel runs. */
uint32_t jobs_at_once(const struct jobs *jobs);

/* Returns false if a process failed twice, a stop was requested (replay/run/stop.h), or `enough`
 * returned true. In these cases running processes are asked to end, and no others are started. */
bool jobs_play(const struct jobs *jobs);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * measurements - what the benchmarks showed of a device, as measured, and the file that keeps it.
 *   {"stormglass-figures": 1, "device": "rxe0", "firmware": "", "kernel": "6.1.0",
 *    "facts": ["rnic.path-mtu=1024B"], "sets": ["fabric.host-links.rate=25Gbps"],
 *    "figures": {"send-small": {"latency_ps": [..], "interval_ps": [..], "connect_ps": [..]}}}
 * A list has one value for each time that the benchmark was played.  Facts are what the device says
 * of itself, below hosts.defaults; sets are changes of the benchmarks, as `--set`.  A key "fit" is
 * left alone: so what `calibrate --json` prints is such a file.
 * Owner: measurements_free.  Errors: located messages. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_MEASUREMENTS_H
#define STORMGLASS_REPLAY_CALIBRATE_MEASUREMENTS_H

#include "replay/calibrate/benchmark.h"
#include "scenarios/format/arena.h"

enum { MEASUREMENTS_REPEATS_MAX = 100, MEASUREMENTS_TEXTS_MAX = 16 };

#define MEASUREMENTS_PS_MAX (1000 * PS_PER_S)

/* Of one benchmark; all zero: it was not played. */
struct measurements_benchmark {
    uint32_t repeats;
    time_ps times[BENCHMARK_FIGURE_COUNT][MEASUREMENTS_REPEATS_MAX]; /* each above 0 */
};

struct measurements_texts {
    const char *list[MEASUREMENTS_TEXTS_MAX];
    uint32_t count;
};

struct measurements {
    struct arena arena;
    const char *device, *firmware, *kernel;
    struct measurements_texts facts, sets; /* "path=value" */
    struct measurements_benchmark benchmarks[BENCHMARK_COUNT];
};

/* Reads a file; NULL and messages when it is none. */
struct measurements *measurements_read(const char *path, struct diag *diag);
struct measurements *measurements_parse(const char *name, const char *text, size_t length,
                                        struct diag *diag);
struct measurements *measurements_new(void);
void measurements_free(struct measurements *figures); /* NULL is fine */

/* Copies a text; false: there are too many already. */
bool measurements_add(struct measurements *figures, struct measurements_texts *texts,
                      const char *text);

/* Adds one play of a benchmark; false: there were MEASUREMENTS_REPEATS_MAX. */
bool measurements_take(struct measurements *figures, uint32_t benchmark,
                       const time_ps times[BENCHMARK_FIGURE_COUNT]);

/* The median of the repeats, and how far half of them are from it: the median distance, as a share.
 * The benchmark was played. */
struct measurements_middle {
    time_ps time;
    double spread;
};
struct measurements_middle measurements_middle(const struct measurements *figures,
                                               uint32_t benchmark, enum benchmark_figure figure);

#endif

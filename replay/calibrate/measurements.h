/* SPDX-License-Identifier: Apache-2.0
 * measurements - the figures measured on a device by the benchmarks, and their file format.
 *   {"stormglass-figures": 1, "device": "rxe0", "firmware": "", "kernel": "6.1.0",
 *    "facts": ["rnic.path-mtu=1024B"], "sets": ["fabric.host-links.rate=25Gbps"],
 *    "figures": {"send-small": {"latency_ps": [..], "interval_ps": [..], "connect_ps": [..]}}}
 * Each list has one value per repetition of the benchmark. "facts" are reported by the device,
 * relative to hosts.defaults; "sets" are changes to the benchmarks, as with `--set`. A key "fit" is
 * ignored, so the output of `calibrate --json` is also a valid file.
 * Owner: measurements_free. Errors: messages with locations. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_MEASUREMENTS_H
#define STORMGLASS_REPLAY_CALIBRATE_MEASUREMENTS_H

#include "replay/calibrate/benchmark.h"
#include "scenarios/format/arena.h"

enum { MEASUREMENTS_REPEATS_MAX = 100, MEASUREMENTS_TEXTS_MAX = 16 };

#define MEASUREMENTS_PS_MAX (1000 * PS_PER_S)

/* Results of one benchmark; all zero if it was not run. */
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

/* Reads a file; returns NULL and adds messages if it is invalid. */
struct measurements *measurements_read(const char *path, struct diag *diag);
struct measurements *measurements_parse(const char *name, const char *text, size_t length,
                                        struct diag *diag);
struct measurements *measurements_new(void);
void measurements_free(struct measurements *figures); /* `figures` may be NULL */

/* Copies a text; false if there are too many already. */
bool measurements_add(struct measurements *figures, struct measurements_texts *texts,
                      const char *text);

/* Adds one repetition of a benchmark; false after MEASUREMENTS_REPEATS_MAX. */
bool measurements_take(struct measurements *figures, uint32_t benchmark,
                       const time_ps times[BENCHMARK_FIGURE_COUNT]);

/* The median of the repetitions, and their relative median absolute deviation. The benchmark must
 * have been run. */
struct measurements_middle {
    time_ps time;
    double spread;
};
struct measurements_middle measurements_middle(const struct measurements *figures,
                                               uint32_t benchmark, enum benchmark_figure figure);

#endif

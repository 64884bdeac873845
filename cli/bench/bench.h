/* SPDX-License-Identifier: Apache-2.0
 * bench - the works of `stormglass bench`, and what is measured of one.
 * A work is a scenario that travels in the program (scenarios/works), or a part: a loop that is a
 * bound of what the whole can reach.  A figure is a row below; text, JSON and history follow. */
#ifndef STORMGLASS_CLI_BENCH_BENCH_H
#define STORMGLASS_CLI_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* What is measured, and what is known: X(type, member, name).  0: it has none. */
#define BENCH_FIGURES(X)                                                                           \
    X(count, hosts, "hosts")                                                                       \
    X(count, packet_hops, "packet_hops")                                                           \
    X(count, events, "events")                                                                     \
    X(ratio, events_per_hop, "events_per_hop")                                                     \
    X(count, hops_per_cpu_s, "packet_hops_per_cpu_s")                                              \
    X(count, hops_per_wall_s, "packet_hops_per_wall_s")                                            \
    X(count, events_per_cpu_s, "events_per_cpu_s")                                                 \
    X(ratio, build_cpu_s, "build_cpu_s")                                                           \
    X(ratio, play_cpu_s, "play_cpu_s")                                                             \
    X(ratio, play_wall_s, "play_wall_s")                                                           \
    X(ratio, end_cpu_s, "end_cpu_s")                                                               \
    X(count, peak_bytes, "peak_bytes")                                                             \
    X(count, host_bytes, "bytes_per_host")                                                         \
    X(count, frames, "frames_at_once")                                                             \
    X(count, frame_bytes, "bytes_per_frame")                                                       \
    X(count, queue_pairs, "queue_pairs")

typedef int64_t bench_count;
typedef double bench_ratio;

struct bench_figures {
#define X(type, member, name) bench_##type member;
    BENCH_FIGURES(X)
#undef X
};

/* Where figures go. */
struct bench_output {
    bool json;           /* one object on a line for each work, instead of lines for people */
    const char *history; /* a file of comma-separated values that gets a line more; NULL: none */
    const char *label;   /* says in it what was measured, a commit for instance */
};

/* False, and a message: the history could not be written. */
bool bench_tell(const struct bench_output *output, const char *work,
                const struct bench_figures *figures);

/* A part of the program by itself. */
struct bench_part {
    const char *name, *about;
    bool (*measure)(const struct bench_output *output); /* false, and a message: it failed */
};

extern const struct bench_part bench_parts[]; /* a row without a name ends it */

/* A row for each work: name and sentence; in lines on standard output. */
struct cli_list;
void bench_list(struct cli_list *list);
void bench_print_list(void);

/* A count per second of something that took so long; 0 when no time passed. */
int64_t bench_rate(int64_t count, double seconds);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * bench - the benchmarks of `stormglass bench`, and their results.
 * A benchmark is an embedded scenario (scenarios/works), or a part: a loop that gives an upper
 * bound for the whole program. Each result is a row below, from which text, JSON and history are
 * generated. */
#ifndef STORMGLASS_CLI_BENCH_BENCH_H
#define STORMGLASS_CLI_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Measured and known values: X(type, member, name). 0: not available. */
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
    X(count, queue_pairs, "queue_pairs")                                                           \
    X(count, segments, "tcp_segments")                                                             \
    X(ratio, segment_ns, "cpu_ns_per_tcp_segment")

typedef int64_t bench_count;
typedef double bench_ratio;

struct bench_figures {
#define X(type, member, name) bench_##type member;
    BENCH_FIGURES(X)
#undef X
};

/* Output of results. */
struct bench_output {
    bool json;           /* one JSON object per line and benchmark, instead of text */
    bool csv;            /* one row for each benchmark; bench_csv_names comes first */
    const char *history; /* CSV file that gets another line; NULL: none */
    const char *label;   /* label in the history, such as a commit */
};

/* The names of the columns, on standard output. */
void bench_csv_names(void);

/* False, with a message, if the history cannot be written. */
bool bench_tell(const struct bench_output *output, const char *work,
                const struct bench_figures *figures);

/* A part of the program, measured separately. */
struct bench_part {
    const char *name, *about;
    bool (*measure)(const struct bench_output *output); /* false, with a message, on failure */
};

extern const struct bench_part bench_parts[]; /* terminated by a row without a name */

/* Adds a row for each benchmark: name and description; as lines on standard output. */
struct cli_list;
void bench_list(struct cli_list *list);
void bench_print_list(void);

/* Count per second; 0 if no time passed. */
int64_t bench_rate(int64_t count, double seconds);

#endif

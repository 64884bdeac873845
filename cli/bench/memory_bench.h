/* SPDX-License-Identifier: Apache-2.0
 * memory_bench - a loop that accesses the memory that packet hops access, and does nothing else.
 * Besides the event queue, this is the other upper bound of the engine: tables of the model's own
 * structures, as many as in a fabric, whose cache lines are read and written as by a hop. Frames
 * are visited in the order of a permutation, and each has its own place, as in a fabric.
 *   every hop       the frame; the event that brings it and the one that forwards it; the priority
 *                   of the ingress port; the first line and the priority of the egress port; the
 *                   node's digest
 *   at a switch     the ingress group, the route
 *   at a host       two lines of the queue pair
 * Owner: memory_bench_free. */
#ifndef STORMGLASS_CLI_BENCH_MEMORY_BENCH_H
#define STORMGLASS_CLI_BENCH_MEMORY_BENCH_H

#include <stdint.h>

struct memory_bench_size {
    const char *name;
    uint32_t switches, ports; /* per switch */
    uint32_t hosts;
    uint32_t frames;       /* in flight at once */
    uint32_t hops_to_host; /* links from host to host: one in so many hops ends at a host */
};

extern const struct memory_bench_size memory_bench_sizes[]; /* terminated by a row without a name */

struct memory_bench;

struct memory_bench *memory_bench_make(const struct memory_bench_size *size, uint64_t seed);
/* Returns a checksum of the data read; equal for equal size, seed and hops. */
uint64_t memory_bench_run(struct memory_bench *bench, uint64_t hops);
void memory_bench_free(struct memory_bench *bench);

#endif

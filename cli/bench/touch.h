/* SPDX-License-Identifier: Apache-2.0
 * touch - a loop that touches the memory that packet-hops touch, and does nothing else.
 * Beside the event queue the other bound of what the engine can do: tables of the model's own
 * structures, as many as a fabric has, whose lines are read and written as a hop does it.  Frames
 * come in the order of a permutation, and each is at a place of its own, as it is in a fabric.
 *   every hop       the frame; the event that brings it and the one that takes it on; of the port
 *                   that it comes by its prio; of the port that it leaves by the first line and the
 *                   prio; the node's digest
 *   at a switch     the ingress group, the route
 *   at a host       two lines of the queue pair
 * Owner: touch_free. */
#ifndef STORMGLASS_CLI_BENCH_TOUCH_H
#define STORMGLASS_CLI_BENCH_TOUCH_H

#include <stdint.h>

struct touch_size {
    const char *name;
    uint32_t switches, ports; /* of each switch */
    uint32_t hosts;
    uint32_t frames;       /* under way at once */
    uint32_t hops_to_host; /* links from host to host: one in so many hops ends at a host */
};

extern const struct touch_size touch_sizes[]; /* a row without a name ends it */

struct touch;

struct touch *touch_make(const struct touch_size *size, uint64_t seed);
/* A sum of what was read, which is the same whenever size, seed and hops are. */
uint64_t touch_run(struct touch *touch, uint64_t hops);
void touch_free(struct touch *touch);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * hold - the hold model: a benchmark of an event queue alone.
 * A queue of constant size: the earliest event is taken and reinserted at a later time. The result
 * is an upper bound on the speed of the engine, and chose the queue (R. Jones, CACM 29(4), 1986).
 * Delays are typical of a fabric: mostly serialization and propagation, plus some distant
 * timers. */
#ifndef STORMGLASS_ENGINE_HOLD_H
#define STORMGLASS_ENGINE_HOLD_H

#include <stddef.h>
#include <stdint.h>

struct hold_queue {
    const char *name, *about;
    /* Fills a queue with `pending` events and runs `holds` operations; returns a checksum of the
     * order of events, which is equal for every kind of queue. */
    uint64_t (*run)(size_t pending, uint64_t holds, uint64_t seed);
};

extern const struct hold_queue hold_queues[]; /* ends with a row without a name */

#endif

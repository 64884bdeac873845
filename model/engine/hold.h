/* SPDX-License-Identifier: Apache-2.0
 * hold - the hold model: an event queue by itself.
 * A queue of constant size: the least event is taken and put back at a later time.  The bound of
 * what the engine can do, and the measurement that chose the queue (R. Jones, CACM 29(4), 1986).
 * Delays are those of a fabric: mostly serialisation and propagation, some timers far away. */
#ifndef STORMGLASS_ENGINE_HOLD_H
#define STORMGLASS_ENGINE_HOLD_H

#include <stddef.h>
#include <stdint.h>

struct hold_queue {
    const char *name, *about;
    /* Fills a queue with `pending` events and holds `holds` times; returns a checksum of the order
     * that came out, equal for every kind of queue. */
    uint64_t (*run)(size_t pending, uint64_t holds, uint64_t seed);
};

extern const struct hold_queue hold_queues[]; /* a row without a name ends it */

#endif

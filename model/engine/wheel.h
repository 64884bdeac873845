/* SPDX-License-Identifier: Apache-2.0
 * wheel - the event queue: buckets of time, sorted when their turn comes.
 * The near future is WHEEL_BUCKETS buckets of 2^shift picoseconds, each an unsorted
 * list; the bucket that is opened is copied out and sorted.  Events of the far future, and
 * latecomers to the open bucket, wait in two heaps.  The width follows the density of events, so
 * that a bucket holds a few.  The order that comes out is event_before's and depends on none of
 * this. Idea: calendar queue, R. Brown, CACM 31(10), 1988.  Chosen by measurement: see `stormglass
 * bench queue`. */
#ifndef STORMGLASS_ENGINE_WHEEL_H
#define STORMGLASS_ENGINE_WHEEL_H

#include "base/pool.h"
#include "engine/event.h"
#include "engine/heap.h"

enum {
    WHEEL_BITS = 12,
    WHEEL_BUCKETS = 1 << WHEEL_BITS,
    WHEEL_WORDS = WHEEL_BUCKETS / 64,
};

struct wheel {
    /* the open bucket, sorted */
    const struct event *next, *end; /* into open */
    time_ps open_end;               /* the first moment after it */
    struct heap late;               /* events before open_end that came after it was opened */
    unsigned shift;
    int64_t turn; /* number of the open bucket: its start >> shift */

    struct pool slots;  /* events of the near future; pool.next_free links a bucket's list too */
    uint32_t *heads;    /* first slot of each bucket, or POOL_NONE */
    uint64_t *occupied; /* a bit for each bucket */
    struct heap far;    /* beyond the horizon when they came */

    struct event *open;
    size_t open_room;
    size_t pending;                 /* in the lists */
    uint64_t opened, opened_events; /* since the width was last looked at */
};

void wheel_init(struct wheel *wheel);
void wheel_fini(struct wheel *wheel);

/* Opens the next bucket that holds an event; false when there is none at or before `until`. */
bool wheel_open(struct wheel *wheel, time_ps until);

static inline void wheel_list(struct wheel *wheel, const struct event *event, int64_t turn)
{
    const uint32_t slot = pool_take(&wheel->slots);
    const uint32_t bucket = (uint32_t)turn & (WHEEL_BUCKETS - 1);
    ((struct event *)(void *)wheel->slots.items)[slot] = *event;
    wheel->slots.next_free[slot] = wheel->heads[bucket];
    wheel->heads[bucket] = slot;
    wheel->occupied[bucket / 64] |= UINT64_C(1) << (bucket % 64);
    wheel->pending++;
}

static inline void wheel_push(struct wheel *wheel, const struct event *event)
{
    const int64_t turn = event->at >> wheel->shift;
    if (UNLIKELY(event->at < wheel->open_end))
        heap_push(&wheel->late, event);
    else if (LIKELY(turn - wheel->turn < WHEEL_BUCKETS))
        wheel_list(wheel, event, turn);
    else
        heap_push(&wheel->far, event);
}

/* Takes the least event at or before `until`; false when there is none. */
static inline bool wheel_pop(struct wheel *wheel, time_ps until, struct event *event)
{
    if (wheel->next == wheel->end && wheel->late.count == 0 && !wheel_open(wheel, until))
        return false;
    const bool late = wheel->late.count > 0 && (wheel->next == wheel->end ||
                                                event_before(heap_top(&wheel->late), wheel->next));
    const struct event *least = late ? heap_top(&wheel->late) : wheel->next;
    if (UNLIKELY(least->at > until))
        return false;
    if (UNLIKELY(late)) {
        *event = heap_pop(&wheel->late);
    } else {
        *event = *wheel->next++;
    }
    return true;
}

/* Events that wait. */
size_t wheel_count(const struct wheel *wheel);

#endif

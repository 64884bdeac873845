/* SPDX-License-Identifier: Apache-2.0
 * wheel - the event queue: buckets of time, sorted when their turn comes.
 * The near future is WHEEL_BUCKETS buckets of 2^shift picoseconds, each an unsorted list of slots.
 * An event is written once, into its slot, and executed there: what is sorted when a bucket is
 * opened is a key of 64 bits for each event, the time since the bucket's start above the slot's
 * number.  Events of the far future wait in a heap.  The width follows the density of events, so
 * that a bucket holds a few.  The order that comes out is event_before's and depends on none of
 * this.
 * Idea: calendar queue, R. Brown, CACM 31(10), 1988.  Chosen by measurement:
 * `stormglass bench event-queues`. */
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

/* A key is time since the bucket's start, rank of the source, slot: it sorts as a number. */
enum { WHEEL_KEY_SLOT = 26 };
#define WHEEL_END UINT64_MAX /* above every key */

/* What events will touch, to be fetched into the cache a little earlier.  For an argument that is
 * no item's index that is in vain but does no harm. */
struct wheel_near {
    struct node *const *nodes; /* by event.node; until it is set, events are of node 0 */
    uintptr_t items;           /* whose indices most arguments are: address and size */
    uintptr_t item_bytes;
};

struct wheel {
    /* what every event touches */
    const uint64_t *next; /* keys of the open bucket that are left, sorted, then WHEEL_END */
    uint64_t bound;       /* keys below it may be taken */
    int64_t turn;         /* number of the open bucket: its start >> shift */
    uint32_t shift;
    uint32_t *heads;    /* first slot of each bucket, or POOL_NONE */
    uint64_t *occupied; /* a bit for each bucket */
    struct pool slots;  /* events; pool.link is a bucket's list too, of indices as they are */

    time_ps base;     /* start of the open bucket */
    uint64_t *end;    /* of what is left of it: the place of WHEEL_END */
    uint64_t *keys;   /* of the open bucket, those that are done with too */
    uint64_t *spare;  /* as many, to sort with */
    size_t room;      /* of both */
    struct heap far;  /* events beyond the horizon when they came */
    int64_t far_turn; /* of the first of them; INT64_MAX: there are none */
    /* since the width was last looked at */
    uint64_t opened, opened_events, parted_events, far_pushes;
    struct wheel_near near;
};

void wheel_init(struct wheel *wheel);
void wheel_fini(struct wheel *wheel);

/* Opens the next bucket if nothing is left of the open one; false when no event waits at or before
 * `until`. True: wheel_next gives at least one event, and none after `until`. */
bool wheel_open(struct wheel *wheel, time_ps until);

/* The rest of a push that is not into a bucket's list: into the open bucket, or beyond the horizon.
 */
void wheel_push_rare(struct wheel *wheel, uint32_t slot);

static inline struct event *wheel_slot(const struct wheel *wheel, uint32_t slot)
{
    return (struct event *)(void *)wheel->slots.items + slot;
}

static inline struct event *wheel_event(const struct wheel *wheel, uint64_t key)
{
    return wheel_slot(wheel, (uint32_t)key & ((1u << WHEEL_KEY_SLOT) - 1));
}

static inline void wheel_list(struct wheel *wheel, uint32_t slot, int64_t turn)
{
    const uint32_t bucket = (uint32_t)turn & (WHEEL_BUCKETS - 1);
    wheel->slots.link[slot] = wheel->heads[bucket];
    wheel->heads[bucket] = slot;
    wheel->occupied[bucket / 64] |= UINT64_C(1) << (bucket % 64);
}

static inline void wheel_push(struct wheel *wheel, const struct event *event)
{
    const int64_t turn = event->at >> wheel->shift;
    const uint32_t slot = pool_take(&wheel->slots);
    event_copy(wheel_slot(wheel, slot), event);
    if (LIKELY((uint64_t)(turn - wheel->turn - 1) < WHEEL_BUCKETS - 1))
        wheel_list(wheel, slot, turn);
    else
        wheel_push_rare(wheel, slot);
}

/* The least event of the open bucket, or NULL when it has no more to give.  It stays where it is
 * until wheel_give. */
static inline const struct event *wheel_next(struct wheel *wheel)
{
    const uint64_t key = *wheel->next;
    if (UNLIKELY(key >= wheel->bound))
        return NULL;
    wheel->next++;
    return wheel_event(wheel, key);
}

/* The event is done with. */
static inline void wheel_give(struct wheel *wheel, const struct event *event)
{
    pool_give(&wheel->slots, (uint32_t)(event - wheel_slot(wheel, 0)));
}

/* wheel_next gives nothing more until wheel_open is called again. */
static inline void wheel_halt(struct wheel *wheel)
{
    wheel->bound = 0;
}

/* Takes the least event at or before `until`; false when there is none. */
static inline bool wheel_pop(struct wheel *wheel, time_ps until, struct event *event)
{
    if (!wheel_open(wheel, until))
        return false;
    const struct event *least = wheel_next(wheel);
    *event = *least;
    wheel_give(wheel, least);
    return true;
}

/* Events that wait. */
size_t wheel_count(const struct wheel *wheel);

#endif

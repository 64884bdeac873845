/* SPDX-License-Identifier: Apache-2.0
 * wheel - the event queue: windows of time, and in a window one group of nodes after the other.
 * The near future is WHEEL_WINDOWS windows of one width.  A window's events lie in chunks
 * of memory, as they came; an event is written once and executed there.  When a window is opened
 * its events are dealt out to their groups; when a group's batch comes they go on the agenda,
 * which has them in order, and so do those that they cause in the same window.  Events of the far
 * future wait in a heap.
 *
 * Groups are nodes that are executed together in the order of event_before.  What one group pushes
 * to another must lie beyond the open window: the caller bounds the width by the smallest delay
 * between groups.  A group's events come together, so that what they touch is in the cache; its own
 * order, and so the result, is the same for every width and every division into groups.
 * Ideas: calendar queue, R. Brown, CACM 31(10), 1988; conservative windows, Chandy and Misra, IEEE
 * TSE 5(5), 1979.  Chosen by measurement: `stormglass bench event-queues`. */
#ifndef STORMGLASS_ENGINE_WHEEL_H
#define STORMGLASS_ENGINE_WHEEL_H

#include "base/pool.h"
#include "engine/agenda.h"
#include "engine/event.h"
#include "engine/heap.h"

enum {
    WHEEL_BITS = 12,
    WHEEL_WINDOWS = 1 << WHEEL_BITS,
    WHEEL_WORDS = WHEEL_WINDOWS / 64,
    /* Bytes of a chunk.  No event lies in its first place, so that place 0 is nobody's. */
    WHEEL_CHUNK = 16 * AGENDA_PLACE,
    WHEEL_WIDTH_MAX = 1 << 20, /* 1 us; our choice */
    WHEEL_NEAR = 32, /* windows, the open one among them, in which each group has a list */
};

/* A group's lists in the nearest windows, by serial: place of the next event; 0: none. */
struct wheel_lists {
    uint32_t tails[WHEEL_NEAR];
};

/* Which nodes are executed together: by node, the number of its group. */
struct wheel_division {
    const uint32_t *group_of;
    uint32_t nodes, groups;
};

struct wheel_groups {
    struct wheel_lists **of;      /* by node: of its group */
    struct wheel_lists *lists;    /* by group */
    uint32_t words;               /* of each of `active` */
    uint64_t near;                /* by serial: a bit for each in which a group has a list */
    uint64_t *active[WHEEL_NEAR]; /* by serial: a bit for each group that has a list */
};

struct wheel {
    /* what every event touches */
    struct agenda agenda; /* what is left of the present group's events, and came since */
    struct event *events; /* by place */
    int64_t open_window;  /* its number */
    uint64_t pace;        /* windows in a picosecond, times 2^64 */
    uint64_t near;        /* windows after the open one in which groups have lists; 0: never yet */
    struct wheel_groups groups;
    uint32_t *tails;    /* of each window beyond those: place of its next event; 0: none */
    uint64_t *occupied; /* a bit for each that has a list */

    struct pool chunks;  /* pool.link makes lists: from the last chunk to the first */
    uint32_t free_chunk; /* of the list of those that were given back; POOL_NONE: it is empty */
    time_ps width;
    time_ps base, end; /* of the open window */
    time_ps bound;     /* the last moment of it that is due */
    time_ps wake;      /* a window is opened for it even if it has no events; TIME_NEVER: none is */
    bool open;         /* between wheel_open and the wheel_group that has nothing more */
    bool cut; /* the open window ends at `bound`; later events of it are in its groups' lists */
    uint64_t left; /* of a word of the open window's active groups: whose batch is to come */
    uint32_t word; /* the next one */
    uint32_t halt; /* and the one before which wheel_group says false */
    uint32_t list_first, list_tail; /* the present group's events: first chunk, and end */
    uint32_t own_first, own_tail;   /* those that came since: the first chunk stays */

    struct heap far;     /* events beyond the horizon when they came */
    int64_t far_window;  /* of the first of them; INT64_MAX: there are none */
    uint32_t width_bits; /* of a time in a window */
    /* What most events' arguments are indices of, to be fetched into the cache a little earlier;
     * for another argument that is in vain but does no harm. */
    uintptr_t items, item_bytes;
};

/* Events may be pushed at once; before any is taken it is divided. */
void wheel_init(struct wheel *wheel);
void wheel_fini(struct wheel *wheel);

/* Once: parts the nodes into groups.  No window is wider than `delay`, the least after which an
 * event of one group may be due in another. */
void wheel_divide(struct wheel *wheel, const struct wheel_division *division, time_ps delay);

/* The number of the window that wheel_open would open; INT64_MAX: none.  Not while one is open. */
int64_t wheel_due(const struct wheel *wheel, time_ps until);

/* Opens the next window up to `until`; false when no event waits at or before that.  True:
 * wheel_group gives one group after the other until it says false, and wheel_next all events of
 * each. */
bool wheel_open(struct wheel *wheel, time_ps until);
bool wheel_group(struct wheel *wheel);

/* From here on wheel_group says false before the first group of that word of 64 groups, or with the
 * last of all.  With a later word it goes on. */
static inline void wheel_halt(struct wheel *wheel, uint32_t word)
{
    wheel->halt = word < wheel->groups.words ? word : wheel->groups.words;
}

static inline bool wheel_is_halted(const struct wheel *wheel)
{
    return wheel->halt < wheel->groups.words;
}

/* For wheel_push: a chunk more for the list, whose tail is at its end, and the place in it. */
uint32_t wheel_chunk(struct wheel *wheel, uint32_t tail);

/* The rest of a push that is not into the list of a window to come: for the open one, or beyond the
 * horizon.  Not by address: so the event need not be in memory. */
void wheel_push_rare(struct wheel *wheel, time_ps at, uint64_t order, uint64_t target,
                     uint64_t argument);

/* The window that a time lies in. */
static inline int64_t wheel_window(const struct wheel *wheel, time_ps at)
{
    return (int64_t)((unsigned __int128)(uint64_t)at * wheel->pace >> 64);
}

static inline struct event *wheel_event(const struct wheel *wheel, uint32_t place)
{
    return (struct event *)(void *)((unsigned char *)wheel->events + place);
}

/* Puts an event behind those of a list. */
static INLINE uint32_t wheel_append(struct wheel *wheel, uint32_t *tail, const struct event *event)
{
    const uint32_t place = LIKELY(*tail % WHEEL_CHUNK != 0) ? *tail : wheel_chunk(wheel, *tail);
    event_copy(wheel_event(wheel, place), event);
    *tail = place + AGENDA_PLACE;
    return place;
}

/* Into the list of a window. */
static INLINE void wheel_list(struct wheel *wheel, int64_t serial, const struct event *event)
{
    const uint32_t window = (uint32_t)serial & (WHEEL_WINDOWS - 1);
    wheel->occupied[window / 64] |= UINT64_C(1) << (window % 64);
    wheel_append(wheel, &wheel->tails[window], event);
}

/* Into its group's list of a near window. */
static INLINE void wheel_deal(struct wheel *wheel, int64_t serial, const struct event *event)
{
    const uint32_t window = (uint32_t)serial & (WHEEL_NEAR - 1);
    struct wheel_lists *lists = wheel->groups.of[event->node];
    uint32_t *tail = &lists->tails[window];
    if (UNLIKELY(*tail % WHEEL_CHUNK == 0)) {
        const size_t group = (size_t)(lists - wheel->groups.lists);
        wheel->groups.near |= UINT64_C(1) << window;
        wheel->groups.active[window][group / 64] |= UINT64_C(1) << (group % 64);
        *tail = wheel_chunk(wheel, *tail);
    }
    event_copy(wheel_event(wheel, *tail), event);
    *tail += AGENDA_PLACE;
}

static INLINE void wheel_push(struct wheel *wheel, const struct event *event)
{
    const int64_t serial = wheel_window(wheel, event->at);
    const uint64_t ahead = (uint64_t)(serial - wheel->open_window - 1);
    if (LIKELY(ahead < wheel->near))
        wheel_deal(wheel, serial, event);
    else if (ahead < WHEEL_WINDOWS - 1)
        wheel_list(wheel, serial, event);
    else
        wheel_push_rare(wheel, event->at, event->order, event->target, event->argument);
}

/* What wheel_next would give. */
static inline const struct event *wheel_peek(const struct wheel *wheel)
{
    return agenda_peek(&wheel->agenda);
}

/* One of the events that the present group's batch began with. */
static inline const struct event *wheel_any(const struct wheel *wheel)
{
    return wheel_event(wheel, wheel->list_tail - AGENDA_PLACE);
}

/* The least event of the present group, or NULL when it has no more.  It stays where it is until
 * the next window is opened. */
static inline const struct event *wheel_next(struct wheel *wheel)
{
    return agenda_next(&wheel->agenda);
}

/* True when no event waits. */
bool wheel_is_empty(const struct wheel *wheel);

#endif

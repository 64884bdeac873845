/* SPDX-License-Identifier: Apache-2.0
 * wheel - the event queue: windows of time, and within a window one group of nodes after the other.
 * The near future consists of WHEEL_WINDOWS windows of equal width. The events of a window are
 * stored in chunks of memory in the order of arrival; an event is written once and executed in
 * place. When a window is opened, its events are distributed to their groups. When a group's batch
 * begins they are put on the agenda, which orders them together with the events that they cause in
 * the same window. Events of the far future wait in a heap.
 * A group is a set of nodes that are executed together in the order of event_before. What one group
 * pushes to another must lie beyond the open window: the caller limits the width to the smallest
 * delay between groups. A group's events are executed together so that their data is in the cache;
 * the order within a group, and so the result, is the same for every width and every division into
 * groups.
 * Ideas: calendar queue, R. Brown, CACM 31(10), 1988; conservative windows, Chandy and Misra, IEEE
 * TSE 5(5), 1979. Chosen by measurement: `stormglass bench event-queues`. */
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
    /* Bytes per chunk. The first place of a chunk has no event, so that place 0 means none. */
    WHEEL_CHUNK = 16 * AGENDA_PLACE,
    WHEEL_WIDTH_MAX = 1 << 20, /* 1 us; our choice */
    WHEEL_NEAR = 32, /* number of windows, including the open one, in which each group has a list */
};

/* A group's lists in the nearest windows, by serial: place of the next event; 0: empty. */
struct wheel_lists {
    uint32_t tails[WHEEL_NEAR];
};

/* The groups of nodes that are executed together: group number by node. */
struct wheel_division {
    const uint32_t *group_of;
    uint32_t nodes, groups;
};

struct wheel_groups {
    struct wheel_lists **of;      /* by node: lists of its group */
    struct wheel_lists *lists;    /* by group */
    uint32_t words;               /* words in each of `active` */
    uint64_t near;                /* by serial: bit set when a group has a list */
    uint64_t *active[WHEEL_NEAR]; /* by serial: bit map of the groups with a list */
};

struct wheel {
    /* touched by every event */
    struct agenda agenda; /* the present group's remaining events, including new ones */
    struct event *events; /* indexed by place */
    int64_t open_window;  /* its serial */
    uint64_t pace;        /* windows per picosecond, times 2^64 */
    uint64_t near;        /* number of windows after the open one in which groups have lists; 0:
                           * not divided yet */
    struct wheel_groups groups;
    uint32_t *tails;    /* by window beyond those: place of its next event; 0: none */
    uint64_t *occupied; /* bit map of the windows with a list */

    struct pool chunks;  /* pool.link chains the chunks of a list, last to first */
    uint32_t free_chunk; /* head of the list of free chunks; POOL_NONE: empty */
    time_ps width;
    time_ps base, end; /* of the open window, ps */
    time_ps bound;     /* last moment of the open window that is due */
    time_ps wake;      /* opens a window at this time even without events; TIME_NEVER: none */
    bool open;         /* between wheel_open and the wheel_group that returns false */
    bool cut; /* the open window ends at `bound`; its later events are in their groups' lists */
    uint64_t left; /* active groups of the current word whose batches are still to come */
    uint32_t word; /* index of the next word */
    uint32_t halt; /* word before which wheel_group returns false */
    uint32_t list_first, list_tail; /* the present group's events: first chunk and tail */
    uint32_t own_first, own_tail;   /* events that arrived since: first chunk (kept) and tail */

    struct heap far;     /* events beyond the horizon on arrival */
    int64_t far_window;  /* window of the first far event; INT64_MAX: none */
    uint32_t width_bits; /* bits of a time within a window */
    /* Array that most events' arguments index, for prefetching; harmless for other arguments. */
    uintptr_t items, item_bytes;
};

/* Events may be pushed at once; wheel_divide must come before the first is taken. */
void wheel_init(struct wheel *wheel);
void wheel_fini(struct wheel *wheel);

/* Called once: divides the nodes into groups. No window is wider than `delay`, the minimum time
 * after which an event of one group affects another. */
void wheel_divide(struct wheel *wheel, const struct wheel_division *division, time_ps delay);

/* Number of the window that wheel_open would open; INT64_MAX: none. Not while a window is open. */
int64_t wheel_due(const struct wheel *wheel, time_ps until);

/* Opens the next window up to `until`; false when no event is due by then. Afterwards wheel_group
 * selects one group after the other until it returns false, and wheel_next returns the events of
 * each. */
bool wheel_open(struct wheel *wheel, time_ps until);
bool wheel_group(struct wheel *wheel);

/* Makes wheel_group return false before the first group of that word of 64 groups, or at the end. A
 * later word lets it continue. */
static inline void wheel_halt(struct wheel *wheel, uint32_t word)
{
    wheel->halt = word < wheel->groups.words ? word : wheel->groups.words;
}

static inline bool wheel_is_halted(const struct wheel *wheel)
{
    return wheel->halt < wheel->groups.words;
}

/* For wheel_push: adds a chunk to a list whose last chunk is full; returns the next free place. */
uint32_t wheel_chunk(struct wheel *wheel, uint32_t tail);

/* Slow path of a push: for the open window, or beyond the horizon. Passes the event by value, so
 * that it need not be in memory. */
void wheel_push_rare(struct wheel *wheel, time_ps at, uint64_t order, uint64_t target,
                     uint64_t argument);

/* The window of a time. */
static inline int64_t wheel_window(const struct wheel *wheel, time_ps at)
{
    return (int64_t)((unsigned __int128)(uint64_t)at * wheel->pace >> 64);
}

static inline struct event *wheel_event(const struct wheel *wheel, uint32_t place)
{
    return (struct event *)(void *)((unsigned char *)wheel->events + place);
}

/* Appends an event to a list. */
static INLINE uint32_t wheel_append(struct wheel *wheel, uint32_t *tail, const struct event *event)
{
    const uint32_t place = LIKELY(*tail % WHEEL_CHUNK != 0) ? *tail : wheel_chunk(wheel, *tail);
    event_copy(wheel_event(wheel, place), event);
    *tail = place + AGENDA_PLACE;
    return place;
}

/* Appends an event to the list of a window. */
static INLINE void wheel_list(struct wheel *wheel, int64_t serial, const struct event *event)
{
    const uint32_t window = (uint32_t)serial & (WHEEL_WINDOWS - 1);
    wheel->occupied[window / 64] |= UINT64_C(1) << (window % 64);
    wheel_append(wheel, &wheel->tails[window], event);
}

/* Appends an event to its group's list of a near window. */
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

/* The event that wheel_next would return. */
static inline const struct event *wheel_peek(const struct wheel *wheel)
{
    return agenda_peek(&wheel->agenda);
}

/* One of the events with which the present group's batch began. */
static inline const struct event *wheel_any(const struct wheel *wheel)
{
    return wheel_event(wheel, wheel->list_tail - AGENDA_PLACE);
}

/* The earliest event of the present group, or NULL when there are no more. It stays in place until
 * the next window is opened. */
static inline const struct event *wheel_next(struct wheel *wheel)
{
    return agenda_next(&wheel->agenda);
}

/* True when there are no events. */
bool wheel_is_empty(const struct wheel *wheel);

#endif

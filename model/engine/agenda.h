/* SPDX-License-Identifier: Apache-2.0
 * agenda - the events of one group in one window, in their order.
 * The window's time is divided into slots, several for each event, so that most events have one for
 * themselves: to put one in, and to find the next by a bit for each slot, takes no comparison.
 * Who finds his slot taken goes to one of those behind it, and those between stay in order (ordered
 * linear probing, Amble and Knuth, Computer Journal 17(2), 1974); when that would be far, all go to
 * a heap.  An event is known by its place in memory, in bytes: so it is found by an addition.
 * Owner: whoever calls agenda_init.  No allocation but for the heap. */
#ifndef STORMGLASS_ENGINE_AGENDA_H
#define STORMGLASS_ENGINE_AGENDA_H

#include "base/check.h"
#include "engine/event.h"

#include <stddef.h>

enum { AGENDA_PLACE = sizeof(struct event) }; /* bytes from a place to the next */

struct agenda {
    uint64_t *word;             /* of `taken`: that of the next event, or one before it */
    const uint32_t *row;        /* the 64 slots of that word */
    const uint32_t *present;    /* the present event's slot; at first the one before all */
    const struct event *events; /* by place */
    uint64_t *taken;            /* a bit for each slot */
    uint32_t *slots;            /* where `taken` says so: the place of an event */
    time_ps base;               /* when the window begins */
    uint32_t shift;             /* of the time since, to the number of its slot */
    uint32_t end;               /* of the slots, those behind time included; 0: a crowd */
    uint32_t *heap;
    size_t heap_count;
    uint32_t heap_room;
};

void agenda_init(struct agenda *agenda, const struct event *events);
void agenda_fini(struct agenda *agenda);

/* Of an empty agenda: about so many events will be put on it, all of them less than 2^time_bits
 * picoseconds after `base`; then agenda_settle. */
void agenda_begin(struct agenda *agenda, time_ps base, uint32_t time_bits, size_t count);
void agenda_settle(struct agenda *agenda);

/* For agenda_put, agenda_add and agenda_next: the slot is taken, or there are none; the word is
 * empty. */
void agenda_squeeze(struct agenda *agenda, size_t slot, uint32_t place);
void agenda_add_beside(struct agenda *agenda, size_t slot, uint32_t place);
const struct event *agenda_next_word(struct agenda *agenda);

/* What agenda_next would take; NULL: there is none. */
const struct event *agenda_peek(const struct agenda *agenda);

static inline const struct event *agenda_event(const struct agenda *agenda, size_t place)
{
    const unsigned char *first = (const unsigned char *)agenda->events;
    const struct event *event = (const struct event *)(const void *)(first + place);
    if (event == NULL)
        __builtin_unreachable(); /* who asks whether there is an event need not compute it */
    return event;
}

/* Where the slot of a time is. */
static inline size_t agenda_slot(const struct agenda *agenda, time_ps at)
{
    return (size_t)((uint64_t)(at - agenda->base) >> agenda->shift);
}

/* Puts it into the slot, if that is free. */
static inline bool agenda_take(const struct agenda *agenda, size_t slot, uint32_t place)
{
    uint64_t *word = &agenda->taken[slot / 64], taken = *word;
    if (UNLIKELY(taken >> (slot % 64) & 1))
        return false;
    *word = taken | UINT64_C(1) << (slot % 64);
    agenda->slots[slot] = place;
    return true;
}

/* Between agenda_begin and agenda_settle. */
static inline void agenda_put(struct agenda *agenda, time_ps at, uint32_t place)
{
    const size_t slot = agenda_slot(agenda, at);
    if (!agenda_take(agenda, slot, place))
        agenda_squeeze(agenda, slot, place);
}

/* While the present event is executed: one more, of no earlier time. */
static inline void agenda_add(struct agenda *agenda, time_ps at, uint32_t place)
{
    const size_t own = agenda_slot(agenda, at);
    const size_t open = (size_t)(agenda->present + 1 - agenda->slots);
    const size_t slot = own < open ? open : own;
    if (UNLIKELY(slot >= agenda->end) || !agenda_take(agenda, slot, place))
        agenda_add_beside(agenda, slot, place);
}

/* Takes the least event, which is the present one then; NULL: there is none. */
static inline const struct event *agenda_next(struct agenda *agenda)
{
    const uint64_t bits = *agenda->word;
    if (UNLIKELY(bits == 0))
        return agenda_next_word(agenda);
    *agenda->word = bits & (bits - 1);
    agenda->present = agenda->row + (uint32_t)__builtin_ctzll(bits);
    return agenda_event(agenda, *agenda->present);
}

/* All of them without taking any: `look` is zeroes at first; NULL: there are no more.  Of a crowd
 * none are seen. */
struct agenda_look {
    size_t word;
    uint64_t seen; /* of its bits */
};

static inline const struct event *agenda_look(const struct agenda *agenda, struct agenda_look *look)
{
    uint64_t bits;
    while ((bits = agenda->taken[look->word] & ~look->seen) == 0) {
        *look = (struct agenda_look){.word = look->word + 1};
        if (look->word >= agenda->end / 64)
            return NULL;
    }
    look->seen |= bits & -bits;
    const size_t slot = look->word * 64 + (size_t)__builtin_ctzll(bits);
    return agenda_event(agenda, agenda->slots[slot]);
}

#endif

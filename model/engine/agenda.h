/* SPDX-License-Identifier: Apache-2.0
 * agenda - the ordered events of one group in one window.
 * The time of the window is divided into slots, several per event, so that most events have a slot
 * of their own: inserting an event, and finding the next one through a bit map of the slots, takes
 * no comparison. An event whose slot is taken goes to a later one, and those in between stay
 * ordered (ordered linear probing, Amble and Knuth, Computer Journal 17(2), 1974); when the
 * displacement would be long, events go to a heap. An event is identified by its byte offset in
 * memory, so that finding it takes one addition.
 * Owner: the caller of agenda_init. Only the heap allocates. */
#ifndef STORMGLASS_ENGINE_AGENDA_H
#define STORMGLASS_ENGINE_AGENDA_H

#include "base/check.h"
#include "engine/event.h"

#include <stddef.h>

enum { AGENDA_PLACE = sizeof(struct event) }; /* bytes between consecutive places */

struct agenda {
    uint64_t *word;             /* word of `taken` with the next event, or an earlier one */
    const uint32_t *row;        /* the 64 slots of `word` */
    const uint32_t *present;    /* slot of the present event; initially the slot before the first */
    const struct event *events; /* indexed by place */
    uint64_t *taken;            /* bit map of the occupied slots */
    uint32_t *slots;            /* place of the event in each occupied slot */
    time_ps base;               /* begin of the window, ps */
    uint32_t shift;             /* shift from time since `base` to slot number */
    uint32_t end;               /* number of slots, including the extra ones at the end; 0:
                                 * events are in the heap */
    uint32_t *heap;
    size_t heap_count;
    uint32_t heap_room;
};

void agenda_init(struct agenda *agenda, const struct event *events);
void agenda_fini(struct agenda *agenda);

/* Begins filling an empty agenda with about `count` events, all less than 2^time_bits picoseconds
 * after `base`; agenda_settle ends the filling. */
void agenda_begin(struct agenda *agenda, time_ps base, uint32_t time_bits, size_t count);
void agenda_settle(struct agenda *agenda);

/* Slow paths of agenda_put, agenda_add and agenda_next: the slot is taken or does not exist; the
 * word is empty. */
void agenda_squeeze(struct agenda *agenda, size_t slot, uint32_t place);
void agenda_add_beside(struct agenda *agenda, size_t slot, uint32_t place);
const struct event *agenda_next_word(struct agenda *agenda);

/* The event that agenda_next would take; NULL: none. */
const struct event *agenda_peek(const struct agenda *agenda);

static inline const struct event *agenda_event(const struct agenda *agenda, size_t place)
{
    const unsigned char *first = (const unsigned char *)agenda->events;
    const struct event *event = (const struct event *)(const void *)(first + place);
    if (event == NULL)
        __builtin_unreachable(); /* spares the callers' NULL checks an addition */
    return event;
}

/* The slot of a time. */
static inline size_t agenda_slot(const struct agenda *agenda, time_ps at)
{
    return (size_t)((uint64_t)(at - agenda->base) >> agenda->shift);
}

/* Puts the event into the slot if the slot is free. */
static inline bool agenda_take(const struct agenda *agenda, size_t slot, uint32_t place)
{
    uint64_t *word = &agenda->taken[slot / 64], taken = *word;
    if (UNLIKELY(taken >> (slot % 64) & 1))
        return false;
    *word = taken | UINT64_C(1) << (slot % 64);
    agenda->slots[slot] = place;
    return true;
}

/* Adds an event between agenda_begin and agenda_settle. */
static inline void agenda_put(struct agenda *agenda, time_ps at, uint32_t place)
{
    const size_t slot = agenda_slot(agenda, at);
    if (!agenda_take(agenda, slot, place))
        agenda_squeeze(agenda, slot, place);
}

/* Adds an event, not earlier than the present one, while the present event is executed. */
static inline void agenda_add(struct agenda *agenda, time_ps at, uint32_t place)
{
    const size_t own = agenda_slot(agenda, at);
    const size_t open = (size_t)(agenda->present + 1 - agenda->slots);
    const size_t slot = own < open ? open : own;
    if (UNLIKELY(slot >= agenda->end) || !agenda_take(agenda, slot, place))
        agenda_add_beside(agenda, slot, place);
}

/* Takes the earliest event, which becomes the present one; NULL: none. */
static inline const struct event *agenda_next(struct agenda *agenda)
{
    const uint64_t bits = *agenda->word;
    if (UNLIKELY(bits == 0))
        return agenda_next_word(agenda);
    *agenda->word = bits & (bits - 1);
    agenda->present = agenda->row + (uint32_t)__builtin_ctzll(bits);
    return agenda_event(agenda, *agenda->present);
}

/* Iterates over all events without taking any. `look` is zeroed at first; returns NULL at the end.
 * Events in the heap are not visited. */
struct agenda_look {
    size_t word;
    uint64_t seen; /* bits of the word already visited */
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

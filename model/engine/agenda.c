/* SPDX-License-Identifier: Apache-2.0
 * agenda - slots, and the handling of collisions.
 *      . a . . b c d . .      b, c and d are in their own slots or later ones;
 *      . a . . b c e d .      e, whose slot is taken by b, is inserted before d
 * Events after a free slot therefore have their own slots after it too, and are later than all
 * events before it. This holds for the slots after the present event's; no others are used any
 * more. */
#include "engine/agenda.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <stdlib.h>

enum {
    SLOT_BITS_MIN = 6, /* one word of the bit map */
    SLOT_BITS_MAX = 14,
    SLOTS_MAX = 1 << SLOT_BITS_MAX,
    SLOTS_EACH = 8, /* minimum slots per event; measured: 4 cost more, 16 a little less but take
                     * more cache */
    SLOTS_ON = 64,  /* extra slots at the end, for displaced events */
};

void agenda_init(struct agenda *agenda, const struct event *events)
{
    *agenda = (struct agenda){.events = events};
    agenda->slots = (uint32_t *)memory_zeroed(SLOTS_MAX + SLOTS_ON, sizeof *agenda->slots) + 1;
    agenda->taken = memory_zeroed((SLOTS_MAX + SLOTS_ON) / 64 + 1, sizeof *agenda->taken);
    agenda_begin(agenda, 0, 0, 0);
}

void agenda_fini(struct agenda *agenda)
{
    free(agenda->slots - 1);
    free(agenda->taken);
    free(agenda->heap);
}

void agenda_begin(struct agenda *agenda, time_ps base, uint32_t time_bits, size_t count)
{
    const uint64_t most = (uint64_t)count * SLOTS_EACH | ((1 << SLOT_BITS_MIN) - 1);
    const uint32_t bits = min_u32(64 - (uint32_t)__builtin_clzll(most), SLOT_BITS_MAX);
    agenda->base = base;
    agenda->shift = time_bits - min_u32(time_bits, bits);
    agenda->end = (1u << bits) + SLOTS_ON;
    agenda->word = agenda->taken;
    agenda->row = agenda->slots;
    agenda->present = agenda->slots - 1;
}

/* ------------------------------------------------------------------ overflow heap */

static bool place_before(const struct agenda *agenda, uint32_t a, uint32_t b)
{
    return event_before(agenda_event(agenda, a), agenda_event(agenda, b));
}

static void heap_push(struct agenda *agenda, uint32_t place)
{
    if (agenda->heap_count == agenda->heap_room)
        agenda->heap = memory_grown(agenda->heap, (uint32_t)agenda->heap_count, &agenda->heap_room,
                                    sizeof *agenda->heap);
    size_t hole = agenda->heap_count++;
    for (; hole > 0 && place_before(agenda, place, agenda->heap[(hole - 1) / 2]);
         hole = (hole - 1) / 2)
        agenda->heap[hole] = agenda->heap[(hole - 1) / 2];
    agenda->heap[hole] = place;
}

static uint32_t heap_pop(struct agenda *agenda)
{
    const uint32_t top = agenda->heap[0], last = agenda->heap[--agenda->heap_count];
    size_t hole = 0;
    for (size_t child; (child = 2 * hole + 1) < agenda->heap_count; hole = child) {
        if (child + 1 < agenda->heap_count &&
            place_before(agenda, agenda->heap[child + 1], agenda->heap[child]))
            child++;
        if (!place_before(agenda, agenda->heap[child], last))
            break;
        agenda->heap[hole] = agenda->heap[child];
    }
    agenda->heap[hole] = last;
    return top;
}

/* ------------------------------------------------------------------ slots */

static bool is_end(const struct agenda *agenda, const uint64_t *word)
{
    return word >= agenda->taken + agenda->end / 64;
}

/* The word of the next event, or the end. */
static uint64_t *next_word(const struct agenda *agenda)
{
    uint64_t *word = agenda->word;
    while (!is_end(agenda, word) && *word == 0)
        word++;
    return word;
}

static uint32_t *row_of(const struct agenda *agenda, const uint64_t *word)
{
    return agenda->slots + (word - agenda->taken) * 64;
}

static uint32_t first_of(const struct agenda *agenda, const uint64_t *word)
{
    return row_of(agenda, word)[__builtin_ctzll(*word)];
}

/* The first free slot from `slot` on, in its word or the next; SIZE_MAX (not before `end`):
 * none. */
static size_t hole_from(const struct agenda *agenda, size_t slot)
{
    const size_t word = slot / 64;
    const uint64_t here = ~agenda->taken[word] & UINT64_MAX << (slot % 64);
    if (LIKELY(here != 0))
        return word * 64 + (size_t)__builtin_ctzll(here);
    const uint64_t there = ~agenda->taken[word + 1];
    return there == 0 ? SIZE_MAX : word * 64 + 64 + (size_t)__builtin_ctzll(there);
}

void agenda_squeeze(struct agenda *agenda, size_t slot, uint32_t place)
{
    size_t hole = hole_from(agenda, slot);
    if (UNLIKELY(hole >= agenda->end)) {
        heap_push(agenda, place);
        return;
    }
    agenda->taken[hole / 64] |= UINT64_C(1) << (hole % 64);
    for (; hole > slot && place_before(agenda, place, agenda->slots[hole - 1]); hole--)
        agenda->slots[hole] = agenda->slots[hole - 1];
    agenda->slots[hole] = place;
}

void agenda_add_beside(struct agenda *agenda, size_t slot, uint32_t place)
{
    agenda_squeeze(agenda, slot, place);
    agenda_settle(agenda);
}

void agenda_settle(struct agenda *agenda)
{
    if (LIKELY(agenda->heap_count == 0))
        return;
    for (uint64_t *word; !is_end(agenda, word = next_word(agenda)); *word &= *word - 1)
        heap_push(agenda, first_of(agenda, word));
    agenda->end = 0;
}

/* ------------------------------------------------------------------ reading */

const struct event *agenda_next_word(struct agenda *agenda)
{
    uint64_t *word = next_word(agenda);
    if (LIKELY(!is_end(agenda, word))) {
        agenda->word = word;
        agenda->row = row_of(agenda, word);
        return agenda_next(agenda);
    }
    return agenda->heap_count == 0 ? NULL : agenda_event(agenda, heap_pop(agenda));
}

const struct event *agenda_peek(const struct agenda *agenda)
{
    const uint64_t *word = next_word(agenda);
    if (!is_end(agenda, word))
        return agenda_event(agenda, first_of(agenda, word));
    return agenda->heap_count == 0 ? NULL : agenda_event(agenda, agenda->heap[0]);
}

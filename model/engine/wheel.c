/* SPDX-License-Identifier: Apache-2.0
 * wheel - opening windows and distributing events to groups.
 *        open window                          lists, unsorted                    far heap
 *   -----|=======|---|--*--|---|-*-*-|---|---|--*--|  ... one horizon ...  |-------- * ----- *
 *       serial  serial+1
 * Every event in a list has a serial in (serial, serial + WHEEL_WINDOWS), so a list never mixes two
 * windows. The rest of a window that was cut stays in its groups' lists. When a window is opened,
 * the events of the far heap that belong to it join it; no other events move. An event for the open
 * window belongs to the present group and goes on its agenda.
 * The width is as large as the delay between groups allows: a group's batch then has as many events
 * as possible for one load of its state into the cache. */
#include "engine/wheel.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNKS_MAX = (1 << 19) - 1 };

/* Sets the width of windows, in picoseconds; rounding may shorten single windows slightly. */
static void set_width(struct wheel *wheel, time_ps width)
{
    CHECK(width > 1 && width <= WHEEL_WIDTH_MAX);
    wheel->width = width;
    wheel->pace = UINT64_MAX / (uint64_t)width + 1;
    wheel->width_bits = 64u - (uint32_t)__builtin_clzll((uint64_t)width - 1);
}

/* Begin of a window. */
static time_ps start_of(const struct wheel *wheel, int64_t serial)
{
    const unsigned __int128 scaled = (unsigned __int128)(uint64_t)serial << 64;
    return (time_ps)((scaled + wheel->pace - 1) / wheel->pace);
}

/* Begin of the next window, without a division: windows are `width` or one picosecond less wide. */
static time_ps end_of(const struct wheel *wheel, int64_t serial, time_ps base)
{
    const time_ps end = base + wheel->width;
    return end - (wheel_window(wheel, end - 1) != serial);
}

void wheel_init(struct wheel *wheel)
{
    *wheel = (struct wheel){
        .open_window = -1, .wake = TIME_NEVER, .far_window = INT64_MAX, .free_chunk = POOL_NONE};
    pool_init(&wheel->chunks, "chunks of events", WHEEL_CHUNK, CHUNKS_MAX);
    wheel->events = (struct event *)(void *)wheel->chunks.items;
    agenda_init(&wheel->agenda, wheel->events);
    wheel->tails = memory_zeroed(WHEEL_WINDOWS, sizeof *wheel->tails);
    wheel->occupied = memory_zeroed(WHEEL_WORDS, sizeof *wheel->occupied);
    set_width(wheel, WHEEL_WIDTH_MAX);
    wheel->own_tail = wheel->own_first = wheel_chunk(wheel, 0);
}

void wheel_fini(struct wheel *wheel)
{
    pool_fini(&wheel->chunks);
    heap_fini(&wheel->far);
    free(wheel->tails);
    free(wheel->occupied);
    agenda_fini(&wheel->agenda);
    free(wheel->groups.of);
    free(wheel->groups.lists);
    for (size_t i = 0; i < WHEEL_NEAR; i++)
        free(wheel->groups.active[i]);
    *wheel = (struct wheel){0};
}

/* ------------------------------------------------------------------ lists */

static uint32_t last_chunk(uint32_t tail)
{
    return (tail - 1) / WHEEL_CHUNK;
}

static uint32_t link_chunk(struct wheel *wheel, uint32_t chunk, uint32_t tail)
{
    wheel->chunks.link[chunk] = tail == 0 ? POOL_NONE : last_chunk(tail);
    return chunk * WHEEL_CHUNK + AGENDA_PLACE;
}

/* A separate function, so that the path with a free chunk saves no registers for a call. */
static NOINLINE uint32_t new_chunk(struct wheel *wheel, uint32_t tail)
{
    return link_chunk(wheel, pool_take(&wheel->chunks), tail);
}

uint32_t wheel_chunk(struct wheel *wheel, uint32_t tail)
{
    const uint32_t chunk = wheel->free_chunk;
    if (UNLIKELY(chunk == POOL_NONE))
        return new_chunk(wheel, tail);
    wheel->free_chunk = wheel->chunks.link[chunk];
    return link_chunk(wheel, chunk, tail);
}

/* Empties a window's list and returns its tail. */
static uint32_t take_list(struct wheel *wheel, uint32_t window)
{
    const uint32_t tail = wheel->tails[window];
    wheel->tails[window] = 0;
    wheel->occupied[window / 64] &= ~(UINT64_C(1) << (window % 64));
    return tail;
}

/* The first place in the list's last chunk. */
static uint32_t first_place(uint32_t tail)
{
    return last_chunk(tail) * WHEEL_CHUNK + AGENDA_PLACE;
}

/* The tail of the list without its last chunk. */
static uint32_t chunk_before(const struct wheel *wheel, uint32_t tail)
{
    const uint32_t before = wheel->chunks.link[last_chunk(tail)];
    return before == POOL_NONE ? 0 : (before + 1) * WHEEL_CHUNK;
}

/* Frees the list's chunks from `first` on. */
static void free_chunks(struct wheel *wheel, uint32_t first, uint32_t tail)
{
    wheel->chunks.link[first] = wheel->free_chunk;
    wheel->free_chunk = last_chunk(tail);
}

/* Frees the list's last chunk and returns the tail of the rest. */
static uint32_t free_last_chunk(struct wheel *wheel, uint32_t tail)
{
    const uint32_t before = chunk_before(wheel, tail);
    free_chunks(wheel, last_chunk(tail), tail);
    return before;
}

/* ------------------------------------------------------------------ pushing */

static void update_far_window(struct wheel *wheel)
{
    wheel->far_window =
        wheel->far.count == 0 ? INT64_MAX : wheel_window(wheel, heap_top(&wheel->far)->at);
}

static NOINLINE void push_far(struct wheel *wheel, const struct event *event)
{
    heap_push(&wheel->far, event);
    update_far_window(wheel);
}

/* The chunk is full, the event is not for the open window, or no window is open. */
static NOINLINE void push_rarer(struct wheel *wheel, time_ps at, uint64_t order, uint64_t target,
                                uint64_t argument)
{
    const struct event event = {.at = at, .order = order, .target = target, .argument = argument};
    if (wheel->open && at <= wheel->bound) {
        const uint32_t place = wheel_append(wheel, &wheel->own_tail, &event);
        agenda_add(&wheel->agenda, at, place);
    } else if (wheel_window(wheel, at) > wheel->open_window) {
        push_far(wheel, &event);
    } else {
        CHECK(wheel_window(wheel, at) == wheel->open_window);
        wheel_deal(wheel, wheel->open_window, &event);
        wheel->cut = true;
        wheel->bound = min_i64(wheel->bound, at - 1);
    }
}

void wheel_push_rare(struct wheel *wheel, time_ps at, uint64_t order, uint64_t target,
                     uint64_t argument)
{
    const uint32_t place = wheel->own_tail;
    if (UNLIKELY(!wheel->open || at > wheel->bound || place % WHEEL_CHUNK == 0)) {
        push_rarer(wheel, at, order, target, argument);
        return;
    }
    CHECK(at >= wheel->base);
    wheel->own_tail = place + AGENDA_PLACE;
    const struct event event = {.at = at, .order = order, .target = target, .argument = argument};
    event_copy(wheel_event(wheel, place), &event);
    agenda_add(&wheel->agenda, at, place);
}

/* ------------------------------------------------------------------ groups */

/* Changes the width and inserts the waiting events again. */
static void change_width(struct wheel *wheel, time_ps width)
{
    uint32_t *tails = wheel->tails;
    wheel->tails = memory_zeroed(WHEEL_WINDOWS, sizeof *wheel->tails);
    memset(wheel->occupied, 0, WHEEL_WORDS * sizeof *wheel->occupied);
    set_width(wheel, width);
    for (uint32_t window = 0; window < WHEEL_WINDOWS; window++) {
        for (uint32_t tail = tails[window]; tail != 0; tail = free_last_chunk(wheel, tail)) {
            for (uint32_t place = first_place(tail); place < tail; place += AGENDA_PLACE)
                wheel_push(wheel, wheel_event(wheel, place));
        }
    }
    free(tails);
    update_far_window(wheel);
}

void wheel_divide(struct wheel *wheel, const struct wheel_division *division, time_ps delay)
{
    struct wheel_groups *groups = &wheel->groups;
    CHECK(!wheel->open && wheel->open_window < 0 && wheel->near == 0);
    change_width(wheel, min_i64(delay, WHEEL_WIDTH_MAX));
    groups->words = wheel->halt = division->groups / 64 + 1;
    groups->lists = memory_zeroed(division->groups, sizeof *groups->lists);
    groups->of = memory_zeroed(division->nodes, sizeof(struct wheel_lists *));
    for (uint32_t i = 0; i < division->nodes; i++)
        groups->of[i] = &groups->lists[division->group_of[i]];
    for (size_t i = 0; i < WHEEL_NEAR; i++)
        groups->active[i] = memory_zeroed(groups->words, sizeof(uint64_t));
    wheel->near = WHEEL_NEAR - 1;
}

/* ------------------------------------------------------------------ opening */

/* The first window from `from` on that has a list, or `end` when there is none before it. */
static int64_t next_listed(const struct wheel *wheel, int64_t from, int64_t end)
{
    const int64_t horizon = min_i64(end, from + WHEEL_WINDOWS);
    for (int64_t serial = from; serial < horizon; serial = (serial | 63) + 1) {
        const uint32_t window = (uint32_t)serial & (WHEEL_WINDOWS - 1);
        const uint64_t bits = wheel->occupied[window / 64] >> (window % 64);
        if (bits != 0)
            return min_i64(serial + __builtin_ctzll(bits), end);
    }
    return end;
}

/* The first window from `from` on in which a group has a list; INT64_MAX: none. */
static int64_t next_near(const struct wheel *wheel, int64_t from)
{
    const uint64_t twice = wheel->groups.near | wheel->groups.near << WHEEL_NEAR;
    return twice == 0 ? INT64_MAX : from + __builtin_ctzll(twice >> (from & (WHEEL_NEAR - 1)));
}

/* Number of the window with the earliest event; INT64_MAX: no events. */
static int64_t least_window(const struct wheel *wheel)
{
    const int64_t from = wheel->open_window + !wheel->cut;
    const int64_t near = next_near(wheel, from);
    if (LIKELY(near == from))
        return near;
    const int64_t wake = wheel->wake == TIME_NEVER ? INT64_MAX : wheel_window(wheel, wheel->wake);
    return next_listed(wheel, from, min_i64(near, min_i64(wheel->far_window, wake)));
}

bool wheel_is_empty(const struct wheel *wheel)
{
    return !wheel->open && least_window(wheel) == INT64_MAX;
}

int64_t wheel_due(const struct wheel *wheel, time_ps until)
{
    const int64_t serial = least_window(wheel);
    const bool done = serial == wheel->open_window && until <= wheel->bound;
    return done || serial > wheel_window(wheel, until) ? INT64_MAX : serial;
}

/* Distributes the events of the open window's list to their groups. */
static NOINLINE void deal_list(struct wheel *wheel)
{
    uint32_t tail = take_list(wheel, (uint32_t)wheel->open_window & (WHEEL_WINDOWS - 1));
    for (; tail != 0; tail = free_last_chunk(wheel, tail)) {
        for (uint32_t place = first_place(tail); place < tail; place += AGENDA_PLACE)
            wheel_deal(wheel, wheel->open_window, wheel_event(wheel, place));
    }
}

/* Distributes the far events of the open window. */
static NOINLINE void deal_far(struct wheel *wheel)
{
    while (wheel->far_window == wheel->open_window) {
        const struct event event = heap_pop(&wheel->far);
        wheel_deal(wheel, wheel->open_window, &event);
        update_far_window(wheel);
    }
}

static void go_to(struct wheel *wheel, int64_t serial)
{
    wheel->base = serial == wheel->open_window + 1 ? wheel->end : start_of(wheel, serial);
    wheel->end = end_of(wheel, serial, wheel->base);
    wheel->open_window = serial;
}

bool wheel_open(struct wheel *wheel, time_ps until)
{
    CHECK(!wheel->open);
    const int64_t serial = wheel_due(wheel, until);
    if (serial == INT64_MAX)
        return false;
    if (serial != wheel->open_window)
        go_to(wheel, serial);
    wheel->cut = until < wheel->end - 1;
    wheel->bound = min_i64(wheel->end - 1, until);
    if (wheel->tails[serial & (WHEEL_WINDOWS - 1)] != 0)
        deal_list(wheel);
    if (wheel->far_window == serial)
        deal_far(wheel);
    wheel->groups.near &= ~(UINT64_C(1) << (serial & (WHEEL_NEAR - 1)));
    wheel->word = 0;
    wheel->left = 0;
    return wheel->open = true;
}

/* Counts the events of the list with which the batch begins, and finds its first chunk: all chunks
 * but the last are full. */
static size_t count_list_events(struct wheel *wheel, uint32_t tail)
{
    uint32_t first = last_chunk(tail), before;
    size_t full = 0;
    for (; UNLIKELY((before = wheel->chunks.link[first]) != POOL_NONE); first = before)
        full++;
    wheel->list_first = first;
    return full * (WHEEL_CHUNK / AGENDA_PLACE - 1) + (tail - first_place(tail)) / AGENDA_PLACE;
}

/* Puts the present group's events on the agenda; those after the point at which the window is cut
 * go back to its list. */
static inline void fill_agenda(struct wheel *wheel, bool cut)
{
    const struct agenda agenda = wheel->agenda; /* a local copy stays in registers */
    const time_ps bound = wheel->bound;
    const uintptr_t items = wheel->items, item_bytes = wheel->item_bytes;
    for (uint32_t tail = wheel->list_tail; tail != 0; tail = chunk_before(wheel, tail)) {
        for (size_t place = first_place(tail); place < tail; place += AGENDA_PLACE) {
            const struct event *event = agenda_event(&agenda, place);
            __builtin_prefetch((const void *)(items + item_bytes * (uint32_t)event->argument));
            if (cut && event->at > bound) {
                wheel_deal(wheel, wheel->open_window, event);
                continue;
            }
            const size_t slot = agenda_slot(&agenda, event->at);
            if (!agenda_take(&agenda, slot, (uint32_t)place))
                agenda_squeeze(&wheel->agenda, slot, (uint32_t)place);
        }
    }
}

static NOINLINE void gather_due(struct wheel *wheel)
{
    fill_agenda(wheel, true);
}

/* Frees the events of the previous batch. */
static void forget_window(struct wheel *wheel)
{
    if (LIKELY(wheel->list_tail != 0))
        free_chunks(wheel, wheel->list_first, wheel->list_tail);
    while (UNLIKELY(wheel->own_tail - wheel->own_first >= WHEEL_CHUNK))
        wheel->own_tail = free_last_chunk(wheel, wheel->own_tail);
    wheel->own_tail = wheel->own_first;
}

/* Takes the list of the next group in the open window; 0: none. */
static uint32_t next_list(struct wheel *wheel)
{
    const uint32_t window = (uint32_t)wheel->open_window & (WHEEL_NEAR - 1);
    uint64_t *active = wheel->groups.active[window];
    uint64_t left = wheel->left;
    while (left == 0) {
        if (wheel->word == wheel->halt)
            return 0;
        left = active[wheel->word];
        active[wheel->word++] = 0;
    }
    const uint32_t group = wheel->word * 64 - 64 + (uint32_t)__builtin_ctzll(left);
    wheel->left = left & (left - 1);
    const uint32_t tail = wheel->groups.lists[group].tails[window];
    wheel->groups.lists[group].tails[window] = 0;
    return tail;
}

bool wheel_group(struct wheel *wheel)
{
    const uint32_t tail = next_list(wheel);
    wheel->open = tail != 0;
    if (tail == 0)
        return false;
    forget_window(wheel);
    wheel->list_tail = tail;
    agenda_begin(&wheel->agenda, wheel->base, wheel->width_bits, count_list_events(wheel, tail));
    if (LIKELY(!wheel->cut))
        fill_agenda(wheel, false);
    else
        gather_due(wheel);
    agenda_settle(&wheel->agenda);
    return true;
}

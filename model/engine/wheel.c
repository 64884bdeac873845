/* SPDX-License-Identifier: Apache-2.0
 * wheel - opening and sorting buckets, and finding their width.
 *
 *   open bucket, sorted, and late heap      lists, unsorted                 far heap
 *   |=======|---|--*--|---|-*-*-|---|---|--*--|  ... one horizon ...  |------ * --- *
 *    turn    turn + 1
 *
 * Every event in a list has a turn in (turn, turn + WHEEL_BUCKETS), so a bucket never mixes two
 * turns.  Events of the far heap are compared when a bucket is opened: those that belong to it join
 * it; nothing else moves.
 *
 * The width aims at 1.3 to 3 events in an opened bucket: below, opening costs more than sorting
 * saves; above, the sort does.  It is looked at every RECKON_OPENED buckets and changed by a factor
 * of two. */
#include "engine/wheel.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SHIFT = 13, /* 8 ns */
    SHIFT_MIN = 4,
    SHIFT_MAX = 40,
    FIRST_ROOM = 256,
    INSERTION_MAX = 24, /* events; above, merging is faster than insertion */
    SLOTS_MAX = 1 << 26,
    RECKON_OPENED = 4096,
    EVENTS_FEW = 13, /* tenths of an event in an opened bucket */
    EVENTS_MANY = 30,
};

void wheel_init(struct wheel *wheel)
{
    *wheel = (struct wheel){.shift = FIRST_SHIFT, .turn = -1, .open_room = FIRST_ROOM};
    pool_init(&wheel->slots, "events", sizeof(struct event), SLOTS_MAX);
    wheel->heads = malloc(WHEEL_BUCKETS * sizeof *wheel->heads);
    wheel->occupied = calloc(WHEEL_WORDS, sizeof *wheel->occupied);
    wheel->open = malloc(2 * FIRST_ROOM * sizeof *wheel->open); /* the second half: room to merge */
    CHECK(wheel->heads != NULL && wheel->occupied != NULL && wheel->open != NULL);
    memset(wheel->heads, 0xFF, WHEEL_BUCKETS * sizeof *wheel->heads);
    wheel->next = wheel->end = wheel->open;
}

void wheel_fini(struct wheel *wheel)
{
    pool_fini(&wheel->slots);
    heap_fini(&wheel->late);
    heap_fini(&wheel->far);
    free(wheel->heads);
    free(wheel->occupied);
    free(wheel->open);
    *wheel = (struct wheel){0};
}

size_t wheel_count(const struct wheel *wheel)
{
    return (size_t)(wheel->end - wheel->next) + wheel->late.count + wheel->pending +
           wheel->far.count;
}

/* The first occupied bucket at or after `from`, around the ring, as a distance. */
static int64_t next_occupied(const struct wheel *wheel, uint32_t from)
{
    const uint64_t first = wheel->occupied[from / 64] >> (from % 64);
    if (first != 0)
        return __builtin_ctzll(first);
    for (uint32_t step = 1; step <= WHEEL_WORDS; step++) {
        const uint32_t word = (from / 64 + step) % WHEEL_WORDS;
        const uint64_t bits = wheel->occupied[word];
        if (bits != 0)
            return (int64_t)step * 64 - from % 64 + __builtin_ctzll(bits);
    }
    return -1;
}

static void grow(struct wheel *wheel)
{
    wheel->open_room *= 2;
    wheel->open = realloc(wheel->open, 2 * wheel->open_room * sizeof *wheel->open);
    CHECK(wheel->open != NULL);
}

/* Copies a bucket's list behind the `count` events of the open array, which stays sorted while it
 * is short, and gives the list's slots back in one piece. */
static size_t take_list(struct wheel *wheel, int64_t turn, size_t count)
{
    const uint32_t bucket = (uint32_t)turn & (WHEEL_BUCKETS - 1);
    const struct event *slots = (const struct event *)(const void *)wheel->slots.items;
    const size_t before = count;
    const uint32_t first = wheel->heads[bucket];
    uint32_t last = first;
    for (uint32_t slot = first; slot != POOL_NONE; slot = wheel->slots.next_free[slot]) {
        if (UNLIKELY(count == wheel->open_room))
            grow(wheel);
        const struct event *event = &slots[slot];
        size_t hole = count++;
        if (LIKELY(count <= INSERTION_MAX))
            for (; hole > 0 && event_before(event, &wheel->open[hole - 1]); hole--)
                wheel->open[hole] = wheel->open[hole - 1];
        wheel->open[hole] = *event;
        last = slot;
    }
    wheel->slots.next_free[last] = wheel->slots.free;
    wheel->slots.free = first;
    wheel->slots.taken -= (uint32_t)(count - before);
    wheel->pending -= count - before;
    wheel->heads[bucket] = POOL_NONE;
    wheel->occupied[bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
    return count;
}

static void insertion_sort(struct event *events, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct event event = events[i];
        size_t hole = i;
        for (; hole > 0 && event_before(&event, &events[hole - 1]); hole--)
            events[hole] = events[hole - 1];
        events[hole] = event;
    }
}

static void merge(const struct event *a, size_t a_count, const struct event *b, size_t b_count,
                  struct event *out)
{
    while (a_count > 0 && b_count > 0) {
        if (event_before(b, a)) {
            *out++ = *b++;
            b_count--;
        } else {
            *out++ = *a++;
            a_count--;
        }
    }
    memcpy(out, a, a_count * sizeof *a);
    memcpy(out + a_count, b, b_count * sizeof *b);
}

/* Sorts runs of INSERTION_MAX, then merges them pairwise, back and forth between the two halves. */
static void sort(struct wheel *wheel, size_t count)
{
    for (size_t at = 0; at < count; at += INSERTION_MAX)
        insertion_sort(wheel->open + at, count - at < INSERTION_MAX ? count - at : INSERTION_MAX);
    struct event *from = wheel->open, *to = wheel->open + wheel->open_room;
    for (size_t run = INSERTION_MAX; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            const size_t a = count - at < run ? count - at : run;
            const size_t b = count - at - a < run ? count - at - a : run;
            merge(from + at, a, from + at + a, b, to + at);
        }
        struct event *other = from;
        from = to;
        to = other;
    }
    if (from != wheel->open)
        memcpy(wheel->open, from, count * sizeof *from);
}

/* Puts every listed event into a wheel of another width.  Only between buckets: nothing is open. */
static void rewiden(struct wheel *wheel, unsigned shift)
{
    size_t count = 0;
    for (uint32_t bucket = 0; bucket < WHEEL_BUCKETS; bucket++)
        if (wheel->heads[bucket] != POOL_NONE)
            count = take_list(wheel, bucket, count);
    wheel->turn = (wheel->open_end >> shift) - 1;
    wheel->shift = shift;
    for (size_t i = 0; i < count; i++) {
        const int64_t turn = wheel->open[i].at >> shift;
        if (turn - wheel->turn < WHEEL_BUCKETS)
            wheel_list(wheel, &wheel->open[i], turn);
        else
            heap_push(&wheel->far, &wheel->open[i]);
    }
}

static void reckon_width(struct wheel *wheel)
{
    if (wheel->opened < RECKON_OPENED)
        return;
    const uint64_t events = 10 * wheel->opened_events / wheel->opened;
    if (events >= EVENTS_MANY && wheel->shift > SHIFT_MIN)
        rewiden(wheel, wheel->shift - 1);
    else if (events < EVENTS_FEW && wheel->shift < SHIFT_MAX)
        rewiden(wheel, wheel->shift + 1);
    wheel->opened = wheel->opened_events = 0;
}

bool wheel_open(struct wheel *wheel, time_ps until)
{
    CHECK(wheel->next == wheel->end && wheel->late.count == 0);
    reckon_width(wheel);
    int64_t turn = INT64_MAX;
    if (wheel->pending > 0) {
        const uint32_t from = (uint32_t)(wheel->turn + 1) & (WHEEL_BUCKETS - 1);
        turn = wheel->turn + 1 + next_occupied(wheel, from);
    }
    if (wheel->far.count > 0 && heap_top(&wheel->far)->at >> wheel->shift < turn)
        turn = heap_top(&wheel->far)->at >> wheel->shift;
    if (turn > until >> wheel->shift)
        return false;
    size_t count = 0;
    if (LIKELY(wheel->heads[(uint32_t)turn & (WHEEL_BUCKETS - 1)] != POOL_NONE))
        count = take_list(wheel, turn, 0);
    bool sorted = count <= INSERTION_MAX;
    while (wheel->far.count > 0 && heap_top(&wheel->far)->at >> wheel->shift == turn) {
        if (count == wheel->open_room)
            grow(wheel);
        wheel->open[count++] = heap_pop(&wheel->far);
        sorted = false;
    }
    if (UNLIKELY(!sorted))
        sort(wheel, count);
    wheel->turn = turn;
    wheel->open_end = (turn + 1) << wheel->shift;
    wheel->next = wheel->open;
    wheel->end = wheel->open + count;
    wheel->opened++;
    wheel->opened_events += count;
    return true;
}

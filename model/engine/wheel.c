/* SPDX-License-Identifier: Apache-2.0
 * wheel - opening and sorting buckets, and finding their width.
 *
 *        open bucket (sorted keys)             lists, unsorted                    far heap
 *   -----|=======|---|--*--|---|-*-*-|---|---|--*--|  ... one horizon ...  |-------- * ----- *
 *       turn   turn+1
 *
 * Every event in a list has a turn in (turn, turn + WHEEL_BUCKETS), so a bucket never mixes two
 * turns.  Events of the far heap are compared when a bucket is opened: those that belong to it join
 * it; nothing else moves.  An event for the open bucket itself is put among the keys that are left.
 * Keys compare as numbers but where time and source are the same: there the events' order decides.
 *
 * The width aims at 4 to 10 events in an opened bucket: below, opening costs more than sorting
 * saves; above, the sort does.  It is looked at every RECKON_OPENED buckets and changed by a factor
 * of two; it is not made less when that would part few events, or put many beyond the horizon. */
#include "engine/wheel.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SHIFT = 13, /* 8 ns */
    SHIFT_MIN = 4,
    SHIFT_MAX = 18, /* 262 ns, a horizon of 1 ms; what a key has bits for */
    FIRST_ROOM = 256,
    NETWORK = 8, /* keys that a sorting network takes; above, sorted pieces are merged */
    SLOTS_MAX = (1 << WHEEL_KEY_SLOT) - 1,
    RECKON_OPENED = 4096,
    EVENTS_FEW = 40, /* tenths of an event in an opened bucket */
    EVENTS_MANY = 100,
    FAR_SHARE = 8, /* one in so many beyond the horizon costs more than fuller buckets */
};

static struct node *const nobody[1];

void wheel_init(struct wheel *wheel)
{
    *wheel = (struct wheel){.shift = FIRST_SHIFT,
                            .turn = -1,
                            .room = FIRST_ROOM,
                            .far_turn = INT64_MAX,
                            .near = {.nodes = nobody}};
    pool_init(&wheel->slots, "events", sizeof(struct event), SLOTS_MAX);
    wheel->heads = malloc(WHEEL_BUCKETS * sizeof *wheel->heads);
    wheel->occupied = calloc(WHEEL_WORDS, sizeof *wheel->occupied);
    wheel->keys = malloc(FIRST_ROOM * sizeof *wheel->keys);
    wheel->spare = malloc(FIRST_ROOM * sizeof *wheel->spare);
    CHECK(wheel->heads != NULL && wheel->occupied != NULL);
    CHECK(wheel->keys != NULL && wheel->spare != NULL);
    memset(wheel->heads, 0xFF, WHEEL_BUCKETS * sizeof *wheel->heads);
    wheel->keys[0] = WHEEL_END;
    wheel->next = wheel->end = wheel->keys;
}

void wheel_fini(struct wheel *wheel)
{
    pool_fini(&wheel->slots);
    heap_fini(&wheel->far);
    free(wheel->heads);
    free(wheel->occupied);
    free(wheel->keys);
    free(wheel->spare);
    *wheel = (struct wheel){0};
}

size_t wheel_count(const struct wheel *wheel)
{
    return wheel->slots.taken + wheel->far.count;
}

/* ------------------------------------------------------------------ keys */

enum { KEY_TIME = WHEEL_KEY_SLOT + 64 - ORDER_SEQUENCE_BITS };

static uint64_t key_of(time_ps base, const struct event *event, uint32_t slot)
{
    const uint64_t rank = event->order >> ORDER_SEQUENCE_BITS;
    return (uint64_t)(event->at - base) << KEY_TIME | rank << WHEEL_KEY_SLOT | slot;
}

/* Of one source for one time: only the events' own order tells them apart. */
static bool tie(uint64_t a, uint64_t b)
{
    return (a ^ b) >> WHEEL_KEY_SLOT == 0;
}

static bool before(const struct wheel *wheel, uint64_t a, uint64_t b)
{
    if (LIKELY(!tie(a, b)))
        return a < b;
    return wheel_event(wheel, a)->order < wheel_event(wheel, b)->order;
}

static void grow(struct wheel *wheel)
{
    const ptrdiff_t next = wheel->next - wheel->keys, end = wheel->end - wheel->keys;
    wheel->room *= 2;
    wheel->keys = realloc(wheel->keys, wheel->room * sizeof *wheel->keys);
    wheel->spare = realloc(wheel->spare, wheel->room * sizeof *wheel->spare);
    CHECK(wheel->keys != NULL && wheel->spare != NULL);
    wheel->next = wheel->keys + next;
    wheel->end = wheel->keys + end;
}

/* Puts the event among those that are left of the open bucket: mostly near the end. */
static void push_open(struct wheel *wheel, uint32_t slot)
{
    const uint64_t key = key_of(wheel->base, wheel_slot(wheel, slot), slot);
    CHECK(wheel_slot(wheel, slot)->at >= wheel->base);
    if (UNLIKELY(wheel->end == wheel->keys + wheel->room - 1))
        grow(wheel);
    uint64_t *hole = wheel->end;
    for (; hole != wheel->next && before(wheel, key, hole[-1]); hole--)
        *hole = hole[-1];
    *hole = key;
    *++wheel->end = WHEEL_END;
}

static void reckon_far(struct wheel *wheel)
{
    wheel->far_turn = wheel->far.count == 0 ? INT64_MAX : heap_top(&wheel->far)->at >> wheel->shift;
}

static void push_far(struct wheel *wheel, uint32_t slot)
{
    heap_push(&wheel->far, wheel_slot(wheel, slot));
    pool_give(&wheel->slots, slot);
    wheel->far_pushes++;
    reckon_far(wheel);
}

void wheel_push_rare(struct wheel *wheel, uint32_t slot)
{
    if (wheel_slot(wheel, slot)->at >> wheel->shift <= wheel->turn)
        push_open(wheel, slot);
    else
        push_far(wheel, slot);
}

/* ------------------------------------------------------------------ sorting */

static inline void order(uint64_t *a, uint64_t *b)
{
    const uint64_t x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

static inline void sort4(uint64_t *k)
{
    order(&k[0], &k[1]);
    order(&k[2], &k[3]);
    order(&k[0], &k[2]);
    order(&k[1], &k[3]);
    order(&k[1], &k[2]);
}

/* Batcher's odd-even merge of two sorted fours (Knuth 5.3.4): no branch that could be guessed
 * wrong. */
static inline void merge8(uint64_t *k)
{
    order(&k[0], &k[4]);
    order(&k[1], &k[5]);
    order(&k[2], &k[6]);
    order(&k[3], &k[7]);
    order(&k[2], &k[4]);
    order(&k[3], &k[5]);
    order(&k[1], &k[2]);
    order(&k[3], &k[4]);
    order(&k[5], &k[6]);
}

static bool any_tie(const uint64_t *keys, size_t count)
{
    bool any = false;
    for (size_t i = 1; i < count; i++)
        any |= tie(keys[i - 1], keys[i]);
    return any;
}

/* Puts keys that tie in the order of their events. */
static ASIDE void settle(const struct wheel *wheel, uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t key = keys[i];
        size_t hole = i;
        for (; hole > 0 && before(wheel, key, keys[hole - 1]); hole--)
            keys[hole] = keys[hole - 1];
        keys[hole] = key;
    }
}

/* Sorts up to NETWORK keys; behind them WHEEL_END makes up the number. */
static inline void sort_few(uint64_t *keys, size_t count)
{
    sort4(keys);
    if (count > 4) {
        sort4(keys + 4);
        merge8(keys);
    }
}

static void merge(const uint64_t *keys, size_t a_end, size_t b_end, uint64_t *out)
{
    size_t a = 0, b = a_end;
    while (a < a_end && b < b_end) {
        const bool second = keys[b] < keys[a];
        *out++ = second ? keys[b] : keys[a];
        b += second;
        a += !second;
    }
    memcpy(out, keys + a, (a_end - a) * sizeof *keys);
    memcpy(out + (a_end - a), keys + b, (b_end - b) * sizeof *keys);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sorts pieces, then merges them pairwise, back and forth. */
static void sort_many(struct wheel *wheel, size_t count)
{
    for (size_t at = 0; at < count; at += NETWORK)
        sort_few(wheel->keys + at, least(count - at, NETWORK));
    for (size_t run = NETWORK; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run)
            merge(wheel->keys + at, least(count - at, run), least(count - at, 2 * run),
                  wheel->spare + at);
        uint64_t *sorted = wheel->spare;
        wheel->spare = wheel->keys;
        wheel->keys = sorted;
    }
}

static void sort(struct wheel *wheel, size_t count)
{
    if (LIKELY(count <= NETWORK))
        sort_few(wheel->keys, count);
    else
        sort_many(wheel, count);
    if (UNLIKELY(any_tie(wheel->keys, count)))
        settle(wheel, wheel->keys, count);
}

/* ------------------------------------------------------------------ opening */

/* The first occupied bucket at or after `from`, around the ring, as a distance; one is occupied. */
static int64_t next_occupied(const struct wheel *wheel, uint32_t from)
{
    uint32_t word = from / 64;
    uint64_t bits = wheel->occupied[word] & UINT64_MAX << (from % 64);
    while (bits == 0) {
        word = (word + 1) % WHEEL_WORDS;
        bits = wheel->occupied[word];
    }
    const uint32_t bucket = word * 64 + (uint32_t)__builtin_ctzll(bits);
    return (bucket - from) & (WHEEL_BUCKETS - 1);
}

/* The turn of the least event; nothing is left of the open bucket.  INT64_MAX: there is none. */
static int64_t next_turn(const struct wheel *wheel)
{
    int64_t turn = INT64_MAX;
    if (wheel->slots.taken > 0) {
        const uint32_t from = (uint32_t)(wheel->turn + 1) & (WHEEL_BUCKETS - 1);
        turn = wheel->turn + 1 + next_occupied(wheel, from);
    }
    return turn < wheel->far_turn ? turn : wheel->far_turn;
}

/* Empties a bucket's list; its first slot, or POOL_NONE. */
static uint32_t take_list(struct wheel *wheel, uint32_t bucket)
{
    const uint32_t first = wheel->heads[bucket];
    wheel->heads[bucket] = POOL_NONE;
    wheel->occupied[bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
    return first;
}

/* Puts every listed event into a wheel of another width whose first bucket contains `start`. */
static void rewiden(struct wheel *wheel, unsigned shift, time_ps start)
{
    uint32_t chain = POOL_NONE;
    for (uint32_t bucket = 0; bucket < WHEEL_BUCKETS; bucket++) {
        uint32_t slot = take_list(wheel, bucket);
        while (slot != POOL_NONE) {
            const uint32_t next = wheel->slots.link[slot];
            wheel->slots.link[slot] = chain;
            chain = slot;
            slot = next;
        }
    }
    wheel->turn = (start >> shift) - 1;
    wheel->shift = shift;
    while (chain != POOL_NONE) {
        const uint32_t slot = chain;
        const int64_t turn = wheel_slot(wheel, slot)->at >> shift;
        chain = wheel->slots.link[slot];
        if (turn - wheel->turn < WHEEL_BUCKETS)
            wheel_list(wheel, slot, turn);
        else
            push_far(wheel, slot);
    }
    reckon_far(wheel);
}

/* Before the bucket of that turn is opened. */
static void reckon_width(struct wheel *wheel, int64_t turn)
{
    const uint64_t events = 10 * wheel->opened_events / wheel->opened;
    const uint64_t far = wheel->far_pushes * FAR_SHARE;
    const time_ps start = turn << wheel->shift;
    if (wheel->shift < SHIFT_MAX && (events < EVENTS_FEW || far > wheel->opened_events))
        rewiden(wheel, wheel->shift + 1, start);
    else if (wheel->shift > SHIFT_MIN && events >= EVENTS_MANY &&
             2 * wheel->parted_events > wheel->opened_events && 4 * far < wheel->opened_events)
        rewiden(wheel, wheel->shift - 1, start);
    wheel->opened = wheel->opened_events = wheel->parted_events = wheel->far_pushes = 0;
}

/* Moves the far events that belong to the open bucket to its keys. */
static size_t gather_far(struct wheel *wheel, size_t count)
{
    while (wheel->far_turn == wheel->turn) {
        if (count + NETWORK >= wheel->room)
            grow(wheel);
        const uint32_t slot = pool_take(&wheel->slots);
        *wheel_slot(wheel, slot) = heap_pop(&wheel->far);
        wheel->keys[count++] = key_of(wheel->base, wheel_slot(wheel, slot), slot);
        reckon_far(wheel);
    }
    return count;
}

/* Gathers the keys of the open bucket, WHEEL_END behind them; returns how many.  What the events
 * will touch comes into the cache while others are sorted and executed. */
static size_t gather(struct wheel *wheel)
{
    const struct wheel_near near = wheel->near;
    const struct event *events = wheel_slot(wheel, 0);
    const uint32_t *link = wheel->slots.link;
    const time_ps base = wheel->base;
    uint64_t *keys = wheel->keys, *full = keys + wheel->room - NETWORK;
    uint32_t slot = take_list(wheel, (uint32_t)wheel->turn & (WHEEL_BUCKETS - 1));
    for (; slot != POOL_NONE; slot = link[slot]) {
        const struct event *event = &events[slot];
        *keys++ = key_of(base, event, slot);
        __builtin_prefetch(
            (const void *)(near.items + near.item_bytes * (uint32_t)event->argument));
        __builtin_prefetch(near.nodes[event->node]);
        if (UNLIKELY(keys == full)) {
            grow(wheel);
            keys = wheel->keys + wheel->room / 2 - NETWORK;
            full = wheel->keys + wheel->room - NETWORK;
        }
    }
    size_t count = (size_t)(keys - wheel->keys);
    if (UNLIKELY(wheel->far_turn == wheel->turn))
        count = gather_far(wheel, count);
    for (size_t i = 0; i < NETWORK; i++)
        wheel->keys[count + i] = WHEEL_END;
    return count;
}

/* What reckon_width goes by: buckets, events, and those that narrower buckets would part. */
static void count_opened(struct wheel *wheel, size_t count)
{
    const uint64_t halves = wheel->keys[0] ^ wheel->keys[count - 1];
    wheel->opened++;
    wheel->opened_events += count;
    wheel->parted_events += halves >> (KEY_TIME - 1) >> wheel->shift == 0 ? 0 : count;
}

static bool open_next(struct wheel *wheel, time_ps until)
{
    int64_t turn = next_turn(wheel);
    if (UNLIKELY(wheel->opened >= RECKON_OPENED) && turn <= until >> wheel->shift) {
        reckon_width(wheel, turn);
        turn = next_turn(wheel);
    }
    if (turn > until >> wheel->shift)
        return false;
    wheel->turn = turn;
    wheel->base = turn << wheel->shift;
    const size_t count = gather(wheel);
    sort(wheel, count);
    wheel->next = wheel->keys;
    wheel->end = wheel->keys + count;
    *wheel->end = WHEEL_END;
    count_opened(wheel, count);
    return true;
}

bool wheel_open(struct wheel *wheel, time_ps until)
{
    if (*wheel->next == WHEEL_END && !open_next(wheel, until))
        return false;
    const time_ps left = until - wheel->base;
    if (UNLIKELY(left < 0))
        return false;
    wheel->bound = left >> wheel->shift > 0 ? WHEEL_END : (uint64_t)(left + 1) << KEY_TIME;
    return *wheel->next < wheel->bound;
}

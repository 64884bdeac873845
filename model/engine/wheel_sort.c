/* SPDX-License-Identifier: Apache-2.0
 * wheel_sort - the keys of a group into their order.
 * Networks for few keys, merges for many.  Keys compare as numbers but where time and source are
 * the same: there the events' own order decides. */
#include "engine/wheel_sort.h"

#include <string.h>

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
        any |= wheel_tie(keys[i - 1], keys[i]);
    return any;
}

/* Puts keys that tie in the order of their events. */
static ASIDE void settle(const struct wheel *wheel, uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const uint64_t key = keys[i];
        size_t hole = i;
        for (; hole > 0 && wheel_before(wheel, key, keys[hole - 1]); hole--)
            keys[hole] = keys[hole - 1];
        keys[hole] = key;
    }
}

/* Sorts up to WHEEL_NETWORK keys; behind them WHEEL_END makes up the number. */
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
    for (size_t at = 0; at < count; at += WHEEL_NETWORK)
        sort_few(wheel->sorted + at, least(count - at, WHEEL_NETWORK));
    for (size_t run = WHEEL_NETWORK; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run)
            merge(wheel->sorted + at, least(count - at, run), least(count - at, 2 * run),
                  wheel->spare + at);
        uint64_t *sorted = wheel->spare;
        wheel->spare = wheel->sorted;
        wheel->sorted = sorted;
    }
}

void wheel_sort(struct wheel *wheel, size_t count)
{
    if (count <= 2) {
        wheel->sorted[count] = WHEEL_END; /* also what one key is ordered with */
        order(&wheel->sorted[0], &wheel->sorted[1]);
        if (UNLIKELY(any_tie(wheel->sorted, count)))
            settle(wheel, wheel->sorted, count);
        return;
    }
    for (size_t i = 0; i < WHEEL_NETWORK; i++)
        wheel->sorted[count + i] = WHEEL_END;
    if (LIKELY(count <= WHEEL_NETWORK))
        sort_few(wheel->sorted, count);
    else
        sort_many(wheel, count);
    if (UNLIKELY(any_tie(wheel->sorted, count)))
        settle(wheel, wheel->sorted, count);
}

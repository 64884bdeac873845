/* SPDX-License-Identifier: Apache-2.0
 * breakdown_sum - sums by workload and operation, latency bucket, member and place. */
#include "base/hash.h"
#include "base/hist.h"
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64, SLOW_SHARE = 100 };

static struct breakdown_row_sum *row_of(struct breakdown *breakdown,
                                        const struct breakdown_life *life)
{
    struct breakdown_row_sum **row =
        &breakdown->rows[life->workload * BREAKDOWN_OPERATIONS + (uint32_t)life->operation];
    CHECK(life->workload < breakdown->workload_count && life->operation < BREAKDOWN_OPERATIONS);
    if (*row == NULL)
        *row = memory_new(sizeof **row);
    return *row;
}

static void widen(struct breakdown_row_sum *row, unsigned bucket)
{
    const uint32_t wanted = (bucket | 1023) + 1;
    row->bin_of = memory_resized(row->bin_of, wanted, sizeof *row->bin_of);
    memset(row->bin_of + row->bucket_count, 0, (wanted - row->bucket_count) * sizeof *row->bin_of);
    row->bucket_count = wanted;
}

static struct breakdown_bin *bin_of(struct breakdown_row_sum *row, time_ps latency)
{
    const unsigned bucket = hist_bucket(latency);
    if (bucket >= row->bucket_count)
        widen(row, bucket);
    if (row->bin_of[bucket] == 0) {
        row->bins = memory_grown(row->bins, row->bin_count, &row->bin_room, sizeof *row->bins);
        row->bins[row->bin_count] = (struct breakdown_bin){0};
        row->bin_of[bucket] = ++row->bin_count;
    }
    return &row->bins[row->bin_of[bucket] - 1];
}

/* ------------------------------------------------------------------ places */

static uint32_t home_of(const struct breakdown *breakdown, const struct breakdown_place_sum *key)
{
    const uint64_t word = (uint64_t)key->port << 32 | (uint64_t)key->workload << 8 |
                          (uint64_t)key->operation << 4 | key->priority;
    return (uint32_t)hash_mix(word) & (breakdown->place_room - 1);
}

static bool same(const struct breakdown_place_sum *a, const struct breakdown_place_sum *b)
{
    return a->port == b->port && a->workload == b->workload && a->operation == b->operation &&
           a->priority == b->priority;
}

static bool is_free(const struct breakdown_place_sum *place)
{
    return place->paused_ps == 0 && place->queued_ps == 0;
}

static struct breakdown_place_sum *find_place(const struct breakdown *breakdown,
                                              const struct breakdown_place_sum *key)
{
    uint32_t at = home_of(breakdown, key);
    while (!is_free(&breakdown->places[at]) && !same(&breakdown->places[at], key))
        at = (at + 1) & (breakdown->place_room - 1);
    return &breakdown->places[at];
}

static void grow_places(struct breakdown *breakdown)
{
    struct breakdown_place_sum *old = breakdown->places;
    const uint32_t room = breakdown->place_room;
    breakdown->place_room = room == 0 ? ROOM_FIRST : room * 2;
    breakdown->places = memory_zeroed(breakdown->place_room, sizeof *breakdown->places);
    for (uint32_t i = 0; i < room; i++)
        if (!is_free(&old[i]))
            *find_place(breakdown, &old[i]) = old[i];
    free(old);
}

static void add_place(struct breakdown *breakdown, const struct breakdown_life *life,
                      const struct breakdown_place *place)
{
    const struct breakdown_place_sum key = {.workload = life->workload,
                                            .port = place->port,
                                            .operation = life->operation,
                                            .priority = place->priority};
    if (breakdown->place_count * 2 >= breakdown->place_room)
        grow_places(breakdown);
    struct breakdown_place_sum *sum = find_place(breakdown, &key);
    if (is_free(sum)) {
        *sum = key;
        breakdown->place_count++;
    }
    sum->paused_ps += place->paused_ps;
    sum->queued_ps += place->queued_ps;
}

/* ------------------------------------------------------------------ members */

static struct breakdown_member *member_of(struct breakdown *breakdown,
                                          const struct breakdown_life *life)
{
    struct breakdown_members *members = &breakdown->members[life->workload];
    while (members->count <= life->member) {
        members->list =
            memory_grown(members->list, members->count, &members->room, sizeof *members->list);
        members->list[members->count++] = (struct breakdown_member){0};
    }
    return &members->list[life->member];
}

static struct breakdown_member *add_member(struct breakdown *breakdown,
                                           const struct breakdown_life *life)
{
    struct breakdown_member *member = member_of(breakdown, life);
    member->count++;
    member->latency_ps += life->completed_at - life->issued_at;
    return member;
}

const struct breakdown_member *breakdown_members(const struct breakdown *breakdown,
                                                 uint32_t workload, uint32_t *count)
{
    *count = breakdown->members[workload].count;
    return breakdown->members[workload].list;
}

/* ------------------------------------------------------------------ commands and messages */

/* Adds a command or message to the sums of its workload and operation, its latency bucket and its
 * member. */
static void add_cells(const struct breakdown_life *life, struct breakdown_sum *sum,
                      struct breakdown_bin *bin, struct breakdown_member *member)
{
    for (int word = 0; word < BREAKDOWN_CELL_WORDS; word++)
        for (uint64_t left = life->cells[word]; left != 0; left &= left - 1) {
            const int cell = word * 64 + __builtin_ctzll(left);
            const int phase = cell / BREAKDOWN_PARTS, part = cell % BREAKDOWN_PARTS;
            const time_ps ps = life->ps[phase][part];
            sum->ps[phase][part] += ps;
            bin->ps[part] += ps;
            member->ps[part] += ps;
        }
}

void breakdown_sum_add(struct breakdown *breakdown, const struct breakdown_life *life)
{
    struct breakdown_row_sum *row = row_of(breakdown, life);
    const time_ps latency = life->completed_at - life->issued_at;
    struct breakdown_bin *bin = bin_of(row, latency);
    row->sum.count++;
    row->sum.latency_ps += latency;
    row->sum.behind_sent_ps += life->behind.sent;
    row->sum.behind_lost_ps += life->behind.lost;
    bin->count++;
    add_cells(life, &row->sum, bin, add_member(breakdown, life));
    for (uint32_t i = 0; i < life->place_count; i++)
        add_place(breakdown, life, &life->places[i]);
    if (breakdown->each != NULL)
        breakdown->each(breakdown->each_self, life);
}

static void find_slow(struct breakdown_row_sum *row)
{
    struct breakdown_sum *sum = &row->sum;
    const uint64_t wanted = (sum->count + SLOW_SHARE - 1) / SLOW_SHARE;
    for (uint32_t i = row->bucket_count; i-- > 0 && sum->slow_count < wanted;) {
        if (row->bin_of[i] == 0)
            continue;
        const struct breakdown_bin *bin = &row->bins[row->bin_of[i] - 1];
        sum->slow_count += bin->count;
        for (int part = 0; part < BREAKDOWN_PARTS; part++)
            sum->slow_ps[part] += bin->ps[part];
    }
}

static int compare(const void *a, const void *b)
{
    const struct breakdown_place_sum *x = a, *y = b;
    if (x->workload != y->workload)
        return x->workload < y->workload ? -1 : 1;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (x->priority > y->priority) - (x->priority < y->priority);
}

void breakdown_finish(struct breakdown *breakdown)
{
    uint32_t count = 0;
    if (!breakdown->traced)
        return;
    for (uint32_t i = 0; i < breakdown->workload_count * BREAKDOWN_OPERATIONS; i++)
        if (breakdown->rows[i] != NULL)
            find_slow(breakdown->rows[i]);
    for (uint32_t i = 0; i < breakdown->place_room; i++)
        if (!is_free(&breakdown->places[i]))
            breakdown->places[count++] = breakdown->places[i];
    if (count > 0)
        qsort(breakdown->places, count, sizeof *breakdown->places,
              compare); /* keys are unique, so the order is total */
    breakdown->place_count = count;
}

const struct breakdown_sum *breakdown_of(const struct breakdown *breakdown, uint32_t workload,
                                         enum breakdown_operation operation)
{
    const struct breakdown_row_sum *row =
        breakdown->rows[workload * BREAKDOWN_OPERATIONS + (uint32_t)operation];
    return row == NULL ? NULL : &row->sum;
}

const struct breakdown_place_sum *breakdown_places(const struct breakdown *breakdown,
                                                   uint32_t *count)
{
    *count = breakdown->place_count;
    return breakdown->places;
}

void breakdown_sums_fini(struct breakdown *breakdown)
{
    if (!breakdown->traced)
        return;
    for (uint32_t i = 0; i < breakdown->workload_count * BREAKDOWN_OPERATIONS; i++) {
        if (breakdown->rows[i] == NULL)
            continue;
        free(breakdown->rows[i]->bins);
        free(breakdown->rows[i]->bin_of);
        free(breakdown->rows[i]);
    }
    for (uint32_t i = 0; i < breakdown->workload_count; i++)
        free(breakdown->members[i].list);
    free(breakdown->members);
    free(breakdown->rows);
    free(breakdown->places);
}

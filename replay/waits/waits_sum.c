/* SPDX-License-Identifier: Apache-2.0
 * waits_sum - sums by workload and operation, by bucket of the latency, by member, by place. */
#include "base/hash.h"
#include "base/hist.h"
#include "base/memory.h"
#include "replay/waits/waits_private.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64, SLOW_SHARE = 100 };

static struct waits_row_sum *row_of(struct waits *waits, const struct waits_life *life)
{
    struct waits_row_sum **row =
        &waits->rows[life->workload * WAITS_OPERATIONS + (uint32_t)life->operation];
    CHECK(life->workload < waits->workload_count && life->operation < WAITS_OPERATIONS);
    if (*row == NULL)
        *row = memory_new(sizeof **row);
    return *row;
}

static void widen(struct waits_row_sum *row, unsigned bucket)
{
    const uint32_t wanted = (bucket | 1023) + 1;
    row->bin_of = memory_resized(row->bin_of, wanted, sizeof *row->bin_of);
    memset(row->bin_of + row->bucket_count, 0, (wanted - row->bucket_count) * sizeof *row->bin_of);
    row->bucket_count = wanted;
}

static struct waits_bin *bin_of(struct waits_row_sum *row, time_ps latency)
{
    const unsigned bucket = hist_bucket(latency);
    if (bucket >= row->bucket_count)
        widen(row, bucket);
    if (row->bin_of[bucket] == 0) {
        row->bins = memory_grown(row->bins, row->bin_count, &row->bin_room, sizeof *row->bins);
        row->bins[row->bin_count] = (struct waits_bin){0};
        row->bin_of[bucket] = ++row->bin_count;
    }
    return &row->bins[row->bin_of[bucket] - 1];
}

/* ------------------------------------------------------------------ places */

static uint32_t home_of(const struct waits *waits, const struct waits_place_sum *key)
{
    const uint64_t word = (uint64_t)key->port << 32 | (uint64_t)key->workload << 8 |
                          (uint64_t)key->operation << 4 | key->priority;
    return (uint32_t)hash_mix(word) & (waits->place_room - 1);
}

static bool same(const struct waits_place_sum *a, const struct waits_place_sum *b)
{
    return a->port == b->port && a->workload == b->workload && a->operation == b->operation &&
           a->priority == b->priority;
}

static bool is_free(const struct waits_place_sum *place)
{
    return place->paused_ps == 0 && place->queued_ps == 0;
}

static struct waits_place_sum *find(const struct waits *waits, const struct waits_place_sum *key)
{
    uint32_t at = home_of(waits, key);
    while (!is_free(&waits->places[at]) && !same(&waits->places[at], key))
        at = (at + 1) & (waits->place_room - 1);
    return &waits->places[at];
}

static void grow(struct waits *waits)
{
    struct waits_place_sum *old = waits->places;
    const uint32_t room = waits->place_room;
    waits->place_room = room == 0 ? ROOM_FIRST : room * 2;
    waits->places = memory_zeroed(waits->place_room, sizeof *waits->places);
    for (uint32_t i = 0; i < room; i++)
        if (!is_free(&old[i]))
            *find(waits, &old[i]) = old[i];
    free(old);
}

static void add_place(struct waits *waits, const struct waits_life *life,
                      const struct waits_place *place)
{
    const struct waits_place_sum key = {.workload = life->workload,
                                        .port = place->port,
                                        .operation = life->operation,
                                        .priority = place->priority};
    if (waits->place_count * 2 >= waits->place_room)
        grow(waits);
    struct waits_place_sum *sum = find(waits, &key);
    if (is_free(sum)) {
        *sum = key;
        waits->place_count++;
    }
    sum->paused_ps += place->paused_ps;
    sum->queued_ps += place->queued_ps;
}

/* ------------------------------------------------------------------ members */

static struct waits_member *member_of(struct waits *waits, const struct waits_life *life)
{
    struct waits_members *members = &waits->members[life->workload];
    while (members->count <= life->member) {
        members->list =
            memory_grown(members->list, members->count, &members->room, sizeof *members->list);
        members->list[members->count++] = (struct waits_member){0};
    }
    return &members->list[life->member];
}

static struct waits_member *add_member(struct waits *waits, const struct waits_life *life)
{
    struct waits_member *member = member_of(waits, life);
    member->count++;
    member->latency_ps += life->completed_at - life->issued_at;
    return member;
}

const struct waits_member *waits_members(const struct waits *waits, uint32_t workload,
                                         uint32_t *count)
{
    *count = waits->members[workload].count;
    return waits->members[workload].list;
}

/* ------------------------------------------------------------------ lives */

/* To its workload and operation, its bucket of the latency, its member. */
static void add_cells(const struct waits_life *life, struct waits_sum *sum, struct waits_bin *bin,
                      struct waits_member *member)
{
    for (int word = 0; word < WAITS_CELL_WORDS; word++)
        for (uint64_t left = life->cells[word]; left != 0; left &= left - 1) {
            const int cell = word * 64 + __builtin_ctzll(left);
            const int phase = cell / WAITS_PARTS, part = cell % WAITS_PARTS;
            const time_ps ps = life->ps[phase][part];
            sum->ps[phase][part] += ps;
            bin->ps[part] += ps;
            member->ps[part] += ps;
        }
}

void waits_sum_add(struct waits *waits, const struct waits_life *life)
{
    struct waits_row_sum *row = row_of(waits, life);
    const time_ps latency = life->completed_at - life->issued_at;
    struct waits_bin *bin = bin_of(row, latency);
    row->sum.count++;
    row->sum.latency_ps += latency;
    bin->count++;
    add_cells(life, &row->sum, bin, add_member(waits, life));
    for (uint32_t i = 0; i < life->place_count; i++)
        add_place(waits, life, &life->places[i]);
    if (waits->each != NULL)
        waits->each(waits->each_self, life);
}

static void find_slow(struct waits_row_sum *row)
{
    struct waits_sum *sum = &row->sum;
    const uint64_t wanted = (sum->count + SLOW_SHARE - 1) / SLOW_SHARE;
    for (uint32_t i = row->bucket_count; i-- > 0 && sum->slow_count < wanted;) {
        if (row->bin_of[i] == 0)
            continue;
        const struct waits_bin *bin = &row->bins[row->bin_of[i] - 1];
        sum->slow_count += bin->count;
        for (int part = 0; part < WAITS_PARTS; part++)
            sum->slow_ps[part] += bin->ps[part];
    }
}

static int compare(const void *a, const void *b)
{
    const struct waits_place_sum *x = a, *y = b;
    if (x->workload != y->workload)
        return x->workload < y->workload ? -1 : 1;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return (x->priority > y->priority) - (x->priority < y->priority);
}

void waits_finish(struct waits *waits)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < waits->workload_count * WAITS_OPERATIONS; i++)
        if (waits->rows[i] != NULL)
            find_slow(waits->rows[i]);
    for (uint32_t i = 0; i < waits->place_room; i++)
        if (!is_free(&waits->places[i]))
            waits->places[count++] = waits->places[i];
    if (count > 0)
        qsort(waits->places, count, sizeof *waits->places, compare); /* keys differ: total */
    waits->place_count = count;
}

const struct waits_sum *waits_of(const struct waits *waits, uint32_t workload,
                                 enum waits_operation operation)
{
    const struct waits_row_sum *row =
        waits->rows[workload * WAITS_OPERATIONS + (uint32_t)operation];
    return row == NULL ? NULL : &row->sum;
}

const struct waits_place_sum *waits_places(const struct waits *waits, uint32_t *count)
{
    *count = waits->place_count;
    return waits->places;
}

void waits_sums_fini(struct waits *waits)
{
    for (uint32_t i = 0; i < waits->workload_count * WAITS_OPERATIONS; i++) {
        if (waits->rows[i] == NULL)
            continue;
        free(waits->rows[i]->bins);
        free(waits->rows[i]->bin_of);
        free(waits->rows[i]);
    }
    for (uint32_t i = 0; i < waits->workload_count; i++)
        free(waits->members[i].list);
    free(waits->members);
    free(waits->rows);
    free(waits->places);
}

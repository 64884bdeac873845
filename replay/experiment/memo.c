/* SPDX-License-Identifier: Apache-2.0
 * memo - compares trials as sets of changes. */
#include "replay/experiment/memo.h"

#include "base/memory.h"

#include <stdlib.h>

static bool has_change(const struct trial *trial, const struct trial_change *change)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial_change_equal(&trial->changes[i], change))
            return true;
    return false;
}

/* No trial has the same change twice. */
static bool is_same(const struct trial *a, const struct trial *b)
{
    bool same = a->count == b->count && a->seed == b->seed && a->later == b->later;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = has_change(b, &a->changes[i]);
    return same;
}

static const struct memo_entry *entry_of(const struct memo *memo, const struct trial *trial)
{
    for (uint32_t i = 0; i < memo->count; i++)
        if (is_same(&memo->list[i].trial, trial))
            return &memo->list[i];
    return NULL;
}

bool memo_has(const struct memo *memo, const struct trial *trial)
{
    return entry_of(memo, trial) != NULL;
}

bool memo_find(const struct memo *memo, const struct trial *trial, struct measure_shape shape,
               struct measure *measure)
{
    const struct memo_entry *entry = entry_of(memo, trial);
    *measure = (struct measure){0};
    if (entry != NULL && entry->complete)
        measure_unpack(measure, shape, entry->measure);
    return entry != NULL;
}

void memo_keep(struct memo *memo, const struct trial *trial, struct measure_shape shape,
               const struct measure *measure)
{
    const bool complete = measure->works != NULL;
    const size_t bytes = sizeof *memo->list + (complete ? measure_bytes(shape) : 0);
    if (memo->bytes + bytes > MEMO_BYTES_MAX)
        return;
    memo->bytes += bytes;
    memo->list = memory_grown(memo->list, memo->count, &memo->room, sizeof *memo->list);
    struct memo_entry *entry = &memo->list[memo->count++];
    *entry = (struct memo_entry){.trial = *trial, .complete = complete};
    if (complete) {
        entry->measure = memory_new(measure_bytes(shape));
        measure_pack(measure, shape, entry->measure);
    }
}

void memo_free(struct memo *memo)
{
    for (uint32_t i = 0; i < memo->count; i++)
        free(memo->list[i].measure);
    free(memo->list);
    *memo = (struct memo){0};
}

/* SPDX-License-Identifier: Apache-2.0
 * prove_partners - suspects that cost something only together with the culprits.
 * A short timeout is harmless until a target stalls: to remove the stall recovers everything, to
 * restore the timeout recovers what it added to the stall. */
#include "replay/experiment/prove_private.h"

static const double least_part = 0.25;

/* The repair gains a member something and costs no member anything. */
static bool is_free(const struct proof *proof, const struct measure *measure)
{
    bool cheaper = false, dearer = false;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        cheaper |= prove_is_dearer(proof, measure, &proof->original, i);
        dearer |= prove_is_dearer(proof, &proof->original, measure, i);
    }
    return cheaper && !dearer && measure->lossless_drops <= proof->original.lossless_drops;
}

/* A setting that all objects share, or that may be intended, is no partner. */
static bool may_be_partner(const struct proof *proof, uint32_t index)
{
    const struct prove_row *row = &proof->prove->rows[index];
    return !row->culprit && prove_is_broken(row) && !row->unplayed && !row->worse &&
           !row->for_all && row->tier == PROVE_ODD && proof->rows[index].works != NULL &&
           prove_gone_all(proof->prove, &row->before, &row->after) >= least_part &&
           is_free(proof, &proof->rows[index]);
}

/* False: a run failed, and nothing is known of the partner. */
static bool try_partner(struct proof *proof, uint32_t index)
{
    struct prove_row *row = &proof->prove->rows[index];
    const struct prove_set alone = {.rows = {index}, .count = 1};
    int64_t gain;
    if (!prove_gain_later(proof, &alone, &gain))
        return false;
    row->partner = gain >= (int64_t)(least_part / 2 * PPM);
    if (row->partner && !prove_refine_row(proof, index))
        row->partner = false;
    return true;
}

void prove_find_partners(struct proof *proof)
{
    enum { RUNS = 6 + PROVE_PARTS_MAX + 1 }; /* later starts, values of the entry, the best value */
    struct prove *prove = proof->prove;
    bool played = true; /* otherwise the culprits remain without a partner */
    if (prove->culprits == 0 || prove->by != PROVE_BY_TIME)
        return;
    for (uint32_t i = 0; i < prove->row_count && played; i++)
        if (may_be_partner(proof, i) && experiment_can_run(&proof->experiment, RUNS))
            played = try_partner(proof, i);
    for (uint32_t i = 0; i < prove->row_count; i++) {
        if (!prove->rows[i].partner)
            continue;
        prove->rows[i].culprit = true;
        prove->culprits++;
        prove_list_gaining_hosts(proof, i);
    }
}

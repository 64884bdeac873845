/* SPDX-License-Identifier: Apache-2.0
 * prove_only - runs with one suspect broken and all others repaired.
 * This shows the effect of a cause that another one hides: a member waiting for a failed link loses
 * nothing to a slow host. */
#include "replay/experiment/prove_private.h"

/* At least a twentieth more than in the ideal run. */
static bool is_more(int64_t is, int64_t ideal)
{
    return (__int128)(is - ideal) * 20 > (__int128)ideal;
}

struct prove_harm prove_harm_between(const struct proof *proof, const struct measure *measure,
                                     const struct measure *ideal)
{
    struct prove_harm harm = {.counted = is_more(measure->lossless_drops, ideal->lossless_drops)};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct measure_member *member = &proof->members.rows[i];
        const struct loss_work *is = &measure->works[i], *was = &ideal->works[i];
        const struct loss loss = loss_between(is, was);
        const int64_t part = prove_is_much(proof, measure, ideal, i)
                                 ? (int64_t)((__int128)loss.lost_ps * 1000 / loss.whole_ps)
                                 : 0;
        harm.counted |= is_more(is->failed, was->failed) || is_more(is->inactive, was->inactive);
        if (part > harm.permille)
            harm = (struct prove_harm){harm.counted, i,          member->workload,
                                       member->from, member->to, part};
    }
    return harm;
}

bool prove_does_harm(const struct proof *proof, const struct measure *measure)
{
    const struct prove_harm harm = prove_harm_between(proof, measure, &proof->ideal);
    return harm.counted || harm.permille > 0;
}

bool prove_play_only(struct proof *proof, const struct prove_set *all)
{
    struct prove_set sets[PROVE_SUSPECTS_MAX];
    struct measure measures[PROVE_SUSPECTS_MAX] = {{0}};
    for (uint32_t i = 0; i < all->count; i++)
        sets[i] = prove_without(all, all->rows[i]);
    const bool well = prove_run_sets(proof, sets, all->count, measures);
    for (uint32_t i = 0; i < all->count; i++) {
        struct prove_row *row = &proof->prove->rows[all->rows[i]];
        row->only_played = measures[i].works != NULL;
        if (!row->only_played)
            continue;
        row->only = prove_impact_of(proof, &measures[i], NULL);
        row->harmful = prove_does_harm(proof, &measures[i]);
        row->harm = prove_harm_between(proof, &measures[i], &proof->ideal);
        measure_free(&measures[i]);
    }
    return well;
}

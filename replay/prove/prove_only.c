/* SPDX-License-Identifier: Apache-2.0
 * prove_only - each suspect broken alone, with all others repaired.
 * What another one hides shows here: who waits for a dead link loses nothing to a slow host. */
#include "replay/prove/prove_private.h"

enum { HARM_LEAST_PERCENT = 5 };

/* A twentieth more than in the ideal run. */
static bool is_more(int64_t is, int64_t ideal)
{
    return (__int128)(is - ideal) * 100 > (__int128)ideal * HARM_LEAST_PERCENT;
}

struct prove_harm prove_harm_between(const struct prove_trial *trial,
                                     const struct prove_measure *measure,
                                     const struct prove_measure *ideal)
{
    struct prove_harm harm = {.counted = is_more(measure->lossless_drops, ideal->lossless_drops)};
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        const struct prove_work *is = &measure->works[i], *was = &ideal->works[i];
        const int64_t whole = prove_work_whole(is, was);
        const int64_t part =
            whole == 0 ? 0 : (int64_t)((__int128)prove_work_lost(is, was) * 1000 / whole);
        harm.counted |= is_more(is->failed, was->failed) || is_more(is->inactive, was->inactive);
        if (part > harm.permille)
            harm = (struct prove_harm){harm.counted, i, part};
    }
    return harm;
}

bool prove_does_harm(const struct prove_trial *trial, const struct prove_measure *measure)
{
    const struct prove_harm harm = prove_harm_between(trial, measure, &trial->ideal);
    return harm.counted || harm.permille >= 10 * HARM_LEAST_PERCENT;
}

bool prove_play_only(struct prove_trial *trial, const struct prove_set *all)
{
    struct prove_set sets[PROVE_SUSPECTS_MAX];
    struct prove_measure measures[PROVE_SUSPECTS_MAX] = {{0}};
    for (uint32_t i = 0; i < all->count; i++)
        sets[i] = prove_without(all, all->rows[i]);
    const bool well = prove_play_sets(trial, sets, all->count, measures);
    for (uint32_t i = 0; i < all->count; i++) {
        struct prove_row *row = &trial->prove->rows[all->rows[i]];
        row->only_played = measures[i].works != NULL;
        if (!row->only_played)
            continue;
        row->only = prove_impact_of(trial, &measures[i], NULL);
        row->harmful = prove_does_harm(trial, &measures[i]);
        row->harm = prove_harm_between(trial, &measures[i], &trial->ideal);
        prove_measure_free(&measures[i]);
    }
    return well;
}

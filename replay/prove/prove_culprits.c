/* SPDX-License-Identifier: Apache-2.0
 * prove_culprits - the suspect, or the least set of them, whose repair takes the loss away. */
#include "replay/prove/prove_private.h"

static const double proved_share = 0.9, nearly = 0.05, nothing = 0.02;

static struct prove_set without(const struct prove_set *set, uint32_t row)
{
    struct prove_set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (set->rows[i] != row)
            rest.rows[rest.count++] = set->rows[i];
    return rest;
}

static double gone_by(const struct prove *prove, uint32_t row)
{
    return prove_gone_all(prove, &prove->rows[row].before, &prove->rows[row].after);
}

/* The one of the set whose repair takes the least away, of those not `kept`. */
static uint32_t least_of(const struct prove *prove, const struct prove_set *set, const bool *kept)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < set->count; i++)
        if (!kept[set->rows[i]] &&
            (least == UINT32_MAX || gone_by(prove, set->rows[i]) <= gone_by(prove, least)))
            least = set->rows[i];
    return least;
}

static void name(struct prove_trial *trial, const struct prove_set *set,
                 const struct prove_impact *after)
{
    struct prove *prove = trial->prove;
    for (uint32_t i = 0; i < prove->row_count; i++)
        prove->rows[i].culprit = false;
    for (uint32_t i = 0; i < set->count; i++)
        prove->rows[set->rows[i]].culprit = true;
    prove->culprits = set->count;
    prove->after = *after;
}

/* Leaves the rest of the set out if as much stays away without it.  False: it cannot be played. */
static bool try_set(struct prove_trial *trial, struct prove_set *set, const struct prove_set *rest)
{
    struct prove_measure measure;
    if (!prove_play_sets(trial, rest, 1, &measure))
        return false;
    if (measure.works == NULL)
        return true;
    const struct prove_impact after = prove_impact_of(trial, &measure, NULL);
    if (prove_gone_all(trial->prove, &trial->prove->before, &after) >= proved_share) {
        *set = *rest;
        name(trial, set, &after);
    }
    prove_measure_free(&measure);
    return true;
}

/* Those that change next to nothing alone, all at once: mostly they are the decoys. */
static bool drop_idle(struct prove_trial *trial, struct prove_set *set)
{
    struct prove_set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (gone_by(trial->prove, set->rows[i]) >= nothing)
            rest.rows[rest.count++] = set->rows[i];
    return rest.count == 0 || rest.count + 1 >= set->count || try_set(trial, set, &rest);
}

/* Leaves one after another broken again, as long as the loss stays away. */
static bool thin_out(struct prove_trial *trial, struct prove_set set)
{
    bool kept[PROVE_ROWS_MAX] = {false};
    name(trial, &set, &trial->prove->ideal);
    bool played = drop_idle(trial, &set);
    for (uint32_t row; played && (row = least_of(trial->prove, &set, kept)) != UINT32_MAX;) {
        const struct prove_set rest = without(&set, row);
        kept[row] = true;
        played = rest.count == 0 || try_set(trial, &set, &rest);
    }
    return played;
}

/* Of those that take all away alone the first, unless another takes more. */
static uint32_t best_alone(const struct prove *prove, const struct prove_set *all)
{
    double most = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const double gone = gone_by(prove, all->rows[i]);
        most = gone > most ? gone : most;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const double gone = gone_by(prove, all->rows[i]);
        if (gone >= proved_share && gone >= most - nearly)
            return all->rows[i];
    }
    return UINT32_MAX;
}

bool prove_find_culprits(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    const struct prove_set all = prove_all_broken(prove);
    const uint32_t best = best_alone(prove, &all);
    if (!prove->repaired)
        return true;
    if (best != UINT32_MAX) {
        const struct prove_set one = {.rows = {best}, .count = 1};
        name(trial, &one, &prove->rows[best].after);
        return true;
    }
    return thin_out(trial, all);
}

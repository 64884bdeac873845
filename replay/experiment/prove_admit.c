/* SPDX-License-Identifier: Apache-2.0
 * prove_admit - suspects that are repaired only if that helps in addition to all other repairs. */
#include "replay/experiment/prove_private.h"

/* The second run gains a member a twentieth, and the mean member loses nothing; if fewer operations
 * fail, those that now succeed may take time from others. */
bool prove_is_better(const struct proof *proof, const struct measure *first,
                     const struct measure *second)
{
    struct prove_impact change;
    prove_compare(proof, first, second, NULL, &change);
    bool cheaper = second->lossless_drops < first->lossless_drops;
    for (uint32_t i = 0; i < proof->members.count; i++)
        cheaper |= prove_is_dearer(proof, second, first, i);
    return cheaper && (change.failed < 0 ||
                       (change.failed == 0 && prove_mean_gain(proof, first, second) >= 0));
}

/* Repairs the row in addition to all others, and keeps the result as the ideal if it is better. */
static bool try_beside(struct proof *proof, uint32_t row, bool *better)
{
    struct prove_set set = prove_all_broken(proof->prove);
    struct measure measure = {0};
    set.rows[set.count++] = row;
    const bool played = prove_run_sets(proof, &set, 1, &measure);
    const bool first = proof->ideal.works == NULL;
    if (proof->prove->rows[row].tier == PROVE_NAMED)
        proof->prove->rows[row].unplayed = measure.works == NULL;
    *better = measure.works != NULL &&
              prove_is_better(proof, first ? &proof->original : &proof->ideal, &measure);
    if (*better) {
        measure_free(&proof->ideal);
        proof->ideal = measure;
    } else {
        measure_free(&measure);
    }
    return played;
}

/* If the row alone is not better or cannot be run, tries it together with the rest of its family,
 * or with equal shares. */
static bool try_repairs(struct proof *proof, uint32_t index, bool *better)
{
    struct prove_row *row = &proof->prove->rows[index];
    const struct trial_change as_is = row->repair;
    struct trial_change other = as_is;
    if (!try_beside(proof, index, better))
        return false;
    other.family = trial_has_family(&as_is, proof->base);
    other.even = trial_has_shares(&as_is, proof->base);
    if (*better || trial_change_equal(&other, &as_is))
        return true;
    row->repair = other;
    if (!try_beside(proof, index, better))
        return false;
    if (!*better)
        row->repair = as_is;
    trial_words(&row->repair, proof->base, row->text, sizeof row->text);
    return true;
}

bool prove_admit(struct proof *proof)
{
    struct prove *prove = proof->prove;
    bool played = true, better;
    for (uint32_t i = 0; i < prove->row_count && played; i++) {
        struct prove_row *row = &prove->rows[i];
        const bool named = row->tier == PROVE_NAMED;
        if (!named && !(row->worse && row->tier == PROVE_ODD))
            continue;
        played = try_repairs(proof, i, &better);
        if (!played || !better)
            continue;
        row->worse = false;
        row->tier = PROVE_ODD;
        const struct prove_set alone = {.rows = {i}, .count = 1};
        if (!named && !row->repair.even)
            continue;
        measure_free(&proof->rows[i]);
        played = prove_run_sets(proof, &alone, 1, &proof->rows[i]);
    }
    return played;
}

/* SPDX-License-Identifier: Apache-2.0
 * prove_admit - what is repaired only where it gives beside all other repairs. */
#include "replay/prove/prove_private.h"

/* The second run gives somebody a twentieth, and all together no less than the first; where fewer
 * operations fail those that live again may take time from others. */
static bool is_better(const struct prove_trial *trial, const struct prove_measure *first,
                      const struct prove_measure *second)
{
    struct prove_impact change;
    prove_compare(trial, first, second, NULL, &change);
    bool cheaper = second->lossless_drops < first->lossless_drops;
    for (uint32_t i = 0; i < trial->members.count; i++)
        cheaper |= prove_is_dearer(trial, second, first, i);
    return cheaper && (change.failed < 0 || (change.failed == 0 && change.lost_ps <= 0));
}

/* Repairs the row beside all others that are repaired, and keeps that as the ideal if it is
 * better. */
static bool try_beside(struct prove_trial *trial, uint32_t row, bool *better)
{
    struct prove_set set = prove_all_broken(trial->prove);
    struct prove_measure measure = {0};
    set.rows[set.count++] = row;
    const bool played = prove_play_sets(trial, &set, 1, &measure);
    const bool first = trial->ideal.works == NULL;
    if (trial->prove->rows[row].tier == PROVE_NAMED)
        trial->prove->rows[row].unplayed = measure.works == NULL;
    *better = measure.works != NULL &&
              is_better(trial, first ? &trial->original : &trial->ideal, &measure);
    if (*better) {
        prove_measure_free(&trial->ideal);
        trial->ideal = measure;
    } else {
        prove_measure_free(&measure);
    }
    return played;
}

/* ... and if that is not better, or cannot be played, with the rest of its family. */
static bool try_family(struct prove_trial *trial, uint32_t index, bool *better)
{
    struct prove_row *row = &trial->prove->rows[index];
    if (!try_beside(trial, index, better))
        return false;
    if (*better || !repair_has_family(&row->repair, trial->scenario))
        return true;
    row->repair.family = true;
    if (!try_beside(trial, index, better))
        return false;
    row->repair.family = *better;
    repair_words(&row->repair, trial->scenario, row->text, sizeof row->text);
    return true;
}

bool prove_admit(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    bool played = true, better;
    for (uint32_t i = 0; i < prove->row_count && played; i++) {
        struct prove_row *row = &prove->rows[i];
        const bool named = row->tier == PROVE_NAMED;
        if (!named && !(row->worse && row->tier <= prove->tier))
            continue;
        played = try_family(trial, i, &better);
        if (!played || !better)
            continue;
        row->worse = false;
        row->tier = PROVE_ODD;
        const struct prove_set alone = {.rows = {i}, .count = 1};
        if (named)
            played = prove_play_sets(trial, &alone, 1, &trial->rows[i]);
    }
    return played;
}

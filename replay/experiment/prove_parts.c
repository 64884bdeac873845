/* SPDX-License-Identifier: Apache-2.0
 * prove_parts - finds the one value of an entry in the file that is enough. */
#include "replay/experiment/prove_private.h"

#include "replay/experiment/prove_suspects.h"

#include <string.h>

/* Adds a row for each value after the existing rows. */
static uint32_t make_parts(struct proof *proof, const struct trial_change *whole)
{
    struct prove *prove = proof->prove;
    const struct deviations *all = &proof->base->deviations;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count && count < PROVE_PARTS_MAX; i++) {
        struct prove_row *row = &prove->rows[PROVE_ROWS_MAX + count];
        if (!deviation_together(&all->list[i], &all->list[whole->setting]))
            continue;
        *row = (struct prove_row){
            .repair = {.kind = TRIAL_RESTORE_SETTING,
                       .setting = i,
                       .single = true,
                       .even = whole->even},
            .role = PROVE_SUSPECT,
            .named = prove_is_accused(&proof->run.result.harm, all->list[i].path),
        };
        trial_name(&row->repair, proof->base, row->name, sizeof row->name);
        trial_words(&row->repair, proof->base, row->text, sizeof row->text);
        count++;
    }
    return count;
}

static uint32_t most_of(const struct prove *prove, const struct prove_impact *parts, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < count; i++)
        if (prove_gone_all(prove, &prove->before, &parts[i]) >
            prove_gone_all(prove, &prove->before, &parts[most]))
            most = i;
    return most;
}

/* The part is enough; of a partner, which is never enough, nearly as good as the whole entry. */
static bool suffices(const struct prove *prove, const struct prove_row *row,
                     const struct prove_impact *part)
{
    return row->partner ? prove_gone_all(prove, &prove->before, part) >=
                              prove_gone_all(prove, &prove->before, &row->after) - prove_nearly
                        : prove_is_enough(prove, part);
}

/* Of the parts that remove as much together with the other culprits, the first that the evidence
 * names, otherwise the first; if there is none, the part that removes most. */
static uint32_t best_part(const struct prove *prove, const struct prove_row *row,
                          const struct prove_impact *parts, uint32_t count)
{
    const uint32_t most = most_of(prove, parts, count);
    const double least = prove_gone_all(prove, &prove->before, &parts[most]) - prove_nearly;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (suffices(prove, row, &parts[i]) &&
            prove_gone_all(prove, &prove->before, &parts[i]) >= least &&
            (best == UINT32_MAX ||
             (prove->rows[PROVE_ROWS_MAX + i].named && !prove->rows[PROVE_ROWS_MAX + best].named)))
            best = i;
    return best == UINT32_MAX ? most : best;
}

/* Replaces the row by its part. */
static bool take_part(struct proof *proof, uint32_t row, uint32_t part)
{
    struct prove *prove = proof->prove;
    struct prove_row *is = &prove->rows[row];
    const struct prove_row *from = &prove->rows[PROVE_ROWS_MAX + part];
    const struct prove_set alone = {.rows = {PROVE_ROWS_MAX + part}, .count = 1};
    struct measure measure;
    if (!prove_run_sets(proof, &alone, 1, &measure))
        return false;
    is->repair = from->repair;
    memcpy(is->name, from->name, sizeof is->name);
    memcpy(is->text, from->text, sizeof is->text);
    if (measure.works != NULL)
        is->after = prove_impact_of(proof, &measure, NULL);
    measure_free(&measure);
    return true;
}

/* Each value is repaired together with the other culprits, a partner's values alone. */
static bool refine(struct proof *proof, uint32_t row)
{
    struct prove *prove = proof->prove;
    const bool alone = prove->rows[row].partner;
    const struct prove_set culprits = alone ? (struct prove_set){.count = 0} : prove_named(prove);
    const uint32_t count = make_parts(proof, &prove->rows[row].repair);
    struct prove_set sets[PROVE_PARTS_MAX];
    struct measure measures[PROVE_PARTS_MAX];
    struct prove_impact impacts[PROVE_PARTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        sets[i] = prove_without(&culprits, row);
        sets[i].rows[sets[i].count++] = PROVE_ROWS_MAX + i;
    }
    if (count < 2)
        return true;
    if (!prove_run_sets(proof, sets, count, measures))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        impacts[i] =
            measures[i].works == NULL ? prove->before : prove_impact_of(proof, &measures[i], NULL);
        measure_free(&measures[i]);
    }
    const uint32_t part = best_part(prove, &prove->rows[row], impacts, count);
    if (!suffices(prove, &prove->rows[row],
                  &impacts[part])) { /* all values are needed; named after this one */
        memcpy(prove->rows[row].name, prove->rows[PROVE_ROWS_MAX + part].name, TRIAL_NAME_BYTES);
        return true;
    }
    if (!alone)
        prove->after = impacts[part];
    return take_part(proof, row, part);
}

bool prove_refine_row(struct proof *proof, uint32_t index)
{
    const struct trial_change *repair = &proof->prove->rows[index].repair;
    return repair->kind != TRIAL_RESTORE_SETTING || repair->single || refine(proof, index);
}

bool prove_refine(struct proof *proof)
{
    bool played = true;
    for (uint32_t i = 0; i < proof->prove->row_count && played; i++)
        if (proof->prove->rows[i].culprit)
            played = prove_refine_row(proof, i);
    return played;
}

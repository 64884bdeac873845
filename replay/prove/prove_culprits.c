/* SPDX-License-Identifier: Apache-2.0
 * prove_culprits - the suspect, or the least set of them, whose repair takes the loss away. */
#include "replay/prove/prove_private.h"

#include <string.h>

static const double proved_share = 0.9, nearly = 0.05, nothing = 0.02;

static struct prove_set without(const struct prove_set *set, uint32_t row)
{
    struct prove_set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (set->rows[i] != row)
            rest.rows[rest.count++] = set->rows[i];
    return rest;
}

/* As much is gone as can be asked for, and nobody is left who lost it. */
static bool is_enough(const struct prove *prove, const struct prove_impact *after)
{
    return after->victims == 0 && prove_gone_all(prove, &prove->before, after) >= proved_share;
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
    if (is_enough(trial->prove, &after)) {
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
        if (is_enough(prove, &prove->rows[all->rows[i]].after) && gone >= most - nearly)
            return all->rows[i];
    }
    return UINT32_MAX;
}

static bool choose(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    const struct prove_set all = prove_all_broken(prove);
    const uint32_t best = best_alone(prove, &all);
    if (best == UINT32_MAX)
        return thin_out(trial, all);
    const struct prove_set one = {.rows = {best}, .count = 1};
    name(trial, &one, &prove->rows[best].after);
    return true;
}

static struct prove_set named(const struct prove *prove)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count && set.count < PROVE_SUSPECTS_MAX; i++)
        if (prove->rows[i].culprit)
            set.rows[set.count++] = i;
    return set;
}

/* ------------------------------------------------------------------ which value of an entry */

/* Rows for each of its values, behind the others. */
static uint32_t make_parts(struct prove_trial *trial, const struct repair *whole)
{
    struct prove *prove = trial->prove;
    struct deviations deviations;
    uint32_t count = 0;
    deviations_find(&deviations, trial->scenario);
    for (uint32_t i = 0; i < deviations.count && count < PROVE_PARTS_MAX; i++) {
        struct prove_row *row = &prove->rows[PROVE_ROWS_MAX + count];
        if (!deviation_together(&deviations.list[i], &deviations.list[whole->setting]))
            continue;
        *row = (struct prove_row){
            .repair = {.kind = REPAIR_SETTING, .setting = i, .single = true},
            .role = PROVE_SUSPECT,
        };
        repair_name(&row->repair, trial->scenario, row->name, sizeof row->name);
        repair_words(&row->repair, trial->scenario, row->text, sizeof row->text);
        count++;
    }
    deviations_free(&deviations);
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

/* The first part with which, beside the other culprits, as much goes away; else the one with which
 * most does. */
static uint32_t best_part(const struct prove *prove, const struct prove_impact *parts,
                          uint32_t count)
{
    const uint32_t most = most_of(prove, parts, count);
    const double least = prove_gone_all(prove, &prove->before, &parts[most]) - nearly;
    for (uint32_t i = 0; i < count; i++)
        if (is_enough(prove, &parts[i]) &&
            prove_gone_all(prove, &prove->before, &parts[i]) >= least)
            return i;
    return most;
}

/* The row is its part from now on. */
static bool take_part(struct prove_trial *trial, uint32_t row, uint32_t part)
{
    struct prove *prove = trial->prove;
    struct prove_row *is = &prove->rows[row];
    const struct prove_row *from = &prove->rows[PROVE_ROWS_MAX + part];
    const struct prove_set alone = {.rows = {PROVE_ROWS_MAX + part}, .count = 1};
    struct prove_measure measure;
    if (!prove_play_sets(trial, &alone, 1, &measure))
        return false;
    is->repair = from->repair;
    memcpy(is->name, from->name, sizeof is->name);
    memcpy(is->text, from->text, sizeof is->text);
    if (measure.works != NULL)
        is->after = prove_impact_of(trial, &measure, NULL);
    prove_measure_free(&measure);
    return true;
}

static bool refine(struct prove_trial *trial, uint32_t row)
{
    struct prove *prove = trial->prove;
    const struct prove_set culprits = named(prove);
    const uint32_t count = make_parts(trial, &prove->rows[row].repair);
    struct prove_set sets[PROVE_PARTS_MAX];
    struct prove_measure measures[PROVE_PARTS_MAX];
    struct prove_impact impacts[PROVE_PARTS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        sets[i] = without(&culprits, row);
        sets[i].rows[sets[i].count++] = PROVE_ROWS_MAX + i;
    }
    if (count < 2)
        return true;
    if (!prove_play_sets(trial, sets, count, measures))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        impacts[i] =
            measures[i].works == NULL ? prove->before : prove_impact_of(trial, &measures[i], NULL);
        prove_measure_free(&measures[i]);
    }
    const uint32_t part = best_part(prove, impacts, count);
    if (!is_enough(prove, &impacts[part])) { /* all are needed: it is called by that one */
        memcpy(prove->rows[row].name, prove->rows[PROVE_ROWS_MAX + part].name, REPAIR_NAME_BYTES);
        return true;
    }
    prove->after = impacts[part];
    return take_part(trial, row, part);
}

static bool refine_all(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    bool played = true;
    for (uint32_t i = 0; i < prove->row_count && played; i++)
        if (prove->rows[i].culprit && prove->rows[i].repair.kind == REPAIR_SETTING &&
            !prove->rows[i].repair.single)
            played = refine(trial, i);
    return played;
}

/* ------------------------------------------------------------------ by chance */

/* How much of the victims' time the second run gave back, in parts of a thousand. */
static int64_t given_back(const struct prove_trial *trial, const struct prove_measure *was,
                          const struct prove_measure *is)
{
    __int128 lost = 0, whole = 0;
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        if (!trial->victims[i])
            continue;
        lost += prove_work_lost(&was->works[i], &is->works[i]);
        whole += prove_work_whole(&was->works[i], &is->works[i]);
    }
    return whole == 0 ? 0 : (int64_t)(lost * 1000 / whole);
}

/* At a full link a small change anywhere moves a little here and there. */
static bool may_be_chance(const struct prove *prove)
{
    const struct prove_impact *before = &prove->before, *ideal = &prove->ideal;
    return prove->by == PROVE_BY_TIME && before->lost_ps < before->whole_ps / 2 &&
           before->failed <= 2 * ideal->failed && before->inactive <= 2 * ideal->inactive;
}

static void acquit_all(struct prove *prove)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        prove->rows[i].culprit = false;
    prove->culprits = 0;
    prove->chance = true;
    prove->after = prove->before;
}

static bool try_later(struct prove_trial *trial)
{
    enum { TIMES = 3 };
    struct prove *prove = trial->prove;
    struct prove_set sets[2 * TIMES];
    struct prove_measure measures[2 * TIMES];
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < 2 * TIMES; i++) {
        sets[i] = i % 2 == 0 ? (struct prove_set){.count = 0} : named(prove);
        sets[i].later = 1 + i / 2;
    }
    if (!prove_play_sets(trial, sets, 2 * TIMES, measures))
        return false;
    for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
        const int64_t given = measures[i].works == NULL || measures[i + 1].works == NULL
                                  ? 0
                                  : given_back(trial, &measures[i], &measures[i + 1]);
        least = given < least ? given : least;
    }
    for (uint32_t i = 0; i < 2 * TIMES; i++)
        prove_measure_free(&measures[i]);
    if ((__int128)least * prove->before.whole_ps < (__int128)prove->before.lost_ps * 1000 / 4)
        acquit_all(prove);
    return true;
}

bool prove_find_culprits(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    if (!prove->repaired)
        return true;
    if (!choose(trial) || !refine_all(trial))
        return false;
    return !may_be_chance(prove) || try_later(trial);
}

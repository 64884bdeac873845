/* SPDX-License-Identifier: Apache-2.0
 * prove_reference - the settings that all objects share, and what they cost: found by halving. */
#include "replay/experiment/prove_private.h"

#include "base/numbers.h"

/* The search for the settings that cost something. */
struct hunt {
    struct proof *proof;
    const struct measure *base; /* with all deviations repaired */
    struct prove_set odd;       /* the deviations */
    struct prove_set found;
};

static struct prove_set both_of(const struct prove_set *a, const struct prove_set *b)
{
    struct prove_set set = *a;
    for (uint32_t i = 0; i < b->count; i++)
        set.rows[set.count++] = b->rows[i];
    return set;
}

/* Members have fewer failures, or fewer lossless frames are dropped, or they gain time. A setting
 * that all objects share is judged by the time of all of them: thresholds and buffers favor some
 * members at the expense of others, which is a decision and not a fault. So the mean member gains,
 * or one gains very much and none loses. */
static bool is_gain(const struct hunt *hunt, const struct measure *measure, int64_t least)
{
    const struct proof *proof = hunt->proof;
    bool fewer = measure->lossless_drops < hunt->base->lossless_drops, late = false, lost = false;
    int64_t most = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        fewer |= measure->works[i].failed < hunt->base->works[i].failed ||
                 measure->works[i].inactive < hunt->base->works[i].inactive;
        late |= prove_is_dearer(proof, measure, hunt->base, i);
        lost |= prove_is_dearer(proof, hunt->base, measure, i);
        most = max_i64(most, prove_gain(hunt->base, measure, i));
    }
    return fewer || (late && (prove_mean_gain(proof, hunt->base, measure) >= least ||
                              (!lost && most >= EXPERIMENT_RUIN_LEAST)));
}

/* What a setting must cost: a limit of the hardware that all devices have is a purchase unless it
 * ruins them. */
static int64_t least_of(const struct hunt *hunt, const struct prove_set *set)
{
    const struct trial_change *repair = &hunt->proof->prove->rows[set->rows[0]].repair;
    return set->count == 1 && repair->written &&
                   opt_is_limit(hunt->proof->base->written.list[repair->setting].changes[0].row)
               ? EXPERIMENT_RUIN_LEAST
               : EXPERIMENT_HARM_LEAST;
}

/* A set that is invalid as a whole may have valid parts. */
static bool is_worth_halving(const struct hunt *hunt, const struct prove_set *set,
                             const struct measure *measure)
{
    if (measure->works == NULL)
        return set->count > 1;
    return is_gain(hunt, measure, least_of(hunt, set)) &&
           (set->count > 1 || prove_is_better(hunt->proof, hunt->base, measure));
}

/* Runs with each of the sets repaired in addition to all deviations. Returns false with the reason
 * in `why`. */
static bool try_sets(struct hunt *hunt, const struct prove_set *sets, uint32_t count, bool *worth)
{
    struct prove_set all[2] = {{.count = 0}};
    struct measure measures[2] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        all[i] = both_of(&hunt->odd, &sets[i]);
    const bool played = prove_run_sets(hunt->proof, all, count, measures);
    for (uint32_t i = 0; i < count && played; i++) {
        worth[i] = is_worth_halving(hunt, &sets[i], &measures[i]);
        measure_free(&measures[i]);
    }
    return played;
}

/* The members of the set gain something only together: leaves out one after the other as long as
 * the rest still does. */
static bool thin_out(struct hunt *hunt, struct prove_set set)
{
    for (uint32_t i = 0; i < set.count && experiment_can_run(&hunt->proof->experiment, 1);) {
        const struct prove_set rest = prove_without(&set, set.rows[i]);
        bool worth = false;
        if (rest.count > 0 && !try_sets(hunt, &rest, 1, &worth))
            return false;
        if (worth)
            set = rest;
        else
            i++;
    }
    hunt->found = both_of(&hunt->found, &set);
    return true;
}

/* Searches a set that gains something. A larger set is given up if the budget allows no two more
 * runs. */
static bool halve(struct hunt *hunt, struct prove_set set)
{
    struct prove_set halves[2] = {{.count = 0}};
    bool worth[2] = {false};
    if (set.count == 1 || !experiment_can_run(&hunt->proof->experiment, 2)) {
        if (set.count == 1)
            hunt->found = both_of(&hunt->found, &set);
        return true;
    }
    for (uint32_t i = 0; i < set.count; i++) {
        struct prove_set *half = &halves[i >= set.count / 2];
        half->rows[half->count++] = set.rows[i];
    }
    if (!try_sets(hunt, halves, 2, worth))
        return false;
    if (!worth[0] && !worth[1])
        return thin_out(hunt, set);
    return (!worth[0] || halve(hunt, halves[0])) && (!worth[1] || halve(hunt, halves[1]));
}

static struct prove_set suspects_of(const struct prove *prove, enum prove_tier from,
                                    enum prove_tier to)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].tier >= from && prove->rows[i].tier <= to &&
            prove_is_broken(&prove->rows[i]))
            set.rows[set.count++] = i;
    return set;
}

/* Searches all suspects at once, or apart those that may be intended: to repair these may cost what
 * the others gain. */
static bool search_all(struct hunt *hunt)
{
    struct proof *proof = hunt->proof;
    const struct prove_set all = suspects_of(proof->prove, PROVE_PLANNED, PROVE_CHECKED);
    const struct prove_set parts[2] = {suspects_of(proof->prove, PROVE_PLANNED, PROVE_PLANNED),
                                       suspects_of(proof->prove, PROVE_WRITTEN, PROVE_CHECKED)};
    bool worth[2] = {false};
    if (all.count == 0 || !experiment_can_run(&proof->experiment, 1))
        return true;
    if (!try_sets(hunt, &all, 1, worth))
        return false;
    if (worth[0])
        return !experiment_can_run(&proof->experiment, 2) ||
               (prove_find_noise(proof) && halve(hunt, all));
    if (parts[0].count == 0 || parts[1].count == 0 || !experiment_can_run(&proof->experiment, 4))
        return true;
    if (!prove_find_noise(proof) || !try_sets(hunt, parts, 2, worth))
        return false;
    return (!worth[0] || halve(hunt, parts[0])) && (!worth[1] || halve(hunt, parts[1]));
}

/* The settings that were found count as deviations from now on, and are also repaired alone. */
static bool admit_found(struct hunt *hunt)
{
    struct proof *proof = hunt->proof;
    struct prove_set sets[PROVE_SUSPECTS_MAX] = {{.count = 0}};
    struct measure measures[PROVE_SUSPECTS_MAX] = {{0}};
    for (uint32_t i = 0; i < hunt->found.count; i++)
        sets[i] = (struct prove_set){.rows = {hunt->found.rows[i]}, .count = 1};
    if (!prove_run_sets(proof, sets, hunt->found.count, measures))
        return false;
    for (uint32_t i = 0; i < hunt->found.count; i++) {
        struct prove_row *row = &proof->prove->rows[hunt->found.rows[i]];
        measure_free(&proof->rows[hunt->found.rows[i]]);
        proof->rows[hunt->found.rows[i]] = measures[i];
        row->unplayed = measures[i].works == NULL;
        row->tier = PROVE_ODD;
        row->for_all = true;
    }
    return true;
}

/* Settings for all and remedies of check are no suspects if they cost nothing. */
static void drop_others(struct proof *proof)
{
    struct prove *prove = proof->prove;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        if (prove->rows[i].tier > PROVE_PLANNED) {
            measure_free(&proof->rows[i]);
            continue;
        }
        if (kept < i) {
            prove->rows[kept] = prove->rows[i];
            proof->rows[kept] = proof->rows[i];
            proof->rows[i] = (struct measure){0};
        }
        kept++;
    }
    prove->row_count = kept;
}

/* A setting that may be intended stays if a deviation explains the lost time; failed operations and
 * dropped lossless frames are never intended. */
static bool is_explained(const struct proof *proof)
{
    const struct prove_impact *ideal = &proof->prove->ideal;
    return proof->prove->repaired && ideal->failed == 0 && ideal->inactive == 0 &&
           ideal->lossless_drops == 0;
}

bool prove_refer(struct proof *proof, bool *found)
{
    struct hunt hunt = {.proof = proof,
                        .base = proof->ideal.works == NULL ? &proof->original : &proof->ideal,
                        .odd = prove_all_broken(proof->prove)};
    bool played = is_explained(proof) || search_all(&hunt);
    *found = false;
    if (played && hunt.found.count > 0 &&
        experiment_can_run(&proof->experiment, hunt.found.count + 1)) {
        played = admit_found(&hunt);
        *found = played;
    }
    drop_others(proof);
    return played;
}

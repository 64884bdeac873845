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

/* The p99 latency of a workload falls to a quarter: the time of a few operations says little of the
 * mean, but it is what their users wait for. */
static bool is_tail_cut(const struct proof *proof, const struct measure *first,
                        const struct measure *second)
{
    enum { FACTOR = 4 };
    bool cut = false;
    for (uint32_t w = 0; w < proof->scenario->workload_count; w++) {
        const int64_t was = first->workloads[w].p99_ps, is = second->workloads[w].p99_ps;
        cut |= is > 0 && was / FACTOR >= is;
    }
    return cut;
}

/* Members have fewer failures, or fewer lossless frames are dropped, or they gain time. A setting
 * that all objects share is judged by the time of all of them: thresholds and buffers favor some
 * members at the expense of others, which is a decision and not a fault. So the mean member gains,
 * or one gains very much and none loses. A cut tail is enough for a purchase. */
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
    if (is_tail_cut(proof, hunt->base, measure))
        least = EXPERIMENT_HARM_LEAST;
    least = max_i64(least, 2 * proof->mean_noise);
    return fewer || (late && (prove_mean_gain(proof, hunt->base, measure) >= least ||
                              (!lost && most >= EXPERIMENT_RUIN_LEAST)));
}

/* What a setting must cost: a limit of the hardware that all devices have is a purchase unless it
 * ruins them. */
static int64_t least_of(const struct hunt *hunt, const struct prove_set *set)
{
    return set->count == 1 && hunt->proof->prove->rows[set->rows[0]].bought ? EXPERIMENT_RUIN_LEAST
                                                                            : EXPERIMENT_HARM_LEAST;
}

/* What a set of repairs does. A set that cannot be built as a whole may have parts that can. */
enum outcome { NO_GAIN, GAIN, UNBUILT };

static enum outcome outcome_of(const struct hunt *hunt, const struct prove_set *set,
                               const struct measure *measure)
{
    if (measure->works == NULL)
        return set->count > 1 ? UNBUILT : NO_GAIN;
    return is_gain(hunt, measure, least_of(hunt, set)) &&
                   (set->count > 1 || prove_is_better(hunt->proof, hunt->base, measure))
               ? GAIN
               : NO_GAIN;
}

/* Runs with each of the sets repaired in addition to all deviations. Returns false with the reason
 * in `why`. */
static bool try_sets(struct hunt *hunt, const struct prove_set *sets, uint32_t count,
                     enum outcome *outcomes)
{
    struct prove_set all[2] = {{.count = 0}};
    struct measure measures[2] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        all[i] = both_of(&hunt->odd, &sets[i]);
    const bool played = prove_run_sets(hunt->proof, all, count, measures);
    for (uint32_t i = 0; i < count && played; i++) {
        outcomes[i] = outcome_of(hunt, &sets[i], &measures[i]);
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
        enum outcome outcome = NO_GAIN;
        if (rest.count > 0 && !try_sets(hunt, &rest, 1, &outcome))
            return false;
        if (outcome == GAIN)
            set = rest;
        else
            i++;
    }
    hunt->found = both_of(&hunt->found, &set);
    return true;
}

/* Searches a set that gains something, or whose parts may. A larger set is given up if the budget
 * allows no two more runs. */
static bool halve(struct hunt *hunt, struct prove_set set, enum outcome outcome)
{
    struct prove_set halves[2] = {{.count = 0}};
    enum outcome of[2] = {NO_GAIN, NO_GAIN};
    if (outcome == NO_GAIN)
        return true;
    if (set.count == 1 || !experiment_can_run(&hunt->proof->experiment, 2)) {
        if (set.count == 1)
            hunt->found = both_of(&hunt->found, &set);
        return true;
    }
    for (uint32_t i = 0; i < set.count; i++) {
        struct prove_set *half = &halves[i >= set.count / 2];
        half->rows[half->count++] = set.rows[i];
    }
    if (!try_sets(hunt, halves, 2, of))
        return false;
    if (of[0] == NO_GAIN && of[1] == NO_GAIN)
        return outcome == UNBUILT || thin_out(hunt, set);
    return halve(hunt, halves[0], of[0]) && halve(hunt, halves[1], of[1]);
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

/* Of the run with everything repaired, if that can be built. */
static bool find_noise(struct hunt *hunt, const struct prove_set *all, enum outcome outcome)
{
    const struct prove_set reference = outcome == GAIN ? both_of(&hunt->odd, all) : hunt->odd;
    return prove_find_noise(hunt->proof, &reference);
}

/* Searches all suspects at once, or apart those that may be intended: to repair these may cost what
 * the others gain. */
static bool search_all(struct hunt *hunt)
{
    struct proof *proof = hunt->proof;
    const struct prove_set all = suspects_of(proof->prove, PROVE_PLANNED, PROVE_CHECKED);
    const struct prove_set parts[2] = {suspects_of(proof->prove, PROVE_PLANNED, PROVE_PLANNED),
                                       suspects_of(proof->prove, PROVE_WRITTEN, PROVE_CHECKED)};
    enum outcome of[2] = {NO_GAIN, NO_GAIN};
    if (all.count == 0 || !experiment_can_run(&proof->experiment, 1))
        return true;
    if (!try_sets(hunt, &all, 1, of))
        return false;
    if (of[0] != NO_GAIN)
        return !experiment_can_run(&proof->experiment, 2) ||
               (find_noise(hunt, &all, of[0]) && halve(hunt, all, of[0]));
    if (parts[0].count == 0 || parts[1].count == 0 || !experiment_can_run(&proof->experiment, 4))
        return true;
    return find_noise(hunt, &all, UNBUILT) && try_sets(hunt, parts, 2, of) &&
           halve(hunt, parts[0], of[0]) && halve(hunt, parts[1], of[1]);
}

/* The budget allows what was not run yet: each setting that was found alone, and all of them. */
static bool can_admit(const struct hunt *hunt)
{
    struct prove_set sets[PROVE_SUSPECTS_MAX + 1] = {{.count = 0}};
    for (uint32_t i = 0; i < hunt->found.count; i++)
        sets[i] = (struct prove_set){.rows = {hunt->found.rows[i]}, .count = 1};
    sets[hunt->found.count] = both_of(&hunt->odd, &hunt->found);
    return experiment_can_run(&hunt->proof->experiment,
                              prove_new_runs(hunt->proof, sets, hunt->found.count + 1));
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
    if (played && hunt.found.count > 0 && can_admit(&hunt)) {
        played = admit_found(&hunt);
        *found = played;
    }
    drop_others(proof);
    return played;
}

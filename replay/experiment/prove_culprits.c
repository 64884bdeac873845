/* SPDX-License-Identifier: Apache-2.0
 * prove_culprits - the suspect, or set of suspects, whose repair removes the loss. */
#include "replay/experiment/prove_private.h"

#include "base/memory.h"

#include <stdlib.h>

static const double proved_share = 0.8, nothing = 0.02, overlap = 0.25;
const double prove_nearly = 0.05;

/* ------------------------------------------------------------------ sets */

struct prove_set prove_without(const struct prove_set *set, uint32_t row)
{
    struct prove_set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (set->rows[i] != row)
            rest.rows[rest.count++] = set->rows[i];
    return rest;
}

struct prove_set prove_named(const struct prove *prove)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count && set.count < PROVE_SUSPECTS_MAX; i++)
        if (prove->rows[i].culprit)
            set.rows[set.count++] = i;
    return set;
}

static struct prove_set harmful(const struct prove *prove, const struct prove_set *all)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < all->count; i++)
        if (prove->rows[all->rows[i]].harmful)
            set.rows[set.count++] = all->rows[i];
    return set;
}

void prove_name(struct prove *prove, const struct prove_set *set, const struct prove_impact *after)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        prove->rows[i].culprit = false;
    for (uint32_t i = 0; i < set->count; i++)
        prove->rows[set->rows[i]].culprit = true;
    prove->culprits = set->count;
    prove->after = *after;
}

static struct trial trial_of(const struct proof *proof, const struct prove_set *set)
{
    struct trial trial = {.later = set->later};
    for (uint32_t i = 0; i < set->count; i++)
        trial.changes[trial.count++] = proof->prove->rows[set->rows[i]].repair;
    return trial;
}

uint32_t prove_new_runs(const struct proof *proof, const struct prove_set *sets, uint32_t count)
{
    uint32_t new = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct trial trial = trial_of(proof, &sets[i]);
        new += !memo_has(&proof->memo, &trial);
    }
    return new;
}

bool prove_run_sets(struct proof *proof, const struct prove_set *sets, uint32_t count,
                    struct measure *measures)
{
    struct trial *trials = memory_zeroed((size_t)count + 1, sizeof *trials);
    for (uint32_t i = 0; i < count; i++)
        trials[i] = trial_of(proof, &sets[i]);
    const bool well = experiment_run(&proof->experiment, trials, count, measures);
    free(trials);
    return well;
}

/* ------------------------------------------------------------------ sufficient suspects */

bool prove_is_enough(const struct prove *prove, const struct prove_impact *after)
{
    return after->victims == 0 && prove_gone_all(prove, &prove->before, after) >= proved_share;
}

bool prove_try_set(struct proof *proof, const struct prove_set *set, bool *enough)
{
    struct measure measure;
    *enough = false;
    if (!prove_run_sets(proof, set, 1, &measure))
        return false;
    if (measure.works == NULL)
        return true;
    const struct prove_impact after = prove_impact_of(proof, &measure, NULL);
    *enough = prove_is_enough(proof->prove, &after);
    if (*enough)
        prove_name(proof->prove, set, &after);
    measure_free(&measure);
    return true;
}

static double gone_by(const struct prove *prove, uint32_t row)
{
    return prove_gone_all(prove, &prove->rows[row].before, &prove->rows[row].after);
}

/* The suspect that explains most comes first: a setting unlike its peers' that the evidence names;
 * then a setting of all objects that the evidence names; then a warning of check, which has its own
 * remedy; then the rest, and last what was bought: more of it may make up for a mistake. */
static int rank_of(const struct prove_row *row)
{
    const bool for_all = row->for_all || row->repair.written;
    const int rank = row->repair.kind == TRIAL_REMEDY ? 2
                     : row->bought                    ? 4
                     : !row->named                    ? 3
                     : for_all                        ? 1
                                                      : 0;
    return 2 * rank + !row->needs;
}

/* Of the suspects that are sufficient alone, the first of the best rank, unless another removes
 * more. Of settings that all objects share, the size of the effect says little about which one is
 * the mistake: there the rank alone decides. */
static uint32_t best_alone(const struct prove *prove, const struct prove_set *all)
{
    double most = 0;
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < all->count; i++) {
        const double gone = gone_by(prove, all->rows[i]);
        most = gone > most ? gone : most;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        const uint32_t row = all->rows[i];
        const bool least = gone_by(prove, row) >= most - prove_nearly || prove->rows[row].for_all;
        if (prove_is_enough(prove, &prove->rows[row].after) && least &&
            (best == UINT32_MAX || rank_of(&prove->rows[row]) < rank_of(&prove->rows[best])))
            best = row;
    }
    return best;
}

/* ------------------------------------------------------------------ minimal set */

/* The suspect of the set whose repair removes the least, among those not `kept`. */
static uint32_t least_of(const struct prove *prove, const struct prove_set *set, const bool *kept)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < set->count; i++)
        if (!kept[set->rows[i]] &&
            (least == UINT32_MAX || gone_by(prove, set->rows[i]) <= gone_by(prove, least)))
            least = set->rows[i];
    return least;
}

/* Removes the rest from the set if as much loss stays removed without it. Returns false if a run
 * fails. */
static bool shrink_set(struct proof *proof, struct prove_set *set, const struct prove_set *rest)
{
    bool enough;
    if (!prove_try_set(proof, rest, &enough))
        return false;
    if (enough)
        *set = *rest;
    return true;
}

/* Removes at once all suspects with almost no effect, repaired alone or broken alone; most of them
 * are irrelevant. */
static bool drop_idle(struct proof *proof, struct prove_set *set)
{
    struct prove_set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (proof->prove->rows[set->rows[i]].harmful ||
            gone_by(proof->prove, set->rows[i]) >= nothing)
            rest.rows[rest.count++] = set->rows[i];
    return rest.count == 0 || rest.count + 1 >= set->count || shrink_set(proof, set, &rest);
}

/* Restores one suspect after another as long as the loss stays removed, except those that do harm
 * on their own. */
static bool thin_out(struct proof *proof, struct prove_set set)
{
    bool kept[PROVE_ROWS_MAX] = {false};
    for (uint32_t i = 0; i < set.count; i++)
        kept[set.rows[i]] = proof->prove->rows[set.rows[i]].harmful;
    prove_name(proof->prove, &set, &proof->prove->ideal);
    bool played = drop_idle(proof, &set);
    for (uint32_t row; played && (row = least_of(proof->prove, &set, kept)) != UINT32_MAX;) {
        const struct prove_set rest = prove_without(&set, row);
        kept[row] = true;
        played = rest.count == 0 || shrink_set(proof, &set, &rest);
    }
    return played;
}

static bool name_one(struct prove *prove, uint32_t row)
{
    const struct prove_set one = {.rows = {row}, .count = 1};
    prove_name(prove, &one, &prove->rows[row].after);
    return true;
}

/* Suspects whose repairs remove more than there is, together with that of the best: whether both do
 * harm depends on chance. */
static struct prove_set rivals_of(const struct prove *prove, const struct prove_set *all,
                                  uint32_t best)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < all->count; i++)
        if (all->rows[i] != best &&
            gone_by(prove, best) + gone_by(prove, all->rows[i]) >= 1 + overlap)
            set.rows[set.count++] = all->rows[i];
    return set;
}

/* The best is sufficient.  Names it, with the rivals that do harm on their own. */
static bool name_with_rivals(struct proof *proof, const struct prove_set *all, uint32_t best)
{
    enum { RUNS_OF_EACH = 6 };
    struct prove *prove = proof->prove;
    const struct prove_set rivals = rivals_of(prove, all, best);
    struct prove_set set = {.rows = {best}, .count = 1};
    bool enough = false;
    name_one(prove, best);
    if (rivals.count == 0 ||
        !experiment_can_run(&proof->experiment, all->count + RUNS_OF_EACH * rivals.count))
        return true;
    if (!prove_play_only(proof, all))
        return false;
    for (uint32_t i = 0; i < rivals.count; i++) {
        if (!prove_find_rare(proof, all, rivals.rows[i]))
            return false;
        if (prove->rows[rivals.rows[i]].rare)
            set.rows[set.count++] = rivals.rows[i];
    }
    return set.count == 1 || prove_try_set(proof, &set, &enough);
}

static bool choose(struct proof *proof)
{
    struct prove *prove = proof->prove;
    const struct prove_set all = prove_all_broken(prove);
    const uint32_t best = best_alone(prove, &all);
    if (best != UINT32_MAX && !prove_does_harm(proof, &proof->rows[best]))
        return name_with_rivals(proof, &all, best);
    if (!prove_play_only(proof, &all))
        return false;
    const struct prove_set own = harmful(prove, &all);
    if (own.count == 1 && own.rows[0] == best)
        return name_one(prove, best);
    bool enough = false;
    if (own.count > 0 && !prove_try_set(proof, &own, &enough))
        return false;
    if (enough)
        return true;
    return best != UINT32_MAX ? name_one(prove, best) : thin_out(proof, all);
}

bool prove_find_culprits(struct proof *proof)
{
    if (!proof->prove->repaired)
        return true;
    if (!choose(proof) || !prove_refine(proof) || !prove_rule_out_chance(proof) ||
        !prove_find_hosts(proof))
        return false;
    prove_find_partners(proof);
    return true;
}

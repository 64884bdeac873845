/* SPDX-License-Identifier: Apache-2.0
 * prove_chance - whether the loss also occurs when workloads start slightly later. */
#include "replay/experiment/prove_private.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <stdlib.h>

enum { TIMES = 3, LEAST_PART = 4 };

/* Share of the victims' time that the second run regains, in thousandths. */
static int64_t given_back(const struct proof *proof, const struct measure *was,
                          const struct measure *is)
{
    __int128 lost = 0, whole = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct loss loss = loss_between(&was->works[i], &is->works[i]);
        if (!proof->victims[i])
            continue;
        lost += loss.lost_ps;
        whole += loss.whole_ps;
    }
    return whole == 0 ? 0 : (int64_t)(lost * 1000 / whole);
}

/* What chance moves is a quarter of the victims' loss or more. */
static bool is_noisy(const struct proof *proof)
{
    __int128 noise = 0, lost = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct loss loss = prove_loss_by(proof, &proof->original, i);
        if (!proof->victims[i])
            continue;
        noise += proof->noise == NULL ? 0 : (__int128)proof->noise[i] * loss.whole_ps / PPM;
        lost += loss.lost_ps;
    }
    return noise * LEAST_PART >= lost;
}

/* At a saturated link, a small change anywhere has small effects in many places. */
static bool may_be_chance(const struct proof *proof, const struct prove_impact *lost)
{
    const struct prove_impact *ideal = &proof->prove->ideal;
    return is_noisy(proof) && lost->lost_ps < lost->whole_ps / 2 &&
           lost->failed <= 2 * ideal->failed && lost->inactive <= 2 * ideal->inactive &&
           lost->lossless_drops <= 2 * ideal->lossless_drops;
}

/* Runs both sets several times with later starts: `broken`, then `repaired`. */
static bool play_later(struct proof *proof, const struct prove_set *broken,
                       const struct prove_set *repaired, struct measure *measures)
{
    struct prove_set sets[2 * TIMES];
    for (uint32_t i = 0; i < 2 * TIMES; i++) {
        sets[i] = i % 2 == 0 ? *broken : *repaired;
        sets[i].later = 1 + i / 2;
    }
    return prove_run_sets(proof, sets, 2 * TIMES, measures);
}

static bool are_played(const struct measure *pair)
{
    return pair[0].works != NULL && pair[1].works != NULL;
}

static void free_later(struct measure *measures)
{
    for (uint32_t i = 0; i < 2 * TIMES; i++)
        measure_free(&measures[i]);
}

static void acquit_all(struct prove *prove)
{
    prove_name(prove, &(struct prove_set){.count = 0}, &prove->before);
    prove->chance = true;
}

/* Drops one of several culprits whose own harm does not occur each time, if the others are
 * sufficient. */
static bool rule_out_one(struct proof *proof, uint32_t row)
{
    struct prove *prove = proof->prove;
    const struct prove_harm *harm = &prove->rows[row].harm;
    const struct prove_set set = prove_named(prove), rest = prove_without(&set, row);
    struct measure measures[2 * TIMES] = {{0}};
    bool there = true, enough;
    if (!prove->rows[row].harmful || prove->rows[row].rare || rest.count == 0 || harm->counted ||
        harm->permille >= 500)
        return true;
    const bool played = play_later(proof, &rest, &set, measures);
    for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
        if (!are_played(&measures[i]))
            continue;
        const struct loss loss =
            loss_between(&measures[i].works[harm->member], &measures[i + 1].works[harm->member]);
        there &=
            (__int128)loss.lost_ps * 1000 * LEAST_PART >= (__int128)loss.whole_ps * harm->permille;
    }
    free_later(measures);
    return played && (there || prove_try_set(proof, &rest, &enough));
}

bool prove_gain_later(struct proof *proof, const struct prove_set *set, int64_t *gain)
{
    const struct prove_set none = {.count = 0};
    const struct prove_impact *before = &proof->prove->before;
    struct measure measures[2 * TIMES] = {{0}};
    int64_t least = INT64_MAX;
    if (!play_later(proof, &none, set, measures))
        return false;
    for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
        const int64_t given =
            are_played(&measures[i]) ? given_back(proof, &measures[i], &measures[i + 1]) : 0;
        least = min_i64(least, given);
    }
    free_later(measures);
    *gain = before->lost_ps == 0
                ? 0
                : (int64_t)((__int128)least * before->whole_ps * (PPM / 1000) / before->lost_ps);
    return true;
}

bool prove_find_rare(struct proof *proof, const struct prove_set *all, uint32_t index)
{
    struct prove_row *row = &proof->prove->rows[index];
    const struct prove_set others = prove_without(all, index);
    struct measure measures[2 * TIMES] = {{0}};
    if (!play_later(proof, &others, all, measures))
        return false;
    for (uint32_t m = 0; m < proof->members.count; m++) {
        const struct measure_member *member = &proof->members.rows[m];
        struct loss sum = {0};
        for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
            if (!are_played(&measures[i]))
                continue;
            const struct loss loss = loss_between(&measures[i].works[m], &measures[i + 1].works[m]);
            loss_add(&sum, &loss);
        }
        const int64_t chance = proof->noise == NULL ? 0 : proof->noise[m],
                      permille = loss_share(&sum) / (PPM / 1000);
        if (permille <= row->harm.permille ||
            !experiment_is_significant(sum.lost_ps, sum.whole_ps, EXPERIMENT_HARM_LEAST, chance))
            continue;
        row->harmful = row->rare = true;
        row->harm =
            (struct prove_harm){false, m, member->workload, member->from, member->to, permille};
    }
    free_later(measures);
    return true;
}

/* Clears all culprits unless a quarter of the loss is regained each time. */
static bool rule_out_all(struct proof *proof)
{
    const struct prove_set set = prove_named(proof->prove);
    int64_t gain;
    if (!prove_gain_later(proof, &set, &gain))
        return false;
    if (gain < PPM / LEAST_PART)
        acquit_all(proof->prove);
    return true;
}

bool prove_rule_out_chance(struct proof *proof)
{
    struct prove *prove = proof->prove;
    bool played = true;
    for (uint32_t i = 0; i < prove->row_count && played; i++)
        if (prove->rows[i].culprit)
            played = rule_out_one(proof, i);
    if (!played || prove->by != PROVE_BY_TIME || !may_be_chance(proof, &prove->before) ||
        !experiment_can_run(&proof->experiment, 2 * TIMES))
        return played;
    return rule_out_all(proof);
}

static int64_t share_moved(const struct loss_work *first, const struct loss_work *second)
{
    const struct loss lost = loss_between(first, second), won = loss_between(second, first);
    return max_i64(loss_share(&lost), loss_share(&won));
}

/* What chance moves between two runs of the reference. */
static void add_noise(struct proof *proof, const struct measure *first,
                      const struct measure *second)
{
    const int64_t mean = prove_mean_gain(proof, first, second);
    proof->mean_noise = max_i64(proof->mean_noise, mean < 0 ? -mean : mean);
    for (uint32_t i = 0; i < proof->members.count; i++)
        proof->noise[i] =
            max_i64(proof->noise[i], share_moved(&first->works[i], &second->works[i]));
    for (uint32_t i = 0; i < proof->scenario->workload_count; i++)
        proof->workload_noise[i] =
            max_i64(proof->workload_noise[i],
                    share_moved(&first->workloads[i].sum, &second->workloads[i].sum));
}

bool prove_find_noise(struct proof *proof, const struct prove_set *reference)
{
    enum { TWINS = 2 };
    struct prove_set sets[TWINS + 1];
    struct measure measures[TWINS + 1] = {{0}};
    for (uint32_t i = 0; i <= TWINS; i++) {
        sets[i] = *reference;
        sets[i].later = i;
    }
    free(proof->noise);
    free(proof->workload_noise);
    proof->noise = memory_zeroed((size_t)proof->members.count + 1, sizeof *proof->noise);
    proof->workload_noise =
        memory_zeroed((size_t)proof->scenario->workload_count + 1, sizeof *proof->workload_noise);
    proof->mean_noise = 0;
    const bool played = prove_run_sets(proof, sets, TWINS + 1, measures);
    for (uint32_t k = 1; played && k <= TWINS; k++)
        if (measures[0].works != NULL && measures[k].works != NULL)
            add_noise(proof, &measures[0], &measures[k]);
    for (uint32_t k = 0; k <= TWINS; k++)
        measure_free(&measures[k]);
    return played;
}

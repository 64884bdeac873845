/* SPDX-License-Identifier: Apache-2.0
 * prove_chance - whether what was lost is there when workloads start a little later too. */
#include "replay/prove/prove_private.h"

enum { TIMES = 3, LEAST_PART = 4 };

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
static bool may_be_chance(const struct prove *prove, const struct prove_impact *lost)
{
    const struct prove_impact *ideal = &prove->ideal;
    return lost->lost_ps < lost->whole_ps / 2 && lost->failed <= 2 * ideal->failed &&
           lost->inactive <= 2 * ideal->inactive &&
           lost->lossless_drops <= 2 * ideal->lossless_drops;
}

/* With `broken` it costs a quarter of what it cost, each time. */
static bool is_there_later(struct prove_trial *trial, const struct prove_set *broken,
                           const struct prove_set *mended, const struct prove_impact *lost,
                           bool *there)
{
    struct prove_set sets[2 * TIMES];
    struct prove_measure measures[2 * TIMES] = {{0}};
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < 2 * TIMES; i++) {
        sets[i] = i % 2 == 0 ? *broken : *mended;
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
    *there = (__int128)least * lost->whole_ps >= (__int128)lost->lost_ps * 1000 / LEAST_PART;
    return true;
}

static void acquit_all(struct prove *prove)
{
    prove_name(prove, &(struct prove_set){.count = 0}, &prove->before);
    prove->chance = true;
}

/* Of several who each do harm: one whose own is there only by chance, if the others are enough. */
static bool rule_out_one(struct prove_trial *trial, uint32_t row)
{
    struct prove *prove = trial->prove;
    const struct prove_set set = prove_named(prove), rest = prove_without(&set, row);
    bool there = true, enough;
    if (!prove->rows[row].harmful || rest.count == 0 ||
        !may_be_chance(prove, &prove->rows[row].only))
        return true;
    if (!is_there_later(trial, &rest, &set, &prove->rows[row].only, &there))
        return false;
    return there || prove_try_set(trial, &rest, &enough);
}

bool prove_rule_out_chance(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    bool there = true, played = true;
    for (uint32_t i = 0; i < prove->row_count && played; i++)
        if (prove->rows[i].culprit)
            played = rule_out_one(trial, i);
    if (!played || prove->by != PROVE_BY_TIME || !may_be_chance(prove, &prove->before))
        return played;
    const struct prove_set none = {.count = 0}, set = prove_named(prove);
    played = is_there_later(trial, &none, &set, &prove->before, &there);
    if (!there)
        acquit_all(prove);
    return played;
}

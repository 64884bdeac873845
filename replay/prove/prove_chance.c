/* SPDX-License-Identifier: Apache-2.0
 * prove_chance - whether what was lost is there when workloads start a little later too. */
#include "replay/prove/prove_private.h"

#include "base/memory.h"

enum { TIMES = 3, LEAST_PART = 4 };

/* How much of the victims' time the second run gave back, in parts of a thousand. */
static int64_t given_back(const struct prove_trial *trial, const struct prove_measure *was,
                          const struct prove_measure *is)
{
    __int128 lost = 0, whole = 0;
    for (uint32_t i = 0; i < trial->members.count; i++) {
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

/* Each of the sets so many times later: `broken` before `repaired`. */
static bool play_later(struct prove_trial *trial, const struct prove_set *broken,
                       const struct prove_set *repaired, struct prove_measure *measures)
{
    struct prove_set sets[2 * TIMES];
    for (uint32_t i = 0; i < 2 * TIMES; i++) {
        sets[i] = i % 2 == 0 ? *broken : *repaired;
        sets[i].later = 1 + i / 2;
    }
    return prove_play_sets(trial, sets, 2 * TIMES, measures);
}

static bool are_played(const struct prove_measure *pair)
{
    return pair[0].works != NULL && pair[1].works != NULL;
}

static void free_later(struct prove_measure *measures)
{
    for (uint32_t i = 0; i < 2 * TIMES; i++)
        prove_measure_free(&measures[i]);
}

static void acquit_all(struct prove *prove)
{
    prove_name(prove, &(struct prove_set){.count = 0}, &prove->before);
    prove->chance = true;
}

/* Of several who each do harm: one whose own is not there each time, if the others are enough. */
static bool rule_out_one(struct prove_trial *trial, uint32_t row)
{
    struct prove *prove = trial->prove;
    const struct prove_harm *harm = &prove->rows[row].harm;
    const struct prove_set set = prove_named(prove), rest = prove_without(&set, row);
    struct prove_measure measures[2 * TIMES] = {{0}};
    bool there = true, enough;
    if (!prove->rows[row].harmful || rest.count == 0 || harm->counted || harm->permille >= 500)
        return true;
    const bool played = play_later(trial, &rest, &set, measures);
    for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
        if (!are_played(&measures[i]))
            continue;
        const struct prove_work *is = &measures[i].works[harm->member],
                                *was = &measures[i + 1].works[harm->member];
        there &= (__int128)prove_work_lost(is, was) * 1000 * LEAST_PART >=
                 (__int128)prove_work_whole(is, was) * harm->permille;
    }
    free_later(measures);
    return played && (there || prove_try_set(trial, &rest, &enough));
}

/* A quarter of what was lost is given back each time. */
static bool rule_out_all(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    const struct prove_set none = {.count = 0}, set = prove_named(prove);
    struct prove_measure measures[2 * TIMES] = {{0}};
    int64_t least = INT64_MAX;
    if (!play_later(trial, &none, &set, measures))
        return false;
    for (uint32_t i = 0; i < 2 * TIMES; i += 2) {
        const int64_t given =
            are_played(&measures[i]) ? given_back(trial, &measures[i], &measures[i + 1]) : 0;
        least = given < least ? given : least;
    }
    free_later(measures);
    if ((__int128)least * prove->before.whole_ps <
        (__int128)prove->before.lost_ps * 1000 / LEAST_PART)
        acquit_all(prove);
    return true;
}

bool prove_rule_out_chance(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    bool played = true;
    for (uint32_t i = 0; i < prove->row_count && played; i++)
        if (prove->rows[i].culprit)
            played = rule_out_one(trial, i);
    if (!played || prove->by != PROVE_BY_TIME || trial->question->runs_most > 0 ||
        !may_be_chance(prove, &prove->before))
        return played;
    return rule_out_all(trial);
}

bool prove_measure_noise(struct prove_trial *trial)
{
    enum { TWINS = 2 };
    struct prove_set sets[TWINS];
    struct prove_measure measures[TWINS] = {{0}};
    for (uint32_t i = 0; i < TWINS; i++)
        sets[i] = (struct prove_set){.later = i + 1};
    if (trial->noise != NULL)
        return true;
    trial->noise = memory_zeroed((size_t)trial->members.count + 1, sizeof *trial->noise);
    const bool played = prove_play_sets(trial, sets, TWINS, measures);
    for (uint32_t k = 0; k < TWINS; k++) {
        for (uint32_t i = 0; measures[k].works != NULL && i < trial->members.count; i++) {
            const struct prove_work *is = &trial->original.works[i], *was = &measures[k].works[i];
            const int64_t lost = prove_work_lost(is, was), won = prove_work_lost(was, is);
            const int64_t moved = lost > won ? lost : won, whole = prove_work_whole(is, was);
            const int64_t part = whole == 0 ? 0 : (int64_t)((__int128)moved * 1000 / whole);
            trial->noise[i] = part > trial->noise[i] ? part : trial->noise[i];
        }
        prove_measure_free(&measures[k]);
    }
    return played;
}

/* SPDX-License-Identifier: Apache-2.0
 * prove_neighbors - finds a workload that takes the capacity that another one needs.
 * Workloads that share a resource evenly cost each other equally much. A noisy neighbor costs a
 * member of another workload a quarter of its time, and at least twice the part that it loses
 * itself to all the workloads that it harms. */
#include "replay/experiment/prove_private.h"

#include "base/memory.h"
#include "base/numbers.h"

#include <stdio.h>
#include <stdlib.h>

enum { CANDIDATES_MAX = 3, UNEVEN = 2, RUNS_AFTER = 3, FULL = PPM * 85 / 100 };

/* Something is busy that serves one after the other, and the workload is limited by it. */
static bool fills_something(const struct result *result, uint32_t workload)
{
    const struct result_limit *limit = &result->limits[workload];
    const enum bottleneck_resource resource = limit->found.resource;
    return resource <= BOTTLENECK_HOST_CPU && resource != BOTTLENECK_RECEIVER &&
           limit->input.uses[resource].used >= FULL;
}

bool prove_may_have_neighbor(const struct result *result)
{
    bool any = false;
    for (uint32_t w = 0; result->limits != NULL && w < result->workload_count; w++)
        any |= fills_something(result, w);
    return any && result->workload_count > 1;
}

/* The workloads that move most, without those of fio files: their jobs wait for each other. */
static uint32_t find_candidates(const struct proof *proof, uint32_t list[CANDIDATES_MAX])
{
    const struct result *result = &proof->run.result;
    uint32_t count = 0;
    for (uint32_t w = 0; w < result->workload_count; w++) {
        uint32_t at = count;
        if (proof->scenario->workloads[w].job != NULL || !fills_something(result, w))
            continue;
        for (; at > 0 && result->workloads[list[at - 1]].bytes < result->workloads[w].bytes; at--)
            if (at < CANDIDATES_MAX)
                list[at] = list[at - 1];
        if (at < CANDIDATES_MAX)
            list[at] = w;
        count += count < CANDIDATES_MAX;
    }
    return count;
}

/* The part of its time that the member gains, per thousand: work is done sooner, or more of it. */
static int64_t gain_of(const struct proof *proof, const struct measure *without, uint32_t member)
{
    const struct measure_work *was = &proof->original.works[member], *is = &without->works[member];
    const int64_t gained = measure_lost(was, is), whole = measure_whole(was, is);
    return whole == 0 || !prove_is_much(proof, member, gained, whole)
               ? 0
               : (int64_t)((__int128)gained * 1000 / whole);
}

static bool is_ruined(int64_t permille)
{
    return permille * (PPM / 1000) >= EXPERIMENT_RUIN_LEAST;
}

/* Runs without all the workloads with a ruined member. */
static bool run_without_victims(struct proof *proof, const struct measure *without,
                                uint32_t candidate, struct measure *measure)
{
    struct trial *trial = memory_zeroed(1, sizeof *trial);
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const uint32_t workload = proof->members.rows[i].workload;
        const bool is_new =
            trial->count == 0 || trial->changes[trial->count - 1].workload != workload;
        if (workload != candidate && is_new && trial->count < TRIAL_CHANGES_MAX &&
            is_ruined(gain_of(proof, without, i)))
            trial->changes[trial->count++] = (struct trial_change){
                .kind = TRIAL_REMOVE_TRAFFIC, .workload = workload, .host = TRIAL_ANY_HOST};
    }
    const bool well = experiment_run(&proof->experiment, trial, 1, measure);
    free(trial);
    return well;
}

/* The mean over the candidate's members. */
static int64_t gain_of_workload(const struct proof *proof, const struct measure *without,
                                uint32_t workload)
{
    int64_t gained = 0, whole = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct measure_work *was = &proof->original.works[i], *is = &without->works[i];
        if (proof->members.rows[i].workload != workload)
            continue;
        gained += measure_lost(was, is) - measure_lost(is, was);
        whole += measure_whole(was, is);
    }
    return whole == 0 || gained < 0 ? 0 : (int64_t)((__int128)gained * 1000 / whole);
}

static void describe(struct proof *proof, uint32_t candidate, const struct measure *without,
                     uint32_t worst, int64_t permille)
{
    struct prove_neighbor *neighbor = &proof->prove->neighbor;
    const struct measure_member *member = &proof->members.rows[worst];
    const struct result_limit *limit = &proof->run.result.limits[candidate];
    *neighbor = (struct prove_neighbor){
        .found = true,
        .workload = candidate,
        .harm = {false, worst, member->workload, member->from, member->to, permille},
        .p99_before_ps = proof->original.workloads[member->workload].p99_ps,
        .p99_after_ps = without->workloads[member->workload].p99_ps};
    snprintf(neighbor->where, sizeof neighbor->where, "%s",
             limit->input.uses[limit->found.resource].where);
    prove_list_hosts(proof, without);
}

static uint32_t most_gaining(const struct proof *proof, const struct measure *without)
{
    uint32_t most = 0;
    for (uint32_t i = 1; i < proof->members.count; i++)
        if (gain_of(proof, without, i) > gain_of(proof, without, most))
            most = i;
    return most;
}

/* Members of one workload may only take from each other: then others of it lose without the
 * candidate at least half of what some gain. */
static bool only_moves(const struct proof *proof, const struct measure *without, uint32_t member)
{
    const uint32_t workload = proof->members.rows[member].workload;
    int64_t gained = 0, lost = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        if (proof->members.rows[i].workload != workload)
            continue;
        gained += measure_lost(&proof->original.works[i], &without->works[i]);
        lost += measure_lost(&without->works[i], &proof->original.works[i]);
    }
    return lost >= gained / 2;
}

static bool try_candidate(struct proof *proof, uint32_t candidate, const struct measure *without)
{
    struct measure measure = {0};
    if (!is_ruined(gain_of(proof, without, most_gaining(proof, without))))
        return true;
    if (!prove_find_noise(proof))
        return false;
    const uint32_t worst = most_gaining(proof, without);
    const int64_t most = gain_of(proof, without, worst);
    if (!is_ruined(most) || only_moves(proof, without, worst))
        return true;
    if (!run_without_victims(proof, without, candidate, &measure))
        return false;
    if (measure.works != NULL && gain_of_workload(proof, &measure, candidate) * UNEVEN <= most)
        describe(proof, candidate, without, worst, most);
    measure_free(&measure);
    return true;
}

bool prove_find_neighbor(struct proof *proof)
{
    uint32_t candidates[CANDIDATES_MAX];
    struct measure measures[CANDIDATES_MAX] = {{0}};
    if (proof->prove->culprits > 0 || !prove_may_have_neighbor(&proof->run.result))
        return true;
    const uint32_t count = find_candidates(proof, candidates);
    if (count == 0 || !experiment_can_run(&proof->experiment, count + RUNS_AFTER))
        return true;
    struct trial *trials = memory_zeroed(count, sizeof *trials);
    for (uint32_t i = 0; i < count; i++) {
        trials[i].changes[0] = (struct trial_change){
            .kind = TRIAL_REMOVE_TRAFFIC, .workload = candidates[i], .host = TRIAL_ANY_HOST};
        trials[i].count = 1;
    }
    bool well = experiment_run(&proof->experiment, trials, count, measures);
    for (uint32_t i = 0; i < count && well && !proof->prove->neighbor.found; i++)
        well = measures[i].works == NULL || try_candidate(proof, candidates[i], &measures[i]);
    for (uint32_t i = 0; i < count; i++)
        measure_free(&measures[i]);
    free(trials);
    return well;
}

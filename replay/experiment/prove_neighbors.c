/* SPDX-License-Identifier: Apache-2.0
 * prove_neighbors - finds a workload that takes the capacity that another one needs.
 * If suspects explain a loss, only members that lose nothing to them count.
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

/* The workloads that move the most bytes. Those of a fio file are left out, because its jobs wait
 * for each other. */
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

static struct trial_change without_workload(uint32_t workload)
{
    return (struct trial_change){
        .kind = TRIAL_REMOVE_TRAFFIC, .workload = workload, .host = TRIAL_ANY_HOST};
}

/* The part of its time that the member gains, per thousand: work is done sooner, or more of it. 0
 * if the culprits explain its loss. */
static int64_t gain_of(const struct proof *proof, const struct measure *without, uint32_t member)
{
    const struct loss loss = loss_between(&proof->original.works[member], &without->works[member]);
    const bool explained = proof->prove->culprits > 0 && proof->victims[member];
    return loss.whole_ps == 0 || explained ||
                   !prove_is_much(proof, &proof->original, without, member)
               ? 0
               : (int64_t)((__int128)loss.lost_ps * 1000 / loss.whole_ps);
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
            experiment_is_ruined(gain_of(proof, without, i)))
            trial->changes[trial->count++] = without_workload(workload);
    }
    const bool well = experiment_run(&proof->experiment, trial, 1, measure);
    free(trial);
    return well;
}

/* What members of a workload gain and lose in a run, compared with the unchanged one. */
struct balance {
    int64_t gained, lost, whole;
};

static struct balance balance_of(const struct proof *proof, const struct measure *without,
                                 uint32_t workload)
{
    struct balance balance = {0};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const struct loss_work *was = &proof->original.works[i], *is = &without->works[i];
        const struct loss gained = loss_between(was, is), lost = loss_between(is, was);
        if (proof->members.rows[i].workload != workload)
            continue;
        balance.gained += gained.lost_ps;
        balance.lost += lost.lost_ps;
        balance.whole += gained.whole_ps;
    }
    return balance;
}

/* The mean over the members of the candidate. */
static int64_t gain_of_workload(const struct proof *proof, const struct measure *without,
                                uint32_t workload)
{
    const struct balance balance = balance_of(proof, without, workload);
    const int64_t net = balance.gained - balance.lost;
    return balance.whole == 0 || net < 0 ? 0 : (int64_t)((__int128)net * 1000 / balance.whole);
}

static void describe(struct proof *proof, uint32_t candidate, const struct measure *without,
                     uint32_t worst, int64_t permille)
{
    struct prove_neighbor *neighbor = &proof->prove->neighbor;
    const struct measure_member *member = &proof->members.rows[worst];
    const struct result_limit *limits = proof->run.result.limits;
    const enum bottleneck_resource resource = limits[candidate].found.resource;
    const struct bottleneck_use *own = &limits[candidate].input.uses[resource],
                                *shared = &limits[member->workload].input.uses[resource];
    *neighbor = (struct prove_neighbor){
        .found = true,
        .workload = candidate,
        .harm = {false, worst, member->workload, member->from, member->to, permille},
        .p99_before_ps = proof->original.workloads[member->workload].p99_ps,
        .p99_after_ps = without->workloads[member->workload].p99_ps};
    /* The candidate may fill several things; the one that the victim uses is in its way. */
    snprintf(neighbor->where, sizeof neighbor->where, "%s",
             (shared->used >= FULL ? shared : own)->where);
    prove_list_hosts(proof, without, &neighbor->hosts);
}

static uint32_t most_gaining(const struct proof *proof, const struct measure *without,
                             int64_t *most)
{
    uint32_t member = 0;
    *most = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const int64_t gain = gain_of(proof, without, i);
        if (gain > *most) {
            *most = gain;
            member = i;
        }
    }
    return member;
}

/* Members of one workload may only take from each other: then others of it lose without the
 * candidate at least half of what some gain. */
static bool only_moves(const struct proof *proof, const struct measure *without, uint32_t member)
{
    const struct balance balance = balance_of(proof, without, proof->members.rows[member].workload);
    return balance.lost >= balance.gained / 2;
}

static bool try_candidate(struct proof *proof, uint32_t candidate, const struct measure *without)
{
    struct measure measure = {0};
    int64_t most;
    uint32_t worst = most_gaining(proof, without, &most);
    if (!experiment_is_ruined(most))
        return true;
    if (proof->noise == NULL && !prove_find_noise(proof, &(struct prove_set){.count = 0}))
        return false;
    worst = most_gaining(proof, without, &most);
    if (!experiment_is_ruined(most) || only_moves(proof, without, worst))
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
    struct measure without[CANDIDATES_MAX] = {{0}};
    if (!prove_may_have_neighbor(&proof->run.result))
        return true;
    const uint32_t count = find_candidates(proof, candidates);
    if (count == 0 || !experiment_can_run(&proof->experiment, count + RUNS_AFTER))
        return true;
    struct trial *trials = memory_zeroed(count, sizeof *trials);
    for (uint32_t i = 0; i < count; i++)
        trials[i] = (struct trial){.changes = {without_workload(candidates[i])}, .count = 1};
    bool well = experiment_run(&proof->experiment, trials, count, without);
    for (uint32_t i = 0; i < count && well && !proof->prove->neighbor.found; i++)
        well = without[i].works == NULL || try_candidate(proof, candidates[i], &without[i]);
    for (uint32_t i = 0; i < count; i++)
        measure_free(&without[i]);
    free(trials);
    return well || proof->prove->culprits > 0; /* without a neighbor, the culprits remain */
}

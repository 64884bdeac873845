/* SPDX-License-Identifier: Apache-2.0
 * prove_hosts - the loss of each workload's hosts caused by the culprits. */
#include "replay/experiment/prove_private.h"

#include <stdio.h>

static void add_host(struct prove_hosts *hosts, const struct prove_host *host)
{
    uint32_t at = hosts->count < PROVE_HOSTS_MAX ? hosts->count : PROVE_HOSTS_MAX;
    for (; at > 0 && hosts->list[at - 1].loss.lost_ps < host->loss.lost_ps; at--)
        if (at < PROVE_HOSTS_MAX)
            hosts->list[at] = hosts->list[at - 1];
    if (at < PROVE_HOSTS_MAX)
        hosts->list[at] = *host;
    hosts->count++;
}

/* A host counts once, even if several workloads lost there. */
static void count_hosts(struct proof *proof, const struct prove_host *lost,
                        struct prove_hosts *hosts)
{
    const struct scenario_workload *workload = &proof->scenario->workloads[lost->workload];
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const uint32_t from = workload->pairs[i].from;
        if (lost->host != TRIAL_ANY_HOST && lost->host != from)
            continue;
        hosts->distinct += !proof->harmed[from];
        proof->harmed[from] = true;
    }
}

/* The time in which the workload issues. */
static time_ps span_of(const struct proof *proof, uint32_t workload)
{
    const struct scenario_workload *entry = &proof->scenario->workloads[workload];
    return time_earlier(entry->stop, proof->question->until) - entry->start;
}

/* The lost share of the operations' time, applied to the time in which the workload issues. If all
 * operations completed, at most the lost time itself. */
static int64_t lost_of_span(const struct proof *proof, const struct prove_host *host)
{
    const time_ps span = span_of(proof, host->workload);
    const struct loss *loss = &host->loss;
    if (loss->whole_ps == 0 || (!loss_is_counted(loss) && loss->whole_ps < span))
        return loss->lost_ps;
    return (int64_t)((__int128)loss->lost_ps * span / loss->whole_ps);
}

/* Compares the members from `first` on that start at one host; returns the index of the next host's
 * first member. `more`: NULL for the unchanged run, of which a host is listed once. */
static uint32_t compare_host(struct proof *proof, const struct measure *more,
                             const struct measure *without, uint32_t first,
                             struct prove_hosts *hosts)
{
    const struct measure *with = more == NULL ? &proof->original : more;
    const struct measure_member *members = proof->members.rows;
    struct prove_host host = {.workload = members[first].workload, .host = members[first].from};
    bool late = false;
    uint32_t i = first;
    for (; i < proof->members.count && members[i].workload == host.workload &&
           members[i].from == host.host;
         i++) {
        const struct loss loss = loss_between(&with->works[i], &without->works[i]);
        loss_add(&host.loss, &loss);
        late |= prove_is_much(proof, with, without, i);
    }
    if ((more == NULL && proof->listed[first]) || !(late || loss_is_counted(&host.loss)))
        return i;
    add_host(hosts, &host);
    hosts->lost_ps += lost_of_span(proof, &host);
    if (more == NULL) {
        proof->listed[first] = true;
        count_hosts(proof, &host, hosts);
    }
    return i;
}

static void name_hosts(const struct proof *proof, struct prove_hosts *hosts)
{
    for (uint32_t i = 0; i < hosts->count && i < PROVE_HOSTS_MAX; i++) {
        struct prove_host *host = &hosts->list[i];
        const bool any = host->host == TRIAL_ANY_HOST;
        snprintf(host->name, sizeof host->name, "%s",
                 any ? "all hosts" : proof->scenario->nodes[host->host].name);
        snprintf(host->of, sizeof host->of, "%s", proof->scenario->workloads[host->workload].name);
    }
}

static void list_hosts(struct proof *proof, const struct measure *more,
                       const struct measure *without, struct prove_hosts *hosts)
{
    for (uint32_t i = 0; i < proof->members.count;)
        i = compare_host(proof, more, without, i, hosts);
    name_hosts(proof, hosts);
}

void prove_list_hosts(struct proof *proof, const struct measure *without, struct prove_hosts *hosts)
{
    list_hosts(proof, NULL, without, hosts);
}

void prove_sum_time(struct proof *proof)
{
    const struct measure_member *members = proof->members.rows;
    __int128 sum = 0;
    for (uint32_t i = 0; i < proof->members.count; i++)
        if (i == 0 || members[i].workload != members[i - 1].workload ||
            members[i].from != members[i - 1].from)
            sum += span_of(proof, members[i].workload);
    proof->prove->time_ps = sum < TIME_NEVER ? (int64_t)sum : TIME_NEVER - 1;
}

/* What limits the run once the culprits are removed. */
static void take_limits(const struct proof *proof, const struct measure *without)
{
    proof->prove->limit = without->verdict->limit;
    for (uint32_t i = 0; i < proof->scenario->workload_count && proof->question->limits != NULL;
         i++)
        proof->question->limits[i] = without->workloads[i].limit;
}

void prove_list_gaining_hosts(struct proof *proof, uint32_t index)
{
    if (proof->rows[index].works != NULL)
        list_hosts(proof, &proof->original, &proof->rows[index], &proof->prove->rows[index].hosts);
}

/* What the culprit costs alone: the run in which only the others are removed, compared with the one
 * without all. If that depends on chance, or the budget does not allow that run: what its removal
 * gains. */
static void measure_culprit(struct proof *proof, const struct prove_set *all, uint32_t index,
                            const struct measure *without)
{
    struct prove_row *row = &proof->prove->rows[index];
    const struct prove_set others = prove_without(all, index);
    struct measure with = {0};
    if (row->rare || !experiment_can_run(&proof->experiment, prove_new_runs(proof, &others, 1)) ||
        !prove_run_sets(proof, &others, 1, &with) || with.works == NULL) {
        prove_list_gaining_hosts(proof, index);
        return;
    }
    list_hosts(proof, &with, without, &row->hosts);
    const struct prove_harm harm = prove_harm_between(proof, &with, without);
    if (all->count > 1 && harm.permille > 0)
        row->harm = harm;
    measure_free(&with);
}

bool prove_find_hosts(struct proof *proof)
{
    struct prove *prove = proof->prove;
    const struct prove_set set = prove_named(prove);
    struct measure without = {0};
    if (prove->culprits == 0)
        return true;
    if (!prove_run_sets(proof, &set, 1, &without))
        return false;
    if (without.works != NULL) {
        prove_list_hosts(proof, &without, &prove->hosts);
        take_limits(proof, &without);
        for (uint32_t i = 0; i < set.count; i++)
            measure_culprit(proof, &set, set.rows[i], &without);
    }
    measure_free(&without);
    return true;
}

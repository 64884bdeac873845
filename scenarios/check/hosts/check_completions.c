/* SPDX-License-Identifier: Apache-2.0
 * check_completions - completion queues hold what can complete before software looks.
 * IBTA Vol 1 11.6.3.1: one completion more than there are entries is a CQ error, which ends the
 * queue pair.  A message takes an entry where it is posted and one where it takes a receive. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static int64_t entries_of(const struct scenario_node *host)
{
    const struct pipeline_params *params = &host->host->rnic->pipeline;
    const bool polls_late = params->completions != RNIC_COMPLETIONS_POLLING;
    return polls_late || host->host->rnic->soft.software ? params->cq_size : 0;
}

static void look_at(const struct scenario_workload *workload, const struct scenario_node *host,
                    int64_t can, const char *what, struct check_report *report)
{
    const int64_t entries = entries_of(host);
    if (entries == 0 || can <= entries)
        return;
    const struct check_thing thing = check_of_rnic(host, "cq-size");
    check_alike(report, DIAG_WARNING, &thing,
                "cq-size %lld: a queue pair of '%s' can have %lld %s there before software "
                "takes any (%s); one too many ends it",
                (long long)entries, workload->name, (long long)can,
                plural(can, "completion", "completions"), what);
    check_shows(report, "rnic.cq_overruns > 0");
    check_remedy(report, "rnic.cq-size: %lld", (long long)can);
}

/* What can complete at either end of a queue pair at once. */
struct completions {
    int64_t own, peer;
    const char *own_words, *peer_words;
};

static struct completions completions_of(const struct scenario_workload *workload)
{
    const struct wl_rdma_params *params = workload->params;
    const bool answered = strcmp(workload->ops->name, "rdma-ping-pong") == 0;
    const bool takes = answered || strcmp(workload->ops->name, "rdma-send") == 0 ||
                       (params->immediate && strcmp(workload->ops->name, "rdma-write") == 0);
    int64_t receives = params->receives > 0 ? params->receives : 2 * params->outstanding;
    if (params->shared_receives > 0)
        receives = params->outstanding;
    return (struct completions){
        .own = params->outstanding * (answered ? 2 : 1),
        .peer = takes ? receives + (answered ? params->outstanding : 0) : 0,
        .own_words = answered ? "outstanding, and an answer each" : "outstanding",
        .peer_words = answered ? "receives, and an answer each" : "receives",
    };
}

static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    enum { ASKS = 1, TAKES = 2 };
    const struct completions can = completions_of(workload);
    struct arena scratch = {0};
    uint8_t *seen = arena_take(&scratch, scenario->host_count);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        seen[workload->pairs[i].from] |= ASKS;
        seen[workload->pairs[i].to] |= TAKES;
    }
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        if ((seen[i] & ASKS) != 0)
            look_at(workload, &scenario->nodes[i], can.own, can.own_words, report);
        if ((seen[i] & TAKES) != 0)
            look_at(workload, &scenario->nodes[i], can.peer, can.peer_words, report);
    }
    arena_free(&scratch);
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strncmp(scenario->workloads[i].ops->name, "rdma-", 5) == 0)
            check_workload(scenario, &scenario->workloads[i], report);
}

const struct check_rule check_completions = {
    .name = "completions",
    .about = "Completion queues hold what can complete before software looks.",
    .run = run,
};

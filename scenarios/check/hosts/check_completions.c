/* SPDX-License-Identifier: Apache-2.0
 * check_completions - completion queues have room for all completions that can arrive before
 * software polls.
 * IBTA Vol 1 11.6.3.1: one completion more than there are entries is a CQ error, which ends the
 * queue pair. A message takes an entry where it is posted, and another where it consumes a
 * receive. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "rnic/pipeline/dim.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static int64_t entries_of(const struct scenario_node *host)
{
    const struct pipeline_params *params = &host->host->rnic->pipeline;
    const bool polls_late = params->completions != RNIC_COMPLETIONS_POLLING;
    return polls_late || host->host->rnic->soft.software ? params->cq_size : 0;
}

/* `most`: completions of all workloads at the host. */
static void check_entries(const struct scenario_workload *workload,
                          const struct scenario_node *host, int64_t can, int64_t most,
                          const char *what, struct check_report *report)
{
    const int64_t entries = entries_of(host);
    if (entries == 0 || can <= entries)
        return;
    const struct check_thing thing = check_of_rnic(host, "cq-size");
    check_alike(report, DIAG_WARNING, &thing,
                "cq-size is %lld, but a queue pair of '%s' can have %lld %s before software reads "
                "any (%s); an overrun ends the queue pair",
                (long long)entries, workload->name, (long long)can,
                plural(can, "completion", "completions"), what);
    check_shows(report, "rnic.cq_overruns > 0");
    check_remedy(report, "set rnic.cq-size: %lld or more", (long long)most);
    check_set_here(report, host, SCENARIO_ALL_PORTS, "rnic: {cq-size: %lld}", (long long)most);
}

/* Completions that can be outstanding at once, at either end of a queue pair. */
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
        .own_words = answered ? "outstanding, each with an answer" : "outstanding",
        .peer_words = answered ? "receives, each with an answer" : "receives",
    };
}

enum { ASKS = 1, TAKES = 2 };

/* By host: the roles that it has in the workload. */
static uint8_t *roles_of(const struct scenario *scenario, const struct scenario_workload *workload,
                         struct arena *arena)
{
    uint8_t *seen = arena_take(arena, scenario->host_count);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        seen[workload->pairs[i].from] |= ASKS;
        seen[workload->pairs[i].to] |= TAKES;
    }
    return seen;
}

/* With a completion count that is never reached, each completion waits for the moderation time.
 * Times above the longest level of Linux (dim.h) are reported. */
static void check_moderation(const struct scenario_workload *workload,
                             const struct scenario_node *host, struct check_report *report)
{
    static const struct dim calmest = {.level = DIM_LEVELS - 1};
    const struct pipeline_params *params = &host->host->rnic->pipeline;
    const struct opt *row = opt_find(workload->ops->opts, "queue-depth");
    row = row == NULL ? opt_find(workload->ops->opts, "outstanding") : row;
    if (params->completions != RNIC_COMPLETIONS_INTERRUPT || row == NULL || workload->job != NULL ||
        params->cq_time <= dim_time(&calmest))
        return;
    const int64_t depth = *opt_field(row, (void *)(uintptr_t)workload->params);
    if (params->cq_count <= depth)
        return;
    const struct check_thing thing = check_of_rnic(host, "cq-moderation-time");
    check_alike(report, DIAG_WARNING, &thing,
                "cq-moderation-count %lld is larger than the %lld %s that '%s' has "
                "outstanding in a queue: completions always wait for cq-moderation-time (%s)",
                (long long)params->cq_count, (long long)depth,
                plural(depth, "operation", "operations"), workload->name,
                note_time(params->cq_time).text);
    check_remedy(report, "set rnic.cq-moderation-time: 8us, or cq-moderation-count: 1");
    check_set(report, &thing, "8us");
}

static bool is_raw(const struct scenario_workload *workload)
{
    return strncmp(workload->ops->name, "rdma-", 5) == 0;
}

static void add_most(const struct scenario *scenario, const struct scenario_workload *workload,
                     struct arena *arena, int64_t *most)
{
    const struct completions can = completions_of(workload);
    const uint8_t *seen = roles_of(scenario, workload, arena);
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        if ((seen[i] & ASKS) != 0 && can.own > most[i])
            most[i] = can.own;
        if ((seen[i] & TAKES) != 0 && can.peer > most[i])
            most[i] = can.peer;
    }
}

static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, const int64_t *most,
                           struct arena *arena, struct check_report *report)
{
    const struct completions can = completions_of(workload);
    const uint8_t *seen = roles_of(scenario, workload, arena);
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *host = &scenario->nodes[i];
        if ((seen[i] & ASKS) != 0)
            check_entries(workload, host, can.own, most[i], can.own_words, report);
        if ((seen[i] & TAKES) != 0)
            check_entries(workload, host, can.peer, most[i], can.peer_words, report);
    }
}

static void run_completions_check(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    int64_t *most = arena_array(&scratch, scenario->host_count, sizeof *most);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (is_raw(&scenario->workloads[i]))
            add_most(scenario, &scenario->workloads[i], &scratch, most);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const uint8_t *seen = roles_of(scenario, &scenario->workloads[w], &scratch);
        for (uint32_t i = 0; i < scenario->host_count; i++)
            if ((seen[i] & ASKS) != 0)
                check_moderation(&scenario->workloads[w], &scenario->nodes[i], report);
    }
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (is_raw(&scenario->workloads[i]))
            check_workload(scenario, &scenario->workloads[i], most, &scratch, report);
    arena_free(&scratch);
}

const struct check_rule check_completions = {
    .name = "completions",
    .about = "Completion queues are large enough, and interrupts do not wait for completions that "
             "cannot come.",
    .run = run_completions_check,
};

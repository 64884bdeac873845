/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/data/scenario.h"

#include "base/rng.h"
#include "rnic/host/rnic.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_rdma.h"
#include "tcp/tcp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scenario_free(struct scenario *scenario)
{
    if (scenario == NULL)
        return;
    arena_free(&scenario->arena);
    free(scenario);
}

struct scenario_port_text scenario_port_name(const struct scenario_node *node, unsigned port)
{
    struct scenario_port_text name;
    if (node->ports[port].name != NULL)
        snprintf(name.text, sizeof name.text, "%s:%s", node->name, node->ports[port].name);
    else
        snprintf(name.text, sizeof name.text, "%s:p%u", node->name, port);
    return name;
}

uint32_t scenario_find_node(const struct scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (strcmp(scenario->nodes[i].name, name) == 0)
            return i;
    return UINT32_MAX;
}

/* ---- of workloads ---- */

static time_ps part_of_member(const struct scenario *scenario, uint32_t workload, uint32_t member,
                              time_ps most, const char *purpose)
{
    if (most == 0)
        return 0;
    char owner[64];
    snprintf(owner, sizeof owner, "workload %" PRIu32 ", member %" PRIu32, workload, member);
    struct rng rng = rng_stream(scenario->seed, owner, purpose);
    return (time_ps)rng_below(&rng, (uint64_t)most + 1);
}

time_ps scenario_late(const struct scenario *scenario, uint32_t workload, uint32_t member)
{
    return part_of_member(scenario, workload, member, scenario->workloads[workload].start_jitter,
                          "start-jitter");
}

time_ps scenario_nudge(const struct scenario *scenario, uint32_t workload, uint32_t member)
{
    return part_of_member(scenario, workload, member, scenario->workloads[workload].nudge, "nudge");
}

uint8_t scenario_dscp(const struct scenario *scenario, const struct scenario_workload *workload,
                      const struct scenario_pair *pair)
{
    const struct scenario_node *from = &scenario->nodes[pair->from];
    const struct scenario_host *host = from->host;
    if (from->link == SCENARIO_FIBRE_CHANNEL)
        return 0;
    if (from->link == SCENARIO_INFINIBAND)
        return workload->class.priority_set ? workload->class.priority
                                            : (uint8_t)host->rnic->priority;
    return workload->class.tos_set
               ? workload->class.tos >> 2
               : (uint8_t)(workload->by_tcp ? host->tcp->dscp : host->rnic->dscp);
}

uint8_t scenario_dscp_back(const struct scenario *scenario,
                           const struct scenario_workload *workload,
                           const struct scenario_pair *pair)
{
    const struct scenario_host *host = scenario->nodes[pair->to].host;
    const bool credits = scenario_has_credits(&scenario->nodes[pair->to]);
    const int64_t own = credits            ? RNIC_AUTO
                        : workload->by_tcp ? host->tcp->dscp
                                           : host->rnic->accept_dscp;
    return own == RNIC_AUTO ? scenario_dscp(scenario, workload, pair) : (uint8_t)own;
}

const char *scenario_kind_word(enum scenario_kind kind)
{
    static const char *const words[] = {
#define X(name, word) word,
        SCENARIO_KINDS(X)
#undef X
    };
    return words[kind];
}

/* The loader refuses pairs of hosts with different link layers. */
enum scenario_kind scenario_kind_of(const struct scenario *scenario,
                                    const struct scenario_workload *workload)
{
    return workload->pair_count == 0 ? SCENARIO_ETHERNET
                                     : scenario->nodes[workload->pairs[0].from].link;
}

bool scenario_issues_nothing(const struct scenario_workload *workload)
{
    const struct opt *row = opt_find(workload->ops->opts, "count");
    return row != NULL && workload->params != NULL &&
           *opt_field(row, (void *)(uintptr_t)workload->params) == WL_NVME_NO_IO;
}

bool scenario_empties(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        if (workload->ops->empties != NULL && workload->ops->empties(workload->params))
            return true;
    }
    return false;
}

bool scenario_completes_early(const struct scenario_workload *workload)
{
    return workload->own_verbs && !wl_rdma_is_answered(workload->ops, workload->params);
}

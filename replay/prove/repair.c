/* SPDX-License-Identifier: Apache-2.0
 * repair - copies of what changes, pointers to the rest. */
#include "replay/prove/repair.h"

#include "base/memory.h"
#include "scenarios/fault/fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool repair_equal(const struct repair *a, const struct repair *b)
{
    return a->kind == b->kind && a->fault == b->fault && a->host == b->host &&
           a->workload == b->workload;
}

static int spot_words(const struct scenario *scenario, const struct scenario_spot *spot, char *text,
                      size_t size)
{
    const struct scenario_node *node = &scenario->nodes[spot->node];
    if (spot->port == SCENARIO_ALL_PORTS)
        return snprintf(text, size, " at %s", node->name);
    return snprintf(text, size, " at %s", scenario_port_name(node, spot->port).text);
}

static void fault_words(const struct scenario *scenario, uint32_t index, char *text, size_t size)
{
    const struct scenario_fault *fault = &scenario->faults[index];
    const uint32_t more = fault->spot_count - (fault->spot_count > 0);
    int used = snprintf(text, size, "fault %u, %s", index, fault->ops->name);
    if (fault->spot_count > 0 && (size_t)used < size)
        used += spot_words(scenario, &fault->spots[0], text + used, size - (size_t)used);
    if (more > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " and %u more", more);
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", removed");
}

void repair_words(const struct repair *repair, const struct scenario *scenario, char *text,
                  size_t size)
{
    if (repair->kind == REPAIR_FAULT)
        fault_words(scenario, repair->fault, text, size);
    else if (repair->kind == REPAIR_DRAIN)
        snprintf(text, size, "%s drains at line rate", scenario->nodes[repair->host].name);
    else if (repair->host == REPAIR_ANY_HOST)
        snprintf(text, size, "%s removed", scenario->workloads[repair->workload].name);
    else
        snprintf(text, size, "%s, traffic with %s removed",
                 scenario->workloads[repair->workload].name, scenario->nodes[repair->host].name);
}

static bool is_taken(const struct repair *repairs, uint32_t count, uint32_t fault)
{
    for (uint32_t i = 0; i < count; i++)
        if (repairs[i].kind == REPAIR_FAULT && repairs[i].fault == fault)
            return true;
    return false;
}

static void take_faults(struct repaired *repaired, const struct repair *repairs, uint32_t count)
{
    struct scenario *scenario = &repaired->scenario;
    uint32_t kept = 0;
    repaired->faults = memory_zeroed(scenario->fault_count, sizeof *repaired->faults);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (!is_taken(repairs, count, i))
            repaired->faults[kept++] = scenario->faults[i];
    scenario->faults = repaired->faults;
    scenario->fault_count = kept;
}

static void free_drain(struct repaired *repaired, uint32_t number, uint32_t node)
{
    struct scenario_host *host = &repaired->hosts[number];
    struct rnic_params *rnic = &repaired->rnics[number];
    *host = *repaired->nodes[node].host;
    *rnic = *host->rnic;
    rnic->drain = RNIC_UNLIMITED;
    host->rnic = rnic;
    repaired->nodes[node].host = host;
}

static void copy_nodes(struct repaired *repaired, uint32_t repairs)
{
    struct scenario *scenario = &repaired->scenario;
    repaired->hosts = memory_zeroed(repairs, sizeof *repaired->hosts);
    repaired->rnics = memory_zeroed(repairs, sizeof *repaired->rnics);
    repaired->nodes = memory_zeroed(scenario->node_count, sizeof *repaired->nodes);
    memcpy(repaired->nodes, scenario->nodes, scenario->node_count * sizeof *repaired->nodes);
    scenario->nodes = repaired->nodes;
}

static void copy_workloads(struct repaired *repaired, uint32_t repairs)
{
    struct scenario *scenario = &repaired->scenario;
    repaired->pairs = memory_zeroed(repairs, sizeof *repaired->pairs);
    repaired->workloads = memory_zeroed(scenario->workload_count, sizeof *repaired->workloads);
    memcpy(repaired->workloads, scenario->workloads,
           scenario->workload_count * sizeof *repaired->workloads);
    scenario->workloads = repaired->workloads;
}

static void leave_out(struct repaired *repaired, uint32_t number, uint32_t index, uint32_t host)
{
    struct scenario_workload *workload = &repaired->workloads[index];
    struct scenario_pair *pairs = memory_zeroed(workload->pair_count, sizeof *pairs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < workload->pair_count && host != REPAIR_ANY_HOST; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            pairs[kept++] = workload->pairs[i];
    repaired->pairs[number] = pairs;
    workload->pairs = pairs;
    workload->pair_count = kept;
}

void repair_apply(struct repaired *repaired, const struct repair *repairs, uint32_t count,
                  const struct scenario *scenario)
{
    *repaired = (struct repaired){.scenario = *scenario, .count = count};
    take_faults(repaired, repairs, count);
    copy_nodes(repaired, count);
    copy_workloads(repaired, count);
    for (uint32_t i = 0; i < count; i++) {
        if (repairs[i].kind == REPAIR_DRAIN)
            free_drain(repaired, i, repairs[i].host);
        else if (repairs[i].kind == REPAIR_TRAFFIC)
            leave_out(repaired, i, repairs[i].workload, repairs[i].host);
    }
}

void repair_free(struct repaired *repaired)
{
    for (uint32_t i = 0; i < repaired->count; i++)
        free(repaired->pairs[i]);
    free(repaired->faults);
    free(repaired->hosts);
    free(repaired->rnics);
    free(repaired->nodes);
    free(repaired->workloads);
    free(repaired->pairs);
}

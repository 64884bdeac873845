/* SPDX-License-Identifier: Apache-2.0
 * repair - copies of what changes, pointers to the rest. */
#include "replay/repair.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool repair_equal(const struct repair *a, const struct repair *b)
{
    return a->kind == b->kind && a->fault == b->fault && a->host == b->host &&
           a->workload == b->workload;
}

static void fault_words(const struct scenario *scenario, uint32_t index, char *text, size_t size)
{
    const struct scenario_fault *fault = &scenario->faults[index];
    const uint32_t more = fault->spot_count - (fault->spot_count > 0);
    int used = snprintf(text, size, "fault %u, %s", index, scenario_fault_name(fault->kind));
    if (fault->spot_count > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " at %s",
                         scenario->nodes[fault->spots[0].node].name);
    if (fault->spot_count > 0 && fault->spots[0].port != SCENARIO_ALL_PORTS && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ":p%u", fault->spots[0].port);
    if (more > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, " and %u more", more);
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", taken away");
}

void repair_words(const struct repair *repair, const struct scenario *scenario, char *text,
                  size_t size)
{
    if (repair->kind == REPAIR_FAULT)
        fault_words(scenario, repair->fault, text, size);
    else if (repair->kind == REPAIR_DRAIN)
        snprintf(text, size, "%s drains as fast as its link", scenario->nodes[repair->host].name);
    else if (repair->host == REPAIR_ANY_HOST)
        snprintf(text, size, "%s left out", scenario->workloads[repair->workload].name);
    else
        snprintf(text, size, "%s without its traffic with %s",
                 scenario->workloads[repair->workload].name, scenario->nodes[repair->host].name);
}

static void take_fault(struct repaired *repaired, uint32_t index)
{
    struct scenario *scenario = &repaired->scenario;
    const uint32_t behind = scenario->fault_count - index - 1;
    repaired->faults = memory_zeroed(scenario->fault_count, sizeof *repaired->faults);
    memcpy(repaired->faults, scenario->faults, index * sizeof *repaired->faults);
    memcpy(repaired->faults + index, scenario->faults + index + 1,
           behind * sizeof *repaired->faults);
    scenario->faults = repaired->faults;
    scenario->fault_count--;
}

static void free_drain(struct repaired *repaired, uint32_t node)
{
    struct scenario *scenario = &repaired->scenario;
    repaired->nodes = memory_zeroed(scenario->node_count, sizeof *repaired->nodes);
    memcpy(repaired->nodes, scenario->nodes, scenario->node_count * sizeof *repaired->nodes);
    repaired->host = *scenario->nodes[node].host;
    repaired->rnic = *repaired->host.rnic;
    repaired->rnic.drain = RNIC_UNLIMITED;
    repaired->host.rnic = &repaired->rnic;
    repaired->nodes[node].host = &repaired->host;
    scenario->nodes = repaired->nodes;
}

static void leave_out(struct repaired *repaired, uint32_t index, uint32_t host)
{
    struct scenario *scenario = &repaired->scenario;
    repaired->workloads = memory_zeroed(scenario->workload_count, sizeof *repaired->workloads);
    memcpy(repaired->workloads, scenario->workloads,
           scenario->workload_count * sizeof *repaired->workloads);
    struct scenario_workload *workload = &repaired->workloads[index];
    repaired->pairs = memory_zeroed(workload->pair_count, sizeof *repaired->pairs);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < workload->pair_count && host != REPAIR_ANY_HOST; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            repaired->pairs[kept++] = workload->pairs[i];
    workload->pairs = repaired->pairs;
    workload->pair_count = kept;
    scenario->workloads = repaired->workloads;
}

void repair_apply(struct repaired *repaired, const struct repair *repair,
                  const struct scenario *scenario)
{
    *repaired = (struct repaired){.scenario = *scenario};
    if (repair->kind == REPAIR_FAULT)
        take_fault(repaired, repair->fault);
    else if (repair->kind == REPAIR_DRAIN)
        free_drain(repaired, repair->host);
    else
        leave_out(repaired, repair->workload, repair->host);
}

void repair_free(struct repaired *repaired)
{
    free(repaired->faults);
    free(repaired->nodes);
    free(repaired->workloads);
    free(repaired->pairs);
}

/* SPDX-License-Identifier: Apache-2.0
 * agree_plan - lines of a scenario, and their hashes. */
#include "bridge/agree/agree_plan.h"

#include "base/memory.h"
#include "scenarios/data/fault.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_line(struct agree_plan *plan, const char *path, const char *value)
{
    plan->lines = memory_grown(plan->lines, plan->count, &plan->room, sizeof *plan->lines);
    const size_t size = strlen(path) + strlen(value) + sizeof " = ";
    char *line = memory_new(size);
    snprintf(line, size, "%s = %s", path, value);
    plan->lines[plan->count++] = line;
}

static void add_setting(void *self, const struct scenario_setting_text *setting)
{
    add_line(self, setting->path, setting->value);
}

static void add_workload(struct agree_plan *plan, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = plan->scenario->nodes;
    char path[128], pair[128];
    snprintf(path, sizeof path, "workloads.%s.kind", workload->name);
    add_line(plan, path, workload->ops->name);
    snprintf(path, sizeof path, "workloads.%s.pair", workload->name);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        snprintf(pair, sizeof pair, "%s to %s", nodes[workload->pairs[i].from].name,
                 nodes[workload->pairs[i].to].name);
        add_line(plan, path, pair);
    }
}

static void add_fault(struct agree_plan *plan, uint32_t index)
{
    const struct scenario_fault *fault = &plan->scenario->faults[index];
    char path[64], where[128];
    snprintf(path, sizeof path, "faults[%u].kind", index);
    add_line(plan, path, fault->ops->name);
    snprintf(path, sizeof path, "faults[%u].where", index);
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        const char *name = plan->scenario->nodes[spot->node].name;
        if (spot->port == SCENARIO_ALL_PORTS)
            snprintf(where, sizeof where, "%s", name);
        else
            snprintf(where, sizeof where, "%s:p%u", name, spot->port);
        add_line(plan, path, where);
    }
}

static void add_hashes(struct agree_plan *plan)
{
    plan->hashes = memory_zeroed(plan->count + 1, sizeof *plan->hashes);
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->hashes[i + 1] = hash_mix(hash_text(plan->lines[i], plan->hashes[i]));
        digest_add(&plan->digest, hash_text(plan->lines[i], i));
    }
}

void agree_plan_make(struct agree_plan *plan, const struct scenario *scenario)
{
    *plan = (struct agree_plan){.scenario = scenario};
    add_line(plan, "name", scenario->name);
    scenario_settings(scenario, add_setting, plan);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        add_workload(plan, &scenario->workloads[i]);
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        add_fault(plan, i);
    add_hashes(plan);
}

void agree_plan_free(struct agree_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++)
        free(plan->lines[i]);
    free(plan->lines);
    free(plan->hashes);
    *plan = (struct agree_plan){0};
}

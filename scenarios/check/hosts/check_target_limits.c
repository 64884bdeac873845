/* SPDX-License-Identifier: Apache-2.0
 * check_target_limits - open loops stay within the limits of namespaces and subsystems.
 * I/Os above a limit wait at the target, and the wait grows for as long as the run lasts. A fio job
 * has no more than iodepth I/Os there; it then runs below its rate. */
#include "scenarios/check/check_rule.h"

#include "nvme/target/target.h"
#include "scenarios/check/limits.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

/* Load of the workloads with a rate on one namespace or subsystem. */
struct asked {
    struct nvme_limits sums;
    bool open; /* an open loop is among them, so that I/Os wait without bound */
};

/* Adds the load of all copies of a workload. */
static void add_load(struct asked *asked, const struct scenario_workload *workload,
                     const struct offering *offering)
{
    asked->open = asked->open || offering->rate > 0;
    for (int i = 0; i < NVME_LIMITS; i++) {
        const __int128 own = workload->job != NULL ? limits_asked_by_job(workload, i)
                                                   : limits_asked(offering, i, workload->copies);
        const __int128 sum = asked->sums.of[i] + own;
        asked->sums.of[i] = sum < INT64_MAX ? (int64_t)sum : INT64_MAX;
    }
}

/* Namespace and subsystem that a pair uses at its target. `space`: all copies use namespace
 * `number`, counted from 0; otherwise the namespace varies. subsystem -1: the target has no
 * subsystems. */
struct use {
    bool space;
    uint32_t number;
    int32_t subsystem;
};

static struct use use_of(const struct scenario_host *target,
                         const struct scenario_workload *workload, uint32_t pair)
{
    struct use use = {.subsystem = target->subsystem_count > 0 ? 0 : -1};
    const uint32_t asked = workload->ops->name_space(workload->params);
    const uint32_t there = scenario_namespaces_at(target, workload->subsystem);
    const uint32_t nsid = asked > 0 || there == 0 ? asked : pair % there + 1;
    for (uint32_t i = 0; i < target->subsystem_count && workload->subsystem != NULL; i++)
        if (strcmp(target->subsystems[i].nqn, workload->subsystem) == 0)
            use.subsystem = (int32_t)i;
    use.space = nsid > 0 && nsid <= there && (workload->copies == 1 || asked > 0 || there == 1);
    if (use.space)
        use.number = scenario_namespace_at(target, workload->subsystem, nsid);
    return use;
}

static struct asked asked_of(const struct scenario *scenario, uint32_t target, bool space,
                             uint32_t number)
{
    struct asked asked = {0};
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        if (!workload->ops->needs_nvme_target)
            continue;
        const struct offering offering = offered_all(workload);
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            if (workload->pairs[i].to != target)
                continue;
            const struct use use = use_of(scenario->nodes[target].host, workload, i);
            if (space ? use.space && use.number == number
                      : use.subsystem >= 0 && (uint32_t)use.subsystem == number)
                add_load(&asked, workload, &offering);
        }
    }
    return asked;
}

static void report_limits(struct check_report *report, const struct scenario_node *node,
                          const char *what, const struct asked *asked,
                          const struct nvme_limits *given, struct diag_place place)
{
    for (int i = 0; i < NVME_LIMITS; i++) {
        if (given->of[i] == 0 || asked->sums.of[i] <= given->of[i])
            continue;
        check_add(report, DIAG_WARNING, place,
                  "%s: workloads with a rate at %s offer %s, but its %s allows %s: %s", node->name,
                  what, limits_words(i, asked->sums.of[i]).text, limits_rows[i].row,
                  limits_words(i, given->of[i]).text,
                  asked->open ? "the backlog grows without limit"
                              : "the fio jobs run below their rate");
        check_remedy(report, "raise the limit, or lower the rate of the workloads");
    }
}

static void look_at_namespaces(const struct scenario *scenario, uint32_t target,
                               struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[target];
    uint32_t number = 0;
    for (uint32_t i = 0; i < node->host->namespace_count; i++) {
        const struct scenario_namespace *entry = &node->host->namespaces[i];
        const struct nvme_limits *given = &entry->params->limits;
        for (uint32_t n = 0; n < entry->count; n++, number++) {
            char what[32];
            if (!nvme_limits_any(given))
                continue;
            const struct asked asked = asked_of(scenario, target, true, number);
            snprintf(what, sizeof what, "namespace %u", number + 1);
            report_limits(report, node, what, &asked, given, entry->place);
        }
    }
}

static void look_at_subsystems(const struct scenario *scenario, uint32_t target,
                               struct check_report *report)
{
    const struct scenario_node *node = &scenario->nodes[target];
    const struct tree_node *written = scenario->origins->nodes[target].host->names.subsystems;
    for (uint32_t i = 0; i < node->host->subsystem_count; i++) {
        const struct nvme_target_subsystem *subsystem = &node->host->subsystems[i];
        if (!nvme_limits_any(&subsystem->limits))
            continue;
        const struct asked asked = asked_of(scenario, target, false, i);
        char what[NVME_NQN_BYTES + 16];
        snprintf(what, sizeof what, "subsystem %s", subsystem->nqn);
        report_limits(report, node, what, &asked, &subsystem->limits,
                      written->items[i].value->place);
    }
}

static void find_target_limits(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        look_at_namespaces(scenario, i, report);
        look_at_subsystems(scenario, i, report);
    }
}

const struct check_rule check_target_limits = {
    .name = "target-limits",
    .about = "Workloads with a rate stay within the IOPS and bandwidth limits of namespaces and "
             "subsystems.",
    .run = find_target_limits,
};

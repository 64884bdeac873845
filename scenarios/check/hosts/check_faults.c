/* SPDX-License-Identifier: Apache-2.0
 * check_faults - faults have an effect and affect some workload. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"

#include "scenarios/check/fault_reach.h"
#include "scenarios/data/fault.h"
#include "scenarios/fabric/pauses.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>

static const char *const touch_words[] = {
    [FAULT_TOUCHES_NO_PATH] = "no workload sends through its location",
    [FAULT_TOUCHES_LATE] = "the workloads there stop before the fault begins",
    [FAULT_TOUCHES_EARLY] = "the workloads there begin after the end of the fault",
    [FAULT_TOUCHES_RDMA] = "it stops only NVMe, but only rdma-* workloads use its targets, and "
                           "they continue at full rate (target-crash with how: power stops them)",
};

/* A fault after the end of the run has its own message. */
static void check_touch(const struct scenario *scenario, const struct fault_reach *reach,
                        const struct scenario_fault *fault, struct check_report *report)
{
    const enum fault_touch touch = fault_reach_of(reach, fault);
    if (touch != FAULT_TOUCHES && scenario->workload_count > 0 && fault->at < scenario->duration)
        check_add(report, DIAG_WARNING, fault->place, "the fault %s affects no traffic: %s",
                  fault->ops->name, touch_words[touch]);
}

/* True if a port of the host sends pauses of the priority to a peer that obeys them. */
static bool is_obeyed(const struct scenario *scenario, uint32_t node, unsigned priority)
{
    const struct scenario_node *host = &scenario->nodes[node];
    for (uint16_t p = 0; p < host->outer_ports; p++) {
        const struct scenario_port *port = &host->ports[p];
        if (port->link != SCENARIO_NO_LINK &&
            (pauses_enabled(scenario, host, p) &
             pauses_enabled(scenario, &scenario->nodes[port->peer_node], port->peer_port) &
             1u << priority) != 0)
            return true;
    }
    return false;
}

static void check_paused(const struct scenario *scenario, const struct scenario_fault *fault,
                         struct check_report *report)
{
    for (uint32_t i = 0; fault->ops->paused != NULL && i < fault->spot_count; i++) {
        const uint32_t node = fault->spots[i].node;
        const unsigned priority = fault->ops->paused(fault->params);
        if (!is_obeyed(scenario, node, priority))
            check_add(report, DIAG_WARNING, fault->place,
                      "the fault %s at %s has no effect: PFC of priority %u is disabled at %s or "
                      "at the other end of its link",
                      fault->ops->name, scenario->nodes[node].name, priority,
                      scenario->nodes[node].name);
    }
}

static void check_fault(const struct scenario *scenario, const struct scenario_fault *fault,
                        struct check_report *report)
{
    const struct fault_ops *ops = fault->ops;
    const char *name = ops->name, *why = ops->in_vain == NULL ? NULL : ops->in_vain(fault->params);
    if (fault->at > scenario->duration + scenario->drain)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the end of the run: it has no effect", name);
    else if (fault->at >= scenario->duration)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the workloads have stopped: it may have no effect",
                  name);
    else if (fault->end == fault->at)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s lasts 0 s (for: 0s): it has no effect", name);
    if (why != NULL)
        check_add(report, DIAG_WARNING, fault->place, "the fault %s %s", name, why);
}

static void find_faults(const struct scenario *scenario, struct check_report *report)
{
    struct fault_reach reach;
    if (scenario->fault_count == 0)
        return;
    fault_reach_init(&reach, scenario);
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        check_fault(scenario, &scenario->faults[i], report);
        check_touch(scenario, &reach, &scenario->faults[i], report);
        check_paused(scenario, &scenario->faults[i], report);
    }
    fault_reach_fini(&reach);
}

/* Time at which the first operation of the run was issued. */
static time_ps first_issue(const struct check_run *run)
{
    time_ps first = TIME_NEVER;
    for (uint32_t i = 0; i < run->first_member[run->scenario->workload_count]; i++)
        if (run->members[i] != NULL && run->members[i]->issued > 0)
            first = time_earlier(first, run->members[i]->first_issue);
    return first;
}

static uint64_t frames_at(const struct check_run *run, const struct scenario_fault *fault)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        const uint16_t ports = run->scenario->nodes[spot->node].port_count;
        if (spot->port != SCENARIO_ALL_PORTS)
            frames += run->frames(run->self, spot->node, spot->port);
        for (uint16_t p = 0; spot->port == SCENARIO_ALL_PORTS && p < ports; p++)
            frames += run->frames(run->self, spot->node, p);
    }
    return frames;
}

/* "leaf0:p3", "host7 and 2 more" */
static void place_words(const struct scenario *scenario, const struct scenario_fault *fault,
                        char *text, size_t size)
{
    if (fault->spot_count == 0) {
        snprintf(text, size, "its ports");
        return;
    }
    const struct scenario_spot *spot = &fault->spots[0];
    const struct scenario_node *node = &scenario->nodes[spot->node];
    const bool whole = spot->port == SCENARIO_ALL_PORTS;
    const int used = snprintf(text, size, "%.80s",
                              whole ? node->name : scenario_port_name(node, spot->port).text);
    if (fault->spot_count > 1)
        snprintf(text + used, size - (size_t)used, " and %u more", (unsigned)fault->spot_count - 1);
}

/* After the fault, a port without traffic may be idle because of the fault. So only faults that
 * began after the first operation are reported. */
static void check_effect(const struct check_run *run, const struct scenario_fault *fault,
                         time_ps first, struct check_report *report)
{
    const char *name = fault->ops->name, *total = fault->ops->counted_as;
    if (run->frames != NULL && first < fault->at && frames_at(run, fault) == 0) {
        char place[128];
        place_words(run->scenario, fault, place, sizeof place);
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s had no effect: %s had no traffic in the whole run", name, place);
    } else if (total != NULL && run->total != NULL && run->total(run->self, total) == 0)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s had no effect: %s is 0 in the whole run", name, total);
}

/* A run may end before its duration is over. */
static void after(const struct check_run *run, struct check_report *report)
{
    const struct scenario *scenario = run->scenario;
    const time_ps first = scenario->fault_count == 0 ? TIME_NEVER : first_issue(run);
    for (uint32_t i = 0; !run->cut && i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        if (fault->at < scenario->duration && fault->at >= run->end)
            check_add(report, DIAG_WARNING, fault->place,
                      "the fault %s never happened: the run ended earlier, at %s", fault->ops->name,
                      note_time(run->end).text);
        else if (fault->at < run->end)
            check_effect(run, fault, first, report);
    }
}

const struct check_rule check_faults = {
    .name = "faults",
    .about = "A fault begins before the simulation ends, has an effect, and affects traffic.",
    .run = find_faults,
    .by_run = true,
    .after = after,
};

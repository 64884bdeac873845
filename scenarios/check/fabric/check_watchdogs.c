/* SPDX-License-Identifier: Apache-2.0
 * check_watchdogs - every switch that may see lasting pauses has a PFC watchdog, and no watchdog
 * mistakes a slow host for a pause storm.
 * Pauses last if a fault makes a host send them, or if buffers wait for each other in a cycle;
 * check_deadlock runs before this rule. A slow host still accepts frames between its pauses: a
 * detection time below the length of these pauses drops lossless frames of a working host (SONiC
 * default: 200 ms). */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/quantity.h"
#include "net/switch/switch.h"
#include "net/switch/watchdog.h"
#include "scenarios/data/fault.h"

#include <string.h>

/* True if a host is slow or in a pause storm, or buffers wait for each other in a cycle. */
static bool pauses_may_last(const struct scenario *scenario, const struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (scenario->faults[i].ops->host_pauses)
            return true;
    for (size_t i = 0; i < report->count; i++)
        if (strcmp(report->findings[i].rule, check_deadlock.name) == 0)
            return true;
    return false;
}

/* Mask of priorities that a host pauses until the end of the run. */
static int64_t storm_priorities(const struct scenario *scenario)
{
    int64_t priorities = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        if (fault->ops->paused != NULL && fault->end == TIME_NEVER)
            priorities |= INT64_C(1) << fault->ops->paused(fault->params);
    }
    return priorities;
}

static void check_missing(const struct scenario *scenario, struct check_report *report)
{
    const int64_t stormy = storm_priorities(scenario);
    if (!pauses_may_last(scenario, report))
        return;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const int64_t action = node->switch_params->watchdog;
        if (node->switch_params->pfc_priorities == 0 ||
            (action != WATCHDOG_OFF && action != WATCHDOG_ALERT))
            continue;
        const struct check_thing thing = check_of_switch(node, "watchdog");
        const bool is_hit = (node->switch_params->pfc_priorities & stormy) != 0;
        check_alike(report, is_hit ? DIAG_WARNING : DIAG_NOTE, &thing,
                    "%s, so a permanent pause blocks traffic until the simulation ends",
                    action == WATCHDOG_OFF
                        ? "the PFC watchdog is off"
                        : "the PFC watchdog only reports pauses (watchdog.action alert)");
        check_remedy(report, "set watchdog: {action: drop}, the usual setting");
        check_set_here(report, node, SCENARIO_ALL_PORTS, "watchdog: {action: drop}");
    }
}

/* The slow-host fault that lasts longest. Out: its duration. */
static const struct scenario_fault *find_slow_host(const struct scenario *scenario, time_ps *lasts)
{
    const struct scenario_fault *found = NULL;
    *lasts = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        const time_ps end = time_earlier(fault->end, scenario->duration);
        if (!fault->ops->host_pauses || fault->ops->paused != NULL || end - fault->at <= *lasts)
            continue;
        *lasts = end - fault->at;
        found = fault;
    }
    return found;
}

static void check_hasty(const struct scenario *scenario, struct check_report *report)
{
    time_ps lasts;
    const struct scenario_fault *fault = find_slow_host(scenario, &lasts);
    for (uint32_t i = scenario->host_count; fault != NULL && i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        struct watchdog *watchdog = watchdog_new(node->switch_params, node->port_count);
        const time_ps after = watchdog == NULL ? TIME_NEVER : watchdog->detection;
        watchdog_free(watchdog);
        if (after >= lasts || node->switch_params->watchdog == WATCHDOG_ALERT)
            continue;
        const struct check_thing thing = check_of_switch(node, "watchdog-detection");
        char value[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_TIME, 2 * lasts, value, sizeof value);
        check_alike(report, DIAG_WARNING, &thing,
                    "the PFC watchdog acts after a pause of %s, but %s is slow for %s (%s): it "
                    "drops lossless frames to a working host",
                    note_time(after).text, scenario->nodes[fault->spots[0].node].name,
                    note_time(lasts).text, fault->ops->name);
        check_remedy(report, "set watchdog.detection above %s", note_time(lasts).text);
        check_set(report, &thing, "%s", value);
    }
}

static void find_watchdogs(const struct scenario *scenario, struct check_report *report)
{
    check_missing(scenario, report);
    check_hasty(scenario, report);
}

const struct check_rule check_watchdogs = {
    .name = "watchdogs",
    .about = "Lossless switches have a PFC watchdog if pauses could be permanent, and the watchdog "
             "ignores slow hosts.",
    .ethernet = true,
    .run = find_watchdogs,
};

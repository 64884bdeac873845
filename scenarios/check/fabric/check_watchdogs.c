/* SPDX-License-Identifier: Apache-2.0
 * check_watchdogs - switches that nothing protects from pauses that last.
 * Pauses last where a fault makes a host send them, and where buffers wait for each other in a
 * circle: check_deadlock looks before. */
#include "scenarios/check/check_rule.h"

#include "net/switch/switch.h"
#include "net/switch/watchdog.h"
#include "scenarios/fault/fault.h"

#include <string.h>

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

static void run(const struct scenario *scenario, struct check_report *report)
{
    if (!pauses_may_last(scenario, report))
        return;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->switch_params->pfc_priorities == 0 ||
            node->switch_params->watchdog != WATCHDOG_OFF)
            continue;
        const struct check_thing thing = check_of_switch(node, "watchdog");
        check_alike(report, DIAG_NOTE, &thing,
                    "no PFC watchdog: pauses that do not end stop its senders until the end");
        check_remedy(report, "watchdog: {action: drop}, as most operators have it");
        check_set_here(report, node, SCENARIO_ALL_PORTS, "watchdog: {action: drop}");
    }
}

const struct check_rule check_watchdogs = {
    .name = "watchdogs",
    .about = "Lossless switches have a PFC watchdog where pauses could last.",
    .run = run,
};

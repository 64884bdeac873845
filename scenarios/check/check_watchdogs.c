/* SPDX-License-Identifier: Apache-2.0
 * check_watchdogs - switches that nothing protects from a pause storm, all in one finding. */
#include "scenarios/check/check_private.h"

#include "net/switch/switch.h"
#include "net/switch/watchdog.h"

static void run(const struct scenario *scenario, struct check_report *report)
{
    const struct scenario_node *first = NULL;
    uint32_t more = 0;
    char others[32] = "";
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (node->switch_params->pfc_priorities == 0 ||
            node->switch_params->watchdog != WATCHDOG_OFF)
            continue;
        more += first != NULL;
        first = first == NULL ? node : first;
    }
    if (first == NULL)
        return;
    if (more > 0)
        snprintf(others, sizeof others, " and %u more", (unsigned)more);
    check_add(report, DIAG_NOTE, first->place,
              "%s%s %s no PFC watchdog: a host that never stops sending PAUSE blocks its senders "
              "forever; a run with the fault pause-storm shows how far that spreads",
              first->name, others, more > 0 ? "have" : "has");
}

const struct check_rule check_watchdogs = {
    .name = "watchdogs",
    .about = "Lossless switches have a PFC watchdog.",
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0
 * check_lossy_pauses - a port does not obey PFC in a lossy class.
 * By default a port obeys PFC in its lossless priorities only; pfc-enabled can add others. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/link_classes.h"
#include "scenarios/fabric/pauses.h"

#include "base/quantity.h"
#include "net/switch/switch.h"

static void check_port(const struct scenario *scenario, const struct scenario_node *node,
                       uint16_t port, uint8_t data, struct check_report *report)
{
    const unsigned enabled = pauses_enabled(scenario, node, port);
    const bool by_priority = node->ports[port].params->flow_control == PORT_FLOW_PFC;
    for (unsigned p = 0; by_priority && p < PRIORITIES; p++) {
        if ((data >> p & 1) == 0 || (node->switch_params->pfc_priorities >> p & 1) != 0 ||
            (enabled >> p & 1) == 0)
            continue;
        const struct check_thing thing = check_of_port(node, port, "pfc-enabled");
        check_alike(report, DIAG_NOTE, &thing,
                    "priority %u is lossy at the switch, but the port obeys pauses for it: its "
                    "peer can stop this traffic",
                    p);
        char mask[QUANTITY_TEXT_BYTES];
        opt_format(opt_find(port_opts, "pfc-enabled"), (int64_t)(enabled & ~(1u << p)), mask,
                   sizeof mask);
        check_remedy(report, "remove %u from pfc-enabled of the link", p);
        check_set_here(report, node, port, "pfc-enabled: [%s]", mask);
    }
}

static void find_lossy_pauses(const struct scenario *scenario, struct check_report *report)
{
    struct link_classes classes;
    link_classes_init(&classes, scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++)
            check_port(scenario, node, p,
                       link_classes_priorities(node, link_classes_at(&classes, i, p)->data),
                       report);
    }
    link_classes_fini(&classes);
}

const struct check_rule check_lossy_pauses = {
    .name = "lossy-pauses",
    .about = "Ports obey pauses only for lossless classes.",
    .ethernet = true,
    .run = find_lossy_pauses,
};

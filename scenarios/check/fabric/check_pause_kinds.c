/* SPDX-License-Identifier: Apache-2.0
 * check_pause_kinds - both ends of a link must speak the same kind of pause. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "net/port/port.h"

static void run(const struct scenario *scenario, struct check_report *report)
{
    static const char *const kinds[] = {"PFC", "PAUSE", "no pauses"};
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const struct scenario_node *a = &scenario->nodes[link->node[0]];
        const struct scenario_node *b = &scenario->nodes[link->node[1]];
        const int64_t here = a->ports[link->port[0]].params->flow_control;
        const int64_t there = b->ports[link->port[1]].params->flow_control;
        if (here == there)
            continue;
        const struct check_thing thing = check_of_port(a, link->port[0], "flow-control");
        check_alike(report, DIAG_WARNING, &thing,
                    "it sends %s and %s sends %s: neither obeys the other", kinds[here],
                    scenario_port_name(b, link->port[1]).text, kinds[there]);
        check_shows(report, "drops.lossless > 0");
        const int64_t both = here == PORT_FLOW_PFC || there == PORT_FLOW_NONE ? here : there;
        check_remedy(report, "%s at both ends of the link", kinds[both]);
        char word[QUANTITY_TEXT_BYTES];
        opt_format(opt_find(port_opts, "flow-control"), both, word, sizeof word);
        check_set_here(report, a, link->port[0], "flow-control: %s", word);
        check_set_here(report, b, link->port[1], "flow-control: %s", word);
    }
}

const struct check_rule check_pause_kinds = {
    .name = "pause-kinds",
    .about = "Both ends of a link pause by PFC, or both by PAUSE.",
    .run = run,
};

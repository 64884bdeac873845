/* SPDX-License-Identifier: Apache-2.0
 * check_oversubscription - ratio of the rate of a switch's downlinks to the rate of its uplinks. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"

/* Rates of the links to lower and to higher tiers. */
struct sides {
    int64_t down, up;
};

static struct sides sides_of(const struct scenario *scenario, const struct scenario_node *node)
{
    struct sides sides = {0};
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct scenario_port *port = &node->ports[p];
        if (port->link == SCENARIO_NO_LINK)
            continue;
        const uint8_t tier = scenario->nodes[port->peer_node].tier;
        sides.down += tier < node->tier ? port->params->rate : 0;
        sides.up += tier > node->tier ? port->params->rate : 0;
    }
    return sides;
}

static void find_oversubscription(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const struct sides sides = sides_of(scenario, node);
        if (sides.up == 0 || sides.down <= sides.up)
            continue;
        char down[QUANTITY_TEXT_BYTES], up[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_RATE, sides.down, down, sizeof down);
        quantity_format(QUANTITY_RATE, sides.up, up, sizeof up);
        const int64_t tenths = (int64_t)((__int128)sides.down * 10 / sides.up);
        const struct check_thing thing = {.node = node, .port = SCENARIO_ALL_PORTS};
        check_alike(report, DIAG_NOTE, &thing,
                    "%s of downlinks share %s of uplinks (oversubscription %lld.%lld:1)", down, up,
                    (long long)(tenths / 10), (long long)(tenths % 10));
    }
}

const struct check_rule check_oversubscription = {
    .name = "oversubscription",
    .about = "The uplinks of a switch together are as fast as its downlinks together.",
    .run = find_oversubscription,
};

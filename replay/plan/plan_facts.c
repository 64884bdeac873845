/* SPDX-License-Identifier: Apache-2.0
 * plan_facts - counts ports and links. */
#include "replay/plan/plan_facts.h"

#include "base/quantity.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_host(const struct scenario *scenario, uint32_t node)
{
    return node < scenario->host_count;
}

static void take_switch(const struct scenario *scenario, const struct scenario_node *node,
                        struct plan_facts *facts)
{
    int64_t down = 0, up = 0;
    uint32_t used = 0;
    for (uint16_t i = 0; i < node->port_count; i++) {
        const struct scenario_port *port = &node->ports[i];
        if (port->link == SCENARIO_NO_LINK)
            continue;
        used++;
        if (is_host(scenario, port->peer_node))
            down += port->params->rate;
        else if (scenario->nodes[port->peer_node].tier > node->tier)
            up += port->params->rate;
    }
    facts->ports_used += used;
    facts->ports_most = used > facts->ports_most ? used : facts->ports_most;
    if (down == 0 || up == 0)
        return;
    const int64_t ratio = (int64_t)(((__int128)down * 1000 + up / 2) / up);
    facts->oversubscription = ratio > facts->oversubscription ? ratio : facts->oversubscription;
}

struct plan_facts plan_facts_of(const struct scenario *scenario)
{
    struct plan_facts facts = {.switches = scenario->switch_count, .hosts = scenario->host_count};
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        take_switch(scenario, &scenario->nodes[i], &facts);
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        const bool host = is_host(scenario, link->node[0]) || is_host(scenario, link->node[1]);
        if (link->node[0] == link->node[1])
            continue; /* no cable */
        facts.host_cables += host;
        facts.fabric_cables += !host;
    }
    return facts;
}

void plan_horizon_of(const struct scenario *scenario, time_ps wait, struct plan_horizon *horizon)
{
    static const char *const paths[] = {
        "fabric.routing.detection",           "fabric.routing.convergence",
        "hosts.defaults.rnic.timeout",        "hosts.defaults.rnic.retry-count",
        "hosts.defaults.nvme.keep-alive",     "hosts.defaults.nvme.io-timeout",
        "hosts.defaults.nvme.reconnect-delay"};
    *horizon = (struct plan_horizon){.run = scenario->duration,
                                     .wait = scenario->drain > wait ? scenario->drain : wait};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        for (uint32_t k = 0; k < scenario->setting_count; k++) {
            const struct scenario_setting *setting = &scenario->settings[k];
            if (strcmp(setting->path, paths[i]) != 0)
                continue;
            char value[QUANTITY_TEXT_BYTES];
            const size_t used = strlen(horizon->timers);
            opt_format(setting->row, setting->value, value, sizeof value);
            snprintf(horizon->timers + used, sizeof horizon->timers - used, "%s%s %s",
                     used == 0 ? "" : ", ", setting->row->name, value);
        }
}

const char *const plan_unmodelled[] = {
    "hosts: address translation cache of the NIC, other work on the cores",
    "switches: traffic shaping, hierarchical scheduling, RED on average queue lengths",
    "links: errors that FEC corrects, auto-negotiation",
    "drives: wear, aging and fill level; garbage collection of media other than flash-tlc",
    "failures that the plan does not list, such as firmware bugs and configuration errors",
    "costs other than parts, such as support, spares, cooling and labor; equipment already owned",
    NULL,
};

/* SPDX-License-Identifier: Apache-2.0
 * check_buffers - the memory of a switch is large enough for its headroom, and a shared headroom
 * pool for the needs of one port. */
#include "scenarios/check/check_rule.h"

#include "base/numbers.h"
#include "net/switch/switch_carve.h"

/* A port with the parameters that the simulation would give it. */
struct headroom_link check_link(const struct scenario *scenario, const struct switch_params *params,
                                const struct scenario_port *end)
{
    const struct port_params *peer = scenario->nodes[end->peer_node].ports[end->peer_port].params;
    const struct port port = {
        .params = *end->params,
        .rate = wire_rate((uint64_t)end->params->rate),
        .propagation = port_propagation(end->params),
        .peer_mtu = peer->mtu,
        .peer_response = peer->pfc_response,
    };
    return switch_link(params, &port);
}

/* A shared headroom pool must at least cover the groups of one port, which can pause at the same
 * time. */
static void check_headroom_pool(const struct scenario_node *node, const struct switch_plan *plan,
                                struct check_report *report)
{
    if (plan->headroom >= plan->headroom_most * plan->lossless)
        return;
    const struct check_thing thing = check_of_switch(node, "headroom-pool");
    const int64_t needed = plan->headroom_most * plan->lossless * plan->params->cell;
    check_alike(report, DIAG_WARNING, &thing,
                "the headroom pool has %lld B, but the lossless groups of one port may need %lld B",
                (long long)(plan->headroom * plan->params->cell), (long long)needed);
    check_shows(report, "drops.lossless > 0");
    check_remedy(report, "set headroom-pool to %lld B or more", (long long)needed);
    if (needed < (plan->total - plan->reserved) * plan->params->cell)
        check_set_here(report, node, SCENARIO_ALL_PORTS, "headroom-pool: %lldB", (long long)needed);
    else
        check_set_none(report);
}

static void plan_links(const struct scenario *scenario, const struct scenario_node *node,
                       struct switch_plan *plan)
{
    const struct switch_params *params = node->switch_params;
    switch_plan_begin(plan, params);
    for (uint16_t p = 0; p < node->port_count; p++) {
        if (node->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct headroom_link link = check_link(scenario, params, &node->ports[p]);
        (void)switch_plan_link(plan, &link);
    }
}

int64_t check_largest_frame(const struct scenario_node *node)
{
    int64_t bytes = 0;
    for (uint16_t p = 0; p < node->port_count; p++)
        if (node->ports[p].link != SCENARIO_NO_LINK)
            bytes = max_i64(bytes, port_largest_frame(node->ports[p].params));
    return bytes;
}

bool check_plan(const struct scenario *scenario, const struct scenario_node *node,
                struct switch_plan *plan, char *why, size_t size)
{
    plan_links(scenario, node, plan);
    return switch_plan_end(plan, node->port_count, why, size);
}

bool check_fits(const struct scenario *scenario, const struct scenario_node *node,
                const struct switch_params *params)
{
    struct scenario_node other = *node;
    struct switch_plan plan;
    char why[DIAG_TEXT_BYTES];
    other.switch_params = params;
    return check_plan(scenario, &other, &plan, why, sizeof why);
}

void check_memories(const struct scenario *scenario, struct diag *diag)
{
    struct switch_plan plan;
    char why[DIAG_TEXT_BYTES];
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (!check_plan(scenario, &scenario->nodes[i], &plan, why, sizeof why))
            diag_add(diag, DIAG_ERROR, scenario->nodes[i].place, NULL, "%s: %s",
                     scenario->nodes[i].name, why);
}

/* With a shared headroom pool, half of the memory stays free and the pool covers one port. */
static bool shares_well(const struct switch_plan *plan)
{
    const struct switch_params *params = plan->params;
    if (params->headroom_pool != SWITCH_HEADROOM_POOL_NONE)
        return false;
    const int64_t pool = (plan->headroom + params->headroom_ratio - 1) / params->headroom_ratio;
    return pool >= plan->headroom_most * plan->lossless &&
           (plan->reserved + pool) * params->cell <= params->buffer / 2;
}

static void check_aside(const struct scenario_node *node, const struct switch_plan *plan,
                        struct check_report *report)
{
    const struct switch_params *params = plan->params;
    const int64_t aside = (plan->reserved + plan->headroom) * params->cell;
    if (aside <= params->buffer / 2)
        return;
    const struct check_thing thing = check_of_switch(node, "buffer");
    check_alike(report, aside > params->buffer / 4 * 3 ? DIAG_WARNING : DIAG_NOTE, &thing,
                "reserved memory and headroom take %lld of %lld B, more than half of the buffer",
                (long long)aside, (long long)params->buffer);
    if (!shares_well(plan)) {
        check_remedy(report, "use shorter cables, or a switch with a larger buffer: queues cannot "
                             "use reserved memory");
        return;
    }
    check_remedy(report, "share the headroom among the ports (headroom-pool: auto), because queues "
                         "cannot use headroom that is reserved for each port");
    check_set_here(report, node, SCENARIO_ALL_PORTS, "headroom-pool: auto");
}

static void check_switch(const struct scenario *scenario, const struct scenario_node *node,
                         struct check_report *report)
{
    struct switch_plan plan;
    char why[DIAG_TEXT_BYTES];
    plan_links(scenario, node, &plan);
    if (!switch_plan_end(&plan, node->port_count, why, sizeof why)) {
        const struct check_thing thing = check_of_switch(node, "buffer");
        check_alike(report, DIAG_ERROR, &thing, "%s", why);
        check_remedy(report,
                     "use a larger buffer, or less headroom (shorter cables, or headroom-pool)");
        return;
    }
    check_headroom_pool(node, &plan, report);
    check_aside(node, &plan, report);
}

static void run_buffers_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        check_switch(scenario, &scenario->nodes[i], report);
}

const struct check_rule check_buffers = {
    .name = "buffers",
    .about = "A switch buffer can hold all headroom, and a headroom pool can hold the headroom of "
             "one port.",
    .ethernet = true,
    .run = run_buffers_check,
};

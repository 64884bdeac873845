/* Classes hop by hop, headroom and memory, fan-in.  SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check_private.h"

#include "net/switch.h"
#include "rnic/rnic.h"

/* ---- classes: what a host sends must be the same lossless class everywhere ---- */

/* The switch at the other end of a host's port decides what the host's DSCP means. */
static void check_edge(const struct scenario *scenario, const struct scenario_node *host,
                       const struct scenario_port *port, struct check_report *report)
{
    const struct scenario_node *edge = &scenario->nodes[port->peer_node];
    const struct rnic_params *rnic = host->host->rnic;
    if (port->link == SCENARIO_NO_LINK || edge->kind != SCENARIO_SWITCH)
        return;
    const unsigned here = edge->priority_of_dscp[rnic->dscp];
    if (here != (unsigned)rnic->priority)
        check_add(report, DIAG_WARNING, host->place,
                  "%s sends DSCP %d in priority %d, but %s puts it in %u: its pauses never stop it",
                  host->name, (int)rnic->dscp, (int)rnic->priority, edge->name, here);
}

static bool is_lossless(const struct scenario_node *node, unsigned priority)
{
    return (node->switch_params->pfc_priorities >> priority & 1) != 0;
}

/* One DSCP at one switch, and at the switches behind it. */
static void check_hop(const struct scenario *scenario, const struct scenario_node *node,
                      unsigned dscp, struct check_report *report)
{
    const unsigned here = node->priority_of_dscp[dscp];
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct scenario_port *port = &node->ports[p];
        if (port->link == SCENARIO_NO_LINK)
            continue;
        const struct scenario_node *peer = &scenario->nodes[port->peer_node];
        if (is_lossless(node, here) && (port->params->pfc_enabled >> here & 1) == 0)
            check_add(report, DIAG_WARNING, scenario->links[port->link].place,
                      "%s is lossless in priority %u, but PFC is off in it on %s:p%u", node->name,
                      here, node->name, p);
        if (peer->kind != SCENARIO_SWITCH || node->index > peer->index)
            continue;
        const unsigned there = peer->priority_of_dscp[dscp];
        if (here != there || is_lossless(node, here) != is_lossless(peer, there))
            check_add(report, DIAG_WARNING, scenario->links[port->link].place,
                      "DSCP %u is priority %u (%s) at %s, but %u (%s) at %s", dscp, here,
                      is_lossless(node, here) ? "lossless" : "lossy", node->name, there,
                      is_lossless(peer, there) ? "lossless" : "lossy", peer->name);
    }
}

static void check_lossless(const struct scenario_node *node, unsigned dscp,
                           struct check_report *report)
{
    const unsigned priority = node->priority_of_dscp[dscp];
    if (!is_lossless(node, priority))
        check_add(report, DIAG_WARNING, node->place,
                  "%s may drop RoCE data: DSCP %u is priority %u there, which is not lossless",
                  node->name, dscp, priority);
}

void check_classes(const struct scenario *scenario, struct check_report *report)
{
    uint64_t dscps = 0; /* that data are sent with */
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *host = &scenario->nodes[i];
        dscps |= UINT64_C(1) << host->host->rnic->dscp;
        for (uint16_t p = 0; p < host->port_count; p++)
            check_edge(scenario, host, &host->ports[p], report);
    }
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        for (unsigned dscp = 0; dscp < 64; dscp++) {
            if ((dscps >> dscp & 1) == 0)
                continue;
            check_lossless(&scenario->nodes[i], dscp, report);
            check_hop(scenario, &scenario->nodes[i], dscp, report);
        }
    }
}

/* ---- memory ---- */

/* The switch's own formula, asked for a port as it will be joined. */
static int64_t headroom_needed(const struct scenario *scenario, const struct scenario_node *node,
                               const struct scenario_port *end)
{
    const struct port_params *peer = scenario->nodes[end->peer_node].ports[end->peer_port].params;
    const struct swtch swtch = {.params = *node->switch_params};
    const struct port port = {
        .params = *end->params,
        .rate = wire_rate((uint64_t)end->params->rate),
        .propagation = port_propagation(end->params),
        .peer_mtu = peer->mtu,
        .peer_response = peer->pfc_response,
    };
    return switch_headroom_needed(&swtch, &port);
}

static void check_switch(const struct scenario *scenario, const struct scenario_node *node,
                         struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    const int64_t lossless = __builtin_popcountll((unsigned long long)params->pfc_priorities);
    const bool automatic = params->headroom == SWITCH_HEADROOM_AUTO;
    int64_t sum = 0, most = 0;
    for (uint16_t p = 0; p < node->port_count; p++) {
        if (node->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const int64_t needed = headroom_needed(scenario, node, &node->ports[p]);
        const int64_t headroom = automatic ? needed : params->headroom;
        sum += headroom;
        most = headroom > most ? headroom : most;
        if (lossless > 0 && headroom < needed)
            check_add(report, DIAG_WARNING, node->place,
                      "%s:p%u: %lld B can arrive after XOFF, but its headroom is %lld B",
                      node->name, p, (long long)needed, (long long)headroom);
    }
    const int64_t ports = params->ports > node->port_count ? params->ports : node->port_count;
    const int64_t aside = (sum + (ports - node->port_count) * most) * lossless +
                          ports * PRIORITIES * params->reserved;
    if (aside >= params->buffer)
        check_add(report, DIAG_ERROR, node->place,
                  "%s: reserved room and headroom take %lld B, its packet memory has %lld B",
                  node->name, (long long)aside, (long long)params->buffer);
    else if (aside > params->buffer / 2)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: reserved room and headroom take %lld of %lld B: more than half of its memory",
            node->name, (long long)aside, (long long)params->buffer);
}

void check_buffers(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        check_switch(scenario, &scenario->nodes[i], report);
}

/* ---- fan-in ---- */

static int64_t node_rate(const struct scenario_node *node)
{
    int64_t rate = 0;
    for (uint16_t p = 0; p < node->port_count; p++)
        rate += node->ports[p].link == SCENARIO_NO_LINK ? 0 : node->ports[p].params->rate;
    return rate;
}

/* Hosts that may send to one at the same time, by all workloads; a pair counts once for each workload. */
void check_fan_in(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    int64_t *arriving = arena_array(&scratch, scenario->node_count, sizeof *arriving);
    uint32_t *senders = arena_array(&scratch, scenario->node_count, sizeof *senders);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            senders[pair->to]++;
            arriving[pair->to] += node_rate(&scenario->nodes[pair->from]);
        }
    }
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const int64_t rate = node_rate(&scenario->nodes[i]);
        if (senders[i] > 1 && rate > 0 && arriving[i] > rate)
            check_add(report, DIAG_NOTE, scenario->nodes[i].place,
                      "%u senders with %lld Gb/s meet at %s, which has %lld: fan-in %lld to 1",
                      senders[i], (long long)(arriving[i] / 1000000000), scenario->nodes[i].name,
                      (long long)(rate / 1000000000), (long long)(arriving[i] / rate));
    }
    arena_free(&scratch);
}

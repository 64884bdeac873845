/* SPDX-License-Identifier: Apache-2.0
 * Classes hop by hop, headroom and memory, fan-in. */
#include "scenarios/check/check_private.h"

#include "net/switch/switch_carve.h"
#include "rnic/host/rnic.h"

#include <stdlib.h>

/* ---- classes: what a host sends must be the same lossless class everywhere ---- */

/* DSCPs that connections have, a bit for each. */
struct dscps {
    uint64_t *of_host; /* by node: in either direction */
    uint64_t hosts;    /* that hosts' own rows say */
    uint64_t chosen;   /* that workloads chose, knowing what becomes of them */
};

static void gather(const struct scenario *scenario, struct arena *arena, struct dscps *dscps)
{
    dscps->of_host = arena_array(arena, scenario->host_count, sizeof *dscps->of_host);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const uint64_t bit = UINT64_C(1) << scenario_dscp(scenario, workload, pair);
            *(workload->class.tos_set ? &dscps->chosen : &dscps->hosts) |= bit;
            dscps->of_host[pair->from] |= bit;
            dscps->of_host[pair->to] |= bit;
        }
    }
}

static bool is_lossless(const struct scenario_node *node, unsigned priority)
{
    return (node->switch_params->pfc_priorities >> priority & 1) != 0;
}

/* The switch at the other end of a host's port decides what the host's DSCP means. */
static void check_edge(const struct scenario *scenario, const struct scenario_node *host,
                       const struct scenario_port *port, unsigned dscp, struct check_report *report)
{
    const struct scenario_node *edge = &scenario->nodes[port->peer_node];
    if (port->link == SCENARIO_NO_LINK || edge->kind != SCENARIO_SWITCH)
        return;
    const unsigned here = edge->priority_of_dscp[dscp], own = host->priority_of_dscp[dscp];
    if (here != own) {
        check_add(
            report, DIAG_WARNING, host->place,
            "%s sends DSCP %u on priority %u, but %s maps it to %u: its pauses have no effect",
            host->name, dscp, own, edge->name, here);
        check_shows(report, "drops.lossless > 0");
    }
    if (is_lossless(edge, here) &&
        (rnic_lossless(host->host->rnic, host->priority_of_dscp) >> own & 1) == 0) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s's receive buffer sends no pause for priority %u, DSCP %u: when full, it "
                  "drops traffic that is lossless at %s",
                  host->name, own, dscp, edge->name);
        check_shows(report, "drops.lossy > 0");
    }
}

/* Both ends of a link must speak the same kind of pause. */
static void check_kinds(const struct scenario *scenario, struct check_report *report)
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
        check_add(report, DIAG_WARNING, link->place,
                  "%s sends %s and %s sends %s: neither obeys the other",
                  scenario_port_name(a, link->port[0]).text, kinds[here],
                  scenario_port_name(b, link->port[1]).text, kinds[there]);
        check_shows(report, "drops.lossless > 0");
    }
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
        const bool off = port->params->flow_control == PORT_FLOW_NONE;
        if (is_lossless(node, here) && (off || (port->params->pfc_enabled >> here & 1) == 0)) {
            check_add(report, DIAG_WARNING, scenario->links[port->link].place,
                      "%s is lossless on priority %u, but PFC for it is off on %s", node->name,
                      here, scenario_port_name(node, p).text);
            check_shows(report, "drops.lossless > 0");
        }
        if (peer->kind != SCENARIO_SWITCH || node->index > peer->index)
            continue;
        const unsigned there = peer->priority_of_dscp[dscp];
        if (here != there || is_lossless(node, here) != is_lossless(peer, there)) {
            check_add(report, DIAG_WARNING, scenario->links[port->link].place,
                      "DSCP %u is priority %u (%s) at %s, but %u (%s) at %s", dscp, here,
                      is_lossless(node, here) ? "lossless" : "lossy", node->name, there,
                      is_lossless(peer, there) ? "lossless" : "lossy", peer->name);
            check_shows(report, "drops.lossy > 0");
        }
    }
}

/* A workload that chose its DSCP may well mean a class that drops. */
static void check_lossless(const struct scenario_node *node, unsigned dscp, bool chosen,
                           struct check_report *report)
{
    const unsigned priority = node->priority_of_dscp[dscp];
    if (!is_lossless(node, priority)) {
        check_add(report, chosen ? DIAG_NOTE : DIAG_WARNING, node->place,
                  "%s may drop RoCE data: DSCP %u is priority %u there, which is not lossless",
                  node->name, dscp, priority);
        check_shows(report, "drops.lossy > 0");
    }
}

static void check_host(const struct scenario *scenario, const struct scenario_node *host,
                       uint64_t dscps, struct check_report *report)
{
    for (uint64_t left = dscps; left != 0; left &= left - 1)
        for (uint16_t p = 0; p < host->port_count; p++)
            check_edge(scenario, host, &host->ports[p], (unsigned)__builtin_ctzll(left), report);
}

void check_classes(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct dscps dscps = {0};
    gather(scenario, &scratch, &dscps);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_host(scenario, &scenario->nodes[i], dscps.of_host[i], report);
    check_kinds(scenario, report);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        for (uint64_t left = dscps.hosts | dscps.chosen; left != 0; left &= left - 1) {
            const unsigned dscp = (unsigned)__builtin_ctzll(left);
            check_lossless(&scenario->nodes[i], dscp, (dscps.hosts >> dscp & 1) == 0, report);
            check_hop(scenario, &scenario->nodes[i], dscp, report);
        }
    }
    arena_free(&scratch);
}

/* ---- memory ---- */

/* A port as it will be joined. */
static struct headroom_link link_of(const struct scenario *scenario,
                                    const struct switch_params *params,
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

static void check_headroom(const struct scenario_node *node, uint16_t port, int64_t needed,
                           int64_t headroom, struct check_report *report)
{
    if (headroom >= needed)
        return;
    check_add(report, DIAG_WARNING, node->place,
              "%s: %lld B can arrive after XOFF, but its headroom is %lld B",
              scenario_port_name(node, port).text, (long long)needed, (long long)headroom);
    check_shows(report, "drops.lossless > 0");
}

/* Shared by all groups, it must be enough for those of one port that pause at once at the least. */
static void check_headroom_pool(const struct scenario_node *node, const struct switch_plan *plan,
                                struct check_report *report)
{
    if (plan->headroom >= plan->headroom_most * plan->lossless)
        return;
    check_add(report, DIAG_WARNING, node->place,
              "%s: its headroom pool has %lld B, but one port's groups may need %lld B", node->name,
              (long long)(plan->headroom * plan->params->cell),
              (long long)(plan->headroom_most * plan->lossless * plan->params->cell));
    check_shows(report, "drops.lossless > 0");
}

/* `report` NULL: nothing is said. */
static void plan_links(const struct scenario *scenario, const struct scenario_node *node,
                       struct switch_plan *plan, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    switch_plan_begin(plan, params);
    for (uint16_t p = 0; p < node->port_count; p++) {
        if (node->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct headroom_link link = link_of(scenario, params, &node->ports[p]);
        const int64_t headroom = switch_plan_link(plan, &link) * params->cell;
        if (report != NULL && plan->lossless > 0)
            check_headroom(node, p, headroom_auto(&link), headroom, report);
    }
}

bool check_plan(const struct scenario *scenario, const struct scenario_node *node,
                struct switch_plan *plan, char *why, size_t size)
{
    plan_links(scenario, node, plan, NULL);
    return switch_plan_end(plan, node->port_count, why, size);
}

static void check_switch(const struct scenario *scenario, const struct scenario_node *node,
                         struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    struct switch_plan plan;
    char why[DIAG_TEXT_BYTES];
    plan_links(scenario, node, &plan, report);
    if (!switch_plan_end(&plan, node->port_count, why, sizeof why)) {
        check_add(report, DIAG_ERROR, node->place, "%s: %s", node->name, why);
        return;
    }
    check_headroom_pool(node, &plan, report);
    const int64_t aside = (plan.reserved + plan.headroom) * params->cell;
    if (aside > params->buffer / 2)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: reserved buffer and headroom take %lld of %lld B: more than half of its memory",
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

struct flow {
    uint32_t to, from;
};

static int by_receiver(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Every pair of every workload, sorted by receiver and then by sender. */
static struct flow *sorted_flows(const struct scenario *scenario, struct arena *arena,
                                 size_t *count)
{
    *count = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        *count += scenario->workloads[w].pair_count;
    struct flow *flows = arena_array(arena, *count, sizeof *flows);
    size_t used = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            flows[used++] = (struct flow){pair->to, pair->from};
        }
    qsort(flows, *count, sizeof *flows, by_receiver);
    return flows;
}

static void tell_fan_in(const struct scenario_node *host, uint32_t senders, int64_t arriving,
                        struct check_report *report)
{
    const int64_t rate = node_rate(host);
    if (senders > 1 && rate > 0 && arriving > rate) {
        check_add(report, DIAG_NOTE, host->place,
                  "%u hosts with %lld Gb/s send to %s, which has %lld: fan-in %lld to 1", senders,
                  (long long)(arriving / 1000000000), host->name, (long long)(rate / 1000000000),
                  (long long)(arriving / rate));
        check_shows(report, "pfc.pause_frames");
    }
}

/* Hosts that may talk to one at the same time; a host with several workloads counts once. */
void check_fan_in(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    size_t count;
    const struct flow *flows = sorted_flows(scenario, &scratch, &count);
    uint32_t senders = 0;
    int64_t arriving = 0;
    for (size_t i = 0; i < count; i++) {
        const bool repeated = i > 0 && by_receiver(&flows[i - 1], &flows[i]) == 0;
        senders += !repeated;
        arriving += repeated ? 0 : node_rate(&scenario->nodes[flows[i].from]);
        if (i + 1 < count && flows[i + 1].to == flows[i].to)
            continue;
        tell_fan_in(&scenario->nodes[flows[i].to], senders, arriving, report);
        senders = 0;
        arriving = 0;
    }
    arena_free(&scratch);
}

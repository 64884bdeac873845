/* SPDX-License-Identifier: Apache-2.0
 * Thresholds and times that belong together: marking before pausing, pauses that last until they
 * are sent again, receive buffers that hold what is still under way, and the watchdog.
 * Things with the same parameters share one struct, so each struct is told of once; rx-xoff above
 * the whole buffer is check_values' to tell. */
#include "scenarios/check/check_private.h"

#include "net/headroom/headroom.h"
#include "net/switch/switch_carve.h"
#include "net/switch/watchdog.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"

/* ---- marking before pausing ---- */

static bool anybody_reacts(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (scenario->nodes[i].host->cc->wants_ecn)
            return true;
    return false;
}

/* Bytes of one sender at which it is paused while `busy` groups are as full as they may be. */
static int64_t pause_threshold(const struct switch_plan *plan, int64_t busy)
{
    const struct switch_params *params = plan->params;
    return params->reserved + buffer_policies[params->policy]->settled(
                                  params->policy_params[params->policy], params->alpha,
                                  plan->lossless_pool * params->cell, busy);
}

static void check_marking(const struct scenario_node *node, const struct switch_plan *plan,
                          struct check_report *report)
{
    const int64_t kmin = plan->params->ecn_kmin;
    const int64_t alone = pause_threshold(plan, 1), full = pause_threshold(plan, plan->links);
    if (plan->params->ecn_kmax == 0) {
        check_add(
            report, DIAG_NOTE, node->place,
            "%s marks nothing (ecn-kmax 0): congestion control gets no signal, only pauses act",
            node->name);
        check_shows(report, "ecn.marked == 0");
    } else if (kmin >= alone) {
        check_add(report, DIAG_WARNING, node->place,
                  "%s starts ECN marking at %lld B of an egress queue, but pauses a single sender "
                  "at %lld B: pauses act before congestion control",
                  node->name, (long long)kmin, (long long)alone);
        check_shows(report, "pfc.pause_frames > 0");
    } else if (kmin >= full) {
        check_add(report, DIAG_NOTE, node->place,
                  "%s starts ECN marking at %lld B of an egress queue; with all of its %lld ports "
                  "congested a sender is paused at %lld B, before that",
                  node->name, (long long)kmin, (long long)plan->links, (long long)full);
        check_shows(report, "pfc.pause_frames > 0");
    }
}

/* ---- the watchdog ---- */

/* Of all switches at once. */
static void check_watchdogs(const struct scenario *scenario, struct check_report *report)
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

static void check_switches(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen seen = {0};
    const bool reacts = anybody_reacts(scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        struct switch_plan plan;
        char why[DIAG_TEXT_BYTES];
        if (node->switch_params->pfc_priorities == 0 ||
            !check_first_time(&seen, node->switch_params))
            continue;
        if (reacts && check_plan(scenario, node, &plan, why, sizeof why))
            check_marking(node, &plan, report);
    }
    arena_free(&seen.arena);
}

/* ---- pauses that last ---- */

enum { SHARE_WORTH_TELLING = 100 }; /* a hundredth of the link */

static void check_refresh(const struct scenario_node *node, uint16_t index,
                          struct check_report *report)
{
    const struct port_params *params = node->ports[index].params;
    const uint64_t rate = (uint64_t)params->rate;
    const time_ps lasts = units_transfer_ps(UINT64_C(64) * (uint64_t)params->pfc_quanta, rate);
    const time_ps again = params->pfc_refresh == 0 ? lasts / 2 : params->pfc_refresh;
    const time_ps takes = units_transfer_ps(WIRE_PFC_BYTES + WIRE_GAP_BYTES, rate);
    if (params->flow_control == PORT_FLOW_NONE || params->pfc_enabled == 0)
        return;
    if (again + takes > lasts) {
        check_add(report, DIAG_WARNING, node->place,
                  "%s: a pause lasts %lld ns, but is refreshed only every %lld ns: the peer sends "
                  "in between, and those frames are dropped",
                  scenario_port_name(node, index).text, (long long)(lasts / PS_PER_NS),
                  (long long)(again / PS_PER_NS));
        check_shows(report, "drops.lossless > 0");
    } else if (again < takes * SHARE_WORTH_TELLING) {
        check_add(
            report, DIAG_NOTE, node->place,
            "%s: pause frames are refreshed every %lld ns, which takes more than 1%% of the link",
            scenario_port_name(node, index).text, (long long)(again / PS_PER_NS));
        check_shows(report, "pfc.pause_frames");
    }
}

/* ---- receive buffers ---- */

static void check_rx_buffer(const struct scenario *scenario, const struct scenario_node *host,
                            uint16_t index, struct check_report *report)
{
    const struct scenario_port *port = &host->ports[index];
    const struct rnic_params *rnic = host->host->rnic;
    const struct port_params *peer = scenario->nodes[port->peer_node].ports[port->peer_port].params;
    const struct headroom_link link = {
        .rate = port->params->rate,
        .propagation = port_propagation(port->params),
        .mtu = port->params->mtu,
        .peer_mtu = peer->mtu,
        .response = peer->pfc_response,
        .cell = 1,
        .smallest = HEADROOM_SMALLEST_FRAME,
        .largest = port->params->mtu + WIRE_ETHERNET_BYTES,
    };
    const int64_t needed = headroom_auto(&link);
    const int64_t kept = rnic->rx_buffer - rx_buffer_xoff(rnic, port->params);
    if (!rnic->pfc) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s sends no pauses (rnic.pfc false): when it is slow, its receive buffer "
                  "overflows and drops",
                  host->name);
        check_shows(report, "drops.lossy > 0");
    } else if (kept >= 0 && kept < needed) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s: %lld B can arrive after XOFF, but its receive buffer keeps %lld B for that: "
                  "it drops when it is slow",
                  host->name, (long long)needed, (long long)kept);
        check_shows(report, "drops.lossless > 0");
    }
}

static void check_ports(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen ports = {0}, hosts = {0};
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        const bool host_is_new =
            node->kind == SCENARIO_HOST && check_first_time(&hosts, node->host->rnic);
        for (uint16_t p = 0; p < node->port_count; p++) {
            const bool port_is_new = node->ports[p].link != SCENARIO_NO_LINK &&
                                     check_first_time(&ports, node->ports[p].params);
            if (port_is_new)
                check_refresh(node, p, report);
            if (node->kind == SCENARIO_HOST && node->ports[p].link != SCENARIO_NO_LINK &&
                (port_is_new || host_is_new))
                check_rx_buffer(scenario, node, p, report);
        }
    }
    arena_free(&ports.arena);
    arena_free(&hosts.arena);
}

void check_thresholds(const struct scenario *scenario, struct check_report *report)
{
    check_switches(scenario, report);
    check_watchdogs(scenario, report);
    check_ports(scenario, report);
}

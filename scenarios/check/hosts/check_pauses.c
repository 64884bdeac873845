/* SPDX-License-Identifier: Apache-2.0
 * check_pauses - pauses are refreshed before they expire, and receive buffers absorb what is in
 * flight.
 * An rx-xoff above the size of the buffer is reported by check_host_values. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/classes.h"

#include "base/memory.h"
#include "base/note_text.h"

#include "net/headroom/headroom.h"
#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"
#include "scenarios/fabric/pauses.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>

enum {
    SHARE_WORTH_TELLING = 100
}; /* 1 / share of the link above which pause frames are
                                     * reported */

/* Whole microseconds; ns_beyond has the remaining nanoseconds. The two times in the message may
 * differ by a few nanoseconds only. */
static long long whole_us(time_ps time)
{
    return (long long)((time + PS_PER_NS / 2) / PS_PER_US);
}

static long long ns_beyond(time_ps time)
{
    return (long long)((time + PS_PER_NS / 2) / PS_PER_NS % 1000);
}

static void check_refresh(const struct scenario *scenario, const struct scenario_node *node,
                          uint16_t index, struct check_report *report)
{
    const struct port_params *params = node->ports[index].params;
    const uint64_t rate = (uint64_t)params->rate;
    const time_ps lasts = units_transfer_ps(UINT64_C(64) * (uint64_t)params->pfc_quanta, rate);
    const time_ps again = params->pfc_refresh == 0 ? lasts / 2 : params->pfc_refresh;
    const time_ps takes = units_transfer_ps(WIRE_PFC_BYTES + WIRE_GAP_BYTES, rate);
    struct check_thing thing = check_of_port(node, index, "pfc-quanta");
    if (pauses_enabled(scenario, node, index) == 0)
        return;
    if (again + takes > lasts) {
        thing.row = "pfc-refresh";
        check_alike(report, DIAG_WARNING, &thing,
                    "a pause lasts %lld.%03lld us, but is refreshed only every %lld.%03lld us: the "
                    "peer sends in between, and these frames are dropped",
                    whole_us(lasts), ns_beyond(lasts), whole_us(again), ns_beyond(again));
        check_shows(report, "drops.lossless > 0");
        check_remedy(report,
                     "set pfc-refresh to 0ns, which means half of the pause time in an XOFF");
        check_set_port(report, &thing, "0ns");
        thing.row = "pfc-quanta";
        if (lasts / 2 + takes > lasts)
            check_set_port(report, &thing, "65535");
    } else if (again < takes * SHARE_WORTH_TELLING) {
        check_alike(report, DIAG_NOTE, &thing,
                    "pauses are refreshed every %s, which uses more than 1%% of the link",
                    note_time(again).text);
        check_shows(report, "pfc.pause_frames");
        check_remedy(report, "use longer pauses: pfc-quanta 65535%s",
                     params->pfc_refresh == 0 ? "" : ", refreshed after half of them");
        check_set_port(report, &thing, "65535");
        thing.row = "pfc-refresh";
        if (params->pfc_refresh != 0)
            check_set_port(report, &thing, "0ns");
    }
}

static struct headroom_link link_of(const struct scenario *scenario,
                                    const struct scenario_node *host, uint16_t index)
{
    const struct scenario_port *port = &host->ports[index];
    const struct port_params *peer = scenario->nodes[port->peer_node].ports[port->peer_port].params;
    return (struct headroom_link){
        .rate = port->params->rate,
        .propagation = port_propagation(port->params),
        .mtu = port->params->mtu,
        .peer_mtu = peer->mtu,
        .response = peer->pfc_response,
        .cell = 1,
        .smallest = HEADROOM_SMALLEST_FRAME,
        .largest = port->params->mtu + WIRE_ETHERNET_BYTES,
    };
}

/* Bytes that arrive during the round trip of a pause. */
static int64_t trip_of(const struct headroom_link *link)
{
    const time_ps round = 2 * link->propagation + link->response;
    return (int64_t)((__int128)round * link->rate / 8 / PS_PER_S);
}

/* Proposes a receive buffer, and thresholds in it, that suffice for all links of the host; never a
 * smaller buffer than the present one. */
static void propose_rx_buffer(struct check_report *report, const struct scenario *scenario,
                              const struct scenario_node *host)
{
    const struct rnic_params *rnic = host->host->rnic;
    int64_t xon = 0, headroom = 0;
    for (uint16_t p = 0; p < host->port_count; p++) {
        if (host->ports[p].link == SCENARIO_NO_LINK)
            continue;
        const struct headroom_link link = link_of(scenario, host, p);
        xon = trip_of(&link) > xon ? trip_of(&link) : xon;
        headroom = headroom_auto(&link) > headroom ? headroom_auto(&link) : headroom;
    }
    const int64_t xoff = xon + RX_BUFFER_HYSTERESIS;
    const int64_t most = rnic->rx_buffer - headroom > xoff ? rnic->rx_buffer - headroom : xoff;
    check_set_here(report, host, SCENARIO_ALL_PORTS,
                   "rnic: {pfc: true, rx-buffer: %lldB, rx-xoff: %lldB, rx-xon: auto}",
                   (long long)(most + headroom), (long long)most);
}

/* Data that the host needs in its buffer to stay busy while XON takes effect: 802.1Q annex N,
 * including the peer's response time. */
static void check_resume(const struct scenario *scenario, const struct scenario_node *host,
                         int64_t trip, int64_t xoff, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    const int64_t xon = rnic->rx_xon == RNIC_AUTO ? xoff - RX_BUFFER_HYSTERESIS : rnic->rx_xon;
    const int64_t used = xon < 0 || xon > xoff ? xoff / 2 : xon;
    if (!rnic->pfc || used >= trip)
        return;
    const struct check_thing thing =
        check_of_rnic(host, rnic->rx_xon == RNIC_AUTO ? "rx-buffer" : "rx-xon");
    check_alike(report, DIAG_WARNING, &thing,
                "XON is at %lld B, less than the %lld B of a round trip of the link: after each "
                "pause, the receive buffer of a slow host runs empty",
                (long long)used, (long long)trip);
    check_remedy(report, "raise rnic.rx-buffer, or rnic.rx-xon to %lld B or more", (long long)trip);
    propose_rx_buffer(report, scenario, host);
}

static void check_rx_buffer(const struct scenario *scenario, const struct scenario_node *host,
                            uint16_t index, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    const struct port_params *params = host->ports[index].params;
    const struct headroom_link link = link_of(scenario, host, index);
    const int64_t needed = headroom_auto(&link);
    const int64_t kept = rnic->rx_buffer - rx_buffer_xoff(rnic, params);
    check_resume(scenario, host, trip_of(&link), rx_buffer_xoff(rnic, params), report);
    struct check_thing thing =
        check_of_rnic(host, rnic->rx_xoff == RNIC_AUTO ? "rx-buffer" : "rx-xoff");
    if (!rnic->pfc) {
        thing.row = "pfc";
        check_alike(report, classes_lossy_by_intent(scenario) ? DIAG_NOTE : DIAG_WARNING, &thing,
                    "no pauses are sent (rnic.pfc false): a slow host drops frames when its "
                    "receive buffer is full");
        check_shows(report, "drops.lossy > 0");
        check_remedy(report, "set rnic.pfc: true");
        propose_rx_buffer(report, scenario, host);
    } else if (kept >= 0 && kept < needed) {
        check_alike(report, DIAG_WARNING, &thing,
                    "%lld B can arrive after XOFF, but the receive buffer has only %lld B for "
                    "them: a slow host drops frames",
                    (long long)needed, (long long)kept);
        check_shows(report, "drops.lossless > 0");
        if (rnic->rx_buffer > needed)
            check_remedy(report, "lower rnic.rx-xoff to %lld B, or raise rnic.rx-buffer",
                         (long long)(rnic->rx_buffer - needed));
        else
            check_remedy(report, "raise rnic.rx-buffer well above %lld B", (long long)needed);
        propose_rx_buffer(report, scenario, host);
    }
}

/* The priority that a frame with this DSCP has on the way to the host; a mask. */
static uint8_t arrives_in(const struct scenario *scenario, uint32_t host, uint8_t dscp)
{
    const struct scenario_port *port = &scenario->nodes[host].ports[0];
    if (scenario->nodes[host].port_count == 0 || port->link == SCENARIO_NO_LINK ||
        scenario->nodes[port->peer_node].kind != SCENARIO_SWITCH)
        return UINT8_MAX;
    return (uint8_t)(1U << scenario->nodes[port->peer_node].priority_of_dscp[dscp]);
}

/* By host: the priorities in which it receives traffic; all for RDMA, and for a host without
 * traffic. */
static uint8_t *received_priorities(const struct scenario *scenario)
{
    uint8_t *masks = memory_zeroed(scenario->host_count, sizeof *masks);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const bool tcp = workload->by_tcp;
            masks[pair->to] |=
                tcp ? arrives_in(scenario, pair->to, scenario_dscp(scenario, workload, pair))
                    : UINT8_MAX;
            masks[pair->from] |=
                tcp ? arrives_in(scenario, pair->from, scenario_dscp_back(scenario, workload, pair))
                    : UINT8_MAX;
        }
    }
    for (uint32_t i = 0; i < scenario->host_count; i++)
        masks[i] = masks[i] == 0 ? UINT8_MAX : masks[i];
    return masks;
}

static void find_pauses(const struct scenario *scenario, struct check_report *report)
{
    uint8_t *received = received_priorities(scenario);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++) {
            if (node->ports[p].link == SCENARIO_NO_LINK)
                continue;
            check_refresh(scenario, node, p, report);
            if (node->kind == SCENARIO_HOST &&
                (received[i] == UINT8_MAX || (received[i] & pauses_enabled(scenario, node, p))))
                check_rx_buffer(scenario, node, p, report);
        }
    }
    free(received);
}

const struct check_rule check_pauses = {
    .name = "pauses",
    .about =
        "A pause lasts until its refresh, and a receive buffer has room for the data in flight.",
    .ethernet = true,
    .run = find_pauses,
};

/* SPDX-License-Identifier: Apache-2.0
 * check_headroom - the headroom absorbs what arrives after XOFF, given the frame sizes that are
 * really sent.
 * A train of small frames needs the most headroom, because each frame occupies at least one cell.
 * Small frames are acknowledgments that queue up behind a pause, at most one per operation. Data
 * always arrive in trains. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/link_classes.h"
#include "scenarios/check/sent_frames.h"

#include "net/headroom/headroom.h"
#include "net/switch/switch_carve.h"

struct checking {
    const struct scenario *scenario;
    struct check_report *report;
    struct link_classes classes;
    struct sent_frames sent;
};

/* Frames that one lossless priority receives from a link. */
struct incoming {
    struct headroom_frames frames;
    int64_t sizes[SENT_FRAMES_MAX];
    bool anything;
};

static void add_sizes(struct incoming *incoming, const struct sent_sizes *sent)
{
    for (unsigned i = 0; i < sent->count && incoming->frames.count < SENT_FRAMES_MAX; i++)
        incoming->sizes[incoming->frames.count++] = sent->sizes[i];
}

static struct incoming incoming_of(const struct checking *checking, uint32_t node,
                                   const struct scenario_port *port, unsigned priority)
{
    const struct scenario_node *here = &checking->scenario->nodes[node];
    const struct link_classes_port *sent =
        link_classes_at(&checking->classes, port->peer_node, port->peer_port);
    struct incoming incoming = {.frames = {.small = HEADROOM_SMALLEST_FRAME}};
    for (unsigned dscp = 0; dscp < SENT_FRAMES_DSCPS; dscp++) {
        const bool data = (sent->data >> dscp & 1) != 0;
        if (here->priority_of_dscp[dscp] != priority ||
            ((sent->data | sent->control) >> dscp & 1) == 0)
            continue;
        incoming.anything = true;
        incoming.frames.smalls += checking->sent.by_dscp[dscp].smalls;
        if (data)
            add_sizes(&incoming, &checking->sent.by_dscp[dscp]);
    }
    return incoming;
}

/* Proposes headroom for what arrives after XOFF, if the memory is large enough. */
static void propose_headroom(const struct checking *checking, const struct scenario_node *node,
                             int64_t most)
{
    struct switch_params params = *node->switch_params;
    params.headroom = SWITCH_HEADROOM_AUTO;
    const bool fits = check_fits(checking->scenario, node, &params);
    params.headroom = most;
    if (fits)
        check_set_here(checking->report, node, SCENARIO_ALL_PORTS, "headroom: auto");
    else if (check_fits(checking->scenario, node, &params))
        check_set_here(checking->report, node, SCENARIO_ALL_PORTS, "headroom: %lldB",
                       (long long)most);
    else
        check_set_none(checking->report);
}

static void report_headroom(const struct checking *checking, const struct check_thing *thing,
                            int64_t headroom, int64_t data, int64_t most)
{
    if (headroom < data) {
        check_alike(checking->report, DIAG_WARNING, thing,
                    "%lld B of data can arrive after XOFF, but the headroom is %lld B",
                    (long long)data, (long long)headroom);
        check_shows(checking->report, "drops.lossless > 0");
    } else {
        check_alike(checking->report, DIAG_NOTE, thing,
                    "%lld B of back-to-back ACKs and requests can arrive after XOFF, but the "
                    "headroom is %lld B, enough only for full-size data frames",
                    (long long)most, (long long)headroom);
    }
    check_remedy(checking->report, "set the switch's headroom to %lld B or more, or to auto",
                 (long long)most);
    propose_headroom(checking, thing->node, most);
}

/* A pause frame waits for a frame that this end has just started to send, which is no larger than
 * the largest frame that any workload sends. */
static int64_t own_mtu(const struct checking *checking, int64_t mtu)
{
    int64_t largest = 0;
    for (unsigned dscp = 0; dscp < SENT_FRAMES_DSCPS; dscp++) {
        const struct sent_sizes *sent = &checking->sent.by_dscp[dscp];
        if (sent->count > 0 && sent->sizes[sent->count - 1] > largest)
            largest = sent->sizes[sent->count - 1];
    }
    return largest - WIRE_ETHERNET_BYTES < mtu ? largest - WIRE_ETHERNET_BYTES : mtu;
}

static void check_port(const struct checking *checking, uint32_t index, uint16_t port)
{
    const struct scenario_node *node = &checking->scenario->nodes[index];
    const struct switch_params *params = node->switch_params;
    struct headroom_link link = check_link(checking->scenario, params, &node->ports[port]);
    link.mtu = own_mtu(checking, link.mtu);
    link.dynamic = !buffer_policies[params->policy]->fixed;
    const int64_t headroom = switch_cells_up(params, params->headroom) * params->cell;
    for (unsigned p = 0; p < PRIORITIES; p++) {
        struct incoming incoming = incoming_of(checking, index, &node->ports[port], p);
        struct headroom_frames *frames = &incoming.frames;
        if (!incoming.anything || (params->pfc_priorities >> p & 1) == 0)
            continue;
        frames->sizes = incoming.sizes;
        const int64_t most = headroom_for(&link, frames);
        frames->smalls = 0;
        const int64_t data = headroom_for(&link, frames);
        const struct check_thing thing = {node, port, node->switch_values, "headroom"};
        if (headroom < most)
            report_headroom(checking, &thing, headroom, data, most);
    }
}

static void run_headroom_check(const struct scenario *scenario, struct check_report *report)
{
    struct checking checking = {.scenario = scenario, .report = report};
    link_classes_init(&checking.classes, scenario);
    sent_frames_gather(&checking.sent, scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++)
            if (scenario->nodes[i].ports[p].link != SCENARIO_NO_LINK &&
                scenario->nodes[i].switch_params->headroom != SWITCH_HEADROOM_AUTO)
                check_port(&checking, i, p);
    link_classes_fini(&checking.classes);
}

const struct check_rule check_headroom = {
    .name = "headroom",
    .about = "The headroom can hold all data that arrive after a switch has sent XOFF.",
    .ethernet = true,
    .run = run_headroom_check,
};

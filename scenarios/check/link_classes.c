/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/link_classes.h"

#include "net/switch/switch.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "scenarios/check/flow_walk.h"
#include "scenarios/check/offered.h"
#include "scenarios/fabric/nics.h"

struct gathering {
    const struct scenario *scenario;
    struct link_classes *classes;
    uint64_t cnps; /* DSCPs of CNPs that receivers send */
};

uint8_t link_classes_priorities(const struct scenario_node *node, uint64_t dscps)
{
    unsigned priorities = 0;
    for (uint64_t left = dscps; left != 0; left &= left - 1)
        priorities |= 1u << node->priority_of_dscp[__builtin_ctzll(left)];
    return (uint8_t)priorities;
}

const int64_t *link_classes_weights(const struct scenario_node *node)
{
    return node->kind == SCENARIO_HOST ? node->host->rnic->weight : node->switch_params->weight;
}

static void join_classes(struct link_classes_port *port, const struct link_classes_port *more)
{
    port->data |= more->data;
    port->control |= more->control;
    port->cnp |= more->cnp;
}

/* Adds traffic at the sending host's port, and at the switch port to the receiving host. */
static void add_ends(struct gathering *gathering, struct scenario_spot from,
                     struct scenario_spot to, const struct link_classes_port *what)
{
    const struct scenario *scenario = gathering->scenario;
    struct link_classes *classes = gathering->classes;
    const struct scenario_node *sender = &scenario->nodes[from.node];
    const struct scenario_node *taker = &scenario->nodes[to.node];
    const struct scenario_port *last = &taker->ports[to.port];
    if (from.port < sender->port_count)
        join_classes(&classes->ports[classes->first_port[from.node] + from.port], what);
    if (to.port < taker->port_count && last->link != SCENARIO_NO_LINK)
        join_classes(&classes->ports[classes->first_port[last->peer_node] + last->peer_port], what);
}

static uint64_t bit(int64_t dscp)
{
    return UINT64_C(1) << dscp;
}

/* Adds data in one direction and their acknowledgments in the other. */
static void add_flow(struct gathering *gathering, struct scenario_spot from,
                     struct scenario_spot to, uint8_t dscp, uint8_t answered, int64_t offered)
{
    const struct scenario_host *sender = gathering->scenario->nodes[from.node].host;
    const struct rnic_params *taker = gathering->scenario->nodes[to.node].host->rnic;
    const struct link_classes_port data = {.data = bit(dscp)};
    const struct link_classes_port answers = {
        .control = bit(taker->ack_dscp == RNIC_AUTO ? answered : taker->ack_dscp),
        .cnp = sender->cc->on_cnp == NULL ? 0 : bit(taker->cnp_dscp),
    };
    if (offered == 0)
        return;
    gathering->classes->greedy |= offered == OFFERED_ALL ? bit(dscp) : 0;
    gathering->cnps |= answers.cnp;
    add_ends(gathering, from, to, &data);
    add_ends(gathering, to, from, &answers);
}

static void add_workload(struct gathering *gathering, const struct scenario_workload *workload)
{
    struct nic_pair nics[NICS_MAX];
    const struct offering all = offered_all(workload);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const uint8_t dscp = scenario_dscp(gathering->scenario, workload, pair);
        const uint8_t back = scenario_dscp_back(gathering->scenario, workload, pair);
        const struct offered offered = offered_by(gathering->scenario, &all, pair);
        const struct link_classes_port requests = {.control = bit(dscp)};
        const uint32_t used = nics_used(gathering->scenario, workload, pair, nics);
        for (uint32_t n = 0; n < used; n++) {
            const struct scenario_spot from = {pair->from, nics[n].from};
            const struct scenario_spot to = {pair->to, nics[n].to};
            add_flow(gathering, from, to, dscp, back, offered.out);
            add_flow(gathering, to, from, back, dscp, offered.back);
            add_ends(gathering, from, to, &requests);
        }
    }
}

static void add_hop(void *self, const struct flow_hop *hop)
{
    struct gathering *gathering = self;
    struct link_classes *classes = gathering->classes;
    const struct scenario_node *node = &gathering->scenario->nodes[hop->node];
    const bool data = hop->traffic->load == DEPENDENCY_DATA;
    const struct link_classes_port what = {
        .data = data ? bit(hop->traffic->dscp) : 0,
        .control = data ? 0 : bit(hop->traffic->dscp),
        .cnp = data ? 0 : gathering->cnps,
    };
    for (uint32_t i = 0; i < hop->count; i++)
        if (gathering->scenario->nodes[node->ports[hop->ports[i]].peer_node].kind ==
            SCENARIO_SWITCH)
            join_classes(&classes->ports[classes->first_port[hop->node] + hop->ports[i]], &what);
}

void link_classes_init(struct link_classes *classes, const struct scenario *scenario)
{
    uint32_t ports = 0;
    *classes = (struct link_classes){0};
    struct gathering gathering = {.scenario = scenario, .classes = classes};
    classes->first_port = arena_array(&classes->arena, scenario->node_count, sizeof(uint32_t));
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        classes->first_port[i] = ports;
        ports += scenario->nodes[i].port_count;
    }
    classes->ports = arena_array(&classes->arena, ports, sizeof *classes->ports);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        add_workload(&gathering, &scenario->workloads[w]);
    flow_walk(scenario, add_hop, &gathering);
}

void link_classes_fini(struct link_classes *classes)
{
    arena_free(&classes->arena);
}

/* SPDX-License-Identifier: Apache-2.0
 * traffic - collects the pairs as entries of a hash table and sorts them into an array. */
#include "scenarios/check/traffic.h"

#include "base/hash.h"
#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>
#include <string.h>

struct gather {
    const struct scenario *scenario;
    const struct route_table *tables;
    uint32_t *alike;  /* by endpoint: representative of the endpoints with the same routes;
                       * GRAPH_NONE: not computed yet */
    uint64_t *hashes; /* hashes of the representatives */
    uint32_t *leaders;
    uint32_t leader_count;
    struct dependency_traffic *slots; /* open addressing; entry GRAPH_NONE: empty */
    uint32_t room, count;
};

/* ------------------------------------------------------------------ destinations */

static bool is_switch(const struct scenario *scenario, uint32_t node)
{
    return scenario->nodes[node].kind == SCENARIO_SWITCH;
}

/* Egress port from a node to an endpoint. All ports that lead directly to a host count as the same
 * one. */
static uint16_t egress_at(const struct gather *gather, uint32_t node, uint32_t endpoint)
{
    const struct scenario_node *about = &gather->scenario->nodes[node];
    const uint16_t egress = gather->tables[node].egress[endpoint];
    if (egress < ROUTE_GROUP && !is_switch(gather->scenario, about->ports[egress].peer_node))
        return UINT16_MAX;
    return egress;
}

static bool same_egress(const struct gather *gather, uint32_t a, uint32_t b)
{
    for (uint32_t n = gather->scenario->host_count; n < gather->scenario->node_count; n++)
        if (egress_at(gather, n, a) != egress_at(gather, n, b))
            return false;
    return true;
}

/* Finds the representative with the same routes. Endpoints are looked up in order, so one at the
 * same switch is usually among the latest representatives. */
static uint32_t alike(struct gather *gather, uint32_t endpoint)
{
    if (gather->alike[endpoint] != GRAPH_NONE)
        return gather->alike[endpoint];
    uint64_t hash = 0;
    for (uint32_t n = gather->scenario->host_count; n < gather->scenario->node_count; n++)
        hash = hash_mix(hash ^ egress_at(gather, n, endpoint));
    uint32_t found = endpoint;
    for (uint32_t i = gather->leader_count; i-- > 0 && found == endpoint;)
        if (gather->hashes[i] == hash && same_egress(gather, gather->leaders[i], endpoint))
            found = gather->leaders[i];
    if (found == endpoint) {
        gather->hashes[gather->leader_count] = hash;
        gather->leaders[gather->leader_count++] = endpoint;
    }
    return gather->alike[endpoint] = found;
}

/* ------------------------------------------------------------------ entries */

static bool same_entry(const struct dependency_traffic *a, const struct dependency_traffic *b)
{
    return a->entry == b->entry && a->endpoint == b->endpoint && a->dscp == b->dscp &&
           a->load == b->load;
}

static struct dependency_traffic *slot_of(const struct gather *gather,
                                          const struct dependency_traffic *wanted)
{
    const uint64_t key = (uint64_t)wanted->entry << 32 | wanted->endpoint;
    uint64_t at = hash_mix(hash_mix(key) ^ ((uint64_t)wanted->dscp << 1 | wanted->load));
    for (;; at++) {
        struct dependency_traffic *slot = &gather->slots[at & (gather->room - 1)];
        if (slot->entry == GRAPH_NONE || same_entry(slot, wanted))
            return slot;
    }
}

static void make_room(struct gather *gather)
{
    struct dependency_traffic *old = gather->slots;
    const uint32_t old_room = gather->room;
    if (gather->count * 2 < old_room)
        return;
    gather->room = old_room == 0 ? 1024 : old_room * 2;
    gather->slots = memory_zeroed(gather->room, sizeof *gather->slots);
    for (uint32_t i = 0; i < gather->room; i++)
        gather->slots[i].entry = GRAPH_NONE;
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].entry != GRAPH_NONE)
            *slot_of(gather, &old[i]) = old[i];
    free(old);
}

/* A NIC of a host. */
struct end {
    uint32_t node;
    uint16_t nic;
};

static void add_entry(struct gather *gather, uint32_t workload, struct end from, struct end to,
                      uint8_t dscp, enum dependency_load load)
{
    const struct scenario *scenario = gather->scenario;
    const struct scenario_node *sender = &scenario->nodes[from.node];
    const struct scenario_port *port = &sender->ports[from.nic];
    if (from.nic >= sender->port_count || port->link == SCENARIO_NO_LINK ||
        !is_switch(scenario, port->peer_node) || to.nic >= scenario->nodes[to.node].port_count)
        return;
    make_room(gather);
    const struct dependency_traffic entry = {
        .entry = port->peer_node,
        .endpoint = alike(gather, scenario->nodes[to.node].endpoint + to.nic),
        .dscp = dscp,
        .load = (uint8_t)load,
        .workload = workload,
        .from = from.node,
        .to = to.node,
    };
    struct dependency_traffic *slot = slot_of(gather, &entry);
    if (slot->entry != GRAPH_NONE)
        return;
    *slot = entry;
    gather->count++;
}

/* Share of reads among an NVMe workload's operations, ppm; -1: unknown. */
static int64_t reads_of(const struct scenario_workload *workload)
{
    return workload->job != NULL ? -1
                                 : opt_value(workload->ops->opts, "read", workload->params, -1);
}

/* DSCP of the ACKs that the host sends on a connection. */
static uint8_t ack_dscp(const struct gather *gather, uint32_t host, uint8_t dscp)
{
    const struct rnic_params *rnic = gather->scenario->nodes[host].host->rnic;
    return rnic->ack_dscp == RNIC_AUTO ? dscp : (uint8_t)rnic->ack_dscp;
}

/* Directions in which a workload's data flow. */
struct ways {
    bool out, back;
};

static void add_pair(struct gather *gather, uint32_t index, const struct scenario_pair *pair,
                     struct nic_pair nics, struct ways ways)
{
    const struct scenario_workload *workload = &gather->scenario->workloads[index];
    const struct end from = {pair->from, nics.from}, to = {pair->to, nics.to};
    const uint8_t dscp = scenario_dscp(gather->scenario, workload, pair);
    const uint8_t dscp_back = scenario_dscp_back(gather->scenario, workload, pair);
    add_entry(gather, index, from, to, dscp, ways.out ? DEPENDENCY_DATA : DEPENDENCY_CONTROL);
    add_entry(gather, index, to, from, ack_dscp(gather, pair->to, dscp_back), DEPENDENCY_CONTROL);
    if (!ways.back)
        return;
    add_entry(gather, index, to, from, dscp_back, DEPENDENCY_DATA);
    add_entry(gather, index, from, to, ack_dscp(gather, pair->from, dscp), DEPENDENCY_CONTROL);
}

static void add_workload(struct gather *gather, uint32_t index)
{
    const struct scenario_workload *workload = &gather->scenario->workloads[index];
    const int64_t reads = reads_of(workload);
    const struct ways ways = {.out = workload->ops->data != WORKLOAD_DATA_BACK && reads != PPM,
                              .back = workload->ops->data != WORKLOAD_DATA_OUT && reads != 0};
    struct nic_pair nics[NICS_MAX];
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const uint32_t used = nics_used(gather->scenario, workload, pair, nics);
        for (uint32_t n = 0; n < used; n++)
            add_pair(gather, index, pair, nics[n], ways);
    }
}

static int by_group(const void *a, const void *b)
{
    const struct dependency_traffic *x = a, *y = b;
    if (x->endpoint != y->endpoint)
        return x->endpoint < y->endpoint ? -1 : 1;
    if (x->dscp != y->dscp)
        return x->dscp < y->dscp ? -1 : 1;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

void traffic_gather(struct traffic *traffic, const struct scenario *scenario,
                    const struct route_table *tables)
{
    const uint32_t endpoints = scenario->endpoint_count;
    struct gather gather = {.scenario = scenario, .tables = tables};
    gather.alike = memory_zeroed(endpoints, sizeof(uint32_t));
    memset(gather.alike, 0xff, endpoints * sizeof(uint32_t));
    gather.hashes = memory_zeroed(endpoints, sizeof(uint64_t));
    gather.leaders = memory_zeroed(endpoints, sizeof(uint32_t));
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        add_workload(&gather, i);
    *traffic = (struct traffic){.entries = memory_zeroed(gather.count, sizeof *traffic->entries)};
    for (uint32_t i = 0; i < gather.room; i++)
        if (gather.slots[i].entry != GRAPH_NONE)
            traffic->entries[traffic->count++] = gather.slots[i];
    if (traffic->count > 0) /* a total order, because no two entries are equal */
        qsort(traffic->entries, traffic->count, sizeof *traffic->entries, by_group);
    free(gather.alike);
    free(gather.hashes);
    free(gather.leaders);
    free(gather.slots);
}

void traffic_free(struct traffic *traffic)
{
    free(traffic->entries);
    *traffic = (struct traffic){0};
}

uint32_t traffic_group(const struct traffic *traffic, uint32_t first)
{
    const struct dependency_traffic *own = &traffic->entries[first];
    uint32_t count = 1;
    while (first + count < traffic->count && own[count].endpoint == own->endpoint &&
           own[count].dscp == own->dscp && own[count].load == own->load)
        count++;
    return count;
}

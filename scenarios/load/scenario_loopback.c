/* SPDX-License-Identifier: Apache-2.0
 * scenario_loopback - creates the inner ports of hosts that are paired with themselves. */
#include "scenarios/load/scenario_load.h"

#include "base/plural.h"
#include "rnic/host/rnic.h"
#include "scenarios/fabric/loopback.h"

#include <string.h>

/* Delay of a switch inside the chip: less than the latency of the NIC that contains it. */
#define INNER_DELAY PS_PER_NS

static const char *why_not(struct loader *loader, const struct scenario_workload *workload,
                           const struct scenario_node *host)
{
    const uint16_t card = loopback_card(workload);
    if (workload->peer_nic >= 0 && workload->peer_nic != card)
        return arena_format(loader->arena, "%s would have to send from NIC %u to NIC %d of its own",
                            host->name, card, workload->peer_nic);
    if (host->is_aggregate)
        return arena_format(loader->arena, "the NICs of %s are aggregated by rnic.lag", host->name);
    if (host->host->rnic->soft.software)
        return arena_format(loader->arena, "the RNIC of %s is software", host->name);
    if (host->ports[card].link == SCENARIO_NO_LINK)
        return arena_format(loader->arena, "NIC %u of %s has no link", card, host->name);
    if (host->port_count + 2 > NICS_MAX)
        return arena_format(loader->arena, "%s has %u %s, and two more would be more than %d",
                            host->name, host->port_count, plural(host->port_count, "port", "ports"),
                            NICS_MAX);
    return NULL;
}

static const struct block *inner_block(struct loader *loader, const struct scenario_node *host,
                                       uint16_t card)
{
    struct block *block = block_copy(loader->arena, host->ports[card].values,
                                     arena_format(loader->arena, "%s.loopback", host->name));
    struct port_params *params = block->params;
    if (host->host->rnic->loopback_rate != RNIC_AUTO)
        params->rate = host->host->rnic->loopback_rate;
    params->length = 0;
    params->delay = INNER_DELAY;
    params->fec = PORT_FEC_NONE;
    return block;
}

/* Adds two ports. */
static void widen(struct loader *loader, struct scenario_node *host)
{
    struct loader_node *making = &loader->nodes[host - loader->scenario->nodes];
    const size_t had = host->port_count, has = had + 2;
    struct scenario_port *ports = arena_array(loader->arena, has, sizeof *ports);
    const struct block **blocks = arena_array(loader->arena, has, sizeof *blocks);
    memcpy(ports, host->ports, had * sizeof *ports);
    memcpy(blocks, making->port_blocks, had * sizeof *blocks);
    host->ports = ports;
    host->port_count = (uint16_t)has;
    making->port_blocks = blocks;
}

static void join_inner_ports(struct loader *loader, struct scenario_node *host, uint16_t card,
                             struct diag_place place)
{
    struct scenario *scenario = loader->scenario;
    const uint32_t node = (uint32_t)(host - scenario->nodes);
    const uint16_t first = host->port_count;
    const struct block *block = inner_block(loader, host, card);
    widen(loader, host);
    scenario->links[scenario->link_count] = (struct scenario_link){
        .name = arena_format(loader->arena, "%s-loopback", host->name),
        .node = {node, node},
        .port = {first, (uint16_t)(first + 1)},
        .place = place,
    };
    for (uint8_t end = 0; end < 2; end++) {
        const uint16_t port = (uint16_t)(first + end);
        host->ports[port] = (struct scenario_port){
            .link = scenario->link_count,
            .end = end,
            .card = card,
            .peer_node = node,
            .peer_port = (uint16_t)(first + 1 - end),
            .name = arena_format(loader->arena, "loopback%u%s", card, end == 0 ? "" : "-peer"),
            .params = block->params,
            .values = block,
        };
        loader->nodes[node].port_blocks[port] = block;
    }
    scenario->link_count++;
}

static bool lacks(const struct scenario *scenario, const struct scenario_workload *workload,
                  const struct scenario_pair *pair)
{
    struct nic_pair inner;
    return loopback_find(scenario, workload, pair, &inner) &&
           inner.from == scenario->nodes[pair->from].port_count;
}

bool scenario_make_loopback(struct loader *loader, const struct scenario_workload *workload,
                            const struct tree_node *written)
{
    struct scenario *scenario = loader->scenario;
    uint32_t more = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++)
        more += lacks(scenario, workload, &workload->pairs[i]);
    if (more == 0)
        return true;
    struct scenario_link *links =
        arena_array(loader->arena, (size_t)scenario->link_count + more, sizeof *links);
    memcpy(links, scenario->links, scenario->link_count * sizeof *links);
    scenario->links = links;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        struct scenario_node *host = &scenario->nodes[workload->pairs[i].from];
        if (!lacks(scenario, workload, &workload->pairs[i]))
            continue; /* another pair of the workload may have created them */
        const char *why = why_not(loader, workload, host);
        if (why != NULL) {
            tree_error(loader->diag, written, "loopback: %s", why);
            return false;
        }
        join_inner_ports(loader, host, loopback_card(workload), workload->place);
    }
    nics_number_endpoints(scenario);
    return true;
}

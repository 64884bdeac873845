/* SPDX-License-Identifier: Apache-2.0
 * agreements - rows that apply to a pair of hosts, and their places on its path. */
#include "scenarios/agreement/agreements.h"

#include "net/switch/switch.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/check/classes.h"
#include "scenarios/check/path_time.h"
#include "scenarios/effect/effect.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp.h"

#include <string.h>

/* The traffic of one pair. */
struct pair_traffic {
    const struct scenario *scenario;
    const struct scenario_node *from;
    uint32_t switches;
    bool rdma;    /* queue pairs that are not on TCP */
    uint32_t has; /* mask of enum opt_agree_if */
    struct agreements *found;
    struct arena *arena;
};

static const char *transport_of(const struct scenario_workload *workload,
                                const struct scenario_node *from)
{
    const bool named = workload->ops->needs_nvme_target || workload->own_verbs;
    const char *carrier = named              ? nvme_carrier_name(workload->transport)
                          : workload->by_tcp ? "tcp"
                                             : "rdma";
    if (strcmp(carrier, "rdma") != 0)
        return carrier;
    if (from->link == SCENARIO_INFINIBAND)
        return "infiniband";
    return from->host->rnic->roce_version == 1 ? "roce-v1" : "roce-v2";
}

/* The switch at the port of the host; NULL: its peer is a host. */
static const struct scenario_node *edge_of(const struct scenario *scenario,
                                           const struct scenario_node *host)
{
    const struct scenario_port *port = &host->ports[0];
    const struct scenario_node *peer =
        port->link == SCENARIO_NO_LINK ? NULL : &scenario->nodes[port->peer_node];
    return peer != NULL && peer->kind == SCENARIO_SWITCH ? peer : NULL;
}

static bool is_lossless(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, const struct scenario_node *edge)
{
    const struct scenario_node *host = &scenario->nodes[pair->from];
    if (scenario_has_credits(host) || workload->by_tcp)
        return false;
    if (host->host->rnic->roce_version == 1 || edge == NULL)
        return host->host->rnic->pfc != 0;
    return classes_lossless(edge, edge->priority_of_dscp[scenario_dscp(scenario, workload, pair)]);
}

/* RoCE v1 has neither DSCP nor ECN. */
static bool is_v1(const struct scenario_node *host)
{
    return host->host->rnic->roce_version == 1;
}

/* The switch marks, and the hosts react. */
static bool uses_ecn(const struct pair_traffic *traffic, bool by_tcp)
{
    const struct scenario_host *host = traffic->from->host;
    const struct scenario_node *edge = edge_of(traffic->scenario, traffic->from);
    if (edge == NULL || edge->switch_params->ecn_kmax == 0)
        return false;
    return by_tcp ? tcp_ecn_requests(host->tcp->ecn)
                  : traffic->rdma && host->cc->wants_ecn && !is_v1(traffic->from);
}

static bool is_known(const struct agreements *found, const char *section, const struct opt *row)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->settings[i].row == row && strcmp(found->settings[i].section, section) == 0)
            return true;
    return false;
}

/* Parameters of a host that the switches must follow, such as the DSCP of a class, count at the
 * switches, too. */
static uint32_t places_of(const struct pair_traffic *traffic, const char *section,
                          const struct opt *row)
{
    const uint32_t links = traffic->switches + 1;
    if (strcmp(section, "link") == 0)
        return 2 * links;
    if (strcmp(section, "switch") == 0)
        return traffic->switches;
    return row->agrees.at == OPT_AGREE_PATH ? 2 + traffic->switches : 2;
}

static bool applies(const struct pair_traffic *traffic, const struct block *values,
                    const struct opt *row, uint32_t node)
{
    const bool by_tcp = (row->effect.needs & OPT_NEED_TCP) != 0;
    const bool by_rdma = (row->effect.needs & OPT_NEED_RDMA) != 0;
    if (row->agrees.at == OPT_AGREE_NEVER || (by_tcp && traffic->rdma) ||
        (by_rdma && !traffic->rdma) || effect_is_void(traffic->scenario, node, row))
        return false;
    if (row->agrees.of == OPT_AGREE_SET)
        return *opt_field(row, values->params) != 0;
    return row->agrees.of == OPT_AGREE_ALWAYS || (traffic->has >> row->agrees.of & 1) != 0;
}

static void add_section(const struct pair_traffic *traffic, const char *section,
                        const struct block *values, const struct scenario_node *node)
{
    const uint32_t number = (uint32_t)(node - traffic->scenario->nodes);
    struct agreements *found = traffic->found;
    for (const struct opt *row = values->rows; row->name != NULL; row++) {
        if (!applies(traffic, values, row, number) || is_known(found, section, row))
            continue;
        struct agreement *one = arena_push(traffic->arena, (void **)(void *)&found->settings,
                                           &found->count, sizeof *found->settings);
        *one = (struct agreement){section, row, places_of(traffic, section, row)};
        found->values += one->values;
    }
}

static void add_pair(struct pair_traffic *traffic, const struct scenario_workload *workload)
{
    const struct scenario_node *from = traffic->from;
    const struct scenario_node *edge = edge_of(traffic->scenario, from);
    add_section(traffic, "link", from->ports[0].values, from);
    if (edge != NULL)
        add_section(traffic, "switch", edge->switch_values, edge);
    if (traffic->rdma)
        add_section(traffic, "rnic", from->host->rnic_values, from);
    if (workload->by_tcp)
        add_section(traffic, "tcp", from->host->tcp_values, from);
    if (workload->ops->needs_nvme_target)
        add_section(traffic, "nvme", from->host->nvme_host_values, from);
}

static struct agreements *entry_of(struct agreements **all, size_t *count, const char *transport,
                                   struct arena *arena)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*all)[i].transport, transport) == 0)
            return &(*all)[i];
    struct agreements *entry = arena_push(arena, (void **)(void *)all, count, sizeof **all);
    *entry = (struct agreements){.transport = transport};
    return entry;
}

/* Keeps the longer of two paths. */
static void look_at_pair(const struct scenario *scenario, const struct scenario_workload *workload,
                         const struct scenario_pair *pair, uint32_t switches,
                         struct agreements *entry, struct arena *arena)
{
    const struct scenario_node *from = &scenario->nodes[pair->from];
    if (entry->count > 0 && switches <= entry->switches)
        return;
    *entry = (struct agreements){.transport = entry->transport, .switches = switches};
    struct pair_traffic traffic = {
        .scenario = scenario,
        .from = from,
        .switches = switches,
        .rdma = !workload->by_tcp && from->link != SCENARIO_FIBRE_CHANNEL,
        .found = entry,
        .arena = arena,
    };
    if (is_lossless(scenario, workload, pair, edge_of(scenario, from)))
        traffic.has |= 1u << OPT_AGREE_LOSSLESS | (is_v1(from) ? 0 : 1u << OPT_AGREE_DSCP);
    if (uses_ecn(&traffic, workload->by_tcp))
        traffic.has |= 1u << OPT_AGREE_ECN;
    add_pair(&traffic, workload);
}

size_t agreements_of(const struct scenario *scenario, struct arena *arena,
                     struct agreements **found)
{
    struct path_walk *walk = path_walk_new(scenario, arena);
    size_t count = 0;
    *found = NULL;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            const struct scenario_node *from = &scenario->nodes[pair->from];
            struct path_time path;
            if (path_walk_of(walk, workload, pair, &path))
                look_at_pair(scenario, workload, pair, path.switches,
                             entry_of(found, &count, transport_of(workload, from), arena), arena);
        }
    }
    path_walk_free(walk);
    return count;
}

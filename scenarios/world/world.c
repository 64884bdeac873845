/* SPDX-License-Identifier: Apache-2.0
 * world - builds running nodes from a scenario.
 * Build order: nodes with their ports, cables, routes, memory, ranks; then everything that posts
 * events: targets, sinks, workloads. The engine has the nodes in the scenario's order, so a node's
 * id is its index in the scenario. */
#include "scenarios/world/world.h"

#include "base/memory.h"
#include "rnic/host/verbs_sim.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/fabric/pauses.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/world/world_executors_private.h"
#include "scenarios/world/world_play_private.h"
#include "scenarios/world/world_reach.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)NICS_MAX == (int)HOST_RNICS, "a host has as many RNICs as a scenario gives it");

static const struct scenario_node *node_of(const struct world *world, uint32_t node)
{
    CHECK(node < world->scenario->node_count);
    return &world->scenario->nodes[node];
}

struct host *world_host(const struct world *world, uint32_t node)
{
    CHECK(node_of(world, node)->kind == SCENARIO_HOST);
    return world->hosts[node_of(world, node)->index];
}

struct swtch *world_switch(const struct world *world, uint32_t node)
{
    CHECK(node_of(world, node)->kind == SCENARIO_SWITCH);
    return world->switches[node_of(world, node)->index];
}

struct port *world_port(const struct world *world, uint32_t node, uint16_t port)
{
    CHECK(port < node_of(world, node)->port_count);
    if (node_of(world, node)->kind == SCENARIO_SWITCH)
        return &world_switch(world, node)->ports[port];
    return host_port(world_host(world, node), port);
}

/* ------------------------------------------------------------------ nodes and cables */

static void make_switch(struct world *world, const struct scenario_node *node,
                        struct world_executor *executor, const struct probe *probe)
{
    struct port_params *ports = memory_zeroed(node->port_count, sizeof *ports);
    for (uint16_t i = 0; i < node->port_count; i++)
        ports[i] = pauses_params(world->scenario, node, i);
    struct swtch *swtch = memory_aligned(1, sizeof *swtch, alignof(struct swtch));
    switch_init(swtch, &world->engine, node->name, node->switch_params, node->port_count, ports,
                &executor->frames, probe);
    if (node->priority_of_dscp != NULL)
        for (unsigned dscp = 0; dscp < 64; dscp++)
            switch_classify(swtch, dscp, node->priority_of_dscp[dscp]);
    world->switches[node->index] = swtch;
    free(ports);
}

/* The machine of the host, its own or shared with earlier hosts; NULL: a machine without a
 * processor model, where the RNIC does all work. */
static struct machine *machine_of(const struct world *world, const struct scenario_node *node,
                                  struct host *host)
{
    const char *name = node->host->machine;
    if (name == NULL && !node->host->rnic->soft.software)
        return NULL;
    for (uint32_t i = 0; name != NULL && i < node->index; i++) {
        const char *other = world->scenario->nodes[i].host->machine;
        if (other != NULL && strcmp(name, other) == 0)
            return world->machines[i];
    }
    struct machine *machine = memory_zeroed(1, sizeof *machine);
    machine_init(machine, host, &node->host->rnic->soft);
    return machine;
}

static uint8_t cabled_ports(const struct scenario_node *node)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < node->port_count; i++)
        mask |= node->ports[i].link == SCENARIO_NO_LINK ? 0u : 1u << i;
    return (uint8_t)mask;
}

/* The first port of a card represents the card. */
static struct rnic *card_of(const struct host *host, const struct scenario_node *node,
                            uint16_t port)
{
    const uint16_t ports = (uint16_t)node->host->rnic->card_ports;
    if (port >= node->outer_ports)
        return host->rnics[node->ports[port].card];
    return port % ports == 0 ? NULL : host->rnics[port - port % ports];
}

static void make_host(struct world *world, const struct scenario_node *node,
                      struct world_executor *executor, const struct probe *probe,
                      uint32_t *endpoint)
{
    struct host *host = memory_aligned(1, sizeof *host, alignof(struct host));
    host_init(host, &world->engine, node->name, &executor->frames, probe);
    world->machines[node->index] = machine_of(world, node, host);
    if (world->machines[node->index] != NULL)
        host_join_machine(host, world->machines[node->index]);
    world->endpoint_of[node->index] = *endpoint;
    for (uint16_t i = 0; i < node->port_count; i++) {
        const struct port_params port = pauses_params(world->scenario, node, i);
        const struct host_rnic rnic = {
            .endpoint = (*endpoint)++,
            .card = card_of(host, node, i),
            .port = &port,
            .params = node->host->rnic,
            .cc = node->host->cc,
            .cc_params = node->host->cc_params,
            .priority_of_dscp = node->priority_of_dscp,
        };
        host_add_rnic(host, &rnic);
        if (node->link == SCENARIO_FIBRE_CHANNEL)
            host_add_fc(host, i);
    }
    if (node->is_aggregate)
        host_aggregate(host, cabled_ports(node));
    world->hosts[node->index] = host;
}

/* Gives each RNIC access to its peers, because observers of a connection need both ends between
 * events. */
static void make_known(struct world *world, uint32_t endpoints)
{
    world->rnics = memory_zeroed(endpoints, sizeof(struct rnic *));
    world->link_down = memory_zeroed(world->scenario->link_count + 1, 1);
    for (uint32_t i = 0; i < world->host_count; i++) {
        const struct host *host = world->hosts[i];
        for (uint32_t n = 0; n < host->rnic_count; n++) {
            world->rnics[world->endpoint_of[i] + n] = host->rnics[n];
            host->rnics[n]->peers = world->rnics;
            host->rnics[n]->fabric = (struct rnic_fabric){world, world_reaches};
        }
    }
}

static struct port_ingress ingress_of(const struct world *world, uint32_t node)
{
    if (node_of(world, node)->kind == SCENARIO_SWITCH)
        return switch_ingress(world_switch(world, node));
    return (struct port_ingress){0};
}

static void join_links(struct world *world)
{
    for (uint32_t i = 0; i < world->scenario->link_count; i++) {
        const struct scenario_link *link = &world->scenario->links[i];
        struct port *ends[2];
        for (int end = 0; end < 2; end++)
            ends[end] = world_port(world, link->node[end], link->port[end]);
        port_join(ends[0], ingress_of(world, link->node[0]), ends[1],
                  ingress_of(world, link->node[1]));
        for (int end = 0; end < 2; end++) {
            struct mail *mail = world_mail(world, ends[end]->node, ends[1 - end]->node);
            port_set_mail(ends[end], mail);
            ends[end]->node->outer |= mail != NULL;
        }
    }
}

/* If a congestion control uses telemetry, all switches provide it. */
static void provide_telemetry(struct world *world)
{
    struct frame_pool *pools[ENGINE_EXECUTORS_MAX] = {NULL};
    const struct scenario *scenario = world->scenario;
    bool wanted = false;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        wanted |= node_of(world, i)->kind == SCENARIO_HOST &&
                  node_of(world, i)->host->cc->wants_telemetry;
    if (!wanted)
        return;
    for (uint32_t i = 0; i < world->engine.executors; i++)
        pools[i] = &world->executors[i].frames;
    frame_pool_use_telemetry(pools, world->engine.executors);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0; p < node_of(world, i)->port_count; p++)
            if (node_of(world, i)->kind == SCENARIO_SWITCH)
                port_tell_telemetry(world_port(world, i, p));
}

static void compute_routes(struct world *world)
{
    struct route_table *tables = routing_compute(world->scenario, NULL);
    for (uint32_t i = 0; i < world->scenario->node_count; i++)
        if (node_of(world, i)->kind == SCENARIO_SWITCH)
            world_switch(world, i)->routes = tables[i];
    free(tables);
}

struct route_table *world_routes(const struct world *world)
{
    struct route_table *tables = memory_zeroed(world->scenario->node_count, sizeof *tables);
    for (uint32_t i = 0; i < world->scenario->node_count; i++)
        if (node_of(world, i)->kind == SCENARIO_SWITCH)
            tables[i] = world_switch(world, i)->routes;
    return tables;
}

static void carve_memories(struct world *world, struct diag *diag)
{
    for (uint32_t i = 0; i < world->scenario->node_count; i++) {
        char why[DIAG_TEXT_BYTES];
        if (world->scenario->nodes[i].kind == SCENARIO_SWITCH &&
            !switch_carve(world_switch(world, i), why, sizeof why))
            diag_add(diag, DIAG_ERROR, world->scenario->nodes[i].place, NULL, "%s", why);
    }
}

/* Creates switches and hosts. Without an observer, nodes do not record events. */
static void make_fabric(struct world *world, const struct probe *observer,
                        const uint32_t *executor_of, struct diag *diag)
{
    const struct scenario *scenario = world->scenario;
    uint32_t endpoints = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const uint32_t number = executor_of == NULL ? 0 : executor_of[i];
        CHECK(number < world->engine.executors);
        struct world_executor *executor = &world->executors[number];
        const struct probe *probe = observer == &probe_none ? observer : &executor->journal.probe;
        if (scenario->nodes[i].kind == SCENARIO_SWITCH)
            make_switch(world, &scenario->nodes[i], executor, probe);
        else
            make_host(world, &scenario->nodes[i], executor, probe, &endpoints);
        world->engine.nodes[i]->executor = number;
    }
    for (uint32_t i = 0; i < scenario->node_count; i++) /* all nodes of a group are on one
                                                         * executor */
        CHECK(world->engine.nodes[i]->executor ==
              world->engine.nodes[world->engine.nodes[i]->group]->executor);
    make_known(world, endpoints);
    join_links(world);
    provide_telemetry(world);
    compute_routes(world);
    carve_memories(world, diag);
}

/* ------------------------------------------------------------------ services and workloads of
 * hosts */

static uint32_t namespaces_of(const struct scenario_host *host)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        sum += host->namespaces[i].count;
    return sum;
}

static void make_target(struct world *world, const struct scenario_node *node)
{
    const uint32_t count = namespaces_of(node->host);
    if (count == 0)
        return;
    struct nvme_target_namespace *list = memory_zeroed(count, sizeof *list);
    uint32_t made = 0;
    for (uint32_t i = 0; i < node->host->namespace_count; i++)
        for (uint32_t n = 0; n < node->host->namespaces[i].count; n++)
            list[made++] = (struct nvme_target_namespace){
                .params = *node->host->namespaces[i].params,
                .media = node->host->namespaces[i].media,
                .media_params = node->host->namespaces[i].media_params,
                .ana_group = node->host->namespaces[i].ana_group};
    struct host *host = world->hosts[node->index];
    struct nvme_transport *transports[NVME_CARRIERS * HOST_RNICS];
    const uint32_t transport_count = world_make_transports(world, node, transports);
    const struct nvme_target_site site = {
        .env = &host->env,
        .transport = transports[0],
        .further = transports + 1,
        .further_count = transport_count - 1,
        .params = &node->host->nvme_target->core,
        .namespaces = list,
        .namespace_count = count,
        .nqn = node->nqn,
        .subsystems = node->host->subsystems,
        .subsystem_count = node->host->subsystem_count,
    };
    world->targets[node->index] = nvme_target_create(&site);
    CHECK(world->targets[node->index] != NULL);
    scenario_set_ana(node->host, world->targets[node->index]);
    free(list);
}

static void make_sink(struct world *world, const struct scenario_node *node, uint16_t nic)
{
    struct rdma_sink **sink = &world->sinks[node->endpoint + nic];
    struct host *host = world->hosts[node->index];
    if (*sink == NULL && nic < node->port_count)
        *sink = rdma_sink_create(&host->env, &verbs_sim, host_device(host, nic));
}

/* The NIC that has the address: for an aggregate the first one. */
static uint16_t address_nic(const struct world *world, uint32_t node, uint16_t nic)
{
    return node_of(world, node)->is_aggregate ? 0 : nic;
}

/* Creates a raw responder on every NIC that an rdma-* workload sends to. */
static void make_sinks(struct world *world)
{
    struct nic_pair nics[NICS_MAX];
    for (uint32_t i = 0; i < world->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &world->scenario->workloads[i];
        const bool raw = !workload->ops->needs_nvme_target && !workload->by_tcp;
        for (uint32_t p = 0; raw && p < workload->pair_count; p++) {
            const struct scenario_pair *pair = &workload->pairs[p];
            const uint32_t used = nics_used(world->scenario, workload, pair, nics);
            for (uint32_t n = 0; n < used; n++)
                make_sink(world, node_of(world, pair->to),
                          address_nic(world, pair->to, nics[n].to));
        }
    }
}

struct verbs_device *world_way(const struct workload_site *site, uint32_t queue, uint32_t *ip)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    const struct nic_pair nics = nics_of(world->scenario, workload, pair, site->copy + queue);
    *ip = rnic_ip(world->scenario->nodes[pair->to].endpoint + nics.to);
    return workload->own_verbs ? world_verbs_at(world, pair->from, nics.from)
                               : host_device(world_host(world, pair->from), nics.from);
}

static struct verbs_device *path_of(const struct workload_site *site, uint32_t path, uint32_t *ip,
                                    uint32_t *nic)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    const struct scenario_pair *pair = &workload->pairs[site->instance];
    struct nic_pair list[NICS_PATHS_MAX];
    CHECK(path < nics_paths(world->scenario, workload, pair, list));
    *ip = rnic_ip(world->scenario->nodes[pair->to].endpoint + list[path].to);
    *nic = list[path].from;
    return host_device(world_host(world, pair->from), list[path].from);
}

void world_give_way(struct workload_site *site)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    struct nic_pair list[NICS_PATHS_MAX];
    site->device = world_way(site, 0, &site->target_ip);
    if (workload->paths == 0)
        return;
    const uint32_t there =
        nics_paths(world->scenario, workload, &workload->pairs[site->instance], list);
    uint32_t nic;
    site->paths = there < workload->paths ? there : workload->paths;
    site->path = path_of;
    if (site->paths > 0)
        site->device = path_of(site, 0, &site->target_ip, &nic);
}

/* ------------------------------------------------------------------ building */

static void make_tables(struct world *world)
{
    world->hosts = memory_zeroed(world->host_count, sizeof(struct host *));
    world->machines = memory_zeroed(world->host_count, sizeof(struct machine *));
    world->switches = memory_zeroed(world->switch_count, sizeof(struct swtch *));
    world->targets = memory_zeroed(world->host_count, sizeof(struct nvme_target *));
    world->sinks = memory_zeroed(world->scenario->endpoint_count, sizeof(struct rdma_sink *));
    world->endpoint_of = memory_zeroed(world->host_count, sizeof(uint32_t));
    world->stats = memory_zeroed(world->workload_count, sizeof *world->stats);
}

static void start(struct world *world)
{
    for (uint32_t i = 0; i < world->switch_count; i++)
        switch_start(world->switches[i]);
    world_make_nvme_tcp(world);
    for (uint32_t i = 0; i < world->host_count; i++)
        make_target(world, &world->scenario->nodes[i]);
    make_sinks(world);
    world_make_verbs(world);
    world_make_tcp(world);
    deadlock_init(&world->deadlocks, world->switches, world->switch_count);
    world_play_init(world);
}

struct world *world_build_divided(const struct scenario *scenario, const struct probe *probe,
                                  const struct world_division *division, struct diag *diag)
{
    struct world *world = memory_zeroed(1, sizeof *world);
    world->scenario = scenario;
    world->host_count = scenario->host_count;
    world->switch_count = scenario->switch_count;
    world->workload_count = scenario->workload_count;
    world->window_end = scenario->duration;
    make_tables(world);
    engine_init(&world->engine, scenario->seed);
    world_executors_init(world, division == NULL ? 1 : division->executors, probe);
    world->engine.hostile = STORMGLASS_HOSTILE;
    world->engine.worth = STORMGLASS_HOSTILE ? 0 : ENGINE_WORTH;
    make_fabric(world, probe, division == NULL ? NULL : division->executor_of, diag);
    engine_start(&world->engine);
    if (diag_failed(diag)) {
        world_free(world);
        return NULL;
    }
    start(world);
    return world;
}

struct world *world_build(const struct scenario *scenario, const struct probe *probe,
                          struct diag *diag)
{
    return world_build_divided(scenario, probe, NULL, diag);
}

static void free_machines(struct world *world)
{
    for (uint32_t i = 0; i < world->host_count; i++) {
        struct machine *machine = world->machines[i];
        for (uint32_t j = i; machine != NULL && j < world->host_count; j++)
            if (world->machines[j] == machine)
                world->machines[j] = NULL;
        if (machine == NULL)
            continue;
        machine_fini(machine);
        free(machine);
    }
    free(world->machines);
}

void world_free(struct world *world)
{
    if (world == NULL)
        return;
    world_play_fini(world);
    world_free_tcp(world);
    world_free_verbs(world);
    deadlock_fini(&world->deadlocks);
    for (uint32_t i = 0; i < world->host_count; i++) {
        if (world->targets[i] != NULL)
            nvme_target_destroy(world->targets[i]);
        for (uint32_t n = 0; n < world->scenario->nodes[i].port_count; n++)
            if (world->sinks[world->scenario->nodes[i].endpoint + n] != NULL)
                rdma_sink_destroy(world->sinks[world->scenario->nodes[i].endpoint + n]);
    }
    for (uint32_t i = 0; i < world->host_count; i++) {
        host_fini(world->hosts[i]);
        free(world->hosts[i]);
    }
    free_machines(world);
    for (uint32_t i = 0; i < world->switch_count; i++) {
        switch_fini(world->switches[i]);
        free(world->switches[i]);
    }
    world_executors_fini(world);
    engine_fini(&world->engine);
    free(world->hosts);
    free(world->switches);
    free(world->targets);
    free(world->sinks);
    free(world->endpoint_of);
    free(world->rnics);
    free(world->link_down);
    free(world->stats);
    free(world);
}

void world_audit(const struct world *world)
{
    for (uint32_t i = 0; i < world->engine.node_count; i++)
        world->engine.nodes[i]->ops->audit(world->engine.nodes[i]);
}

const char *world_node_name(const struct world *world, uint32_t node)
{
    return node_of(world, node)->name;
}

void world_port_name(const struct world *world, uint32_t node, uint16_t port, char *text,
                     size_t size)
{
    snprintf(text, size, "%s", scenario_port_name(node_of(world, node), port).text);
}

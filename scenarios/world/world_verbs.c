/* SPDX-License-Identifier: Apache-2.0
 * world_verbs - verbs of workloads without NVMe whose transport has its own (iWARP): a device at
 * each NIC that they use, as a host and as a target, and the sinks. */
#include "scenarios/world/world_play_private.h"

#include "base/memory.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fabric/nics.h"
#include "tcp/tcp.h"

#include <stdlib.h>

enum world_verbs_role { ROLE_HOST, ROLE_TARGET, ROLES };

struct world_verbs {
    unsigned transport; /* of the devices */
    struct verbs_device *devices[ROLES];
    struct rdma_sink *sink;
};

static struct verbs_device *device_at(const struct world *world,
                                      const struct scenario_workload *workload, uint32_t node,
                                      uint16_t nic, enum world_verbs_role role)
{
    const struct scenario_node *at = &world->scenario->nodes[node];
    struct world_verbs *own = &world->verbs[at->endpoint + nic];
    const struct nvme_carrier *carrier = nvme_carriers[workload->transport];
    struct host *host = world_host(world, node);
    const struct nvme_carrier_site site = {
        .transport = workload->transport,
        .env = &host->env,
        .streams = &tcp_stream_ops,
        .stream = tcp_device(host->rnics[nic]->tcp),
    };
    if (own->devices[role] == NULL)
        own->devices[role] = carrier->open(
            &site, role == ROLE_HOST ? at->host->nvme_host->own[workload->transport]
                                     : at->host->nvme_target->own[workload->transport]);
    own->transport = workload->transport;
    return own->devices[role];
}

static void make_pair(const struct world *world, const struct scenario_workload *workload,
                      const struct scenario_pair *pair, const struct nic_pair *nics)
{
    struct world_verbs *to = &world->verbs[world->scenario->nodes[pair->to].endpoint + nics->to];
    struct verbs_device *device = device_at(world, workload, pair->to, nics->to, ROLE_TARGET);
    device_at(world, workload, pair->from, nics->from, ROLE_HOST);
    if (to->sink == NULL)
        to->sink = rdma_sink_create(&world_host(world, pair->to)->env,
                                    nvme_carriers[workload->transport]->verbs, device);
}

void world_make_verbs(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    struct nic_pair nics[NICS_MAX];
    world->verbs = memory_zeroed(scenario->endpoint_count, sizeof *world->verbs);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        for (uint32_t p = 0; workload->own_verbs && p < workload->pair_count; p++) {
            const uint32_t used = nics_used(scenario, workload, &workload->pairs[p], nics);
            for (uint32_t n = 0; n < used; n++)
                make_pair(world, workload, &workload->pairs[p], &nics[n]);
        }
    }
}

struct verbs_device *world_verbs_at(const struct world *world, uint32_t node, uint16_t nic)
{
    return world->verbs[world->scenario->nodes[node].endpoint + nic].devices[ROLE_HOST];
}

void world_free_verbs(struct world *world)
{
    for (uint32_t i = 0; world->verbs != NULL && i < world->scenario->endpoint_count; i++) {
        const struct world_verbs *own = &world->verbs[i];
        if (own->sink != NULL)
            rdma_sink_destroy(own->sink);
        for (unsigned role = 0; role < ROLES; role++)
            if (own->devices[role] != NULL)
                nvme_carriers[own->transport]->verbs->release(own->devices[role]);
    }
    free(world->verbs);
}

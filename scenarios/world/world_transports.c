/* SPDX-License-Identifier: Apache-2.0
 * world_transports - the transports of an NVMe target. */
#include "scenarios/world/world_play_private.h"

#include "rnic/host/verbs_sim.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "tcp/tcp.h"

struct fc *world_fc_at(const struct workload_site *site, const struct verbs_device *device)
{
    const struct world *world = site->way_self;
    const struct scenario_workload *workload = &world->scenario->workloads[site->workload];
    struct host *host = world_host(world, workload->pairs[site->instance].from);
    for (uint16_t i = 0; i < host->rnic_count; i++)
        if (host_device(host, i) == device)
            return host->rnics[i]->fc;
    CHECK(false);
    return NULL;
}

/* RDMA is served always, another transport if a workload uses it. On Fibre Channel there is only
 * its own. */
static bool serves(const struct world *world, const struct scenario_node *node,
                   const struct host *host, unsigned transport)
{
    const struct scenario *scenario = world->scenario;
    if (nvme_carriers[transport]->by_fc != (node->link == SCENARIO_FIBRE_CHANNEL))
        return false;
    if (transport == NVME_CARRIER_rdma || nvme_carriers[transport]->by_fc)
        return true;
    if (nvme_carriers[transport]->by_tcp && host->rnics[0]->tcp == NULL)
        return false;
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].ops->needs_nvme_target &&
            scenario->workloads[i].transport == transport)
            return true;
    return false;
}

static struct nvme_transport *make(struct host *host, const struct scenario_node *node,
                                   unsigned transport, uint32_t nic)
{
    const bool by_tcp = nvme_carriers[transport]->by_tcp;
    const struct nvme_carrier_site carrier = {
        .transport = transport,
        .env = &host->env,
        .verbs = &verbs_sim,
        .device = host_device(host, nic),
        .streams = by_tcp ? &tcp_stream_ops : NULL,
        .fc = host->rnics[nic]->fc,
        .stream = by_tcp ? tcp_device(host->rnics[nic]->tcp) : NULL,
    };
    return nvme_carrier_of_target(&carrier, node->host->nvme_target);
}

/* One transport for each port: all NICs for the first transport, then for the next. */
uint32_t world_make_transports(const struct world *world, const struct scenario_node *node,
                               struct nvme_transport *transports[NVME_CARRIERS * HOST_RNICS])
{
    struct host *host = world->hosts[node->index];
    const uint32_t nics = host->lag != NULL ? 1 : host->rnic_count;
    uint32_t count = 0;
    for (unsigned i = 0; i < NVME_CARRIERS; i++)
        for (uint32_t nic = 0; nic < nics && serves(world, node, host, i); nic++)
            transports[count++] = make(host, node, i, nic);
    return count;
}

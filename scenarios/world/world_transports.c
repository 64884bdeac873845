/* SPDX-License-Identifier: Apache-2.0
 * world_transports - the transports of an NVMe target. */
#include "scenarios/world/world_play_private.h"

#include "rnic/host/verbs_sim.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "tcp/tcp.h"

/* One transport for each port: RDMA at each NIC, then TCP at each if a workload uses it. */
uint32_t world_make_transports(const struct world *world, const struct scenario_node *node,
                               struct nvme_transport *transports[2 * HOST_RNICS])
{
    struct host *host = world->hosts[node->index];
    const uint32_t nics = host->lag != NULL ? 1 : host->rnic_count;
    const bool tcp = host->rnics[0]->tcp != NULL;
    for (uint32_t i = 0; i < (tcp ? 2 : 1) * nics; i++) {
        struct nvme_carrier_site carrier = {
            .transport = i < nics ? NVME_CARRIER_rdma : NVME_CARRIER_tcp,
            .env = &host->env,
            .verbs = &verbs_sim,
            .device = host_device(host, i % nics),
        };
        if (i >= nics) {
            carrier.streams = &tcp_stream_ops;
            carrier.stream = tcp_device(host->rnics[i - nics]->tcp);
        }
        transports[i] = nvme_carrier_of_target(&carrier, node->host->nvme_target);
    }
    return (tcp ? 2 : 1) * nics;
}

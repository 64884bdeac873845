/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - which transport carries the NVMe of a scenario's hosts and targets, on simulated
 * RNICs and on real ones.
 * The one place that knows what there is to choose from: RDMA.  A second transport joins here, and
 * what its parameters say reaches it from here. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_NVME_CARRIER_H
#define STORMGLASS_SCENARIOS_WORKLOAD_NVME_CARRIER_H

#include "nvme/host/host.h"
#include "nvme/target/target.h"
#include "rnic/verbs.h"

/* What the transport stands on. */
struct nvme_carrier_site {
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    struct verbs_class class; /* of a host's connections */
};

/* For the nvme_host_site and the nvme_target_site of one host or target. */
struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_host_params *params);
struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_target_params *params);

#endif

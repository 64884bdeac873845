/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - list of NVMe transports and the choice of the one that hosts and targets use. */
#include "scenarios/carrier/nvme_carrier.h"

/* Transport of all hosts and targets. Scenarios have no parameter for it because there is only
 * one. */
enum { CHOSEN = NVME_CARRIER_rdma };

const struct nvme_carrier *const nvme_carriers[NVME_CARRIERS] = {
#define CARRIER(stem) &carrier_##stem,
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
};

struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_carrier_host *params)
{
    return nvme_carriers[CHOSEN]->of_host(site, params->own[CHOSEN]);
}

struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_carrier_target *params)
{
    return nvme_carriers[CHOSEN]->of_target(site, params->own[CHOSEN]);
}

struct nvme_carrier_holds nvme_carrier_holds(const struct nvme_carrier_target *params)
{
    const struct nvme_carrier *carrier = nvme_carriers[CHOSEN];
    return carrier->holds != NULL ? carrier->holds(params->own[CHOSEN])
                                  : (struct nvme_carrier_holds){INT64_MAX, INT64_MAX};
}

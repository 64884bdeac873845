/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - the list of NVMe transports. */
#include "scenarios/carrier/nvme_carrier.h"

const struct nvme_carrier *const nvme_carriers[NVME_CARRIERS] = {
#define CARRIER(stem) &carrier_##stem,
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
};

const char nvme_carrier_words[] = ""
#define CARRIER(stem) "|" #stem
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
    ;

const char *nvme_carrier_name(unsigned transport)
{
    static const char *const names[] = {
#define CARRIER(stem) #stem,
#include "scenarios/carrier/nvme_carrier.def"
#undef CARRIER
    };
    return names[transport];
}

struct nvme_transport *nvme_carrier_of_host(const struct nvme_carrier_site *site,
                                            const struct nvme_carrier_host *params)
{
    return nvme_carriers[site->transport]->of_host(site, params->own[site->transport]);
}

struct nvme_transport *nvme_carrier_of_target(const struct nvme_carrier_site *site,
                                              const struct nvme_carrier_target *params)
{
    return nvme_carriers[site->transport]->of_target(site, params->own[site->transport]);
}

struct nvme_carrier_holds nvme_carrier_holds(const struct nvme_carrier_target *params,
                                             unsigned transport)
{
    const struct nvme_carrier *carrier = nvme_carriers[transport];
    return carrier->holds != NULL ? carrier->holds(params->own[transport])
                                  : (struct nvme_carrier_holds){INT64_MAX, INT64_MAX};
}

struct nvme_carrier_depth nvme_carrier_depth(unsigned transport,
                                             const struct nvme_carrier_host *host,
                                             const struct nvme_carrier_target *target)
{
    const struct nvme_carrier *carrier = nvme_carriers[transport];
    const bool by_target = target->core.max_queue_size < host->core.queue_size;
    struct nvme_carrier_depth depth = {
        .commands = (by_target ? target->core.max_queue_size : host->core.queue_size) - 1,
        .row = by_target ? "target.max-queue-size" : "nvme.queue-size",
        .at_target = by_target,
        .entries = true,
    };
    if (carrier->narrow != NULL)
        carrier->narrow(host->own[transport], target->own[transport], &depth);
    return depth;
}

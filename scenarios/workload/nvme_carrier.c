/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier - the transports, and the rows of all. */
#include "scenarios/workload/nvme_carrier.h"

#include "base/check.h"

/* What hosts and targets use: a scenario has no word to choose by as long as there is one. */
enum { CHOSEN = NVME_CARRIER_rdma };

const struct nvme_carrier *const nvme_carriers[NVME_CARRIERS] = {
#define CARRIER(stem) &carrier_##stem,
#include "scenarios/workload/nvme_carrier.def"
#undef CARRIER
};

size_t nvme_carrier_host_rows(struct opt *rows)
{
    size_t count = opt_join(rows, 0, nvme_host_opts, offsetof(struct nvme_carrier_host, core));
    for (size_t i = 0; i < NVME_CARRIERS; i++) {
        CHECK(nvme_carriers[i]->host_bytes <= NVME_CARRIER_PARAMS_MAX);
        count = opt_join(rows, count, nvme_carriers[i]->host_opts,
                         offsetof(struct nvme_carrier_host, own[i]));
    }
    return count + 1;
}

size_t nvme_carrier_target_rows(struct opt *rows)
{
    size_t count = opt_join(rows, 0, nvme_target_opts, offsetof(struct nvme_carrier_target, core));
    for (size_t i = 0; i < NVME_CARRIERS; i++) {
        CHECK(nvme_carriers[i]->target_bytes <= NVME_CARRIER_PARAMS_MAX);
        count = opt_join(rows, count, nvme_carriers[i]->target_opts,
                         offsetof(struct nvme_carrier_target, own[i]));
    }
    return count + 1;
}

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

/* SPDX-License-Identifier: Apache-2.0
 * nvme_carrier_rows - parameters of hosts and targets: those of the core and of all transports.
 * Separate from nvme_carrier.c, so that code that only carries capsules does not link the core's
 * parameters. */
#include "scenarios/carrier/nvme_carrier.h"

#include "base/check.h"

size_t nvme_carrier_host_rows(struct opt *rows)
{
    size_t count = opt_join(rows, 0, nvme_host_opts, offsetof(struct nvme_carrier_host, core));
    count = opt_join(rows, count, nvme_multipath_opts, offsetof(struct nvme_carrier_host, paths));
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

/* SPDX-License-Identifier: Apache-2.0
 * carrier_fc - NVMe over Fibre Channel. */
#include "nvme/fc/nvme_fc.h"
#include "scenarios/carrier/nvme_carrier.h"

static struct nvme_transport *create(const struct nvme_carrier_site *site, const void *own)
{
    (void)own;
    return nvme_fc_create(&(struct nvme_fc_site){site->env, site->fc});
}

const struct nvme_carrier carrier_fc = {
    .by_fc = true,
    .only_blocks = true,
    .of_host = create,
    .of_target = create,
};

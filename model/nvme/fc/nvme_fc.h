/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc - NVMe over Fibre Channel: a transport on the exchanges of an N_Port.
 *   connect   PLOGI and PRLI; Create Association for the admin queue, Create I/O Connection for the
 *             others
 *   read      NVMe_CMND, NVMe_DATA, NVMe_RSP or NVMe_ERSP in one exchange
 *   write     NVMe_CMND, NVMe_XFER_RDY, NVMe_DATA, NVMe_RSP or NVMe_ERSP
 * An exchange that fails ends the association of its queue, as in Linux without SLER; a lost
 * command or response is found by the host's timeout.
 * Source: FC-NVMe; Linux drivers/nvme/host/fc.c and drivers/nvme/target/fc.c. Create Association
 * has zeros in place of the names, which the Connect command has.
 * Not modeled: SLER (FC-NVMe-2), first burst, several XFER_RDYs for one command, discovery.
 * Owner, clock and errors: see transport.h. */
#ifndef STORMGLASS_NVME_FC_NVME_FC_H
#define STORMGLASS_NVME_FC_NVME_FC_H

#include "nvme/transport/transport.h"

struct env;
struct fc;

struct nvme_fc_site {
    const struct env *env;
    struct fc *fc;
};

struct nvme_transport *nvme_fc_create(const struct nvme_fc_site *site);

#endif

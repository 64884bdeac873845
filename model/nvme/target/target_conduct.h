/* SPDX-License-Identifier: Apache-2.0
 * target_conduct - differences between target identities: the rows of target_conduct.def.
 * A row is a status with NVME_STATUS_DNR (0: the command is executed), yes or no, a number or a
 * mask; its sentence in the list states which. */
#ifndef STORMGLASS_NVME_TARGET_TARGET_CONDUCT_H
#define STORMGLASS_NVME_TARGET_TARGET_CONDUCT_H

#include "nvme/target/target.h"

#include <stdint.h>

struct target_conduct {
#define CONDUCT(name, own, nvmet, spdk, what) uint32_t name;
#include "nvme/target/target_conduct.def"
#undef CONDUCT
};

/* identity: enum nvme_target_identity. */
const struct target_conduct *nvme_target_conduct_of(int64_t identity);

#endif

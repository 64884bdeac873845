/* SPDX-License-Identifier: Apache-2.0
 * target_conduct - the columns of target_conduct.def. */
#include "nvme/target/target_conduct.h"

#include "base/check.h"
#include "nvme/wire/fabrics.h"

enum { OK = NVME_STATUS_OK };

/* The list uses the status names without their prefix. */
enum {
    SEQUENCE = NVME_STATUS_SEQUENCE,
    INVALID_OPCODE = NVME_STATUS_INVALID_OPCODE,
    INVALID_FIELD = NVME_STATUS_INVALID_FIELD,
    INVALID_NAMESPACE = NVME_STATUS_INVALID_NAMESPACE,
    INVALID_QUEUE = NVME_STATUS_INVALID_QUEUE,
    INVALID_LOG_PAGE = NVME_STATUS_INVALID_LOG_PAGE,
    CONNECT_PARAMETERS = NVME_STATUS_CONNECT_PARAMETERS,
    SGL_TYPE = NVME_STATUS_SGL_TYPE,
    ID_CONFLICT = NVME_STATUS_ID_CONFLICT,
    NOT_SAVEABLE = NVME_STATUS_NOT_SAVEABLE,
    NOT_CHANGEABLE = NVME_STATUS_NOT_CHANGEABLE,
    NOT_OF_NAMESPACE = NVME_STATUS_NOT_OF_NAMESPACE,
    ABORT_LIMIT = NVME_STATUS_ABORT_LIMIT,
    LBA_RANGE = NVME_STATUS_LBA_RANGE,
    INTERNAL = NVME_STATUS_INTERNAL,
    WRITE_FAULT = NVME_STATUS_WRITE_FAULT,
    READ_ERROR = NVME_STATUS_READ_ERROR,
};

#define NO_RETRY(status) ((status) | NVME_STATUS_DNR)
#define FEATURE(id)      (UINT32_C(1) << (id))

static const struct target_conduct conducts[] = {
#define CONDUCT(name, own, nvmet, spdk, what) .name = own,
    [NVME_TARGET_IS_OWN] =
        {
#include "nvme/target/target_conduct.def"
        },
#undef CONDUCT
#define CONDUCT(name, own, nvmet, spdk, what) .name = nvmet,
    [NVME_TARGET_IS_NVMET] =
        {
#include "nvme/target/target_conduct.def"
        },
#undef CONDUCT
#define CONDUCT(name, own, nvmet, spdk, what) .name = spdk,
    [NVME_TARGET_IS_SPDK] =
        {
#include "nvme/target/target_conduct.def"
        },
#undef CONDUCT
};

const struct target_conduct *nvme_target_conduct_of(int64_t identity)
{
    CHECK(identity >= 0 && identity < (int64_t)(sizeof conducts / sizeof conducts[0]));
    return &conducts[identity];
}

/* SPDX-License-Identifier: Apache-2.0
 * fabrics - additions of NVMe over Fabrics: Connect data and RDMA CM private data.
 * Source: Fabrics 3.3 (Connect), 7.3.6.2 (RDMA_CM private data; include/linux/nvme-rdma.h). Errors:
 * a decoder returns false when the bytes do not have this format. */
#ifndef STORMGLASS_NVME_WIRE_FABRICS_H
#define STORMGLASS_NVME_WIRE_FABRICS_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    NVME_HOST_ID_BYTES = 16,
    NVME_CNTLID_DYNAMIC = 0xFFFF,
    NVME_CNTLID_MAX = 0xFFEF, /* Fabrics 3.3: higher values are reserved */
    NVME_CM_REQUEST_BYTES = 32,
    NVME_CM_ACCEPT_BYTES = 32,
    NVME_CM_REJECT_BYTES = 4,
    NVME_CM_REJECT_REASON = 28, /* IBTA Vol 1 12.6.7.2: consumer defined */
};

struct nvme_connect_data {
    unsigned char host_id[NVME_HOST_ID_BYTES];
    uint16_t cntlid;
    char subsystem_nqn[NVME_NQN_BYTES], host_nqn[NVME_NQN_BYTES]; /* NUL-terminated */
};

/* Offsets in the Connect data and in the Connect command, for the "invalid parameter offset" of a
 * rejection. */
enum nvme_connect_offset {
    NVME_CONNECT_HOSTID_AT = 0,
    NVME_CONNECT_CNTLID_AT = 16,
    NVME_CONNECT_SUBNQN_AT = 256,
    NVME_CONNECT_HOSTNQN_AT = 512,
    NVME_CONNECT_QID_AT = 42,    /* in the command */
    NVME_CONNECT_SQSIZE_AT = 44, /* in the command */
    NVME_CONNECT_IN_DATA = 1 << 16,
};

struct nvme_cm_request {
    uint16_t format;
    uint16_t qid;
    uint16_t hrqsize; /* host's receive queue: entries */
    uint16_t hsqsize; /* host's send queue: entries - 1 */
};

/* fabrics 7.3.6.2, RDMA_CM reject status. */
enum nvme_cm_reject {
    NVME_CM_INVALID_LENGTH = 1,
    NVME_CM_INVALID_FORMAT = 2,
    NVME_CM_INVALID_QID = 3,
    NVME_CM_INVALID_HSQSIZE = 4,
    NVME_CM_INVALID_HRQSIZE = 5,
    NVME_CM_NO_RESOURCES = 6,
};

void nvme_fabrics_encode_connect(const struct nvme_connect_data *data,
                                 unsigned char bytes[NVME_CONNECT_BYTES]);
/* Returns false when a name is not terminated. */
bool nvme_fabrics_decode_connect(struct nvme_connect_data *data,
                                 const unsigned char bytes[NVME_CONNECT_BYTES]);

void nvme_fabrics_encode_request(const struct nvme_cm_request *request,
                                 unsigned char bytes[NVME_CM_REQUEST_BYTES]);
bool nvme_fabrics_decode_request(struct nvme_cm_request *request, const unsigned char *bytes,
                                 unsigned length);
void nvme_fabrics_encode_accept(uint16_t crqsize, unsigned char bytes[NVME_CM_ACCEPT_BYTES]);
void nvme_fabrics_encode_reject(enum nvme_cm_reject status,
                                unsigned char bytes[NVME_CM_REJECT_BYTES]);

#endif

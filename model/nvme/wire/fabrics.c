/* SPDX-License-Identifier: Apache-2.0
 * fabrics - byte offsets of Connect data and private data. */
#include "nvme/wire/fabrics.h"

#include "nvme/wire/wire.h"

#include <string.h>

void nvme_fabrics_encode_connect(const struct nvme_connect_data *data,
                                 unsigned char bytes[NVME_CONNECT_BYTES])
{
    memset(bytes, 0, NVME_CONNECT_BYTES);
    memcpy(bytes, data->host_id, NVME_HOST_ID_BYTES);
    wire_put16(bytes + NVME_CONNECT_CNTLID_AT, data->cntlid);
    memcpy(bytes + NVME_CONNECT_SUBNQN_AT, data->subsystem_nqn, strlen(data->subsystem_nqn));
    memcpy(bytes + NVME_CONNECT_HOSTNQN_AT, data->host_nqn, strlen(data->host_nqn));
}

bool nvme_fabrics_decode_connect(struct nvme_connect_data *data,
                                 const unsigned char bytes[NVME_CONNECT_BYTES])
{
    memcpy(data->host_id, bytes, NVME_HOST_ID_BYTES);
    data->cntlid = wire_get16(bytes + NVME_CONNECT_CNTLID_AT);
    memcpy(data->subsystem_nqn, bytes + NVME_CONNECT_SUBNQN_AT, NVME_NQN_BYTES);
    memcpy(data->host_nqn, bytes + NVME_CONNECT_HOSTNQN_AT, NVME_NQN_BYTES);
    return memchr(data->subsystem_nqn, '\0', NVME_NQN_BYTES) != NULL &&
           memchr(data->host_nqn, '\0', NVME_NQN_BYTES) != NULL;
}

void nvme_fabrics_encode_request(const struct nvme_cm_request *request,
                                 unsigned char bytes[NVME_CM_REQUEST_BYTES])
{
    memset(bytes, 0, NVME_CM_REQUEST_BYTES);
    wire_put16(bytes, request->format);
    wire_put16(bytes + 2, request->qid);
    wire_put16(bytes + 4, request->hrqsize);
    wire_put16(bytes + 6, request->hsqsize);
}

bool nvme_fabrics_decode_request(struct nvme_cm_request *request, const unsigned char *bytes,
                                 unsigned length)
{
    if (bytes == NULL || length < NVME_CM_REQUEST_BYTES)
        return false;
    *request = (struct nvme_cm_request){
        .format = wire_get16(bytes),
        .qid = wire_get16(bytes + 2),
        .hrqsize = wire_get16(bytes + 4),
        .hsqsize = wire_get16(bytes + 6),
    };
    return true;
}

void nvme_fabrics_encode_accept(uint16_t crqsize, unsigned char bytes[NVME_CM_ACCEPT_BYTES])
{
    memset(bytes, 0, NVME_CM_ACCEPT_BYTES);
    wire_put16(bytes + 2, crqsize);
}

void nvme_fabrics_encode_reject(enum nvme_cm_reject status,
                                unsigned char bytes[NVME_CM_REJECT_BYTES])
{
    wire_put16(bytes, 0);
    wire_put16(bytes + 2, (uint16_t)status);
}

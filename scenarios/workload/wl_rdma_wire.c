/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_wire - private data of the rdma-* kinds. */
#include "scenarios/workload/wl_rdma.h"

#include "base/big_endian.h"

#include <string.h>

void wl_rdma_encode_request(const struct wl_rdma_request *request, uint8_t *bytes)
{
    big_put(bytes, 1, WL_RDMA_VERSION);
    big_put(bytes + 1, 1,
            (uint64_t)request->opcode | (request->answered ? WL_RDMA_ANSWERED : 0) |
                (request->shared ? WL_RDMA_SHARED : 0) |
                (request->no_right ? WL_RDMA_NO_RIGHT : 0) |
                (request->gives_back ? WL_RDMA_GIVES_BACK : 0));
    big_put(bytes + 2, 2, request->outstanding);
    big_put(bytes + 4, 4, request->message_bytes);
    big_put(bytes + 8, 2, request->receives);
    big_put(bytes + 10, 2, request->receive_limit);
    big_put(bytes + 12, 4, request->receive_delay_us);
}

bool wl_rdma_decode_request(const uint8_t *bytes, uint8_t length, struct wl_rdma_request *request)
{
    if (length < WL_RDMA_REQ_BYTES || bytes[0] != WL_RDMA_VERSION)
        return false;
    request->opcode = (enum ibv_wr_opcode)(bytes[1] & WL_RDMA_OPCODE);
    request->answered = (bytes[1] & WL_RDMA_ANSWERED) != 0;
    request->no_right = (bytes[1] & WL_RDMA_NO_RIGHT) != 0;
    request->shared = (bytes[1] & WL_RDMA_SHARED) != 0;
    request->receive_limit = (uint32_t)big_get(bytes + 10, 2);
    request->outstanding = (uint32_t)big_get(bytes + 2, 2);
    request->message_bytes = (uint32_t)big_get(bytes + 4, 4);
    request->receives = (uint32_t)big_get(bytes + 8, 2);
    request->receive_delay_us = (uint32_t)big_get(bytes + 12, 4);
    const bool send = request->opcode == IBV_WR_SEND || request->opcode == IBV_WR_SEND_WITH_IMM;
    request->gives_back = (bytes[1] & WL_RDMA_GIVES_BACK) != 0 && !send; /* for SEND, other
                                                                          * connections need the
                                                                          * memory */
    const bool known = send || request->opcode == IBV_WR_RDMA_WRITE ||
                       request->opcode == IBV_WR_RDMA_WRITE_WITH_IMM ||
                       request->opcode == IBV_WR_RDMA_READ;
    const bool fits = !request->answered || send;
    if (request->shared && (request->receives == 0 || request->receive_limit > request->receives))
        return false;
    return known && fits && request->receives <= WL_RDMA_RECEIVES_MAX && request->outstanding > 0 &&
           request->outstanding <= WL_RDMA_OUTSTANDING_MAX && request->message_bytes > 0 &&
           request->message_bytes <= WL_RDMA_MESSAGE_MAX;
}

bool wl_rdma_is_answered(const struct workload_ops *ops, const void *params)
{
    uint8_t bytes[WORKLOAD_REQUEST_BYTES];
    struct wl_rdma_request request;
    if (ops->request == NULL)
        return false;
    ops->request(params, bytes);
    return wl_rdma_decode_request(bytes, sizeof bytes, &request) &&
           (request.answered || request.opcode == IBV_WR_RDMA_READ);
}

void wl_rdma_encode_grant(const struct wl_rdma_grant *grant, uint8_t *bytes)
{
    memset(bytes, 0, WL_RDMA_REP_BYTES);
    big_put(bytes, 1, WL_RDMA_VERSION);
    big_put(bytes + 4, 4, grant->length);
    big_put(bytes + 8, 8, grant->addr);
    big_put(bytes + 16, 4, grant->rkey);
}

bool wl_rdma_decode_grant(const uint8_t *bytes, uint8_t length, struct wl_rdma_grant *grant)
{
    if (length < WL_RDMA_REP_BYTES || bytes[0] != WL_RDMA_VERSION)
        return false;
    grant->length = (uint32_t)big_get(bytes + 4, 4);
    grant->addr = big_get(bytes + 8, 8);
    grant->rkey = (uint32_t)big_get(bytes + 16, 4);
    return true;
}

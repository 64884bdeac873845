/* SPDX-License-Identifier: Apache-2.0
 * rdma_target - data transfer of a target's queue pair.
 * As in nvmet_rdma: a receive is posted again just before its command's response is sent, and a
 * command begins only with send credits for everything that it will post (1 for the response, 1 per
 * RDMA operation). */
#include "nvme/rdma/rdma_private.h"

/* Operations of one command: 8 MiB, plus 8 bytes per 512 bytes, in pieces of 64 KiB. */
enum { OPERATIONS_MAX = 130 };

static const struct verbs_ops *verbs_of(const struct rdma_target_conn *conn)
{
    return conn->base.rdma->verbs;
}

/* The first receive of an I/O queue gets the Connect, whose data must be readable; when it is
 * posted again it has a buffer for I/O data, like the others. */
bool nvme_rdma_post_receive(struct rdma_target_conn *conn, struct rdma_receive *receive)
{
    if (conn->shared != NULL)
        return nvme_rdma_shared_post(conn->base.rdma, receive);
    const unsigned index = (unsigned)(receive - conn->receives);
    const uint64_t at = (uint64_t)index * NVME_SQE_BYTES;
    struct ibv_sge sges[2] = {nvme_rdma_sge(conn->capsules, at, NVME_SQE_BYTES)};
    struct ibv_recv_wr wr = {
        .wr_id = nvme_rdma_wr_id(RDMA_WR_RECEIVE, index), .sg_list = sges, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    receive->capsule.sqe = conn->capsules->bytes + at;
    receive->capsule.data = receive->data.length > 0 ? &receive->data : NULL;
    if (index == 0 && conn->connect != NULL && !conn->established) {
        sges[0] = nvme_rdma_sge(conn->connect, 0, conn->connect->length);
        receive->capsule.sqe = conn->connect->bytes;
        receive->capsule.data = &conn->connect_data;
    } else if (receive->data.length > 0) {
        wr.num_sge = 2;
        sges[1] = nvme_rdma_sge(receive->data.region, 0, conn->data_room);
    }
    return verbs_of(conn)->post_recv(conn->base.verbs, &wr, &bad) == 0;
}

/* ---- send credits ---- */

bool nvme_rdma_reserve(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct rdma_target_conn *conn = nvme_rdma_target_of(base);
    const unsigned needs =
        transfer->data == NULL ? 1 : 1 + nvme_rdma_operations(conn, transfer->length);
    CHECK(transfer->slot < conn->slots && transfer->credits == 0);
    if (needs > conn->credits)
        return false;
    conn->credits -= needs;
    transfer->credits = (uint8_t)needs;
    conn->transfers[transfer->slot] = transfer;
    if (transfer->slot >= conn->used)
        conn->used = transfer->slot + 1u;
    return true;
}

static void return_credits(struct rdma_target_conn *conn, struct nvme_transfer *transfer,
                           uint8_t left)
{
    CHECK(transfer->credits >= left);
    conn->credits += transfer->credits - left;
    transfer->credits = left;
}

void nvme_rdma_target_audit(const struct nvme_transport_conn *base)
{
    const struct rdma_target_conn *conn = (const struct rdma_target_conn *)(const void *)base;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < conn->used; i++)
        taken += conn->transfers[i] != NULL ? conn->transfers[i]->credits : 0;
    CHECK(conn->credits + taken == conn->credit_limit);
}

/* ---- work requests ---- */

/* The RDMA operations of a command, each for its part of the data. */
struct chain {
    struct ibv_send_wr wrs[OPERATIONS_MAX];
    struct ibv_sge sges[OPERATIONS_MAX];
};

static uint32_t operation_bytes(const struct rdma_target_conn *conn, uint32_t bytes)
{
    const int64_t most = conn->base.rdma->params.target.rdma_size;
    const uint32_t least = (bytes + OPERATIONS_MAX - 1) / OPERATIONS_MAX;
    const uint32_t each = most < least ? least : (uint32_t)most;
    return most < 0 || bytes < each ? bytes : each;
}

unsigned nvme_rdma_operations(const struct rdma_target_conn *conn, uint32_t bytes)
{
    const uint32_t each = operation_bytes(conn, bytes);
    return each == 0 ? 1 : (bytes + each - 1) / each;
}

/* Returns the last one, whose `next` is NULL. */
static struct ibv_send_wr *make_chain(const struct rdma_target_conn *conn,
                                      const struct nvme_transfer *transfer, struct chain *chain,
                                      enum ibv_wr_opcode opcode, uint64_t id)
{
    const bool whole = opcode == IBV_WR_RDMA_READ && conn->base.rdma->params.target.whole_reads;
    const uint32_t each = whole ? transfer->length : operation_bytes(conn, transfer->length);
    const unsigned count = whole ? 1 : nvme_rdma_operations(conn, transfer->length);
    CHECK(count <= OPERATIONS_MAX);
    for (unsigned i = 0; i < count; i++) {
        const uint32_t at = i * each, left = transfer->length - at;
        CHECK(at < transfer->length && (i + 1 < count || left <= each));
        chain->sges[i] = nvme_rdma_sge(transfer->data->region, at, left < each ? left : each);
        chain->wrs[i] = (struct ibv_send_wr){
            .wr_id = id,
            .next = i + 1 < count ? &chain->wrs[i + 1] : NULL,
            .sg_list = &chain->sges[i],
            .num_sge = 1,
            .opcode = opcode,
            .wr.rdma = {.remote_addr = transfer->sgl->address + at, .rkey = transfer->sgl->key},
        };
    }
    return &chain->wrs[count - 1];
}

/* The completion of the last READ is sufficient: READs complete in order. */
bool nvme_rdma_fetch(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct rdma_target_conn *conn = nvme_rdma_target_of(base);
    struct chain chain;
    CHECK(transfer->credits == 1 + nvme_rdma_operations(conn, transfer->length));
    make_chain(conn, transfer, &chain, IBV_WR_RDMA_READ,
               nvme_rdma_wr_id(RDMA_WR_FETCH, transfer->slot))
        ->send_flags = IBV_SEND_SIGNALED;
    struct ibv_send_wr *bad = NULL;
    return verbs_of(conn)->post_send(base->verbs, chain.wrs, &bad) == 0;
}

/* The data of a read precedes the response in one chain: RC preserves the order, so one completion
 * is sufficient. */
bool nvme_rdma_respond(struct nvme_transport_conn *base, struct nvme_transfer *transfer,
                       const struct nvme_response *what, bool with_data)
{
    struct rdma_target_conn *conn = nvme_rdma_target_of(base);
    const size_t at = (size_t)transfer->slot * NVME_CQE_BYTES;
    CHECK(transfer->credits >= (with_data ? 1 + nvme_rdma_operations(conn, transfer->length) : 1));
    const bool invalidate = transfer->described && transfer->sgl->type == NVME_SGL_KEYED_INVALIDATE;
    nvme_capsule_encode_response(what, conn->responses->bytes + at);
    struct ibv_sge capsule = nvme_rdma_sge(conn->responses, at, NVME_CQE_BYTES);
    struct ibv_send_wr response = {
        .wr_id = nvme_rdma_wr_id(RDMA_WR_RESPONSE, transfer->slot),
        .sg_list = &capsule,
        .num_sge = 1,
        .opcode = invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
    if (invalidate)
        response.invalidate_rkey = transfer->sgl->key;
    struct chain data;
    if (with_data) {
        struct verbs_mr *mr = transfer->data->region;
        mr->content = transfer->data->content;
        make_chain(conn, transfer, &data, IBV_WR_RDMA_WRITE,
                   nvme_rdma_wr_id(RDMA_WR_WRITE, transfer->slot))
            ->next = &response;
    }
    struct ibv_send_wr *bad = NULL;
    return nvme_rdma_post_receive(conn, (struct rdma_receive *)(void *)transfer->capsule) &&
           verbs_of(conn)->post_send(base->verbs, with_data ? data.wrs : &response, &bad) == 0;
}

/* ---- completions ---- */

static struct rdma_receive *receive_at(const struct rdma_target_conn *conn, unsigned index)
{
    return conn->shared != NULL ? &conn->shared->receives[index] : &conn->receives[index];
}

static void on_capsule(struct rdma_target_conn *conn, unsigned index, uint32_t length)
{
    struct rdma_receive *receive = receive_at(conn, index);
    receive->holder = conn;
    if (length < NVME_SQE_BYTES) {
        conn->user.on_failed(conn->user.self, "command capsule shorter than 64 bytes");
        return;
    }
    struct nvme_buffer *data = receive->capsule.data;
    if (data != NULL)
        data->content = ((const struct verbs_mr *)data->region)->content;
    receive->capsule.data_bytes = length - NVME_SQE_BYTES;
    conn->user.on_capsule(conn->user.self, &receive->capsule);
}

static void on_data_fetched(struct rdma_target_conn *conn, struct nvme_transfer *transfer)
{
    transfer->data->content = ((const struct verbs_mr *)transfer->data->region)->content;
    return_credits(conn, transfer, 1); /* of the READs */
    conn->user.on_fetched(conn->user.self, transfer);
}

static void handle_completion(void *self, const void *what)
{
    struct rdma_target_conn *conn = self;
    const struct ibv_wc *wc = what;
    const unsigned index = (unsigned)wc->wr_id;
    const bool in_vain = conn->base.closed || wc->status != IBV_WC_SUCCESS;
    if (in_vain && conn->shared != NULL && wc->wr_id >> 32 == RDMA_WR_RECEIVE)
        CHECK(nvme_rdma_post_receive(conn, receive_at(conn, index)));
    if (conn->base.closed)
        return; /* flushed; the memory is released with the queue */
    if (wc->status != IBV_WC_SUCCESS) {
        conn->user.on_failed(conn->user.self, "a work request failed");
        return;
    }
    switch (wc->wr_id >> 32) {
    case RDMA_WR_RECEIVE:
        on_capsule(conn, index, wc->byte_len);
        break;
    case RDMA_WR_FETCH:
        on_data_fetched(conn, conn->transfers[index]);
        break;
    case RDMA_WR_RESPONSE:
        return_credits(conn, conn->transfers[index], 0);
        conn->user.on_responded(conn->user.self, conn->transfers[index]);
        break;
    default:
        break;
    }
}

_Static_assert(sizeof(struct ibv_wc) <= NVME_STALL_BYTES, "a completion can wait");

void nvme_rdma_target_completion(void *self, struct verbs_conn *verbs, const struct ibv_wc *wc)
{
    struct rdma_target_conn *conn = self;
    struct nvme_stall *stall = conn->base.rdma->listener.stall;
    (void)verbs;
    if (!conn->base.closed && !nvme_stall_holds(stall, handle_completion, conn, wc, sizeof *wc))
        handle_completion(conn, wc);
}

/* SPDX-License-Identifier: Apache-2.0
 * rdma_host - a host's queue pair.
 * A capsule and the buffer for its response belong to the command's tag. Linux signals every SEND
 * and waits for both its completion and the response (drivers/nvme/host/rdma.c, refcount of 2),
 * because a buffer must not be reused before the RNIC has released the capsule. */
#include "nvme/rdma/rdma_private.h"

#include "base/memory.h"
#include "nvme/wire/fabrics.h"

#include <stdlib.h>

enum { WR_SEND = 1, WR_INVALIDATE, WR_RECEIVE };

/* A command is done when none of these is left. */
enum { AWAITS_SEND = 1, AWAITS_RESPONSE = 2, AWAITS_INVALIDATE = 4 };

struct slot {
    uint32_t rkey;
    uint8_t awaits;
    bool key_armed; /* the target will invalidate the rkey */
};

struct host_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_host user;
    struct verbs_mr *capsules, *responses;
    struct slot *slots; /* indexed by tag */
    uint32_t in_capsule;
    uint16_t entries;
};

static struct host_conn *host_of(struct nvme_transport_conn *conn)
{
    return (struct host_conn *)(void *)conn;
}

static const struct verbs_ops *verbs_of(const struct host_conn *conn)
{
    return conn->base.rdma->verbs;
}

static void fail(struct host_conn *conn, const char *why)
{
    conn->user.on_failed(conn->user.self, why);
}

static bool post_receive(struct host_conn *conn, unsigned index)
{
    struct ibv_sge sge =
        nvme_rdma_sge(conn->responses, (uint64_t)index * NVME_CQE_BYTES, NVME_CQE_BYTES);
    struct ibv_recv_wr wr = {
        .wr_id = nvme_rdma_wr_id(WR_RECEIVE, index), .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return verbs_of(conn)->post_recv(conn->base.verbs, &wr, &bad) == 0;
}

static void step(struct host_conn *conn, unsigned tag, uint8_t awaited)
{
    CHECK(tag < conn->entries);
    struct slot *slot = &conn->slots[tag];
    CHECK((slot->awaits & awaited) != 0);
    slot->awaits &= (uint8_t)~awaited;
    if (slot->awaits == 0)
        conn->user.on_done(conn->user.self, (uint16_t)tag);
}

static void post_invalidate(struct host_conn *conn, unsigned tag)
{
    struct slot *slot = &conn->slots[tag];
    struct ibv_send_wr wr = {
        .wr_id = nvme_rdma_wr_id(WR_INVALIDATE, tag),
        .opcode = IBV_WR_LOCAL_INV,
        .send_flags = IBV_SEND_SIGNALED,
        .invalidate_rkey = slot->rkey,
    };
    struct ibv_send_wr *bad = NULL;
    slot->key_armed = false;
    slot->awaits |= AWAITS_INVALIDATE;
    if (verbs_of(conn)->post_send(conn->base.verbs, &wr, &bad) != 0)
        fail(conn, "cannot post LOCAL_INV");
}

static void on_response(struct host_conn *conn, unsigned index, const struct ibv_wc *wc)
{
    struct nvme_response response;
    if (wc->byte_len < NVME_CQE_BYTES) {
        fail(conn, "response capsule too short");
        return;
    }
    nvme_capsule_decode_response(&response,
                                 conn->responses->bytes + (size_t)index * NVME_CQE_BYTES);
    const int32_t tag = conn->user.on_response(conn->user.self, &response);
    if (tag < 0)
        return;
    CHECK(tag < conn->entries);
    struct slot *slot = &conn->slots[tag];
    const bool invalidated = (wc->wc_flags & IBV_WC_WITH_INV) != 0;
    if (invalidated && (!slot->key_armed || wc->invalidated_rkey != slot->rkey)) {
        fail(conn, "remote invalidation of another key");
        return;
    }
    if (!post_receive(conn, index)) {
        fail(conn, "cannot post a receive");
        return;
    }
    if (invalidated)
        slot->key_armed = false;
    else if (slot->key_armed)
        post_invalidate(conn, (unsigned)tag);
    if (!conn->base.closed)
        step(conn, (unsigned)tag, AWAITS_RESPONSE);
}

static void on_completion(void *self, struct verbs_conn *verbs, const struct ibv_wc *wc)
{
    struct host_conn *conn = self;
    const unsigned index = (unsigned)wc->wr_id;
    (void)verbs;
    if (conn->base.closed)
        return; /* flushed */
    if (wc->status != IBV_WC_SUCCESS) {
        fail(conn, "a work request failed");
        return;
    }
    switch (wc->wr_id >> 32) {
    case WR_SEND:
        step(conn, index, AWAITS_SEND);
        break;
    case WR_INVALIDATE:
        step(conn, index, AWAITS_INVALIDATE);
        break;
    default:
        on_response(conn, index, wc);
    }
}

/* Reject reason in words, IBTA Vol 1 12.6.7.2. A REJ means that the machine is up. */
static const char *reject_words(int reason)
{
    switch (reason) {
    case 3:
        return "connection rejected: the target has no resources (REJ reason 3)";
    case 8:
        return "connection rejected: nothing listens on the port (REJ reason 8)";
    case 28:
        return "connection rejected by the target (REJ reason 28)";
    default:
        return "connection rejected";
    }
}

static void on_cm(void *self, struct verbs_conn *verbs, const struct verbs_event *event)
{
    struct host_conn *conn = self;
    (void)verbs;
    if (conn->base.closed) {
        if (event->type == RDMA_CM_EVENT_DISCONNECTED && conn->user.on_closed != NULL)
            conn->user.on_closed(conn->user.self);
        return;
    }
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        conn->user.on_established(conn->user.self);
        break;
    case RDMA_CM_EVENT_REJECTED:
        fail(conn, reject_words(event->status));
        break;
    case RDMA_CM_EVENT_ADDR_ERROR:
        fail(conn, "no answer to ARP: the target is down or unreachable");
        break;
    case RDMA_CM_EVENT_UNREACHABLE:
        fail(conn, "no answer to the connection request");
        break;
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_ADDR_CHANGE:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        fail(conn, "the other side disconnected");
        break;
    default:
        break; /* CM steps that concern only the implementation */
    }
}

static void release(struct nvme_transport_conn *conn)
{
    struct host_conn *host = host_of(conn);
    nvme_rdma_release_mr(conn->rdma, host->capsules);
    nvme_rdma_release_mr(conn->rdma, host->responses);
    free(host->slots);
    free(host);
}

/* Private data and queue depths as in nvme_rdma_create_queue_ib and nvme_rdma_route_resolved. */
static struct verbs_conn *start_connect(struct host_conn *conn,
                                        const struct nvme_transport_connect *how)
{
    const struct nvme_rdma *rdma = conn->base.rdma;
    unsigned char private_data[NVME_CM_REQUEST_BYTES];
    const struct nvme_cm_request request = {
        .qid = how->qid,
        .hrqsize = how->entries,
        .hsqsize = (uint16_t)(how->entries - 1),
    };
    nvme_fabrics_encode_request(&request, private_data);
    const struct ibv_qp_cap cap = {
        .max_send_wr = 3u * how->entries + 1, /* per command: registration, SEND and invalidation */
        .max_recv_wr = how->entries + 1u,
        .max_send_sge = 2,
        .max_recv_sge = 1,
    };
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = NVME_CM_REQUEST_BYTES,
        .responder_resources = rdma->verbs->max_rd_atomic(rdma->device),
        .flow_control = 1,
        .retry_count = 7,
        .rnr_retry_count = 7,
    };
    const struct verbs_user user = {.self = conn, .on_cm = on_cm, .on_completion = on_completion};
    const struct verbs_peer peer = {how->ip, NVME_RDMA_PORT, rdma->params.class, how->polled};
    return rdma->verbs->connect(rdma->device, &peer, &cap, &param, &user);
}

struct nvme_transport_conn *nvme_rdma_connect(struct nvme_transport *transport,
                                              const struct nvme_transport_connect *how)
{
    struct nvme_rdma *rdma = nvme_rdma_of(transport);
    struct host_conn *conn = memory_new(sizeof *conn);
    conn->base.rdma = rdma;
    conn->base.release = release;
    conn->user = how->user;
    conn->in_capsule = how->in_capsule;
    conn->entries = how->entries;
    conn->slots = memory_zeroed(how->entries, sizeof *conn->slots);
    rdma->regions += 2;
    conn->capsules = verbs_register(rdma->verbs, rdma->device,
                                    (uint32_t)how->entries * NVME_SQE_BYTES, 0, VERBS_BYTES);
    conn->responses =
        verbs_register(rdma->verbs, rdma->device, (uint32_t)how->entries * NVME_CQE_BYTES,
                       IBV_ACCESS_LOCAL_WRITE, VERBS_BYTES);
    conn->base.verbs = start_connect(conn, how);
    bool posted = conn->base.verbs != NULL;
    for (unsigned i = 0; posted && i < how->entries; i++)
        posted = post_receive(conn, i);
    if (posted)
        return &conn->base;
    transport->ops->close(&conn->base);
    return NULL;
}

/* nvme_rdma_map_data: writes that fit are sent in the capsule, all other data uses one keyed
 * descriptor; a command without data has a keyed descriptor of length 0. */
static bool describe(struct host_conn *conn, struct slot *slot, struct nvme_command *command,
                     const struct nvme_buffer *data, uint32_t bytes)
{
    const struct nvme_rdma *rdma = conn->base.rdma;
    struct nvme_sgl *sgl = &command->sgl;
    *sgl = (struct nvme_sgl){.type = NVME_SGL_KEYED, .length = bytes};
    if (bytes == 0)
        return false;
    const bool out = nvme_capsule_direction(command) == NVME_DATA_OUT;
    struct verbs_mr *mr = data->region;
    mr->content = data->content;
    if (out && bytes <= conn->in_capsule && !data->apart) {
        sgl->type = NVME_SGL_IN_CAPSULE;
        return true;
    }
    if (rdma->params.host.sgl_invalidate && rdma->verbs->fast_registration) {
        rdma->verbs->renew_rkey(conn->base.verbs, mr, bytes);
        slot->key_armed = true;
        sgl->type = NVME_SGL_KEYED_INVALIDATE;
    }
    slot->rkey = mr->rkey;
    sgl->address = mr->addr;
    sgl->key = mr->rkey;
    return false;
}

bool nvme_rdma_send_command(struct nvme_transport_conn *base, uint16_t tag,
                            struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes)
{
    struct host_conn *conn = host_of(base);
    struct slot *slot = &conn->slots[tag];
    const size_t at = (size_t)tag * NVME_SQE_BYTES;
    CHECK(tag < conn->entries && slot->awaits == 0 && bytes <= (data == NULL ? 0 : data->length));
    *slot = (struct slot){.awaits = AWAITS_SEND | AWAITS_RESPONSE};
    const bool in_capsule = describe(conn, slot, command, data, bytes);
    nvme_capsule_encode_command(command, conn->capsules->bytes + at);
    struct ibv_sge sges[2] = {nvme_rdma_sge(conn->capsules, at, NVME_SQE_BYTES)};
    if (in_capsule)
        sges[1] = nvme_rdma_sge(data->region, 0, bytes);
    struct ibv_send_wr wr = {
        .wr_id = nvme_rdma_wr_id(WR_SEND, tag),
        .sg_list = sges,
        .num_sge = in_capsule ? 2 : 1,
        .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
    struct ibv_send_wr *bad = NULL;
    return verbs_of(conn)->post_send(base->verbs, &wr, &bad) == 0;
}

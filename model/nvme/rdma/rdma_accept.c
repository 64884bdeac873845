/* SPDX-License-Identifier: Apache-2.0
 * rdma_accept - creates and destroys a target's queue pairs and their memory.
 * As in nvmet_rdma: the private data of the request is read, HSQSIZE + 1 receives are posted, then
 * the connection is accepted. */
#include "nvme/rdma/rdma_private.h"

#include "base/memory.h"

#include <stdlib.h>

/* ---- memory ---- */

static bool register_bytes(struct nvme_rdma *rdma, uint32_t bytes, struct verbs_mr **mr)
{
    *mr = rdma->verbs->reg_mr(rdma->device, bytes, IBV_ACCESS_LOCAL_WRITE, VERBS_BYTES);
    rdma->regions += *mr != NULL;
    return *mr != NULL;
}

/* Returns false when the device has no more memory; what was allocated is released with the
 * connection. */
static bool make_memory(struct rdma_target_conn *conn, enum nvme_memory memory)
{
    struct nvme_rdma *rdma = conn->base.rdma;
    conn->transfers = memory_zeroed(conn->slots, sizeof(struct nvme_transfer *));
    if (!register_bytes(rdma, conn->slots * NVME_CQE_BYTES, &conn->responses))
        return false;
    if (nvme_rdma_is_shared(conn)) {
        conn->shared = nvme_rdma_shared_join(rdma, conn->data_room, memory);
        return conn->shared != NULL;
    }
    conn->receives = memory_zeroed(conn->receive_count, sizeof *conn->receives);
    if (!register_bytes(rdma, (uint32_t)conn->receive_count * NVME_SQE_BYTES, &conn->capsules))
        return false;
    if (conn->qid == 0)
        return true;
    if (!register_bytes(rdma, NVME_SQE_BYTES + NVME_CONNECT_BYTES, &conn->connect))
        return false;
    conn->connect_data = (struct nvme_buffer){.length = NVME_CONNECT_BYTES,
                                              .memory = NVME_MEMORY_BYTES,
                                              .bytes = conn->connect->bytes + NVME_SQE_BYTES,
                                              .region = conn->connect};
    for (uint32_t i = 0; i < conn->receive_count && conn->data_room > 0; i++)
        if (!rdma->base.ops->map(&rdma->base, &conn->receives[i].data, conn->data_room, memory, 0))
            return false;
    return true;
}

static void release(struct nvme_transport_conn *base)
{
    struct rdma_target_conn *conn = nvme_rdma_target_of(base);
    nvme_rdma_shared_leave(conn);
    nvme_rdma_release_mr(base->rdma, conn->capsules);
    nvme_rdma_release_mr(base->rdma, conn->responses);
    nvme_rdma_release_mr(base->rdma, conn->connect);
    for (uint32_t i = 0; conn->receives != NULL && i < conn->receive_count; i++)
        nvme_transport_unmap(&base->rdma->base, &conn->receives[i].data);
    free(conn->receives);
    free(conn->transfers);
    free(conn);
}

/* ---- CM events ---- */

static void handle_cm(void *self, const void *what)
{
    struct rdma_target_conn *conn = self;
    switch (*(const enum rdma_cm_event_type *)what) {
    case RDMA_CM_EVENT_ESTABLISHED:
        conn->established = true;
        conn->user.on_established(conn->user.self);
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_REJECTED:
    case RDMA_CM_EVENT_UNREACHABLE:
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        conn->user.on_closed(conn->user.self);
        break;
    default:
        break; /* CM steps that concern only the implementation */
    }
}

static void on_cm(void *self, struct verbs_conn *verbs, const struct verbs_event *event)
{
    struct rdma_target_conn *conn = self;
    struct nvme_stall *stall = conn->base.rdma->listener.stall;
    (void)verbs;
    if (!nvme_stall_holds(stall, handle_cm, conn, &event->type, sizeof event->type))
        handle_cm(conn, &event->type);
}

/* ---- connection request ---- */

struct asked {
    struct verbs_conn *verbs;
    struct nvme_transport_request request;
    uint8_t responder_resources;
};

_Static_assert(sizeof(struct asked) <= NVME_STALL_BYTES, "a request can wait");

/* nvmet_rdma_parse_cm_connect_req */
static struct nvme_transport_request read_request(const struct verbs_event *event)
{
    struct nvme_cm_request cm = {0};
    if (!nvme_fabrics_decode_request(&cm, event->private_data, event->private_len))
        return (struct nvme_transport_request){.ip = event->peer_ip,
                                               .unreadable = NVME_CM_INVALID_LENGTH};
    return (struct nvme_transport_request){
        .ip = event->peer_ip,
        .announced = true,
        .qid = cm.qid,
        .entries = (uint32_t)cm.hsqsize + 1,
        .answers = cm.hrqsize,
        .unreadable = cm.format == 0 ? 0 : NVME_CM_INVALID_FORMAT,
    };
}

static void handle_request(void *self, const void *what)
{
    struct nvme_rdma *rdma = self;
    const struct asked *asked = what;
    struct rdma_target_conn *conn = memory_new(sizeof *conn);
    *conn = (struct rdma_target_conn){
        .base = {.rdma = rdma, .verbs = asked->verbs, .release = release},
        .answers = asked->request.answers,
        .qid = asked->request.qid,
        .responder_resources = asked->responder_resources,
    };
    rdma->listener.on_request(rdma->listener.self, &conn->base, &asked->request);
}

static void on_listener(void *self, struct verbs_conn *verbs, const struct verbs_event *event)
{
    struct nvme_rdma *rdma = self;
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    const struct asked asked = {verbs, read_request(event), event->responder_resources};
    if (!nvme_stall_holds(rdma->listener.stall, handle_request, rdma, &asked, sizeof asked))
        handle_request(rdma, &asked);
}

static void on_listener_completion(void *self, struct verbs_conn *verbs, const struct ibv_wc *wc)
{
    (void)self, (void)verbs, (void)wc; /* a listener has no work requests */
}

bool nvme_rdma_listen(struct nvme_transport *transport,
                      const struct nvme_transport_listener *listener)
{
    struct nvme_rdma *rdma = nvme_rdma_of(transport);
    rdma->listener = *listener;
    const struct verbs_user user = {
        .self = rdma, .on_cm = on_listener, .on_completion = on_listener_completion};
    return rdma->verbs->listen(rdma->device, NVME_RDMA_PORT, &user) == 0;
}

void nvme_rdma_unlisten(struct nvme_transport *transport)
{
    const struct nvme_rdma *rdma = nvme_rdma_of(transport);
    rdma->verbs->unlisten(rdma->device, NVME_RDMA_PORT);
}

/* ---- accepting ---- */

static void size_connection(struct rdma_target_conn *conn, const struct nvme_transport_accept *how)
{
    /* The response and one RDMA operation per command, as the RDMA R/W API counts them, and one to
     * drain the queue. */
    const uint32_t sends = conn->answers < how->entries ? conn->answers : how->entries;
    const uint32_t most = 1 + nvme_rdma_operations(conn, how->max_transfer);
    const uint32_t usual = 2 * sends + 1;
    const struct nvme_rdma_target_params *params = &conn->base.rdma->params.target;
    const int64_t receives = params->receive_queue;
    const bool fewer =
        conn->qid > 0 && receives > 0 && receives < how->entries && !nvme_rdma_is_shared(conn);
    conn->receive_count = fewer ? (uint16_t)receives : how->entries;
    conn->credits = conn->credit_limit = usual > most ? usual : most;
    conn->slots = conn->receive_count + conn->credit_limit;
    conn->data_room = conn->qid == 0 ? 0 : how->in_capsule;
}

static bool accept_conn(struct rdma_target_conn *conn)
{
    const struct nvme_rdma *rdma = conn->base.rdma;
    const struct ibv_qp_cap cap = {
        .max_send_wr = conn->credit_limit + 1,
        .max_recv_wr = conn->shared != NULL ? 1 : conn->receive_count + 1u,
        .max_send_sge = 2,
        .max_recv_sge = 2,
    };
    const struct verbs_user user = {.self = conn,
                                    .on_cm = on_cm,
                                    .on_completion = nvme_rdma_target_completion,
                                    .srq = conn->shared == NULL ? NULL : conn->shared->srq};
    if (rdma->verbs->prepare(conn->base.verbs, &cap, &user) != 0)
        return false;
    for (uint16_t i = 0; conn->shared == NULL && i < conn->receive_count; i++)
        if (!nvme_rdma_post_receive(conn, &conn->receives[i]))
            return false;
    unsigned char private_data[NVME_CM_ACCEPT_BYTES];
    nvme_fabrics_encode_accept(conn->receive_count, private_data);
    const uint8_t served = conn->responder_resources;
    const uint8_t issued = rdma->verbs->max_rd_atomic(rdma->device);
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = NVME_CM_ACCEPT_BYTES,
        .initiator_depth = served < issued ? served : issued,
        .flow_control = 1,
        .rnr_retry_count = 7,
    };
    return rdma->verbs->accept(conn->base.verbs, &param) == 0;
}

uint32_t nvme_rdma_accept(struct nvme_transport_conn *base, const struct nvme_transport_accept *how)
{
    struct rdma_target_conn *conn = nvme_rdma_target_of(base);
    conn->user = how->user;
    size_connection(conn, how);
    return make_memory(conn, how->memory) && accept_conn(conn) ? conn->slots : 0;
}

void nvme_rdma_reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why)
{
    unsigned char private_data[NVME_CM_REJECT_BYTES];
    nvme_fabrics_encode_reject(why, private_data);
    conn->closed = true;
    conn->rdma->verbs->reject(conn->verbs, private_data, NVME_CM_REJECT_BYTES);
}

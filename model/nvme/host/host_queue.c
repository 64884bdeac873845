/* SPDX-License-Identifier: Apache-2.0
 * host_queue - one queue pair of the host.
 * The submission queue exists only as two counters: a command takes the slot at the tail, the
 * SQHD of each response says how far the controller has come (fabrics 2.4.1), and the queue is
 * full when one more step of the tail would meet the head.  A capsule, its response buffer and
 * its data buffer belong to the command's tag.  Linux signals every SEND and waits for it and
 * for the response (drivers/nvme/host/rdma.c, refcount of 2). */
#include "base/memory.h"
#include "nvme/host/host_private.h"

#include <stdlib.h>

enum { WR_SEND = 1, WR_INVALIDATE, WR_RECEIVE };

static uint64_t wr_id(unsigned kind, unsigned index)
{
    return (uint64_t)kind << 32 | index;
}

static const struct verbs_ops *verbs(const struct host_queue *queue)
{
    return queue->host->site.verbs;
}

static struct verbs_mr *register_bytes(const struct host_queue *queue, uint32_t bytes, int access)
{
    return verbs_register(verbs(queue), queue->host->site.device, bytes, access, VERBS_BYTES);
}

void nvme_host_queue_init(struct host_queue *queue, struct nvme_host *host, uint16_t qid)
{
    *queue = (struct host_queue){.host = host, .qid = qid, .state = HOST_QUEUE_NEW};
    nvme_host_io_init(queue);
}

void nvme_host_queue_open(struct host_queue *queue, uint16_t size)
{
    CHECK(queue->requests == NULL);
    queue->size = size;
    queue->sq_tail = queue->sq_head = 0;
    queue->capsule_room = 0;
    queue->requests = memory_zeroed(size, sizeof *queue->requests);
    for (uint16_t tag = 0; tag < size; tag++) {
        queue->requests[tag].queue = queue;
        queue->requests[tag].tag = tag;
        queue->requests[tag].generation = 0xF; /* the first use is generation 0 */
    }
    const uint16_t reserved = queue->qid == 0 ? HOST_ADMIN_RESERVED : HOST_IO_RESERVED;
    const uint16_t all = queue->qid == 0 ? HOST_ADMIN_TAGS : size;
    nvme_tags_init(&queue->reserved, 0, reserved);
    nvme_tags_init(&queue->tags, reserved, (uint16_t)(all - reserved));
}

static void release_mr(struct host_queue *queue, struct verbs_mr **mr)
{
    if (*mr != NULL)
        verbs(queue)->dereg_mr(queue->host->site.device, *mr);
    *mr = NULL;
}

void nvme_host_queue_release(struct host_queue *queue)
{
    if (queue->requests == NULL)
        return;
    if (queue->conn != NULL)
        verbs(queue)->destroy(queue->conn);
    queue->conn = NULL;
    release_mr(queue, &queue->capsules);
    release_mr(queue, &queue->responses);
    release_mr(queue, &queue->connect_data);
    for (uint16_t tag = 0; tag < queue->size; tag++)
        release_mr(queue, &queue->requests[tag].bulk);
    nvme_tags_fini(&queue->reserved);
    nvme_tags_fini(&queue->tags);
    free(queue->requests);
    queue->requests = NULL;
    queue->oldest = queue->newest = NULL;
}

void nvme_host_queue_fini(struct host_queue *queue)
{
    env_timer_cancel(queue->host->site.env, &queue->timeout);
    nvme_server_fini(&queue->cpu);
    nvme_host_queue_release(queue);
    free(queue->pieces);
}

void nvme_host_queue_event(struct host_queue *queue, enum nvme_host_queue_event event)
{
    const struct nvme_host_site *site = &queue->host->site;
    const struct nvme_fsm_place place = {
        .env = site->env, .peer_ip = site->target_ip, .qid = queue->qid, .number = &queue->number};
    queue->state = nvme_fsm_move(&nvme_fsm_host_queue, &place, queue->state, (uint8_t)event);
}

static bool post_receive(struct host_queue *queue, unsigned index)
{
    struct ibv_sge sge = {
        .addr = queue->responses->addr + (uint64_t)index * NVME_CQE_BYTES,
        .length = NVME_CQE_BYTES,
        .lkey = queue->responses->lkey,
    };
    struct ibv_recv_wr wr = {.wr_id = wr_id(WR_RECEIVE, index), .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return verbs(queue)->post_recv(queue->conn, &wr, &bad) == 0;
}

static void step(struct host_request *request, uint8_t awaited)
{
    request->awaits &= (uint8_t)~awaited;
    if (request->awaits != 0)
        return;
    if (request->io != NULL)
        nvme_host_io_arrived(request);
    else
        request->done(request->queue->host, request);
}

static void post_invalidate(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    struct ibv_send_wr wr = {
        .wr_id = wr_id(WR_INVALIDATE, request->tag),
        .opcode = IBV_WR_LOCAL_INV,
        .send_flags = IBV_SEND_SIGNALED,
        .invalidate_rkey = request->data->rkey,
    };
    struct ibv_send_wr *bad = NULL;
    request->key_armed = false;
    request->awaits |= HOST_AWAITS_INVALIDATE;
    if (verbs(queue)->post_send(queue->conn, &wr, &bad) != 0)
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "cannot post LOCAL_INV");
}

/* The request that a response names, or NULL: nothing of that identifier is under way. */
static struct host_request *request_of(struct host_queue *queue, uint16_t cid)
{
    const uint16_t tag = nvme_tags_of_cid(cid);
    if (tag >= queue->size)
        return NULL;
    struct host_request *request = &queue->requests[tag];
    const bool waiting = (request->awaits & HOST_AWAITS_RESPONSE) != 0;
    return waiting && request->command.cid == cid ? request : NULL;
}

static void on_response(struct host_queue *queue, unsigned index, const struct ibv_wc *wc)
{
    struct nvme_host *host = queue->host;
    if (wc->byte_len < NVME_CQE_BYTES) {
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "response capsule too short");
        return;
    }
    struct nvme_response response;
    nvme_capsule_decode_response(&response,
                                 queue->responses->bytes + (size_t)index * NVME_CQE_BYTES);
    struct host_request *request = request_of(queue, response.cid);
    if (request == NULL || response.sqhd >= queue->size) {
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "response to no command");
        return;
    }
    const bool invalidated = (wc->wc_flags & IBV_WC_WITH_INV) != 0;
    if (invalidated && (!request->key_armed || wc->invalidated_rkey != request->data->rkey)) {
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "remote invalidation of another key");
        return;
    }
    if (!post_receive(queue, index)) {
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "cannot post a receive");
        return;
    }
    queue->sq_head = response.sqhd;
    host->seen_completion = true;
    request->status = response.status;
    request->result = response.result;
    request->response_at = env_now(host->site.env);
    if (invalidated)
        request->key_armed = false;
    else if (request->key_armed)
        post_invalidate(request);
    if (!nvme_host_down(host))
        step(request, HOST_AWAITS_RESPONSE);
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct host_queue *queue = self;
    (void)conn;
    if (queue->state == HOST_QUEUE_DOWN)
        return; /* flushed */
    if (wc->status != IBV_WC_SUCCESS) {
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "a work request failed");
        return;
    }
    const unsigned index = (unsigned)wc->wr_id;
    switch (wc->wr_id >> 32) {
    case WR_SEND:
        step(&queue->requests[index], HOST_AWAITS_SEND);
        break;
    case WR_INVALIDATE:
        step(&queue->requests[index], HOST_AWAITS_INVALIDATE);
        break;
    default:
        on_response(queue, index, wc);
    }
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct host_queue *queue = self;
    (void)conn;
    if (queue->state == HOST_QUEUE_DOWN)
        return;
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        nvme_host_queue_event(queue, HOST_QUEUE_ON_ESTABLISHED);
        nvme_host_admin_established(queue);
        break;
    case RDMA_CM_EVENT_REJECTED:
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "connection rejected");
        break;
    case RDMA_CM_EVENT_UNREACHABLE:
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "target out of reach");
        break;
    case RDMA_CM_EVENT_CONNECT_ERROR:
    case RDMA_CM_EVENT_DISCONNECTED:
    case RDMA_CM_EVENT_ADDR_CHANGE:
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "disconnected");
        break;
    default:
        break; /* steps of the CM that concern only the implementation */
    }
}

/* The private data and the depths are those of nvme_rdma_create_queue_ib and
 * nvme_rdma_route_resolved. */
void nvme_host_queue_connect(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    nvme_host_queue_event(queue, HOST_QUEUE_ON_CONNECT);
    queue->capsules = register_bytes(queue, (uint32_t)queue->size * NVME_SQE_BYTES, 0);
    queue->responses =
        register_bytes(queue, (uint32_t)queue->size * NVME_CQE_BYTES, IBV_ACCESS_LOCAL_WRITE);
    unsigned char private_data[NVME_CM_REQUEST_BYTES];
    const struct nvme_cm_request request = {
        .qid = queue->qid,
        .hrqsize = queue->size,
        .hsqsize = (uint16_t)(queue->size - 1),
    };
    nvme_fabrics_encode_request(&request, private_data);
    const struct ibv_qp_cap cap = {
        .max_send_wr = 3u * queue->size + 1, /* registration, SEND and invalidation of each */
        .max_recv_wr = queue->size + 1u,
        .max_send_sge = 2,
        .max_recv_sge = 1,
    };
    const struct rdma_conn_param param = {
        .private_data = private_data,
        .private_data_len = NVME_CM_REQUEST_BYTES,
        .responder_resources = verbs(queue)->max_rd_atomic(host->site.device),
        .flow_control = 1,
        .retry_count = 7,
        .rnr_retry_count = 7,
    };
    const struct verbs_user user = {.self = queue, .on_cm = on_cm, .on_completion = on_completion};
    const struct verbs_peer peer = {host->site.target_ip, NVME_RDMA_PORT, host->site.class};
    queue->conn = verbs(queue)->connect(host->site.device, &peer, &cap, &param, &user);
    bool posted = queue->conn != NULL;
    for (unsigned i = 0; posted && i < queue->size; i++)
        posted = post_receive(queue, i);
    if (!posted)
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "cannot make a queue pair");
}

void nvme_host_queue_close(struct host_queue *queue)
{
    const bool connected = queue->conn != NULL && queue->state != HOST_QUEUE_DOWN;
    env_timer_cancel(queue->host->site.env, &queue->timeout);
    nvme_host_queue_event(queue, HOST_QUEUE_ON_CLOSE);
    if (connected)
        verbs(queue)->disconnect(queue->conn);
}

static unsigned slots_taken(const struct host_queue *queue)
{
    return ((unsigned)queue->sq_tail + queue->size - queue->sq_head) % queue->size;
}

bool nvme_host_queue_has_room(const struct host_queue *queue)
{
    return queue->tags.taken < queue->tags.count && slots_taken(queue) + 1 < queue->size;
}

static void append(struct host_queue *queue, struct host_request *request)
{
    request->older = queue->newest;
    request->newer = NULL;
    if (queue->newest != NULL)
        queue->newest->newer = request;
    else
        queue->oldest = request;
    queue->newest = request;
}

static void take_out(struct host_queue *queue, struct host_request *request)
{
    if (request->older != NULL)
        request->older->newer = request->newer;
    else
        queue->oldest = request->newer;
    if (request->newer != NULL)
        request->newer->older = request->older;
    else
        queue->newest = request->older;
}

static struct host_request *begin(struct host_queue *queue, uint16_t tag)
{
    struct host_request *request = &queue->requests[tag];
    request->generation = (uint8_t)((request->generation + 1) & 0xF);
    request->command = (struct nvme_command){
        .flags = NVME_FLAGS_SGL,
        .cid = nvme_tags_cid(request->generation, tag),
        .sgl.type =
            NVME_SGL_KEYED, /* of no length: what Linux sends with a command that moves nothing */
    };
    request->io = NULL;
    request->done = NULL;
    request->data = NULL;
    request->bytes = request->units = 0;
    request->awaits = 0;
    request->key_armed = request->completing = false;
    request->deadline = TIME_NEVER;
    queue->sq_tail = (uint16_t)((queue->sq_tail + 1u) % queue->size);
    return request;
}

struct host_request *nvme_host_queue_get(struct host_queue *queue, struct nvme_tags *tags)
{
    if (slots_taken(queue) + 1 >= queue->size)
        return NULL;
    const uint16_t tag = nvme_tags_get(tags);
    if (tag == NVME_TAGS_NONE)
        return NULL;
    struct host_request *request = begin(queue, tag);
    append(queue, request);
    return request;
}

/* The event request has its own identifier, never times out and is not among the tags. */
struct host_request *nvme_host_queue_get_event(struct host_queue *queue)
{
    if (slots_taken(queue) + 1 >= queue->size)
        return NULL;
    struct host_request *request = begin(queue, HOST_EVENT_TAG);
    request->command.cid = HOST_EVENT_TAG;
    return request;
}

void nvme_host_queue_put(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    request->awaits = 0;
    if (request->tag == HOST_EVENT_TAG && queue->qid == 0)
        return;
    take_out(queue, request);
    const bool reserved = request->tag < queue->reserved.count;
    nvme_tags_put(reserved ? &queue->reserved : &queue->tags, request->tag);
}

/* nvme_rdma_map_data: writes that fit travel in the capsule, everything else by one keyed
 * descriptor. */
static bool describe_data(struct host_request *request)
{
    const struct host_queue *queue = request->queue;
    const struct nvme_host *host = queue->host;
    struct nvme_sgl *sgl = &request->command.sgl;
    const bool out = nvme_capsule_direction(&request->command) == NVME_DATA_OUT;
    if (request->bytes == 0)
        return false;
    sgl->length = request->bytes;
    if (out && request->bytes <= queue->capsule_room) {
        sgl->type = NVME_SGL_IN_CAPSULE;
        return true;
    }
    if (host->params.sgl_invalidate && verbs(queue)->fast_registration) {
        verbs(queue)->renew_rkey(host->site.device, request->data);
        request->key_armed = true;
        sgl->type = NVME_SGL_KEYED_INVALIDATE;
    }
    sgl->address = request->data->addr;
    sgl->key = request->data->rkey;
    return false;
}

void nvme_host_queue_post(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    const bool in_capsule = describe_data(request);
    const size_t at = (size_t)request->tag * NVME_SQE_BYTES;
    nvme_capsule_encode_command(&request->command, queue->capsules->bytes + at);
    struct ibv_sge sges[2] = {
        {.addr = queue->capsules->addr + at,
         .length = NVME_SQE_BYTES,
         .lkey = queue->capsules->lkey},
    };
    if (in_capsule)
        sges[1] = (struct ibv_sge){
            .addr = request->data->addr,
            .length = request->bytes,
            .lkey = request->data->lkey,
        };
    struct ibv_send_wr wr = {
        .wr_id = wr_id(WR_SEND, request->tag),
        .sg_list = sges,
        .num_sge = in_capsule ? 2 : 1,
        .opcode = IBV_WR_SEND,
        .send_flags = IBV_SEND_SIGNALED,
    };
    struct ibv_send_wr *bad = NULL;
    request->awaits = HOST_AWAITS_SEND | HOST_AWAITS_RESPONSE;
    request->posted_at = env_now(queue->host->site.env);
    if (verbs(queue)->post_send(queue->conn, &wr, &bad) != 0)
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "cannot post a SEND");
}

void nvme_host_queue_audit(const struct host_queue *queue)
{
    unsigned under_way = 0;
    for (const struct host_request *r = queue->oldest; r != NULL; r = r->newer) {
        CHECK(r->newer == NULL ? queue->newest == r : r->newer->older == r);
        under_way++;
    }
    CHECK(under_way == (unsigned)queue->tags.taken + queue->reserved.taken);
    CHECK(slots_taken(queue) < queue->size);
    CHECK(queue->piece_at + queue->piece_count <= queue->piece_room);
    nvme_server_audit(&queue->cpu);
}

/* SPDX-License-Identifier: Apache-2.0
 * host_queue - one queue of the host.
 * The submission queue exists only as two counters: a command takes the slot at the tail, the SQHD
 * of each response reports the controller's head (Fabrics 2.4.1), and the queue is full when the
 * next tail would equal the head. Requests and their buffers belong to the command's tag; capsules
 * belong to the transport. */
#include "base/memory.h"
#include "base/probe.h"
#include "nvme/host/host_private.h"

#include <stdlib.h>

static const struct nvme_transport_ops *transport_of(const struct host_queue *queue)
{
    return queue->host->site.transport->ops;
}

void nvme_host_queue_init(struct host_queue *queue, struct nvme_host *host, uint16_t qid)
{
    *queue = (struct host_queue){.host = host, .qid = qid, .state = HOST_QUEUE_NEW};
    nvme_host_io_init(queue);
}

void nvme_host_queue_open(struct host_queue *queue, uint16_t size)
{
    CHECK(queue->requests == NULL && queue->oldest == NULL &&
          queue->piece_count <= queue->piece_room);
    CHECK(size > 1);
    queue->size = size;
    queue->sq_tail = queue->sq_head = 0;
    queue->capsule_room = 0;
    queue->requests = memory_zeroed(size, sizeof *queue->requests);
    for (uint16_t tag = 0; tag < size; tag++) {
        queue->requests[tag].queue = queue;
        queue->requests[tag].tag = tag;
        queue->requests[tag].generation = 0xF; /* so that the first use is generation 0 */
    }
    const uint16_t reserved = queue->qid == 0 ? HOST_ADMIN_RESERVED : HOST_IO_RESERVED;
    const uint16_t all = queue->qid == 0 ? HOST_ADMIN_TAGS : size;
    nvme_tags_init(&queue->reserved, 0, reserved);
    nvme_tags_init(&queue->tags, reserved, (uint16_t)(all - reserved));
}

void nvme_host_queue_release(struct host_queue *queue)
{
    struct nvme_transport *transport = queue->host->site.transport;
    if (queue->requests == NULL)
        return;
    queue->transport_cpu += nvme_transport_cpu(transport->ops, queue->conn);
    if (queue->conn != NULL)
        transport->ops->close(queue->conn);
    queue->conn = NULL;
    nvme_transport_unmap(transport, &queue->connect_data);
    queue->parting = false;
    for (uint16_t tag = 0; tag < queue->size; tag++) {
        nvme_transport_unmap(transport, &queue->requests[tag].bulk);
        nvme_transport_unmap(transport, &queue->requests[tag].own);
    }
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
    cpu_core_fini(&queue->core);
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

/* The outstanding request with the response's identifier, or NULL. */
static struct host_request *request_of(struct host_queue *queue, uint16_t cid)
{
    const uint16_t tag = nvme_tags_of_cid(cid);
    if (tag >= queue->size)
        return NULL;
    struct host_request *request = &queue->requests[tag];
    const bool waiting = (request->awaits & HOST_AWAITS_RESPONSE) != 0;
    return waiting && request->command.cid == cid ? request : NULL;
}

static int32_t on_response(void *self, const struct nvme_response *response)
{
    struct host_queue *queue = self;
    struct nvme_host *host = queue->host;
    struct host_request *request = request_of(queue, response->cid);
    const uint32_t next = (queue->sq_head + 1u) % queue->size;
    const uint32_t head = host->params.flow_control != 0 ? response->sqhd : next;
    if (request == NULL || head >= queue->size) {
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "response to no command");
        return -1;
    }
    queue->sq_head = (uint16_t)head;
    host->seen_completion = true;
    CHECK(request->posted_at <= env_now(host->site.env) && !request->completing);
    request->status = response->status;
    request->result = response->result;
    request->response_at = env_now(host->site.env);
    request->awaits &= (uint8_t)~HOST_AWAITS_RESPONSE;
    return request->tag;
}

static void on_done(void *self, uint16_t tag)
{
    struct host_queue *queue = self;
    struct host_request *request = &queue->requests[tag];
    CHECK(tag < queue->size && request->awaits == HOST_AWAITS_RELEASE);
    request->awaits = 0;
    request->released_at = env_now(queue->host->site.env);
    if (request->io != NULL)
        nvme_host_io_arrived(request);
    else
        request->done(queue->host, request);
}

static void on_established(void *self)
{
    struct host_queue *queue = self;
    nvme_host_queue_event(queue, HOST_QUEUE_ON_ESTABLISHED);
    nvme_host_admin_established(queue);
}

static void on_closed(void *self)
{
    struct host_queue *queue = self;
    if (!queue->parting)
        return;
    queue->parting = false;
    nvme_host_parted(queue->host);
}

static void on_failed(void *self, const char *why)
{
    struct host_queue *queue = self;
    nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, why);
}

void nvme_host_queue_connect(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    CHECK(queue->conn == NULL && queue->requests != NULL);
    nvme_host_queue_event(queue, HOST_QUEUE_ON_CONNECT);
    const struct nvme_transport_connect how = {
        .ip = host->site.target_ip,
        .qid = queue->qid,
        .entries = queue->size,
        .in_capsule = queue->capsule_room,
        .polled = nvme_host_queue_polls(queue),
        .user = {.self = queue,
                 .on_established = on_established,
                 .on_response = on_response,
                 .on_done = on_done,
                 .on_failed = on_failed,
                 .on_closed = on_closed},
    };
    queue->conn = transport_of(queue)->connect(host->site.transport, &how);
    nvme_host_queue_run(queue);
    if (queue->conn == NULL)
        nvme_host_fail(host, NVME_STATUS_TRANSPORT, "cannot make a connection");
}

void nvme_host_queue_close(struct host_queue *queue)
{
    const bool connected = queue->conn != NULL && queue->state != HOST_QUEUE_DOWN;
    env_timer_cancel(queue->host->site.env, &queue->timeout);
    nvme_host_queue_event(queue, HOST_QUEUE_ON_CLOSE);
    queue->parting = connected && transport_of(queue)->parts;
    if (connected)
        transport_of(queue)->disconnect(queue->conn);
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

static struct host_request *begin_request(struct host_queue *queue, uint16_t tag)
{
    struct host_request *request = &queue->requests[tag];
    request->generation = (uint8_t)((request->generation + 1) & 0xF);
    request->command = (struct nvme_command){
        .flags = NVME_FLAGS_SGL,
        .cid = nvme_tags_cid(request->generation, tag),
    };
    request->io = NULL;
    request->admin = NULL;
    request->done = NULL;
    request->data = NULL;
    request->bytes = request->units = 0;
    request->awaits = 0;
    request->completing = request->aborting = false;
    request->retries = 0;
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
    struct host_request *request = begin_request(queue, tag);
    append(queue, request);
    return request;
}

/* The event request has an identifier of its own, which is not among the tags, and never times
 * out. */
struct host_request *nvme_host_queue_get_event(struct host_queue *queue)
{
    if (slots_taken(queue) + 1 >= queue->size)
        return NULL;
    struct host_request *request = begin_request(queue, HOST_EVENT_TAG);
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

/* Reports the use of the message just posted to the time accounting. */
static void report_use(const struct host_request *request)
{
    const struct nvme_host *host = request->queue->host;
    const struct env *env = host->site.env;
    if (LIKELY(env->probe->use == NULL))
        return;
    const struct probe_use use = {
        .at = env_now(env),
        .controller = host->cntlid,
        .qid = request->queue->qid,
        .cid = request->command.cid,
        .kind = PROBE_USE_COMMAND,
    };
    env->probe->use(env->probe->self, &use);
}

void nvme_host_queue_post(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    CHECK(request->awaits == 0 && !request->completing);
    CHECK(nvme_tags_of_cid(request->command.cid) == request->tag);
    CHECK(request->bytes == 0 || request->bytes <= request->data->length);
    request->awaits = HOST_AWAITS_RESPONSE | HOST_AWAITS_RELEASE;
    request->posted_at = env_now(queue->host->site.env);
    if (!transport_of(queue)->send_command(queue->conn, request->tag, &request->command,
                                           request->data, request->bytes))
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "cannot send a command");
    else
        report_use(request);
}

/* A command occupies its submission queue slot until its response; a rejected Connect even longer,
 * because a target without the queue reports no head. */
static void slots_audit(const struct host_queue *queue, unsigned unanswered)
{
    const struct host_request *event = queue->qid == 0 ? &queue->requests[HOST_EVENT_TAG] : NULL;
    if (event != NULL && (event->awaits & HOST_AWAITS_RESPONSE) != 0)
        unanswered++;
    CHECK(queue->sq_tail < queue->size && queue->sq_head < queue->size);
    const bool refused = queue->state == HOST_QUEUE_FABRICS && unanswered == 0;
    CHECK(queue->state == HOST_QUEUE_DOWN || slots_taken(queue) == unanswered ||
          (refused && slots_taken(queue) == 1));
}

static void request_audit(const struct host_queue *queue, const struct host_request *request)
{
    CHECK(request->queue == queue && &queue->requests[request->tag] == request);
    CHECK(request->newer == NULL ? queue->newest == request : request->newer->older == request);
    CHECK(request->deadline == TIME_NEVER || queue->timeout.due <= request->deadline);
    CHECK((request->io != NULL) == (request->units > 0));
    CHECK(!request->completing || request->awaits == 0);
}

static uint64_t pieces_audit(const struct host_queue *queue)
{
    uint64_t units = 0;
    CHECK(queue->piece_at + queue->piece_count <= queue->piece_room);
    for (uint32_t i = 0; i < queue->piece_count; i++) {
        const struct host_piece *piece = &queue->pieces[queue->piece_at + i];
        CHECK(piece->units > 0 && piece->units <= piece->io->uncompleted);
        units += piece->units;
    }
    return units;
}

uint64_t nvme_host_queue_audit(const struct host_queue *queue)
{
    unsigned under_way = 0, unanswered = 0, on_cpu = 0;
    uint64_t units = pieces_audit(queue);
    for (const struct host_request *at = queue->oldest; at != NULL; at = at->newer) {
        const bool idle = at->awaits == 0;
        request_audit(queue, at);
        under_way++;
        on_cpu += idle;
        unanswered += idle ? !at->completing : at->awaits != HOST_AWAITS_RELEASE;
        units += at->units;
    }
    CHECK(nvme_server_audit(&queue->cpu) == on_cpu);
    if (queue->requests == NULL)
        return units;
    CHECK(under_way == (unsigned)queue->tags.taken + queue->reserved.taken);
    nvme_tags_audit(&queue->tags);
    nvme_tags_audit(&queue->reserved);
    slots_audit(queue, unanswered);
    return units;
}

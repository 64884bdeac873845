/* SPDX-License-Identifier: Apache-2.0
 * host_io - from an I/O to commands and back.
 * Each queue has one CPU, as Linux's default mapping gives it, which is busy for submit_cost
 * per command sent and for complete_cost per command completed, in order.  An I/O above
 * max_transfer is sent piece by piece; while pieces are left, the queue takes no other I/O, so
 * that pieces are not overtaken. */
#include "nvme/host_private.h"

static void on_timeout(void *self, time_ps now)
{
    struct host_queue *queue = self;
    if (queue->oldest == NULL)
        return;
    if (queue->oldest->deadline <= now)
        nvme_host_fail(queue->host, NVME_STATUS_TRANSPORT, "an I/O timed out");
    else
        env_timer_set(queue->host->site.env, &queue->timeout, queue->oldest->deadline);
}

static void on_cpu(void *self, struct nvme_job *job);

void nvme_host_io_init(struct host_queue *queue)
{
    nvme_server_init_cpu(&queue->cpu, queue->host->site.env, on_cpu, queue);
    queue->timeout = (struct timer){.fire = on_timeout, .self = queue, .due = TIME_NEVER};
}

/* All of a queue's commands are given the same time, so the oldest is the first to run out; the
 * timer is left alone when that one completes and looks again when it fires. */
static void watch(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    const struct env *env = queue->host->site.env;
    request->deadline = env_now(env) + queue->host->params.io_timeout;
    if (queue->timeout.due == TIME_NEVER || queue->oldest == request)
        env_timer_set(env, &queue->timeout, request->deadline);
}

static uint32_t block_bytes(const struct nvme_host *host, uint32_t nsid)
{
    for (uint32_t i = 0; i < host->namespace_count; i++)
        if (host->namespaces[i].nsid == nsid)
            return host->namespaces[i].block_bytes;
    return NVME_PAGE_BYTES; /* of no namespace: the target refuses it */
}

/* A buffer of at least the size, a power of two of pages, kept for the tag's next use. */
static struct verbs_mr *buffer(struct host_request *request, uint32_t bytes)
{
    const struct nvme_host_site *site = &request->queue->host->site;
    if (request->bulk != NULL && request->bulk->length >= bytes)
        return request->bulk;
    uint32_t length = NVME_PAGE_BYTES;
    while (length < bytes)
        length *= 2;
    if (request->bulk != NULL)
        site->verbs->dereg_mr(site->device, request->bulk);
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
    request->bulk = site->verbs->reg_mr(site->device, length, access, VERBS_BULK);
    CHECK(request->bulk != NULL);
    return request->bulk;
}

static void fill(struct host_request *request, const struct nvme_io *io, uint32_t bytes)
{
    struct nvme_command *command = &request->command;
    command->opcode = io->opcode;
    command->nsid = io->nsid;
    request->bytes = bytes;
    if (bytes == 0)
        return;
    const uint32_t block = block_bytes(request->queue->host, io->nsid);
    CHECK(bytes % block == 0);
    const uint64_t lba = io->lba + (io->bytes - io->unsent) / block;
    command->cdw10 = (uint32_t)lba;
    command->cdw11 = (uint32_t)(lba >> 32);
    command->cdw12 = bytes / block - 1;
    request->data = buffer(request, bytes);
    request->data->content = NVME_CONTENT_NONE;
    if (io->opcode == NVME_WRITE) {
        const struct nvme_host_site *site = &request->queue->host->site;
        verbs_fill(site->verbs, site->device, request->data, bytes, io->content);
    }
}

/* Sends what is waiting as far as there is room.  Posting can fail the host, which gives every
 * I/O back. */
static void pump(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    while (!nvme_host_over(host) && queue->unsent != NULL && nvme_host_queue_has_room(queue)) {
        struct nvme_io *io = queue->unsent;
        struct host_request *request = nvme_host_queue_get(queue, &queue->tags);
        CHECK(request != NULL);
        const uint32_t limit = host->max_transfer;
        const uint32_t bytes = io->bytes == 0 ? 0 : io->unsent < limit ? io->unsent : limit;
        request->io = io;
        request->units = io->bytes == 0 ? 1 : bytes;
        fill(request, io, bytes);
        io->unsent -= request->units;
        if (io->unsent == 0)
            queue->unsent = NULL;
        watch(request);
        nvme_server_add(&queue->cpu, &request->job, host->params.submit_cost);
    }
}

/* Part of an I/O has ended; the I/O ends with the last. */
static bool part_done(struct nvme_io *io, uint32_t units, uint16_t status)
{
    if (io->status == NVME_STATUS_OK)
        io->status = status;
    CHECK(io->uncompleted >= units);
    io->uncompleted -= units;
    return io->uncompleted == 0;
}

static void give_back(struct nvme_host *host, struct nvme_io *io)
{
    CHECK(host->outstanding > 0);
    host->outstanding--;
    io->completed_at = env_now(host->site.env);
    host->site.user.on_io(host->site.user.self, io);
    if (host->stopping && host->outstanding == 0)
        nvme_host_shutdown(host);
}

/* What a read brought; of a read that failed nothing is there to look at. */
static uint32_t read_content(const struct host_request *request)
{
    const struct nvme_host_site *site = &request->queue->host->site;
    if ((request->status & NVME_STATUS_CODE) != NVME_STATUS_OK)
        return request->data->content;
    return verbs_content(site->verbs, site->device, request->data, request->bytes);
}

static void complete(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    struct nvme_host *host = queue->host;
    struct nvme_io *io = request->io;
    io->cid = request->command.cid;
    io->response_at = request->response_at;
    if (io->opcode == NVME_READ) {
        const bool first = io->uncompleted == io->bytes;
        const uint32_t content = read_content(request);
        io->content = first || io->content == content ? content : NVME_CONTENT_MIXED;
    }
    const bool last = part_done(io, request->units, request->status & NVME_STATUS_CODE);
    nvme_host_queue_put(request);
    pump(queue);
    if (last)
        give_back(host, io);
}

static void on_cpu(void *self, struct nvme_job *job)
{
    struct host_request *request = (struct host_request *)(void *)job;
    (void)self;
    if (request->completing) {
        complete(request);
        return;
    }
    struct nvme_io *io = request->io;
    if (io->posted_at == 0)
        io->posted_at = env_now(request->queue->host->site.env);
    nvme_host_queue_post(request);
}

void nvme_host_io_arrived(struct host_request *request)
{
    request->completing = true;
    nvme_server_add(&request->queue->cpu, &request->job,
                    request->queue->host->params.complete_cost);
}

bool nvme_host_submit(struct nvme_host *host, uint32_t index, struct nvme_io *io)
{
    if (host->state != HOST_LIVE || host->stopping)
        return false;
    CHECK(index + 1 < host->queue_count);
    CHECK((io->opcode == NVME_FLUSH) == (io->bytes == 0));
    struct host_queue *queue = &host->queues[index + 1];
    if (queue->unsent != NULL || !nvme_host_queue_has_room(queue))
        return false;
    io->status = NVME_STATUS_OK;
    io->qid = queue->qid;
    io->cid = 0;
    io->posted_at = io->response_at = io->completed_at = 0;
    io->unsent = io->uncompleted = io->bytes == 0 ? 1 : io->bytes;
    if (io->opcode == NVME_READ)
        io->content = NVME_CONTENT_NONE;
    queue->unsent = io;
    host->outstanding++;
    pump(queue);
    return true;
}

/* The controller has failed: whatever is under way will not be answered. */
void nvme_host_io_abandon(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    nvme_server_fini(&queue->cpu);
    struct nvme_io *rest = queue->unsent;
    if (rest != NULL) {
        const uint32_t units = rest->unsent;
        queue->unsent = NULL;
        rest->unsent = 0;
        if (part_done(rest, units, NVME_STATUS_TRANSPORT))
            give_back(host, rest);
    }
    while (queue->oldest != NULL) {
        struct host_request *request = queue->oldest;
        struct nvme_io *io = request->io;
        const uint32_t units = request->units;
        nvme_host_queue_put(request);
        if (io != NULL && part_done(io, units, NVME_STATUS_TRANSPORT))
            give_back(host, io);
    }
}

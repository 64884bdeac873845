/* SPDX-License-Identifier: Apache-2.0
 * host_io - from an I/O to commands and back.
 * Each queue has one CPU, as with Linux's default mapping, which is busy for submit_cost per
 * command sent and complete_cost per command completed, in order. An I/O above max_transfer is sent
 * piece by piece; while pieces are left the queue sends no other I/O, so that pieces are not
 * overtaken. */
#include "base/memory.h"
#include "base/numbers.h"
#include "nvme/host/host_private.h"
#include "nvme/wire/pi.h"
#include "nvme/wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* nvme_timeout of nvme-pci: at first Abort, and the same time again. If the controller's limit of
 * Aborts is already outstanding, the command gets that time without one. */
static bool is_aborted(struct host_request *request, time_ps now)
{
    struct nvme_host *host = request->queue->host;
    if (!host->params.abort || request->io == NULL || request->aborting)
        return false;
    request->deadline = now + host->params.io_timeout;
    request->aborting = nvme_host_live_abort(request);
    return !nvme_host_down(host);
}

static void on_timeout(void *self, time_ps now)
{
    struct host_queue *queue = self;
    time_ps next = TIME_NEVER;
    for (struct host_request *at = queue->oldest; at != NULL; at = at->newer) {
        if (at->deadline <= now && !is_aborted(at, now)) {
            const bool admin = queue->qid == 0;
            nvme_host_expire(queue->host, admin ? NVME_HOST_ADMIN : NVME_HOST_IO_TIMEOUT,
                             NVME_STATUS_TRANSPORT,
                             admin ? "an admin command timed out" : "an I/O timed out");
            return;
        }
        next = time_earlier(next, at->deadline);
    }
    if (next != TIME_NEVER)
        env_timer_set(queue->host->site.env, &queue->timeout, next);
}

static void on_cpu(void *self, struct nvme_job *job);

void nvme_host_io_init(struct host_queue *queue)
{
    cpu_core_init(&queue->core, queue->host->site.env);
    nvme_server_init_cpu(&queue->cpu, queue->host->site.env, on_cpu, queue);
    queue->timeout = (struct timer){.fire = on_timeout, .self = queue, .due = TIME_NEVER};
}

/* All commands of a queue have the same timeout, so the oldest expires first. The timer is not
 * moved when that command completes, but is checked when it fires. */
static void watch_deadline(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    const struct env *env = queue->host->site.env;
    request->deadline = env_now(env) + queue->host->params.io_timeout;
    if (queue->timeout.due == TIME_NEVER || queue->oldest == request)
        env_timer_set(env, &queue->timeout, request->deadline);
}

/* No such namespace: the target rejects the command. */
static const struct nvme_host_namespace no_space = {.block_bytes = NVME_PAGE_BYTES};

static const struct nvme_host_namespace *space_of(const struct nvme_host *host, uint32_t nsid)
{
    for (uint32_t i = 0; i < host->found_count; i++)
        if (host->found[i].nsid == nsid)
            return &host->found[i];
    return &no_space;
}

/* nvme_setup_rw and nvme_setup_write_zeroes; the tuples of a write have the values given in its
 * command. */
static NOINLINE void set_protection(struct host_request *request,
                                    const struct nvme_host_namespace *ns)
{
    static const uint32_t checks[] = {
        [NVME_HOST_CHECKS_NOTHING] = 0,
        [NVME_HOST_CHECKS_GUARD] = NVME_PI_CHK_GUARD,
        [NVME_HOST_CHECKS_REFERENCE] = NVME_PI_CHK_GUARD | NVME_PI_CHK_REF,
        [NVME_HOST_CHECKS_ALL] = NVME_PI_CHK_GUARD | NVME_PI_CHK_APP | NVME_PI_CHK_REF,
    };
    const struct nvme_host_params *params = &request->queue->host->params;
    struct nvme_command *command = &request->command;
    const bool act = params->pi_act || command->opcode == NVME_WRITE_ZEROES;
    command->cdw12 |= checks[params->pi_chk] | (act ? NVME_PI_ACT : 0);
    if (ns->pi_type == NVME_PI_TYPE3)
        command->cdw12 &= ~NVME_PI_CHK_REF;
    command->cdw14 = command->cdw10;
    command->cdw15 = UINT32_C(0xFFFF0000) | (uint32_t)params->app_tag;
    request->bytes += nvme_capsule_blocks(command) * ns->metadata;
}

/* As Linux sends it: space for the maximum number of ranges, one of them used; real bytes, not in
 * the capsule. */
static void fill_range(struct host_request *request, const struct nvme_io *io)
{
    struct nvme_transport *transport = request->queue->host->site.transport;
    struct nvme_command *command = &request->command;
    const uint64_t lba = nvme_capsule_lba(command);
    const uint32_t blocks = nvme_capsule_blocks(command);
    request->bytes = 0;
    if (io->opcode != NVME_DATASET)
        return;
    command->cdw10 = command->cdw12 = 0;
    command->cdw11 = NVME_DATASET_DEALLOCATE;
    if (request->own.length == 0)
        nvme_transport_need(transport, &request->own, NVME_PAGE_BYTES, NVME_MEMORY_BYTES,
                            NVME_DATA_OUT);
    wire_put32(request->own.bytes + NVME_DATASET_LENGTH_AT, blocks);
    wire_put64(request->own.bytes + NVME_DATASET_LBA_AT, lba);
    request->own.apart = true;
    request->data = &request->own;
    request->bytes = NVME_PAGE_BYTES;
}

/* A buffer of at least `bytes`, a power of two of pages, kept for the next use of the tag. */
static struct nvme_buffer *request_buffer(struct host_request *request, uint32_t bytes)
{
    struct nvme_transport *transport = request->queue->host->site.transport;
    if (request->bulk.length >= bytes)
        return &request->bulk;
    uint32_t length = NVME_PAGE_BYTES;
    while (length < bytes)
        length *= 2;
    nvme_transport_unmap(transport, &request->bulk);
    nvme_transport_need(transport, &request->bulk, length, NVME_MEMORY_BULK,
                        NVME_DATA_OUT | NVME_DATA_IN);
    return &request->bulk;
}

static void fill(struct host_request *request, const struct nvme_io *io, uint32_t at,
                 uint32_t bytes)
{
    struct nvme_command *command = &request->command;
    command->opcode = io->opcode;
    command->nsid = io->nsid;
    request->bytes = bytes;
    if (bytes == 0)
        return;
    const struct nvme_host_namespace *ns = space_of(request->queue->host, io->nsid);
    const uint32_t block = ns->block_bytes;
    CHECK(bytes % block == 0 && at % block == 0 && at + bytes <= io->bytes);
    const uint64_t lba = io->lba + at / block;
    command->cdw10 = (uint32_t)lba;
    command->cdw11 = (uint32_t)(lba >> 32);
    command->cdw12 = bytes / block - 1;
    if (UNLIKELY(ns->pi_type != 0) && io->opcode != NVME_DATASET)
        set_protection(request, ns);
    if (UNLIKELY(io->opcode >= NVME_WRITE_ZEROES)) {
        fill_range(request, io);
        return;
    }
    request->data = request_buffer(request, request->bytes);
    request->data->content = NVME_CONTENT_NONE;
    if (io->opcode != NVME_READ) {
        struct nvme_transport *transport = request->queue->host->site.transport;
        request->data->content = io->content;
        transport->ops->fill(transport, request->data, request->bytes);
    }
}

/* Takes the part of the first piece for the next command. */
static void carve_command(struct host_queue *queue, struct host_request *request)
{
    struct host_piece *piece = &queue->pieces[queue->piece_at];
    request->io = piece->io;
    request->at = piece->at;
    request->retries = piece->retries;
    request->units = min_u32(piece->units, queue->host->max_transfer);
    CHECK(request->units > 0 && request->units <= request->io->uncompleted);
    piece->at += request->units;
    piece->units -= request->units;
    if (piece->units > 0)
        return;
    queue->piece_count--;
    queue->piece_at = queue->piece_count > 0 ? queue->piece_at + 1 : 0;
}

/* During the first scan there is only the host's own I/O. */
static bool may_send(const struct nvme_host *host)
{
    return host->state == HOST_LIVE || (host->state == HOST_SCAN && !host->reported_ready);
}

/* Sends waiting I/O while there is space. Posting can fail the host, which then keeps or returns
 * every I/O. */
void nvme_host_io_send(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    while (may_send(host) && queue->piece_count > 0 && nvme_host_queue_has_room(queue)) {
        struct host_request *request = nvme_host_queue_get(queue, &queue->tags);
        CHECK(request != NULL);
        request->tagged_at = env_now(host->site.env);
        carve_command(queue, request);
        fill(request, request->io, request->at, request->io->bytes == 0 ? 0 : request->units);
        watch_deadline(request);
        nvme_server_add(&queue->cpu, &request->job, host->params.submit_cost);
    }
}

/* A part of an I/O has completed; the last one completes the I/O. */
static bool part_done(struct nvme_host *host, struct nvme_io *io, uint32_t units, uint16_t status)
{
    if (io->status == NVME_STATUS_OK)
        io->status = status;
    CHECK(units > 0 && io->uncompleted >= units && host->units >= units);
    host->units -= units;
    io->uncompleted -= units;
    return io->uncompleted == 0;
}

/* Bytes that it receives. */
static int64_t reads(const struct nvme_io *io)
{
    return io->opcode == NVME_READ ? io->bytes : 0;
}

static void return_io(struct nvme_host *host, struct nvme_io *io)
{
    CHECK(host->outstanding > 0);
    host->outstanding--;
    if (UNLIKELY(io->polled))
        nvme_host_spin_end(host, io);
    nvme_transport_expect(host->site.transport, -reads(io));
    io->completed_at = env_now(host->site.env);
    if (nvme_host_partitions_done(host, io))
        return;
    host->site.user.on_io(host->site.user.self, io);
    if (host->stopping && host->outstanding == 0)
        nvme_host_shutdown(host);
}

/* Tag of the data read; a failed read has none. */
static uint32_t read_content(const struct host_request *request)
{
    struct nvme_transport *transport = request->queue->host->site.transport;
    if ((request->status & NVME_STATUS_CODE) == NVME_STATUS_OK)
        transport->ops->look(transport, request->data, request->bytes);
    return request->data->content;
}

static void add_first(struct host_queue *queue, struct host_piece piece);

/* nvme_decide_disposition. What another path may execute is not retried on this one. */
static bool may_retry_here(const struct host_request *request)
{
    const struct nvme_host *host = request->queue->host;
    return (request->status & NVME_STATUS_CODE) != NVME_STATUS_OK &&
           (request->status & NVME_STATUS_DNR) == 0 &&
           request->retries < host->params.max_retries && host->state == HOST_LIVE &&
           !(host->site.gives_back && nvme_status_is_path_error(request->status));
}

/* nvme_retry_req, without a command retry delay: no controller here requests one. */
static void retry_request(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    const struct host_piece piece = {request->io, request->at, request->units,
                                     (uint8_t)(request->retries + 1)};
    nvme_host_queue_put(request);
    queue->host->stats.retried++;
    add_first(queue, piece);
    nvme_host_io_send(queue);
}

static void complete_request(struct host_request *request)
{
    struct host_queue *queue = request->queue;
    struct nvme_host *host = queue->host;
    struct nvme_io *io = request->io;
    CHECK(request->completing && request->awaits == 0);
    CHECK(io->posted_at <= request->posted_at && request->posted_at <= request->response_at);
    if (UNLIKELY(may_retry_here(request))) {
        retry_request(request);
        return;
    }
    io->cid = request->command.cid;
    io->response_at = request->response_at;
    io->last.tagged_at = request->tagged_at;
    io->last.sent_at = request->posted_at;
    io->last.released_at = request->released_at;
    if (io->opcode == NVME_READ) {
        const bool first = io->uncompleted == io->bytes;
        const uint32_t content = read_content(request);
        io->content = first || io->content == content ? content : NVME_CONTENT_MIXED;
    }
    const bool last = part_done(host, io, request->units, request->status & NVME_STATUS_CODE);
    nvme_host_queue_put(request);
    nvme_host_io_send(queue);
    if (last)
        return_io(host, io);
}

static void on_cpu(void *self, struct nvme_job *job)
{
    struct host_request *request = (struct host_request *)(void *)job;
    (void)self;
    if (request->completing) {
        complete_request(request);
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

/* Appends to the queue, which grows only while a controller is lost. */
static void add_piece(struct host_queue *queue, struct host_piece piece)
{
    const uint32_t end = queue->piece_at + queue->piece_count;
    queue->pieces = memory_grown(queue->pieces, end, &queue->piece_room, sizeof *queue->pieces);
    queue->pieces[end] = piece;
    queue->piece_count++;
}

/* Prepends to the queue. */
static void add_first(struct host_queue *queue, struct host_piece piece)
{
    if (queue->piece_at == 0) {
        add_piece(queue, piece);
        const uint32_t end = queue->piece_count - 1;
        memmove(queue->pieces + 1, queue->pieces, end * sizeof *queue->pieces);
    } else {
        queue->piece_at--;
        queue->piece_count++;
    }
    queue->pieces[queue->piece_at] = piece;
}

bool nvme_host_submit(struct nvme_host *host, uint32_t core, struct nvme_io *io)
{
    if (host->state != HOST_LIVE || host->stopping)
        return false;
    CHECK(core < host->cores);
    struct host_queue *queue = &host->queues[1 + nvme_host_queue_of(host, core, io)];
    if (queue->piece_count > 0 || !nvme_host_queue_has_room(queue))
        return false;
    if (UNLIKELY(io->polled))
        nvme_host_spin_begin(host, core, io);
    nvme_host_io_begin(queue, io);
    return true;
}

void nvme_host_io_begin(struct host_queue *queue, struct nvme_io *io)
{
    CHECK((io->opcode == NVME_FLUSH) == (io->bytes == 0));
    io->status = NVME_STATUS_OK;
    io->qid = queue->qid;
    io->cid = 0;
    io->posted_at = io->response_at = io->completed_at = 0;
    io->last = (struct probe_command){0};
    io->uncompleted = io->bytes == 0 ? 1 : io->bytes;
    if (io->opcode == NVME_READ)
        io->content = NVME_CONTENT_NONE;
    add_piece(queue, (struct host_piece){.io = io, .units = io->uncompleted});
    queue->host->outstanding++;
    queue->host->units += io->uncompleted;
    nvme_transport_expect(queue->host->site.transport, reads(io));
    nvme_host_io_send(queue);
}

/* ---- loss of the connection ---- */

void nvme_host_io_park(struct host_queue *queue)
{
    struct host_piece *old = queue->pieces; /* NULL: no pieces were ever queued */
    const uint32_t first = queue->piece_at, count = queue->piece_count;
    queue->pieces = NULL;
    queue->piece_at = queue->piece_count = queue->piece_room = 0;
    nvme_server_fini(&queue->cpu);
    while (queue->oldest != NULL) {
        struct host_request *request = queue->oldest;
        if (request->completing) { /* response received, waiting for the CPU */
            complete_request(request);
            continue;
        }
        const struct host_piece piece = {request->io, request->at, request->units,
                                         request->retries};
        if (request->admin != NULL)
            nvme_host_live_lost(request);
        nvme_host_queue_put(request);
        if (piece.io == NULL)
            continue;
        piece.io->last.requeued = true;
        add_piece(queue, piece);
        queue->host->stats.requeued +=
            queue->host->state == HOST_LOST && !queue->host->site.gives_back;
    }
    for (uint32_t i = 0; i < count; i++)
        add_piece(queue, old[first + i]);
    free(old);
}

void nvme_host_io_move(struct host_queue *from, struct host_queue *to)
{
    for (uint32_t i = 0; i < from->piece_count; i++)
        add_piece(to, from->pieces[from->piece_at + i]);
    from->piece_at = from->piece_count = 0;
}

/* Fails waiting I/O, which will not be sent. on_io may not submit: the host is not live. */
void nvme_host_io_abandon(struct host_queue *queue, uint16_t status)
{
    while (queue->piece_count > 0) {
        const struct host_piece piece = queue->pieces[queue->piece_at++];
        if (--queue->piece_count == 0)
            queue->piece_at = 0;
        if (part_done(queue->host, piece.io, piece.units, status))
            return_io(queue->host, piece.io);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * host_look - lists outstanding commands and their received data for observers. */
#include "nvme/host/host_private.h"

static void look_at_request(const struct host_queue *queue, const struct host_request *request,
                            nvme_host_looker *look, void *self)
{
    const struct nvme_transport_ops *transport = queue->host->site.transport->ops;
    const bool moves = request->io->opcode < NVME_WRITE_ZEROES && request->bytes > 0;
    const struct nvme_host_command command = {
        .stage = request->completing                             ? NVME_HOST_COMPLETES
                 : (request->awaits & HOST_AWAITS_RESPONSE) != 0 ? NVME_HOST_SENT
                 : request->awaits != 0                          ? NVME_HOST_ANSWERED
                                                                 : NVME_HOST_SUBMITS,
        .qid = queue->qid,
        .cid = request->command.cid,
        .opcode = request->io->opcode,
        .lba = request->io->lba,
        .bytes = moves ? request->units : request->bytes,
        .issued_at = request->io->issued_at,
        .qpn = queue->conn == NULL ? 0 : transport->number(queue->conn),
    };
    look(self, &command);
}

static void look_at_piece(const struct host_queue *queue, const struct host_piece *piece,
                          nvme_host_looker *look, void *self)
{
    const struct nvme_host_command command = {
        .stage = NVME_HOST_WAITS,
        .qid = queue->qid,
        .opcode = piece->io->opcode,
        .lba = piece->io->lba,
        .bytes = piece->io->bytes,
        .issued_at = piece->io->issued_at,
    };
    look(self, &command);
}

void nvme_host_look(const struct nvme_host *host, nvme_host_looker *look, void *self)
{
    for (uint32_t i = 1; i < host->queue_count; i++) {
        const struct host_queue *queue = &host->queues[i];
        for (const struct host_request *at = queue->oldest; at != NULL; at = at->newer)
            if (at->io != NULL)
                look_at_request(queue, at, look, self);
        for (uint32_t n = 0; n < queue->piece_count; n++)
            look_at_piece(queue, &queue->pieces[queue->piece_at + n], look, self);
    }
}

time_ps nvme_host_busy(const struct nvme_host *host, time_ps now)
{
    time_ps busy = 0;
    for (uint32_t i = 1; i < host->queue_count; i++)
        busy += nvme_server_busy(&host->queues[i].cpu, now);
    return busy;
}

time_ps nvme_host_occupied(const struct nvme_host *host, time_ps now)
{
    time_ps busy = 0;
    for (uint32_t i = 1; i < host->queue_count; i++)
        if (nvme_host_queue_leads(&host->queues[i]))
            busy += nvme_server_occupied(&host->queues[i].cpu, now);
    return busy;
}

struct nvme_cpu nvme_host_cpu(const struct nvme_host *host, time_ps now)
{
    const struct nvme_transport_ops *transport = host->site.transport->ops;
    struct nvme_cpu cpu = {0};
    for (uint32_t i = 0; i <= nvme_host_queues_asked(host); i++) {
        const struct host_queue *queue = &host->queues[i];
        const time_ps spent = nvme_server_busy(&queue->cpu, now) + queue->transport_cpu +
                              nvme_transport_cpu(transport, queue->conn);
        *(queue->qid == 0 ? &cpu.admin : &cpu.io) += spent;
    }
    for (uint32_t core = 0; core < host->cores; core++)
        cpu.io += nvme_host_spun(host, core, now);
    return cpu;
}

const struct nvme_host_session *nvme_host_sessions(const struct nvme_host *host, uint32_t *count)
{
    *count = host->session_count;
    return host->sessions;
}

bool nvme_host_arrived(const struct nvme_host *host, struct nvme_transport_arrived *sum)
{
    const struct nvme_transport_ops *transport = host->site.transport->ops;
    *sum = (struct nvme_transport_arrived){.for_good = true};
    if (transport->arrived == NULL || !nvme_host_live(host))
        return false;
    for (uint32_t i = 1; i < host->queue_count; i++) {
        const struct nvme_transport_conn *conn = host->queues[i].conn;
        struct nvme_transport_arrived one;
        if (conn == NULL || !transport->arrived(conn, &one))
            return false;
        sum->in += one.in;
        sum->out += one.out;
        sum->for_good = sum->for_good && one.for_good;
    }
    CHECK(sum->in >= host->partition_bytes);
    sum->in -= host->partition_bytes;
    return true;
}

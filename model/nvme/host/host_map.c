/* SPDX-License-Identifier: Apache-2.0
 * host_map - the types of a host's I/O queues, and the queue and core of an I/O.
 * The granted queues are default queues, then read queues, then poll queues. There are read queues
 * only if write-queues are requested and granted; else reads use the default queues, too. Core n
 * uses queue n of each type, modulo their number, and does the work of these queues.
 * Source: Linux 6.1 drivers/nvme/host/tcp.c (nvme_tcp_set_io_queues, nvme_tcp_map_queues,
 * nvme_tcp_set_queue_io_cpu), rdma.c (nvme_rdma_alloc_io_queues); block/blk-mq.h
 * (blk_mq_get_hctx_type), blk-mq-cpumap.c. Not modeled: threads of one core in consecutive queues.
 */
#include "base/note_text.h"
#include "base/numbers.h"
#include "nvme/host/host_private.h"

#include <stdio.h>

struct nvme_host_params nvme_host_params_capped(const struct nvme_host_params *params)
{
    struct nvme_host_params capped = *params;
    if (params->cpus > 0) {
        capped.queues = min_i64(params->queues, params->cpus);
        capped.write_queues = min_i64(params->write_queues, params->cpus);
        capped.poll_queues = min_i64(params->poll_queues, params->cpus);
    }
    return capped;
}

int64_t nvme_host_params_queues(const struct nvme_host_params *params)
{
    return params->queues + params->write_queues + params->poll_queues;
}

int64_t nvme_host_params_cores(const struct nvme_host_params *params)
{
    return max_i64(params->queues, max_i64(params->write_queues, params->poll_queues));
}

static bool has_types(const struct nvme_host *host)
{
    return host->params.write_queues + host->params.poll_queues > 0;
}

static void divide_queues(const struct nvme_host_params *params, uint32_t granted,
                          struct host_queue_set *sets)
{
    const bool apart = params->write_queues > 0 && params->queues < (int64_t)granted;
    const uint32_t reads = apart ? (uint32_t)params->queues : 0;
    const uint32_t normal =
        (uint32_t)min_i64(apart ? params->write_queues : params->queues, granted - reads);
    const uint32_t used = reads + normal;
    sets[HOST_QUEUE_DEFAULT] = (struct host_queue_set){0, normal};
    sets[HOST_QUEUE_READ] =
        apart ? (struct host_queue_set){normal, reads} : sets[HOST_QUEUE_DEFAULT];
    sets[HOST_QUEUE_POLL] =
        (struct host_queue_set){used, (uint32_t)min_i64(params->poll_queues, granted - used)};
}

void nvme_host_map_queues(struct nvme_host *host, uint32_t granted)
{
    const struct host_queue_set *sets = host->sets;
    divide_queues(&host->params, granted, host->sets);
    if (!has_types(host))
        return;
    char text[160];
    snprintf(text, sizeof text, "NVMe controller at %s: I/O queues: %u default, %u read, %u poll",
             note_ip(host->site.target_ip).text, (unsigned)sets[HOST_QUEUE_DEFAULT].count,
             (unsigned)(sets[HOST_QUEUE_READ].first > 0 ? sets[HOST_QUEUE_READ].count : 0),
             (unsigned)sets[HOST_QUEUE_POLL].count);
    nvme_host_note(host, text);
}

static enum host_queue_type type_of(const struct host_queue_set *sets, const struct nvme_io *io)
{
    if (io->polled && sets[HOST_QUEUE_POLL].count > 0)
        return HOST_QUEUE_POLL;
    return io->opcode == NVME_READ ? HOST_QUEUE_READ : HOST_QUEUE_DEFAULT;
}

uint32_t nvme_host_queue_of(const struct nvme_host *host, uint32_t core, const struct nvme_io *io)
{
    const struct host_queue_set *set = &host->sets[type_of(host->sets, io)];
    return set->first + core % set->count;
}

int64_t nvme_host_params_sharing(const struct nvme_host_params *params, int64_t granted,
                                 const struct nvme_io *io)
{
    struct host_queue_set sets[HOST_QUEUE_TYPES];
    divide_queues(params, (uint32_t)granted, sets);
    int64_t cores = 0;
    for (unsigned i = 0; i < HOST_QUEUE_TYPES; i++)
        cores = max_i64(cores, sets[i].count);
    const int64_t queues = sets[type_of(sets, io)].count;
    return queues > 0 ? (cores + queues - 1) / queues : 0;
}

static enum host_queue_type type_of_queue(const struct host_queue *queue)
{
    const struct host_queue_set *sets = queue->host->sets;
    const uint32_t index = queue->qid - 1u;
    if (index < sets[HOST_QUEUE_DEFAULT].count)
        return HOST_QUEUE_DEFAULT;
    return index < sets[HOST_QUEUE_POLL].first ? HOST_QUEUE_READ : HOST_QUEUE_POLL;
}

bool nvme_host_queue_polls(const struct host_queue *queue)
{
    return queue->qid > 0 && type_of_queue(queue) == HOST_QUEUE_POLL;
}

/* The number of its core; 0 for the admin queue. */
static uint32_t core_of(const struct host_queue *queue)
{
    return queue->qid == 0 ? 0 : queue->qid - 1u - queue->host->sets[type_of_queue(queue)].first;
}

void nvme_host_queue_run(struct host_queue *queue)
{
    struct nvme_host *host = queue->host;
    const bool typed = queue->qid > 0 && has_types(host);
    struct cpu_core *core = typed ? &host->queues[1 + core_of(queue)].core : &queue->core;
    const bool shared = nvme_transport_run_on(host->site.transport->ops, queue->conn, core);
    nvme_server_run_on(&queue->cpu, shared || typed ? core : NULL);
}

/* False if an earlier queue has the same core. */
bool nvme_host_queue_leads(const struct host_queue *queue)
{
    const struct host_queue_set *sets = queue->host->sets;
    const enum host_queue_type type = type_of_queue(queue);
    for (unsigned i = 0; i < (unsigned)type; i++)
        if (sets[i].first != sets[type].first && core_of(queue) < sets[i].count)
            return false;
    return true;
}

/* ------------------------------------------------------------------ polling */

/* Work of the core until now, of all queues. */
static time_ps worked(const struct nvme_host *host, uint32_t core, time_ps now)
{
    const struct cpu_core *own = &host->queues[1 + core].core;
    return own->busy - cpu_core_left(own, now);
}

void nvme_host_spin_begin(struct nvme_host *host, uint32_t core, struct nvme_io *io)
{
    struct host_spin *spin = &host->queues[1 + core].spin;
    if (host->sets[HOST_QUEUE_POLL].count == 0)
        return;
    io->spins = (uint16_t)(core + 1);
    if (spin->ios++ > 0)
        return;
    spin->since = env_now(host->site.env);
    spin->worked = worked(host, core, spin->since);
}

/* The core polls whenever it has no other work. */
static time_ps spun(const struct nvme_host *host, uint32_t core, time_ps now)
{
    const struct host_spin *spin = &host->queues[1 + core].spin;
    return now - spin->since - (worked(host, core, now) - spin->worked);
}

void nvme_host_spin_end(struct nvme_host *host, struct nvme_io *io)
{
    if (io->spins == 0)
        return;
    const uint32_t core = io->spins - 1u;
    struct host_spin *spin = &host->queues[1 + core].spin;
    io->spins = 0;
    if (--spin->ios == 0)
        spin->spun += spun(host, core, env_now(host->site.env));
}

time_ps nvme_host_spun(const struct nvme_host *host, uint32_t core, time_ps now)
{
    const struct host_spin *spin = &host->queues[1 + core].spin;
    return spin->spun + (spin->ios > 0 ? spun(host, core, now) : 0);
}

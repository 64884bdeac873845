/* SPDX-License-Identifier: Apache-2.0
 * multipath_io - I/O: splitting, path selection, failover, waiting.
 *   submit -> parts -> path -> done
 *               ^       |
 *               |       v  a path error: connection loss or an ANA status
 *             requeued <+  sent again on the next selected path, a write not before `quiesce`
 * Linux splits before it selects a path (bio_split_to_limits): each part takes its own path. */
#include "base/memory.h"
#include "nvme/multipath/multipath_private.h"

#include <stdlib.h>

static void list_add(struct part_list *list, struct part *part)
{
    part->next = NULL;
    if (list->count++ == 0)
        list->first = part;
    else
        list->last->next = part;
    list->last = part;
}

static struct part *list_take(struct part_list *list)
{
    struct part *part = list->first;
    CHECK(list->count > 0 && part != NULL);
    list->first = part->next;
    list->count--;
    return part;
}

/* ---- completion of a part ---- */

static void take_part(struct nvme_io *whole, const struct part *part)
{
    const struct nvme_io *io = &part->io;
    const bool first = whole->uncompleted == (whole->bytes == 0 ? 1 : whole->bytes);
    if (whole->status == NVME_STATUS_OK)
        whole->status = io->status;
    if (whole->opcode == NVME_READ)
        whole->content = first || whole->content == io->content ? io->content : NVME_CONTENT_MIXED;
    const bool requeued = whole->last.requeued;
    whole->qid = io->qid;
    whole->cid = io->cid;
    if (whole->posted_at == 0 || (io->posted_at > 0 && io->posted_at < whole->posted_at))
        whole->posted_at = io->posted_at; /* parts complete in any order */
    whole->response_at = io->response_at;
    whole->last = io->last;
    whole->last.requeued |= requeued;
    whole->path = part->path == NULL ? 0 : (uint8_t)part->path->index;
}

static void end_part(struct nvme_multipath *multipath, struct part *part)
{
    struct nvme_io *whole = part->whole;
    const uint32_t units = part->io.bytes == 0 ? 1 : part->io.bytes;
    take_part(whole, part);
    CHECK(whole->uncompleted >= units && multipath->parts > 0);
    whole->uncompleted -= units;
    multipath->parts--;
    list_add(&multipath->free, part);
    if (whole->uncompleted > 0)
        return;
    const time_ps now = env_now(multipath->site.env);
    multipath->outstanding--;
    whole->completed_at = now;
    if (whole->status == NVME_STATUS_OK)
        state_time_end(&multipath->recovering, now);
    multipath->site.user.on_io(multipath->site.user.self, whole);
    if (multipath->stopping && multipath->outstanding == 0)
        nvme_multipath_shutdown(multipath);
}

/* No path can execute the part, now or later. */
static void fail_part(struct nvme_multipath *multipath, struct part *part)
{
    part->io.status = NVME_STATUS_TRANSPORT;
    part->path = NULL;
    end_part(multipath, part);
}

/* ---- sending on a path ---- */

static void send_waiting(struct path *path)
{
    while (path->waiting.count > 0 && nvme_host_live(path->host)) {
        struct part *part = path->waiting.first;
        if (!nvme_host_submit(path->host, part->queue % nvme_host_cores(path->host), &part->io))
            return;
        list_take(&path->waiting);
    }
}

static void send_part(struct nvme_multipath *multipath, struct part *part)
{
    struct path *path = nvme_multipath_find(multipath, part->queue);
    part->path = path;
    if (path == NULL && nvme_multipath_lost(multipath)) {
        fail_part(multipath, part);
        return;
    }
    if (path == NULL) {
        list_add(&multipath->requeued, part);
        return;
    }
    path->active++;
    if (path->waiting.count > 0 ||
        !nvme_host_submit(path->host, part->queue % nvme_host_cores(path->host), &part->io))
        list_add(&path->waiting, part);
}

static void on_requeue(void *self, time_ps now)
{
    struct nvme_multipath *multipath = self;
    time_ps next = TIME_NEVER;
    for (uint32_t i = multipath->requeued.count; i > 0; i--) {
        struct part *part = list_take(&multipath->requeued);
        if (part->not_before <= now) {
            send_part(multipath, part);
            continue;
        }
        next = time_earlier(next, part->not_before);
        list_add(&multipath->requeued, part);
    }
    if (next != TIME_NEVER && multipath->timer.due > next)
        env_timer_set(multipath->site.env, &multipath->timer, next);
}

/* kblockd runs requeue_work outside of completions. */
void nvme_multipath_io_kick(struct nvme_multipath *multipath)
{
    if (multipath->requeued.count > 0)
        env_timer_set(multipath->site.env, &multipath->timer, env_now(multipath->site.env));
}

/* ---- failover ---- */

static bool may_come_late(uint8_t opcode)
{
    return opcode == NVME_WRITE || opcode == NVME_WRITE_ZEROES || opcode == NVME_DATASET;
}

static void requeue(struct part *part, time_ps wait)
{
    struct nvme_multipath *multipath = part->path->multipath;
    part->not_before = env_now(multipath->site.env) + wait;
    part->path = NULL;
    part->whole->last.requeued = true;
    multipath->failovers++;
    list_add(&multipath->requeued, part);
    nvme_multipath_io_kick(multipath);
}

/* nvme_failover_req */
static void fail_over(struct path *path, struct part *part)
{
    const bool lost = part->io.status == NVME_STATUS_HOST_PATH;
    const bool late = lost && part->io.posted_at > 0 && may_come_late(part->io.opcode);
    nvme_multipath_clear(path);
    if (!lost && nvme_path_is_usable(path)) {
        path->pending = true;
        nvme_path_update(path);
        nvme_host_read_ana(path->host);
    }
    requeue(part, late ? path->multipath->params.quiesce : 0);
}

void nvme_multipath_io_done(void *self, struct nvme_io *io)
{
    struct path *path = self;
    struct part *part = (struct part *)(void *)io;
    CHECK(part->path == path && path->active > 0);
    path->active--;
    if (UNLIKELY(nvme_status_is_path_error(io->status)))
        fail_over(path, part);
    else
        end_part(path->multipath, part);
    send_waiting(path);
}

void nvme_multipath_io_move(struct path *path)
{
    while (path->waiting.count > 0) {
        path->active--;
        requeue(list_take(&path->waiting), 0);
    }
}

/* ---- submission ---- */

static struct part *new_part(struct nvme_multipath *multipath)
{
    struct part *part = multipath->free.count > 0 ? list_take(&multipath->free) : NULL;
    multipath->parts++;
    if (part == NULL) {
        part = memory_new(sizeof *part);
        part->older = multipath->made;
        multipath->made = part;
    }
    *part = (struct part){.older = part->older};
    return part;
}

static uint32_t largest(const struct nvme_multipath *multipath)
{
    const struct nvme_host *host = nvme_multipath_first(multipath);
    return host == NULL ? NVME_PAGE_BYTES : nvme_host_max_transfer(host);
}

static uint32_t block_bytes(const struct nvme_multipath *multipath)
{
    const struct nvme_host *host = nvme_multipath_first(multipath);
    for (uint32_t i = 0; host != NULL && i < nvme_host_namespaces(host); i++)
        if (nvme_host_namespace(host, i)->nsid == multipath->nsid)
            return nvme_host_namespace(host, i)->block_bytes;
    return NVME_PAGE_BYTES;
}

void nvme_multipath_submit(struct nvme_multipath *multipath, uint32_t queue, struct nvme_io *io)
{
    const uint32_t most = largest(multipath), block = block_bytes(multipath);
    CHECK((io->opcode == NVME_FLUSH) == (io->bytes == 0) && io->nsid == multipath->nsid);
    io->status = NVME_STATUS_OK;
    io->qid = io->cid = 0;
    io->path = 0;
    io->posted_at = io->response_at = io->completed_at = 0;
    io->last = (struct probe_command){0};
    io->uncompleted = io->bytes == 0 ? 1 : io->bytes;
    multipath->outstanding++;
    const uint32_t bytes = io->bytes;
    uint32_t at = 0;
    do {
        struct part *part = new_part(multipath);
        const uint32_t left = bytes - at;
        part->io = *io;
        part->whole = io;
        part->queue = queue;
        part->io.lba = io->lba + at / block;
        part->io.bytes = left < most ? left : most;
        at += part->io.bytes;
        const bool last = at >= bytes;
        send_part(multipath, part); /* the last part may complete the I/O */
        if (last)
            return;
    } while (true);
}

void nvme_multipath_io_init(struct nvme_multipath *multipath)
{
    multipath->timer = (struct timer){.fire = on_requeue, .self = multipath, .due = TIME_NEVER};
}

void nvme_multipath_io_fini(struct nvme_multipath *multipath)
{
    env_timer_cancel(multipath->site.env, &multipath->timer);
    while (multipath->made != NULL) {
        struct part *part = multipath->made;
        multipath->made = part->older;
        free(part);
    }
}

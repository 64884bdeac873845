/* SPDX-License-Identifier: Apache-2.0
 * host_live - admin commands of a live controller: events, the logs that they announce, and a
 * user's commands.
 * One Asynchronous Event Request is kept at the controller. When it completes, the log that it
 * names is read, and another request is sent.
 * Source: drivers/nvme/host/core.c (nvme_complete_async_event), multipath.c (nvme_read_ana_log,
 * nvme_anatt_timeout), fabrics.c of Linux 6.1; the discovery log is what nvme-stas reads. */
#include "base/memory.h"
#include "nvme/host/host_private.h"

#include "nvme/wire/discovery.h"

#include <string.h>

enum { ANATT_SLACK = 2 }; /* nvme_read_ana_log doubles ANATT */

/* ---- commands ---- */

static struct nvme_buffer *bytes_buffer(struct host_request *request, uint32_t bytes)
{
    struct nvme_transport *transport = request->queue->host->site.transport;
    if (request->own.length < bytes) {
        nvme_transport_unmap(transport, &request->own);
        nvme_transport_need(transport, &request->own, bytes, NVME_MEMORY_BYTES, NVME_DATA_IN);
    }
    return &request->own;
}

/* NULL: no space, or not live. */
static struct host_request *begin_command(struct nvme_host *host, uint32_t bytes,
                                          void (*done)(struct nvme_host *, struct host_request *))
{
    struct host_queue *admin = &host->queues[0];
    if (host->state != HOST_LIVE)
        return NULL;
    struct host_request *request = nvme_host_queue_get(admin, &admin->tags);
    if (request == NULL)
        return NULL;
    const struct env *env = host->site.env;
    request->done = done;
    if (bytes > 0)
        request->data = bytes_buffer(request, bytes);
    request->deadline = env_now(env) + host->params.admin_timeout;
    if (admin->timeout.due > request->deadline)
        env_timer_set(env, &admin->timeout, request->deadline);
    return request;
}

void nvme_host_live_get_log(struct host_request *request, enum nvme_log log, uint32_t nsid,
                            uint32_t bytes)
{
    request->command.opcode = NVME_ADMIN_GET_LOG;
    request->command.nsid = nsid;
    request->command.cdw10 = (uint32_t)log | (bytes / 4 - 1) << 16;
    request->command.cdw11 = (bytes / 4 - 1) >> 16;
    request->bytes = bytes;
}

static bool is_good(const struct host_request *request)
{
    return (request->status & NVME_STATUS_CODE) == NVME_STATUS_OK;
}

static void report_event(struct nvme_host *host)
{
    if (host->site.user.on_event != NULL)
        host->site.user.on_event(host->site.user.self);
}

/* ---- a user's commands ---- */

static void return_admin(struct nvme_host *host, struct nvme_admin *admin)
{
    admin->completed_at = env_now(host->site.env);
    host->site.user.on_admin(host->site.user.self, admin);
}

static void admin_done(struct nvme_host *host, struct host_request *request)
{
    struct nvme_admin *admin = request->admin;
    admin->status = request->status & NVME_STATUS_CODE;
    admin->result = request->result;
    nvme_host_queue_put(request);
    return_admin(host, admin);
}

void nvme_host_live_lost(struct host_request *request)
{
    request->admin->status = NVME_STATUS_TRANSPORT;
    return_admin(request->queue->host, request->admin);
}

bool nvme_host_admin_submit(struct nvme_host *host, struct nvme_admin *admin)
{
    CHECK(host->site.user.on_admin != NULL && admin->bytes <= NVME_HOST_ADMIN_BYTES);
    struct host_request *request = begin_command(host, admin->bytes, admin_done);
    if (request == NULL || host->stopping)
        return false;
    request->admin = admin;
    request->bytes = admin->bytes;
    request->command.opcode = admin->opcode;
    request->command.nsid = admin->nsid;
    request->command.cdw10 = admin->cdw10;
    request->command.cdw11 = admin->cdw11;
    request->command.cdw12 = admin->cdw12;
    request->command.cdw13 = admin->cdw13;
    request->command.cdw14 = admin->cdw14;
    request->command.cdw15 = admin->cdw15;
    admin->issued_at = env_now(host->site.env);
    nvme_host_queue_post(request);
    return true;
}

static void abort_done(struct nvme_host *host, struct host_request *request)
{
    CHECK(host->aborts > 0);
    host->aborts--; /* whether or not it was aborted: the command's own response has the result */
    nvme_host_queue_put(request);
}

bool nvme_host_live_abort(struct host_request *wanted)
{
    struct nvme_host *host = wanted->queue->host;
    if (host->aborts > host->controller.acl) /* 0's based */
        return false;
    struct host_request *request = begin_command(host, 0, abort_done);
    if (request == NULL)
        return true;
    host->aborts++;
    request->command.opcode = NVME_ADMIN_ABORT;
    request->command.cdw10 = (uint32_t)wanted->command.cid << 16 | wanted->queue->qid;
    host->stats.aborts++;
    nvme_host_queue_post(request);
    return true;
}

/* ---- ANA ---- */

/* nvme_mpath_init_identify: header, descriptors of all groups, all namespaces. */
uint64_t nvme_host_live_ana_bytes(const struct nvme_host *host)
{
    return NVME_ANA_HEADER_BYTES + (uint64_t)host->controller.ana_groups * NVME_ANA_GROUP_BYTES +
           (uint64_t)host->controller.namespaces * 4;
}

bool nvme_host_live_has_ana(const struct nvme_host *host)
{
    return !host->site.discovery && (host->controller.cmic & NVME_CMIC_ANA) != 0 &&
           nvme_host_live_ana_bytes(host) <= HOST_ADMIN_DATA_BYTES;
}

/* Group ids above the maximum are ignored. */
void nvme_host_live_take_ana(struct nvme_host *host, const unsigned char *bytes, size_t length)
{
    struct nvme_ana_page page;
    struct nvme_ana_group group;
    bool changing = false;
    if (!nvme_ana_read(&page, bytes, length))
        return;
    while (nvme_ana_next(&page, &group)) {
        changing |= group.state == NVME_ANA_CHANGE;
        if (group.id <= NVME_ANA_GROUPS_MAX)
            host->ana[group.id] = group.state;
    }
    const time_ps limit = (time_ps)host->controller.anatt * ANATT_SLACK * PS_PER_S;
    const struct env *env = host->site.env;
    if (!changing)
        env_timer_cancel(env, &host->anatt_timer);
    else if (limit > 0)
        env_timer_set(env, &host->anatt_timer, env_now(env) + limit);
}

static void on_anatt(void *self, time_ps now)
{
    struct nvme_host *host = self;
    (void)now;
    host->resets = true;
    nvme_host_fail(host, NVME_STATUS_TRANSPORT, "ANATT expired");
    host->resets = false;
}

static void ana_done(struct nvme_host *host, struct host_request *request)
{
    const bool good = is_good(request);
    if (good)
        nvme_host_live_take_ana(host, request->data->bytes, request->bytes);
    nvme_host_queue_put(request);
    host->ana_asked = false;
    if (host->ana_old)
        nvme_host_read_ana(host);
    if (good)
        report_event(host);
}

void nvme_host_read_ana(struct nvme_host *host)
{
    host->ana_old = true;
    if (host->ana_asked || !nvme_host_live_has_ana(host))
        return;
    const uint32_t bytes = (uint32_t)nvme_host_live_ana_bytes(host);
    struct host_request *request = begin_command(host, bytes, ana_done);
    if (request == NULL)
        return;
    host->ana_old = false;
    host->ana_asked = true;
    nvme_host_live_get_log(request, NVME_LOG_ANA, NVME_NSID_ALL, bytes);
    nvme_host_queue_post(request);
}

enum nvme_ana_state nvme_host_ana(const struct nvme_host *host, uint32_t nsid)
{
    for (uint32_t i = 0; i < host->found_count; i++)
        if (host->found[i].nsid == nsid && host->found[i].ana_group <= NVME_ANA_GROUPS_MAX)
            return (enum nvme_ana_state)host->ana[host->found[i].ana_group];
    return NVME_ANA_OPTIMIZED; /* no information about ANA means a single, optimized path */
}

/* ---- discovery ---- */

static void read_records(struct nvme_host *host);

static void records_done(struct nvme_host *host, struct host_request *request);

/* Returns false when there is no space for the command. */
static bool ask_records(struct nvme_host *host)
{
    struct host_request *request =
        begin_command(host, nvme_host_discovery_bytes(host), records_done);
    if (request == NULL)
        return false;
    nvme_host_discovery_build(host, request);
    nvme_host_queue_post(request);
    return true;
}

static void records_done(struct nvme_host *host, struct host_request *request)
{
    const bool good = is_good(request);
    const enum host_log_verdict verdict =
        good ? nvme_host_discovery_take(host, request->data->bytes, request->bytes)
             : HOST_LOG_RESTLESS;
    nvme_host_queue_put(request);
    if (verdict == HOST_LOG_MORE && ask_records(host))
        return;
    host->records_asked = false;
    if (host->records_old)
        read_records(host);
    if (verdict == HOST_LOG_WHOLE)
        report_event(host);
}

static void read_records(struct nvme_host *host)
{
    host->records_old = true;
    if (host->records_asked || !host->site.discovery)
        return;
    nvme_host_discovery_begin(host);
    host->records_asked = ask_records(host);
    host->records_old = !host->records_asked;
}

/* ---- events ---- */

static void changed_done(struct nvme_host *host, struct host_request *request)
{
    nvme_host_queue_put(request);
    report_event(host);
}

/* Reading the list re-enables the controller's notice of the next change. */
static void read_changed(struct nvme_host *host)
{
    struct host_request *request = begin_command(host, NVME_IDENTIFY_BYTES, changed_done);
    if (request == NULL)
        return;
    nvme_host_live_get_log(request, NVME_LOG_CHANGED, NVME_NSID_ALL, NVME_IDENTIFY_BYTES);
    nvme_host_queue_post(request);
}

static void take_event(struct nvme_host *host, uint64_t result)
{
    if ((result & 7) != NVME_EVENT_NOTICE)
        return;
    switch (result >> 8 & 0xFF) {
    case NVME_EVENT_ANA:
        nvme_host_read_ana(host);
        break;
    case NVME_EVENT_DISCOVERY:
        read_records(host);
        break;
    case NVME_EVENT_NAMESPACES:
        read_changed(host);
        break;
    default:
        break;
    }
}

static void event_done(struct nvme_host *host, struct host_request *request)
{
    const bool good = is_good(request);
    const uint64_t result = request->result;
    nvme_host_queue_put(request);
    if (!good)
        return;
    take_event(host, result);
    if (!nvme_host_down(host))
        nvme_host_live_event(host);
}

/* nvme_queue_async_work */
bool nvme_host_live_event(struct nvme_host *host)
{
    struct host_request *request = nvme_host_queue_get_event(&host->queues[0]);
    if (request == NULL)
        return true;
    request->done = event_done;
    request->command.opcode = NVME_ADMIN_ASYNC_EVENT;
    nvme_host_queue_post(request);
    return true;
}

void nvme_host_live_begin(struct nvme_host *host)
{
    if (host->ana_old)
        nvme_host_read_ana(host);
    if (host->records_old)
        read_records(host);
}

void nvme_host_live_quiet(struct nvme_host *host)
{
    env_timer_cancel(host->site.env, &host->anatt_timer);
    host->aborts = 0;
    host->ana_old = host->ana_asked = false;
    host->records_old = host->records_asked = false;
}

void nvme_host_live_init(struct nvme_host *host)
{
    memset(host->ana, NVME_ANA_OPTIMIZED, sizeof host->ana);
    host->anatt_timer = (struct timer){.fire = on_anatt, .self = host, .due = TIME_NEVER};
}

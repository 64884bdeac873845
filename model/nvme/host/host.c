/* SPDX-License-Identifier: Apache-2.0
 * host - the life of one controller as its host sees it.
 * NEW, the admin queue, set-up, I/O queues, scan, LIVE; FAILED from anywhere when the transport
 * or a set-up command fails: queues are disconnected and everything under way is given back, or,
 * when the controller has been live, kept for its return (host_recovery.c). */
#include "base/memory.h"
#include "nvme/host/host_private.h"

#include "base/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAM(field) offsetof(struct nvme_host_params, field)

const struct opt nvme_host_opts[] = {
    {"queues", OPT_INT, PARAM(queues), "1", "1", "1024", NULL,
     "I/O queues, each with a CPU of its own.", "assumed: Linux takes one per CPU that is online"},
    {"queue-size", OPT_INT, PARAM(queue_size), "128", "2", "1024", NULL,
     "Entries of an I/O submission queue; one less can be outstanding.",
     "Linux 6.1 nvme-rdma: queue_size 128"},
    {"keep-alive", OPT_TIME, PARAM(keep_alive), "5s", "0s", "3600s", NULL,
     "Keep-alive time-out (KATO) that the controller is given; 0 for none.",
     "Linux 6.1 fabrics.h: NVME_DEFAULT_KATO 5"},
    {"io-timeout", OPT_TIME, PARAM(io_timeout), "30s", "1us", "3600s", NULL,
     "Timeout of an I/O command, after which the controller fails.",
     "Linux 6.1 nvme_core: io_timeout 30"},
    {"admin-timeout", OPT_TIME, PARAM(admin_timeout), "60s", "1us", "3600s", NULL,
     "Timeout of a set-up command or of the connection of a queue.",
     "Linux 6.1 nvme_core: admin_timeout 60"},
    {"reconnect-delay", OPT_TIME, PARAM(reconnect_delay), "10s", "1us", "3600s", NULL,
     "Wait from the loss of a controller, or a failed attempt, to the next attempt.",
     "Linux 6.1 fabrics.h: NVMF_DEF_RECONNECT_DELAY 10"},
    {"ctrl-loss-tmo", OPT_TIME, PARAM(ctrl_loss_tmo), "600s", "0s", "1000000s", "never",
     "Time limit for reconnecting: as many attempts as reconnect-delay fits in, rounded up.",
     "Linux 6.1 fabrics.h: NVMF_DEF_CTRL_LOSS_TMO 600"},
    {"fast-io-fail-tmo", OPT_TIME, PARAM(fast_io_fail_tmo), "never", "0s", "1000000s", "never",
     "Time without a controller after which I/O fails instead of waiting.",
     "Linux 6.1 fabrics.h: NVMF_DEF_FAIL_FAST_TMO -1"},
    {"submit-cost", OPT_TIME, PARAM(submit_cost), "1us", "0ps", "1s", NULL,
     "CPU time to send one command; a queue's CPU does one thing at a time.",
     "assumed: the host's half of the software share of a 4 KiB I/O"},
    {"complete-cost", OPT_TIME, PARAM(complete_cost), "1us", "0ps", "1s", NULL,
     "CPU time to complete one command.",
     "assumed: the host's half of the software share of a 4 KiB I/O"},
    {"in-capsule", OPT_BOOL, PARAM(in_capsule), "true", NULL, NULL, NULL,
     "Writes that fit travel in the command capsule.", "Linux 6.1 nvme-rdma: use_inline_data"},
    {"max-transfer", OPT_SIZE, PARAM(max_transfer), "1MiB", "4KiB", "16376KiB", NULL,
     "Most bytes of one command; the controller's MDTS may lower it; larger I/O is split.",
     "Linux 6.1 nvme-rdma: 256 pages of 4 KiB", .step = "4KiB"},
    {"partition-scan", OPT_BOOL, PARAM(partition_scan), "false", NULL, NULL, NULL,
     "Before any I/O, do the partition reads of Linux's block layer on each namespace (4 KiB at 0, "
     "4 KiB and 12 KiB), and read the ANA log once more.",
     "captured of Linux 6.1 with one namespace without partitions; block/partitions/core.c"},
    {0},
};

void nvme_host_event(struct nvme_host *host, enum nvme_host_event event)
{
    const struct nvme_fsm_place place = {
        .env = host->site.env, .peer_ip = host->site.target_ip, .qid = -1, .number = &host->number};
    host->state = nvme_fsm_move(&nvme_fsm_host, &place, host->state, (uint8_t)event);
}

void nvme_host_note(const struct nvme_host *host, const char *text)
{
    const struct env *env = host->site.env;
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

/* A name of its own for every host, the same in every run. */
static void identify_host(struct nvme_host *host)
{
    struct nvme_connect_data *identity = &host->identity;
    const uint64_t high = hash_mix(hash_text(host->site.env->owner, 1));
    const uint64_t low = hash_mix(hash_text(host->site.env->owner, 2));
    for (unsigned i = 0; i < 8; i++) {
        identity->host_id[i] = (unsigned char)(high >> (8 * i));
        identity->host_id[8 + i] = (unsigned char)(low >> (8 * i));
    }
    memcpy(identity->subsystem_nqn, NVME_SUBSYSTEM_NQN, sizeof NVME_SUBSYSTEM_NQN);
    snprintf(identity->host_nqn, sizeof identity->host_nqn,
             "nqn.2014-08.org.nvmexpress:uuid:%08x-%04x-%04x-%04x-%012llx", (unsigned)(high >> 32),
             (unsigned)(high >> 16 & 0xFFFF), (unsigned)(high & 0xFFFF), (unsigned)(low >> 48),
             (unsigned long long)(low & UINT64_C(0xFFFFFFFFFFFF)));
}

struct nvme_host *nvme_host_create(const struct nvme_host_site *site)
{
    CHECK(site->user.on_ready != NULL && site->user.on_io != NULL);
    struct nvme_host *host = memory_new(sizeof *host);
    host->site = *site;
    host->params = *site->params;
    host->site.params = &host->params;
    host->state = HOST_NEW;
    host->namespaces = memory_zeroed(HOST_NAMESPACES_MAX, sizeof *host->namespaces);
    host->found = memory_zeroed(HOST_NAMESPACES_MAX, sizeof *host->found);
    host->queues = memory_zeroed((size_t)host->params.queues + 1, sizeof *host->queues);
    nvme_transport_need(site->transport, &host->admin_data, HOST_ADMIN_DATA_BYTES,
                        NVME_MEMORY_BYTES, NVME_DATA_OUT | NVME_DATA_IN);
    identify_host(host);
    for (int64_t i = 0; i <= host->params.queues; i++)
        nvme_host_queue_init(&host->queues[i], host, (uint16_t)i);
    nvme_host_queue_open(&host->queues[0], NVME_ADMIN_QUEUE_SIZE);
    host->queue_count = 1;
    nvme_host_recovery_init(host);
    nvme_host_admin_init(host);
    return host;
}

void nvme_host_make_queues(struct nvme_host *host, uint32_t io_queues)
{
    CHECK(host->queue_count == 1 && (int64_t)io_queues <= host->params.queues);
    for (uint32_t i = 0; i < io_queues; i++)
        nvme_host_queue_open(&host->queues[i + 1], (uint16_t)host->io_queue_size);
    host->queue_count = io_queues + 1;
    if (!host->reported_ready)
        host->offered = io_queues;
}

void nvme_host_destroy(struct nvme_host *host)
{
    if (host == NULL)
        return;
    nvme_host_admin_quiet(host);
    nvme_host_recovery_quiet(host);
    for (int64_t i = 0; i <= host->params.queues; i++)
        nvme_host_queue_fini(&host->queues[i]);
    nvme_transport_unmap(host->site.transport, &host->admin_data);
    host->site.transport->ops->destroy(host->site.transport);
    free(host->namespaces);
    free(host->found);
    free(host->queues);
    free(host);
}

void nvme_host_ready(struct nvme_host *host)
{
    const bool again = host->reported_ready;
    host->reported_ready = true;
    if (again) {
        nvme_host_recovery_returned(host);
    } else {
        memcpy(host->namespaces, host->found, host->found_count * sizeof *host->found);
        host->namespace_count = host->found_count;
        host->site.user.on_ready(host->site.user.self, NVME_STATUS_OK);
    }
    if (host->stopping)
        nvme_host_shutdown(host);
}

/* Queues are closed and what was under way waits.  It is given back when that was the end. */
void nvme_host_fail(struct nvme_host *host, uint16_t status, const char *why)
{
    if (nvme_host_down(host))
        return;
    const bool again = nvme_host_recovery_may_try(host), was_ready = host->reported_ready;
    char text[160];
    snprintf(text, sizeof text, "NVMe controller lost: %s (%s), status 0x%x", why,
             host->state == HOST_LIVE ? "live" : nvme_host_admin_step_name(host), (unsigned)status);
    nvme_host_note(host, text);
    nvme_host_event(host, again ? HOST_ON_LOSS : HOST_ON_ERROR);
    nvme_host_admin_quiet(host);
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_queue_close(&host->queues[i]);
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_io_park(&host->queues[i]);
    host->reported_ready = true;
    if (host->state == HOST_CLOSED) /* it was asked to, and what was answered was the last */
        return;
    if (again) {
        nvme_host_recovery_wait(host);
    } else if (was_ready) {
        nvme_host_recovery_end(host);
    } else {
        nvme_host_recovery_give_back(host); /* its own reads */
        host->site.user.on_ready(host->site.user.self, status);
    }
}

void nvme_host_shutdown(struct nvme_host *host)
{
    host->stopping = true;
    if ((host->state != HOST_LIVE && host->state != HOST_LOST) || host->outstanding > 0)
        return;
    const bool live = host->state == HOST_LIVE;
    nvme_host_event(host, HOST_ON_STOP);
    nvme_host_recovery_quiet(host);
    if (live)
        nvme_host_admin_stop(host);
}

bool nvme_host_live(const struct nvme_host *host)
{
    return host->state == HOST_LIVE;
}

bool nvme_host_lost(const struct nvme_host *host)
{
    return nvme_host_over(host) || host->failing_fast;
}

const struct nvme_host_stats *nvme_host_stats(const struct nvme_host *host)
{
    return &host->stats;
}

uint32_t nvme_host_queues(const struct nvme_host *host)
{
    return host->offered;
}

uint32_t nvme_host_queue_size(const struct nvme_host *host)
{
    return host->io_queue_size;
}

uint32_t nvme_host_max_transfer(const struct nvme_host *host)
{
    return host->max_transfer;
}

uint32_t nvme_host_namespaces(const struct nvme_host *host)
{
    return host->namespace_count;
}

const struct nvme_host_namespace *nvme_host_namespace(const struct nvme_host *host, uint32_t index)
{
    CHECK(index < host->namespace_count);
    return &host->namespaces[index];
}

uint32_t nvme_host_local_ip(const struct nvme_host *host)
{
    return host->site.transport->ops->local_ip(host->site.transport);
}

uint32_t nvme_host_target_ip(const struct nvme_host *host)
{
    return host->site.target_ip;
}

uint16_t nvme_host_controller(const struct nvme_host *host)
{
    return host->cntlid;
}

uint64_t nvme_host_outstanding(const struct nvme_host *host)
{
    return host->outstanding;
}

void nvme_host_describe(const struct nvme_host *host, char *text, size_t size)
{
    if (host->state == HOST_LIVE)
        snprintf(text, size, "live, %llu I/O outstanding", (unsigned long long)host->outstanding);
    else if (nvme_host_over(host))
        snprintf(text, size, "%s", host->state == HOST_FAILED ? "failed" : "closed");
    else if (host->state == HOST_LOST)
        snprintf(text, size, "lost for %lld ms, %llu I/O waiting",
                 (long long)((env_now(host->site.env) - host->lost_at) / PS_PER_MS),
                 (unsigned long long)host->outstanding);
    else
        snprintf(text, size, "%s: %s", nvme_fsm_host.states[host->state].about,
                 nvme_host_admin_step_name(host));
}

void nvme_host_audit(const struct nvme_host *host)
{
    uint64_t units = 0;
    for (int64_t i = 0; i <= host->params.queues; i++)
        units += nvme_host_queue_audit(&host->queues[i]);
    CHECK(units == host->units && units >= host->outstanding);
    CHECK((units == 0) == (host->outstanding == 0));
    CHECK(!nvme_host_over(host) || host->outstanding == 0);
    nvme_host_admin_audit(host);
    nvme_host_recovery_audit(host);
}

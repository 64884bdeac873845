/* SPDX-License-Identifier: Apache-2.0
 * host_recovery - recovery of a lost controller.
 *   loss --reconnect-delay--> attempt --set-up as at first--> live: waiting I/O is sent again
 *     ^                          |
 *     +--------- failed ---------+        ctrl-loss-tmo expired: waiting I/O fails
 * Source: drivers/nvme/host/rdma.c (nvme_rdma_error_recovery_work, nvme_rdma_reconnect_ctrl_work,
 * nvme_rdma_reconnect_or_remove), fabrics.c (nvmf_should_reconnect), core.c (nvme_failfast_work) of
 * Linux 6.1. A canceled command returns to the multipath head's list, without counting a retry.
 * Linux sends again as soon as the queues are up, before it rescans the namespaces; here I/O waits
 * for the scan. */
#include "nvme/host/host_private.h"

#include "base/kernel_timer.h"
#include "base/note_text.h"
#include "base/probe.h"

#include <stdio.h>

/* ctrl_loss_tmo / reconnect_delay attempts, rounded up: nvmf_parse_options. Linux limits nothing
 * else: with a target that is powered off each attempt takes 3 s, and all of them 799 s instead of
 * 600 s. With the limit `time`, an attempt that fails after ctrl_loss_tmo is the last one, so no
 * attempt begins later than ctrl_loss_tmo plus one reconnect_delay. */
bool nvme_host_recovery_may_try(const struct nvme_host *host)
{
    const struct nvme_host_params *params = &host->params;
    if (!host->reported_ready || host->state == HOST_SHUTDOWN)
        return false;
    if (params->ctrl_loss_tmo == NVME_HOST_NEVER)
        return true;
    const int64_t most =
        (params->ctrl_loss_tmo + params->reconnect_delay - 1) / params->reconnect_delay;
    const bool late =
        host->away && params->ctrl_loss_limit == NVME_HOST_LIMITS_TIME &&
        state_time_open(&host->without_service, env_now(host->site.env)) >= params->ctrl_loss_tmo;
    return (int64_t)host->attempts < most && !late;
}

/* The callback may submit, shut down or query the host; it is the caller's last action. */
static void report_recovery(struct nvme_host *host)
{
    const struct nvme_host_user *user = &host->site.user;
    if (user->on_change != NULL)
        user->on_change(user->self);
}

void nvme_host_recovery_give_back(struct nvme_host *host)
{
    const uint16_t status = host->site.gives_back ? NVME_STATUS_HOST_PATH : NVME_STATUS_TRANSPORT;
    for (uint32_t i = 1; i <= host->offered; i++)
        nvme_host_io_abandon(&host->queues[i], status);
}

/* Call after event LOSS. */
void nvme_host_recovery_wait(struct nvme_host *host)
{
    const struct env *env = host->site.env;
    const time_ps now = env_now(env);
    if (!host->away) {
        host->away = true;
        state_time_begin(&host->without_service, now);
        host->stats.losses++;
        if (host->params.fast_io_fail_tmo != NVME_HOST_NEVER)
            env_timer_set(env, &host->fast_timer, now + host->params.fast_io_fail_tmo);
    }
    env_timer_set(env, &host->retry_timer,
                  host->resets ? now : kernel_timer_due(now, host->params.reconnect_delay));
    host->resets = false;
    if (host->site.gives_back)
        nvme_host_recovery_give_back(host);
    if (host->stopping && host->outstanding == 0)
        nvme_host_shutdown(host);
    report_recovery(host);
}

static void on_retry(void *self, time_ps now)
{
    struct nvme_host *host = self;
    (void)now;
    host->attempts++;
    host->stats.attempts++;
    for (uint32_t i = 0; i < host->queue_count; i++)
        nvme_host_queue_release(&host->queues[i]);
    nvme_host_queue_open(&host->queues[0], NVME_ADMIN_QUEUE_SIZE);
    host->queue_count = 1;
    host->partition_bytes = 0;
    nvme_host_admin_begin(host);
}

/* nvme_failfast_work: from now on I/O fails instead of waiting. */
static void on_fast(void *self, time_ps now)
{
    struct nvme_host *host = self;
    (void)now;
    host->failing_fast = true;
    char text[160];
    snprintf(text, sizeof text, "NVMe controller at %s lost for %s (fast-io-fail-tmo): I/O fails",
             note_ip(host->site.target_ip).text, note_time(host->params.fast_io_fail_tmo).text);
    nvme_host_note(host, text);
    nvme_host_recovery_give_back(host);
    report_recovery(host);
}

/* Every known namespace must still exist, with the same block size and no fewer blocks, because
 * waiting I/O refers to it. */
bool nvme_host_recovery_same_namespaces(const struct nvme_host *host)
{
    for (uint32_t i = 0; i < host->namespace_count; i++) {
        const struct nvme_host_namespace *known = &host->namespaces[i];
        uint32_t at = 0;
        while (at < host->found_count && host->found[at].nsid != known->nsid)
            at++;
        if (at == host->found_count || host->found[at].block_bytes != known->block_bytes ||
            host->found[at].blocks < known->blocks)
            return false;
    }
    return true;
}

/* When the controller grants fewer queues than before, they take over the I/O of the others. */
static void move_surplus_io(struct nvme_host *host)
{
    const uint32_t granted = host->queue_count - 1;
    for (uint32_t i = granted; i < host->offered; i++)
        nvme_host_io_move(&host->queues[1 + i], &host->queues[1 + i % granted]);
}

void nvme_host_recovery_returned(struct nvme_host *host)
{
    char text[160];
    snprintf(text, sizeof text, "NVMe controller at %s reconnected (attempt %u) after %s",
             note_ip(host->site.target_ip).text, (unsigned)host->attempts,
             note_time(state_time_open(&host->without_service, env_now(host->site.env))).text);
    nvme_host_note(host, text);
    host->stats.reconnects++;
    state_time_end(&host->without_service, env_now(host->site.env));
    nvme_host_recovery_quiet(host);
    host->away = host->failing_fast = false;
    host->attempts = 0;
    move_surplus_io(host);
    for (uint32_t i = 1; i < host->queue_count && host->state == HOST_LIVE; i++)
        nvme_host_io_send(&host->queues[i]);
    if (host->state == HOST_LIVE)
        report_recovery(host);
}

/* Call after event ERROR of a controller that had been live. */
void nvme_host_recovery_end(struct nvme_host *host)
{
    if (!host->away)
        host->stats.losses++;
    host->stats.given_up++;
    state_time_begin(&host->without_service, env_now(host->site.env));
    nvme_host_recovery_quiet(host);
    nvme_host_recovery_give_back(host);
    report_recovery(host);
}

void nvme_host_recovery_quiet(struct nvme_host *host)
{
    env_timer_cancel(host->site.env, &host->retry_timer);
    env_timer_cancel(host->site.env, &host->fast_timer);
}

void nvme_host_recovery_init(struct nvme_host *host)
{
    host->without_service = (struct state_time)STATE_TIME_NEVER;
    host->retry_timer = (struct timer){.fire = on_retry, .self = host, .due = TIME_NEVER};
    host->fast_timer = (struct timer){.fire = on_fast, .self = host, .due = TIME_NEVER};
}

void nvme_host_recovery_audit(const struct nvme_host *host)
{
    const struct nvme_host_stats *stats = &host->stats;
    CHECK(stats->reconnects <= stats->losses && stats->reconnects <= stats->attempts);
    CHECK(nvme_host_over(host) || stats->losses == stats->reconnects + host->away);
    CHECK((host->retry_timer.due != TIME_NEVER) == (host->state == HOST_LOST));
    CHECK(host->away || (!host->failing_fast && host->fast_timer.due == TIME_NEVER));
    CHECK(nvme_host_over(host) || host->away == state_time_holds(&host->without_service));
}

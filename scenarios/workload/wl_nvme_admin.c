/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_admin - admin commands of an instance: periodic ones, as sent by monitoring, and those of
 * a list, at their times.
 * At most one periodic command is in flight; one that is due meanwhile, or while the controller is
 * unavailable, is skipped. A command of the list waits for the controller and for the previous
 * command. */
#include "base/plural.h"
#include "base/probe.h"
#include "scenarios/workload/wl_nvme_private.h"

#include <stdio.h>

static const struct kind {
    uint8_t opcode;
    bool of_namespace;
    uint32_t cdw10, bytes;
} kinds[] = {
    {NVME_ADMIN_IDENTIFY, false, NVME_CNS_CONTROLLER, NVME_IDENTIFY_BYTES},
    {NVME_ADMIN_IDENTIFY, true, NVME_CNS_NAMESPACE, NVME_IDENTIFY_BYTES},
    {NVME_ADMIN_GET_LOG, false, NVME_LOG_SMART | (512 / 4 - 1) << 16, 512},
    {NVME_ADMIN_GET_LOG, false, NVME_LOG_ERROR | (4096 / 4 - 1) << 16, 4096},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Minimum time until a retry if the controller is not live or has no room. */
static const time_ps REFUSED_PS = 1000 * PS_PER_US;

static void send_periodic(struct wl_nvme *wl)
{
    const struct kind *kind = &kinds[wl->admin_turn % KINDS];
    wl->admin = (struct nvme_admin){
        .opcode = kind->opcode,
        .nsid = kind->of_namespace                   ? wl->space.nsid
                : kind->opcode == NVME_ADMIN_GET_LOG ? NVME_NSID_ALL
                                                     : 0,
        .cdw10 = kind->cdw10,
        .bytes = kind->bytes,
    };
    struct nvme_host *host = wl_nvme_host(wl);
    wl->admin_asked = host != NULL && nvme_host_admin_submit(host, &wl->admin);
    wl->admin_turn += wl->admin_asked;
}

static void on_admin_timer(void *self, time_ps now)
{
    struct wl_nvme *wl = self;
    if (wl->state != WL_NVME_ISSUING)
        return;
    wl->admin_late = wl->admin_asked; /* then the next one follows the completion */
    if (wl->admin_late)
        return;
    send_periodic(wl);
    const time_ps next = wl->admin_asked ? wl->params.admin_interval
                                         : time_later(wl->params.admin_interval, REFUSED_PS);
    env_timer_set(wl->site.env, &wl->admin_timer, now + next);
}

/* ---- the list ---- */

static bool is_over(const struct wl_nvme *wl)
{
    return env_now(wl->site.env) >= wl->site.stop || wl_nvme_has_lost(wl);
}

static void ask_listed(struct wl_nvme *wl)
{
    const struct admin_call *call = &wl->params.admin.calls[wl->listed_next];
    struct nvme_host *host = wl_nvme_host(wl);
    wl->listed = (struct nvme_admin){
        .opcode = call->opcode,
        .nsid = call->nsid,
        .cdw10 = call->cdw[0],
        .cdw11 = call->cdw[1],
        .cdw12 = call->cdw[2],
        .cdw13 = call->cdw[3],
        .cdw14 = call->cdw[4],
        .cdw15 = call->cdw[5],
        .bytes = call->bytes,
    };
    wl->listed_asked = host != NULL && nvme_host_admin_submit(host, &wl->listed);
}

/* Sends the next command of the list if it is due; otherwise sets the timer. */
static void go_on(struct wl_nvme *wl)
{
    const time_ps now = env_now(wl->site.env);
    if (wl->listed_asked || wl->listed_next == wl->params.admin.count || is_over(wl))
        return;
    const time_ps due = workload_opens(&wl->site) + wl->params.admin.calls[wl->listed_next].at;
    if (now >= due)
        ask_listed(wl);
    if (!wl->listed_asked)
        env_timer_set(wl->site.env, &wl->listed_timer,
                      time_earlier(now >= due ? now + REFUSED_PS : due, wl->site.stop));
}

static void on_listed_timer(void *self, time_ps now)
{
    struct wl_nvme *wl = self;
    (void)now;
    go_on(wl);
    wl_nvme_settle(wl);
}

static void note_failure(const struct wl_nvme *wl)
{
    const struct env *env = wl->site.env;
    char text[128];
    snprintf(text, sizeof text,
             "workload: admin command %zu of its list, opcode 0x%02x, failed: "
             "NVMe status 0x%x",
             wl->listed_next + 1, wl->listed.opcode, (unsigned)wl->listed.status);
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

static void listed_done(struct wl_nvme *wl)
{
    if (wl->listed.status != NVME_STATUS_OK)
        note_failure(wl);
    wl->listed_asked = false;
    wl->listed_next++;
    go_on(wl);
}

static bool lingers(struct wl_nvme *wl)
{
    const time_ps now = env_now(wl->site.env);
    if (wl->params.linger == 0 || is_over(wl))
        return false;
    if (wl->linger_until == TIME_NEVER) {
        wl->linger_until = time_earlier(now + wl->params.linger, wl->site.stop);
        env_timer_set(wl->site.env, &wl->listed_timer, wl->linger_until);
    }
    return now < wl->linger_until;
}

/* Reports once that the remaining commands of the list were not sent. */
static void note_unsent(struct wl_nvme *wl)
{
    const size_t left = wl->params.admin.count - wl->listed_next;
    if (left == 0 || wl->listed_told)
        return;
    wl->listed_told = true;
    const struct env *env = wl->site.env;
    char text[128];
    snprintf(text, sizeof text, "workload: %zu of %zu admin %s of its list %s not sent", left,
             wl->params.admin.count, plural(wl->params.admin.count, "command", "commands"),
             plural(left, "was", "were"));
    env->probe->note(env->probe->self, env_now(env), env->owner, text);
}

bool wl_nvme_admin_waits(struct wl_nvme *wl)
{
    const bool more = wl->listed_next < wl->params.admin.count && !is_over(wl);
    if (wl->listed_asked || more || lingers(wl))
        return true;
    note_unsent(wl);
    return false;
}

void wl_nvme_admin_begin(struct wl_nvme *wl)
{
    const time_ps begin = time_later(workload_opens(&wl->site), env_now(wl->site.env));
    wl->listed_timer = (struct timer){.fire = on_listed_timer, .self = wl, .due = TIME_NEVER};
    wl->linger_until = TIME_NEVER;
    go_on(wl);
    if (wl->params.admin_interval == 0)
        return;
    wl->admin_timer = (struct timer){.fire = on_admin_timer, .self = wl, .due = TIME_NEVER};
    env_timer_set(wl->site.env, &wl->admin_timer, begin + wl->params.admin_interval);
}

void wl_nvme_begin_without_io(struct wl_nvme *wl)
{
    wl->did.connected = true;
    wl->did.ready = env_now(wl->site.env);
    workload_begins(wl->site.stats, wl->window.from);
    wl->state = WL_NVME_ENDING;
    wl_nvme_admin_begin(wl);
    wl_nvme_settle(wl);
}

void wl_nvme_admin_end(struct wl_nvme *wl)
{
    if (wl->admin_timer.fire != NULL)
        env_timer_cancel(wl->site.env, &wl->admin_timer);
    if (wl->listed_timer.fire != NULL)
        env_timer_cancel(wl->site.env, &wl->listed_timer);
}

void wl_nvme_admin_done(void *self, struct nvme_admin *admin)
{
    struct wl_nvme *wl = self;
    if (admin->status == NVME_STATUS_OK)
        wl->site.stats->admin++;
    else
        wl->site.stats->admin_failed++;
    if (admin == &wl->listed) {
        listed_done(wl);
        wl_nvme_settle(wl);
        return;
    }
    wl->admin_asked = false;
    if (wl->admin_late && wl->state == WL_NVME_ISSUING)
        env_timer_set(wl->site.env, &wl->admin_timer, env_now(wl->site.env));
    wl_nvme_settle(wl);
}

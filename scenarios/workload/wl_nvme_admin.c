/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_admin - admin commands beside the I/O of an instance, as monitoring sends them.
 * One is under way at a time; one whose turn comes meanwhile, or while the controller is away, is
 * left out. */
#include "scenarios/workload/wl_nvme_private.h"

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

/* A controller that is not live, or has no room, is asked again after this at the earliest. */
static const time_ps REFUSED_PS = 1000 * PS_PER_US;

static void ask(struct wl_nvme *wl)
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
    wl->admin_late = wl->admin_asked; /* the next one then follows the completion */
    if (wl->admin_late)
        return;
    ask(wl);
    const time_ps next = wl->admin_asked ? wl->params.admin_interval
                                         : time_later(wl->params.admin_interval, REFUSED_PS);
    env_timer_set(wl->site.env, &wl->admin_timer, now + next);
}

void wl_nvme_admin_begin(struct wl_nvme *wl)
{
    if (wl->params.admin_interval == 0)
        return;
    const time_ps begin = time_later(workload_begin(&wl->site), env_now(wl->site.env));
    wl->admin_timer = (struct timer){.fire = on_admin_timer, .self = wl, .due = TIME_NEVER};
    env_timer_set(wl->site.env, &wl->admin_timer, begin + wl->params.admin_interval);
}

void wl_nvme_admin_end(struct wl_nvme *wl)
{
    if (wl->admin_timer.fire != NULL)
        env_timer_cancel(wl->site.env, &wl->admin_timer);
}

void wl_nvme_admin_done(void *self, struct nvme_admin *admin)
{
    struct wl_nvme *wl = self;
    wl->admin_asked = false;
    if (admin->status == NVME_STATUS_OK)
        wl->site.stats->admin++;
    else
        wl->site.stats->admin_failed++;
    if (wl->admin_late && wl->state == WL_NVME_ISSUING)
        env_timer_set(wl->site.env, &wl->admin_timer, env_now(wl->site.env));
    wl_nvme_settle(wl);
}

/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_paths - passes I/O to a controller: limits of the workload, then the instance's
 * controller, or several controllers that are paths of its namespace. */
#include "nvme/wire/discovery.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme_private.h"

#include <string.h>

static struct nvme_transport *transport_at(const struct wl_nvme *wl, struct verbs_device *device)
{
    const bool by_tcp = nvme_carriers[wl->site.transport]->by_tcp;
    const bool by_fc = nvme_carriers[wl->site.transport]->by_fc;
    const struct nvme_carrier_site site = {
        .transport = wl->site.transport,
        .env = wl->site.env,
        .verbs = wl->site.verbs,
        .device = device,
        .streams = wl->site.streams,
        .stream = by_tcp ? wl->site.stream_at(&wl->site, device) : NULL,
        .fc = by_fc ? wl->site.fc_at(&wl->site, device) : NULL,
        .class = wl->site.class,
    };
    return nvme_carrier_of_host(&site, wl->site.nvme);
}

static void connect_paths(struct wl_nvme *wl, const struct nvme_host_params *params,
                          const struct nvme_host_user *user)
{
    struct nvme_multipath_path paths[NVME_PATHS_MAX] = {{0}};
    const bool finds = wl->site.nvme->paths.discovery != 0;
    CHECK(wl->site.paths <= NVME_PATHS_MAX);
    for (uint32_t i = 0; i < wl->site.paths; i++) {
        struct verbs_device *device =
            wl->site.path(&wl->site, i, &paths[i].target_ip, &paths[i].nic);
        paths[i].transport = transport_at(wl, device);
        paths[i].finder = finds ? transport_at(wl, device) : NULL;
    }
    const struct nvme_multipath_site site = {
        .env = wl->site.env,
        .paths = paths,
        .path_count = wl->site.paths,
        .host = params,
        .params = &wl->site.nvme->paths,
        .subsystem_nqn = wl->site.names.subsystem,
        .host_nqn = wl->site.names.host,
        .user = *user,
    };
    wl->multipath = nvme_multipath_create(&site);
}

void wl_nvme_connect(struct wl_nvme *wl, const struct nvme_host_user *user)
{
    CHECK(wl->host == NULL && wl->multipath == NULL);
    const struct nvme_host_params params = wl_nvme_on_host(&wl->params, &wl->site.nvme->core);
    if (wl->site.paths > 0) {
        connect_paths(wl, &params, user);
        return;
    }
    const char *nqn = wl->site.names.subsystem;
    wl->discovery = nqn != NULL && strcmp(nqn, NVME_DISCOVERY_NQN) == 0;
    const struct nvme_host_site site = {
        .env = wl->site.env,
        .transport = transport_at(wl, wl->site.device),
        .params = &params,
        .target_ip = wl->site.target_ip,
        .user = *user,
        .subsystem_nqn = wl->site.names.subsystem,
        .host_nqn = wl->site.names.host,
        .discovery = wl->discovery,
    };
    wl->host = nvme_host_create(&site);
    CHECK(wl->host != NULL);
}

/* Retries are counted without a change of the controller's state, so they are noticed with the next
 * I/O. */
static bool is_counted(const struct wl_nvme *wl)
{
    return wl->multipath != NULL || nvme_host_stats(wl->host)->retried == wl->reported.retried;
}

static bool give(struct wl_nvme *wl, uint32_t core, struct nvme_io *io)
{
    if (UNLIKELY(!is_counted(wl)))
        wl_nvme_count(wl, env_now(wl->site.env));
    if (LIKELY(wl->multipath == NULL))
        return nvme_host_submit(wl->host, core, io);
    if (nvme_multipath_lost(wl->multipath))
        return false;
    nvme_multipath_submit(wl->multipath, core, io);
    return true;
}

/* The line in which it waits if it cannot be given. */
static uint32_t line_of(const struct wl_nvme *wl, const struct wl_nvme_slot *slot)
{
    return wl->multipath != NULL ? slot->core : nvme_host_queue_of(wl->host, slot->core, &slot->io);
}

void wl_nvme_admitted(struct wl_nvme *wl, struct wl_nvme_slot *slot)
{
    slot->line = line_of(wl, slot);
    if (!give(wl, slot->core, &slot->io))
        wl_nvme_line_add(&wl->waiting[slot->line], slot);
}

void wl_nvme_send_waiting(struct wl_nvme *wl, uint32_t line)
{
    struct wl_nvme_line *waiting = &wl->waiting[line];
    while (waiting->first != NULL && give(wl, waiting->first->core, &waiting->first->io))
        wl_nvme_line_take(waiting);
}

void wl_nvme_send_all(struct wl_nvme *wl)
{
    struct wl_nvme_line all = {0};
    for (uint32_t line = 0; line < wl->lines; line++)
        while (wl->waiting[line].first != NULL)
            wl_nvme_line_add(&all, wl_nvme_line_take(&wl->waiting[line]));
    while (all.first != NULL)
        wl_nvme_admitted(wl, wl_nvme_line_take(&all));
}

bool wl_nvme_has_lost(const struct wl_nvme *wl)
{
    return wl->multipath != NULL ? nvme_multipath_lost(wl->multipath)
                                 : wl->host != NULL && nvme_host_lost(wl->host);
}

bool wl_nvme_has_parted(const struct wl_nvme *wl)
{
    return wl->multipath != NULL ? nvme_multipath_closed(wl->multipath)
                                 : wl->host == NULL || nvme_host_closed(wl->host);
}

void wl_nvme_part(struct wl_nvme *wl)
{
    if (wl->multipath != NULL)
        nvme_multipath_shutdown(wl->multipath);
    else
        nvme_host_shutdown(wl->host);
}

struct nvme_host *wl_nvme_host(const struct wl_nvme *wl)
{
    return wl->multipath != NULL ? nvme_multipath_first(wl->multipath) : wl->host;
}

const struct nvme_host *wl_nvme_path(const struct wl_nvme *wl, uint32_t path)
{
    if (wl->multipath != NULL)
        return nvme_multipath_host(wl->multipath, path);
    return path == 0 ? wl->host : NULL;
}

static void count_controllers(struct wl_nvme *wl, const struct nvme_host_stats *now,
                              time_ps without_service)
{
    struct workload_stats *stats = wl->site.stats;
    const struct nvme_host_stats *reported = &wl->reported;
    if (now->losses != reported->losses)
        wl_nvme_connects(wl);
    stats->losses += now->losses - reported->losses;
    stats->attempts += now->attempts - reported->attempts;
    stats->reconnects += now->reconnects - reported->reconnects;
    stats->given_up += now->given_up - reported->given_up;
    stats->requeued += now->requeued - reported->requeued;
    stats->retried += now->retried - reported->retried;
    stats->without_service = time_later(stats->without_service, without_service);
    wl->reported = *now;
}

void wl_nvme_count(struct wl_nvme *wl, time_ps now)
{
    struct workload_stats *stats = wl->site.stats;
    if (wl->multipath == NULL) {
        count_controllers(wl, nvme_host_stats(wl->host), nvme_host_without_service(wl->host, now));
        return;
    }
    const struct nvme_multipath_stats paths = nvme_multipath_stats(wl->multipath, now);
    count_controllers(wl, &paths.controllers, paths.without_service);
    stats->failovers += paths.failovers - wl->failovers;
    stats->recovery = time_later(stats->recovery, paths.recovery);
    stats->degraded = time_later(stats->degraded, paths.degraded);
    wl->failovers = paths.failovers;
}

void wl_nvme_drop(struct wl_nvme *wl)
{
    if (wl->host != NULL)
        nvme_host_destroy(wl->host);
    nvme_multipath_destroy(wl->multipath);
}

/* ---- limits ---- */

/* As at a target, limits apply only to reads, compares and writes. */
static bool take_tokens(struct wl_nvme *wl, const struct nvme_io *io)
{
    const bool read = io->opcode == NVME_READ || io->opcode == NVME_COMPARE;
    return (!read && io->opcode != NVME_WRITE) || nvme_bucket_take(&wl->limits, read, io->bytes);
}

static void on_slice(void *self, time_ps now)
{
    struct wl_nvme *wl = self;
    struct wl_nvme_line waiting = wl->limited;
    wl->limited = (struct wl_nvme_line){0};
    wl->limited_count = 0;
    nvme_bucket_refill(&wl->limits, now);
    while (waiting.first != NULL) {
        struct wl_nvme_slot *slot = wl_nvme_line_take(&waiting);
        if (!take_tokens(wl, &slot->io)) {
            wl_nvme_line_add(&wl->limited, slot);
            wl->limited_count++;
            continue;
        }
        slot->admitted_at = now;
        wl_nvme_admitted(wl, slot);
    }
    if (wl->limited.first != NULL)
        env_timer_set(wl->site.env, &wl->limit_timer, nvme_bucket_next(&wl->limits));
}

void wl_nvme_limit_begin(struct wl_nvme *wl)
{
    wl->has_limits = nvme_limits_any(&wl->params.limits);
    wl->limit_timer = (struct timer){.fire = on_slice, .self = wl, .due = TIME_NEVER};
    nvme_bucket_init(&wl->limits, &wl->params.limits);
}

bool wl_nvme_admits(struct wl_nvme *wl, struct wl_nvme_slot *slot)
{
    nvme_bucket_refill(&wl->limits, env_now(wl->site.env));
    if (take_tokens(wl, &slot->io))
        return true;
    if (wl->limited.first == NULL)
        env_timer_set(wl->site.env, &wl->limit_timer, nvme_bucket_next(&wl->limits));
    wl_nvme_line_add(&wl->limited, slot);
    wl->limited_count++;
    return false;
}

const struct nvme_host_namespace *wl_nvme_choose_namespace(const struct wl_nvme *wl)
{
    const struct nvme_host *host = wl_nvme_host(wl);
    const uint32_t count = nvme_host_namespaces(host);
    if (count > 0 && wl->params.name_space == 0)
        return nvme_host_namespace(host, wl->site.instance % count);
    for (uint32_t i = 0; i < count; i++)
        if (nvme_host_namespace(host, i)->nsid == (uint32_t)wl->params.name_space)
            return nvme_host_namespace(host, i);
    return NULL;
}

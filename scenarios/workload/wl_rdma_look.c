/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma_look - state of an instance of an rdma-* kind for observers, and the origin of its
 * message sizes. */
#include "scenarios/workload/wl_rdma_private.h"

#include "base/note_text.h"
#include "base/plural.h"

#include <stdio.h>

const struct wl_sizes *wl_rdma_sizes(const struct wl_rdma_params *params)
{
    return params->table != NULL ? params->table
                                 : wl_sizes_named((enum wl_sizes_kind)params->sizes);
}

bool wl_rdma_read_sizes(void *params, const struct workload_file *file)
{
    struct wl_rdma_params *own = params;
    if (own->sizes != WL_SIZES_FIXED) {
        diag_add(file->diag, DIAG_ERROR, (struct diag_place){.file = file->file->name}, NULL,
                 "'%.64s' has sizes and sizes-file: expected one of them", file->workload);
        return false;
    }
    own->table = wl_sizes_read(file->arena, file->file, file->diag);
    return own->table != NULL;
}

/* Bytes that have arrived of the messages that the pair has posted. False: unknown, or some of them
 * may be lost again, because a queue pair that fails loses everything in flight. */
static bool has_arrived(const struct wl_rdma_pair *pair, uint64_t *bytes)
{
    const struct wl_rdma *wl = pair->owner;
    const struct verbs_ops *verbs = wl->site.verbs;
    const bool early = verbs->completes_before_arrival && wl->opcode != IBV_WR_RDMA_READ;
    struct verbs_arrived arrived;
    *bytes = pair->goodput.done;
    if (pair->under_way == 0 && !early)
        return true;
    if ((!pair->usable && !early) || pair->conn == NULL || verbs->arrived == NULL ||
        !verbs->arrived(pair->conn, &arrived))
        return false;
    *bytes = wl->opcode == IBV_WR_RDMA_READ ? arrived.here : arrived.there;
    return arrived.for_good;
}

time_ps wl_rdma_measure(struct workload *workload, time_ps now)
{
    struct wl_rdma *wl = wl_rdma_of(workload);
    uint64_t bytes;
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        has_arrived(&wl->pairs[i], &bytes);
        wl_goodput_mark(&wl->pairs[i].goodput, &wl->window, now, bytes);
    }
    return wl_window_next(&wl->window, now);
}

static struct workload_delivered by_direction(const struct wl_rdma *wl, uint64_t bytes)
{
    return wl->opcode == IBV_WR_RDMA_READ ? (struct workload_delivered){.read = bytes}
                                          : (struct workload_delivered){.written = bytes};
}

struct workload_delivered wl_rdma_delivered(const struct workload *workload)
{
    const struct wl_rdma *wl = wl_rdma_of(workload);
    uint64_t sum = 0, bytes;
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        const struct wl_rdma_pair *pair = &wl->pairs[i];
        sum += has_arrived(pair, &bytes) ? wl_goodput_so_far(&pair->goodput, bytes)
                                         : wl_goodput_completed_only(&pair->goodput);
    }
    return by_direction(wl, sum);
}

struct workload_delivered wl_rdma_arrived(const struct workload *workload)
{
    const struct wl_rdma *wl = wl_rdma_of(workload);
    uint64_t sum = 0, bytes;
    for (uint32_t i = 0; i < wl->pair_count; i++)
        sum += has_arrived(&wl->pairs[i], &bytes) ? bytes : wl->pairs[i].goodput.done;
    return by_direction(wl, sum);
}

uint64_t wl_rdma_outstanding(const struct workload *workload)
{
    return wl_rdma_of(workload)->under_way;
}

void wl_rdma_describe(const struct workload *workload, char *text, size_t size)
{
    const struct wl_rdma *wl = wl_rdma_of(workload);
    if (wl->state == WL_RDMA_CONNECTING) {
        snprintf(text, size, "connecting %u of %u queue %s", wl->pair_count - wl->settled,
                 wl->pair_count, plural(wl->pair_count, "pair", "pairs"));
        return;
    }
    time_ps oldest = TIME_NEVER;
    for (uint32_t i = 0; i < wl->pair_count; i++) {
        const struct wl_rdma_pair *pair = &wl->pairs[i];
        if (pair->under_way > 0 && pair->messages[pair->oldest].issued_at < oldest)
            oldest = pair->messages[pair->oldest].issued_at;
    }
    if (oldest == TIME_NEVER) {
        snprintf(text, size, wl->state == WL_RDMA_IDLE ? "idle" : "nothing outstanding");
        return;
    }
    snprintf(text, size, "%llu %s of %s to %s outstanding, the oldest for %s",
             (unsigned long long)wl->under_way, plural(wl->under_way, "message", "messages"),
             note_size((uint64_t)wl->params.message_size).text, note_ip(wl->site.target_ip).text,
             note_time(env_now(wl->site.env) - oldest).text);
}

struct workload_cpu wl_rdma_cpu(const struct workload *workload, time_ps now)
{
    const struct wl_rdma *wl = wl_rdma_of(workload);
    struct workload_cpu cpu = {.cores = wl->post_cost > 0 ? wl->core_count : 0};
    for (uint32_t i = 0; i < cpu.cores; i++)
        cpu.busy += wl->cores[i].busy - (time_later(wl->cores[i].free_at, now) - now);
    return cpu;
}

const struct workload_member *wl_rdma_member(const struct workload *workload)
{
    return &wl_rdma_of(workload)->did;
}

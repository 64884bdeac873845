/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_look - state of an instance for observers: bytes delivered, and what it waits for. */
#include "scenarios/workload/wl_nvme_private.h"

#include "base/note_text.h"
#include "base/plural.h"

#include <stdio.h>

/* Bytes without the protection information after each block. */
static uint64_t data_of(const struct wl_nvme *wl, uint64_t bytes)
{
    const uint64_t block = wl->space.block_bytes;
    return LIKELY(wl->space.metadata == 0) ? bytes : bytes * block / (block + wl->space.metadata);
}

/* Bytes of I/O that have arrived. False: unknown, or some of them may be lost again, because all
 * I/O in flight is sent again when the controller is lost. */
static bool has_arrived(const struct wl_nvme *wl, struct workload_delivered *bytes)
{
    struct nvme_transport_arrived arrived;
    *bytes = (struct workload_delivered){wl->read.done, wl->written.done};
    if (wl->under_way == 0)
        return true;
    if (wl->host == NULL || !nvme_host_arrived(wl->host, &arrived))
        return false;
    *bytes = (struct workload_delivered){data_of(wl, arrived.in), data_of(wl, arrived.out)};
    return arrived.for_good;
}

static struct workload_delivered completed_only(const struct wl_nvme *wl)
{
    return (struct workload_delivered){
        .read = wl->before.read + wl_goodput_completed_only(&wl->read),
        .written = wl->before.written + wl_goodput_completed_only(&wl->written),
    };
}

void wl_nvme_connects(struct wl_nvme *wl)
{
    const time_ps now = env_now(wl->site.env);
    wl->before = completed_only(wl);
    wl->before_all.read += wl->read.done;
    wl->before_all.written += wl->written.done;
    wl_goodput_begin(&wl->read, &wl->window, now);
    wl_goodput_begin(&wl->written, &wl->window, now);
}

time_ps wl_nvme_measure(struct workload *workload, time_ps now)
{
    struct wl_nvme *wl = wl_nvme_of(workload);
    struct workload_delivered bytes;
    has_arrived(wl, &bytes);
    wl_goodput_mark(&wl->read, &wl->window, now, bytes.read);
    wl_goodput_mark(&wl->written, &wl->window, now, bytes.written);
    return wl_window_next(&wl->window, now);
}

struct workload_delivered wl_nvme_delivered(const struct workload *workload)
{
    const struct wl_nvme *wl = wl_nvme_of(workload);
    struct workload_delivered bytes;
    if (!has_arrived(wl, &bytes))
        return completed_only(wl);
    return (struct workload_delivered){
        .read = wl->before.read + wl_goodput_so_far(&wl->read, bytes.read),
        .written = wl->before.written + wl_goodput_so_far(&wl->written, bytes.written),
    };
}

struct workload_delivered wl_nvme_arrived(const struct workload *workload)
{
    const struct wl_nvme *wl = wl_nvme_of(workload);
    struct workload_delivered bytes;
    if (!has_arrived(wl, &bytes))
        bytes = (struct workload_delivered){wl->read.done, wl->written.done};
    return (struct workload_delivered){
        .read = wl->before_all.read + bytes.read,
        .written = wl->before_all.written + bytes.written,
    };
}

uint64_t wl_nvme_outstanding(const struct workload *workload)
{
    return (uint64_t)wl_nvme_of(workload)->under_way;
}

uint64_t wl_nvme_limited(const struct workload *workload)
{
    return wl_nvme_of(workload)->limited_count;
}

static const struct wl_nvme_slot *oldest(const struct wl_nvme *wl)
{
    const struct wl_nvme_slot *found = NULL;
    for (uint32_t i = 0; i < wl->slot_count; i++) {
        const struct wl_nvme_slot *slot = &wl->slots[i];
        if (slot->busy && (found == NULL || slot->io.issued_at < found->io.issued_at))
            found = slot;
    }
    return found;
}

void wl_nvme_describe(const struct workload *workload, char *text, size_t size)
{
    const struct wl_nvme *wl = wl_nvme_of(workload);
    const struct wl_nvme_slot *slot = oldest(wl);
    if (wl->state == WL_NVME_CONNECTING && wl->multipath != NULL) {
        nvme_multipath_describe(wl->multipath, text, size);
        return;
    }
    if (wl->state == WL_NVME_CONNECTING && wl->host != NULL) {
        nvme_host_describe(wl->host, text, size);
        return;
    }
    if (slot == NULL) {
        snprintf(text, size, wl->state == WL_NVME_IDLE ? "idle" : "nothing outstanding");
        return;
    }
    snprintf(text, size, "%lld %s to %s outstanding, the oldest is a %s of %s, issued %s ago",
             (long long)wl->under_way, plural(wl->under_way, "I/O", "I/Os"),
             note_ip(wl->site.target_ip).text, nvme_opcode_word(slot->io.opcode),
             note_size(slot->io.bytes).text,
             note_time(env_now(wl->site.env) - slot->io.issued_at).text);
}

const struct workload_member *wl_nvme_member(const struct workload *workload)
{
    return &wl_nvme_of(workload)->did;
}

const struct nvme_host *wl_nvme_controller(const struct workload *workload, uint32_t path)
{
    return wl_nvme_path(wl_nvme_of(workload), path);
}

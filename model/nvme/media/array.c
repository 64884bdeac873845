/* SPDX-License-Identifier: Apache-2.0
 * array - splits requests into rows; drive failure and replacement. */
#include "nvme/media/array_private.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>

enum { NAMESPACES = 1024 /* for unique indices of the drives of one target */ };

uint32_t array_columns(const struct array_params *params)
{
    switch ((enum array_layout)params->layout) {
    case ARRAY_PARITY:
        return (uint32_t)(params->drives - params->parity);
    default:
        return (uint32_t)params->drives / array_copies(params);
    }
}

bool array_is_lost(const struct array_params *params, uint32_t gone)
{
    const uint32_t copies = array_copies(params);
    if (params->layout == ARRAY_PARITY)
        return __builtin_popcount(gone) > params->parity;
    for (uint32_t first = 0; first < (uint32_t)params->drives; first += copies) {
        const uint32_t same = (uint32_t)((UINT64_C(1) << copies) - 1) << first;
        if ((gone & same) == same)
            return true;
    }
    return false;
}

uint64_t array_drive_bytes(const struct array_params *params, uint64_t bytes)
{
    const uint64_t strip = (uint64_t)params->strip;
    return ((bytes - 1) / (strip * array_columns(params)) + 1) * strip;
}

uint32_t array_drives(const struct media *media)
{
    return (uint32_t)media->params.drives;
}

/* ---- requests ---- */

void array_host_served(struct media *media, struct media_request *request, time_ps served)
{
    CHECK(request->parts > 0);
    request->served = served;
    if (--request->parts > 0)
        return;
    request->failed |= media->broken;
    request->done_at = env_now(media->env);
    request->begun_at = request->done_at - request->served;
    CHECK(request->begun_at >= request->submitted_at);
    request->done(request->self, request);
}

/* Maximum bytes per row: a strip for reads and striped layouts, a stripe for writes with parity. */
static uint64_t row_bytes(const struct media *media, enum row_kind kind)
{
    const uint64_t strip = (uint64_t)media->params.strip;
    if (array_columns(&media->params) == 1 && media->params.layout == ARRAY_MIRROR)
        return UINT64_MAX;
    return media->params.layout == ARRAY_PARITY && kind == ROW_WRITE
               ? strip * array_columns(&media->params)
               : strip;
}

static void begin_rows(struct media *media, struct media_request *request, enum row_kind kind)
{
    const uint64_t most = row_bytes(media, kind), end = request->offset + request->bytes;
    uint64_t at = request->offset;
    while (at < end) {
        const uint64_t room = most - at % most;
        const uint64_t bytes = room < end - at ? room : end - at;
        request->parts++;
        array_row_begin(
            media, &(struct row){
                       .kind = (uint8_t)kind, .host = request, .at = at, .bytes = (uint32_t)bytes});
        at += bytes;
    }
}

static void array_submit(struct media *media, struct media_request *request)
{
    request->submitted_at = env_now(media->env);
    request->parts = 1; /* released when all rows have begun */
    request->served = 0;
    if (request->op == MEDIA_FLUSH) {
        request->parts++;
        array_row_begin(media, &(struct row){.kind = ROW_FLUSH, .host = request});
    } else {
        const bool read = request->op == MEDIA_READ;
        *(read ? &media->stats.host_bytes_read : &media->stats.host_bytes_written) +=
            request->bytes;
        begin_rows(media, request, read ? ROW_READ : ROW_WRITE);
    }
    array_host_served(media, request, request->served);
}

/* ---- drive failure ---- */

/* Number of drives that do not have all of their data. */
static uint32_t count_incomplete_drives(const struct media *media)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++)
        gone |= (uint32_t)!array_is_whole(media, i) << i;
    return gone;
}

void array_fail(struct media *media, uint32_t drive)
{
    CHECK(drive < (uint32_t)media->params.drives);
    struct drive *failing = &media->drives[drive];
    if (failing->failed)
        return;
    failing->failed = true;
    failing->rebuilt = 0;
    failing->failures++;
    media->stats.drives_failed++;
    media->broken |= array_is_lost(&media->params, count_incomplete_drives(media));
}

void array_replace(struct media *media, uint32_t drive)
{
    CHECK(drive < (uint32_t)media->params.drives);
    media->drives[drive].failed = false;
    array_rebuild_next(media);
}

void array_stats(const struct media *media, struct array_stats *sum)
{
    struct array_stats stats = media->stats;
    stats.rebuild_ps = (uint64_t)array_rebuild_time(media);
    for (uint32_t i = 0; !media->broken && i < array_drives(media); i++)
        if (!media->drives[i].failed)
            stats.bytes_to_rebuild += media->drive_bytes - media->drives[i].rebuilt;
#define X(member) sum->member += stats.member;
    ARRAY_STATS(X)
#undef X
}

/* ---- the medium ---- */

static struct media *array_create(const struct media_site *site)
{
    const struct array_setup *setup = site->params;
    CHECK(setup->params.drives >= 2 && setup->params.drives <= ARRAY_DRIVES_MAX);
    CHECK(setup->params.layout != ARRAY_PARITY || setup->params.parity < setup->params.drives);
    CHECK(setup->params.drives % array_copies(&setup->params) == 0);
    struct media *media = memory_new(sizeof *media);
    const uint32_t drives = (uint32_t)setup->params.drives;
    media->env = site->env;
    media->ops = setup->drive;
    media->params = setup->params;
    media->drive_bytes = array_drive_bytes(&media->params, site->bytes);
    media->drives = memory_zeroed(drives, sizeof *media->drives);
    array_rebuild_init(media);
    for (uint32_t i = 0; i < drives; i++)
        media->drives[i] = (struct drive){
            .media = media->ops->create(&(struct media_site){.env = site->env,
                                                             .params = setup->drive_params,
                                                             .index = site->index + i * NAMESPACES,
                                                             .bytes = media->drive_bytes}),
            .rebuilt = media->drive_bytes};
    return media;
}

static void array_stations(const struct media *media, nvme_station_fn *call, void *self)
{
    for (uint32_t i = 0; media->ops->stations != NULL && i < (uint32_t)media->params.drives; i++)
        media->ops->stations(media->drives[i].media, call, self);
}

static bool array_wear(const struct media *media, struct media_wear *wear)
{
    *wear = (struct media_wear){0};
    for (uint32_t i = 0; media->ops->wear != NULL && i < (uint32_t)media->params.drives; i++) {
        struct media_wear one;
        if (!media->ops->wear(media->drives[i].media, &one))
            return false;
#define X(member) wear->member += one.member;
        MEDIA_WEAR(X)
#undef X
    }
    return media->ops->wear != NULL;
}

static void array_audit(const struct media *media)
{
    array_row_audit(media);
    CHECK(media->broken || !array_is_lost(&media->params, count_incomplete_drives(media)));
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++) {
        CHECK(media->drives[i].rebuilt <= media->drive_bytes);
        CHECK(!media->drives[i].failed || media->drives[i].rebuilt == 0);
        media->ops->audit(media->drives[i].media);
    }
}

static void array_destroy(struct media *media)
{
    env_timer_cancel(media->env, &media->rebuild.timer);
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++)
        media->ops->destroy(media->drives[i].media);
    while (media->chunks != NULL) {
        void *chunk = media->chunks;
        media->chunks = *(void **)chunk;
        free(chunk);
    }
    free(media->drives);
    free(media);
}

const struct media_ops array_media = {
    .name = "array",
    .about = "Several drives as one.",
    .params_bytes = sizeof(struct array_setup),
    .create = array_create,
    .submit = array_submit,
    .stations = array_stations,
    .wear = array_wear,
    .audit = array_audit,
    .destroy = array_destroy,
};

/* SPDX-License-Identifier: Apache-2.0
 * array_rebuild - rebuilds a replaced drive from start to end.
 * The strips of a window are rebuilt concurrently; the next window begins when all are done, but
 * not before the configured rate allows. Rebuild I/O competes with host I/O on each drive. */
#include "nvme/media/array_private.h"

#include "base/check.h"

/* Minimum time per window, so that rebuilding drives that take no time advances virtual time. */
static const time_ps window_least = PS_PER_US;

static void stop(struct media *media)
{
    media->stats.rebuild_ps += (uint64_t)(env_now(media->env) - media->rebuild.begun_at);
    media->rebuild.drive = ARRAY_DRIVES_MAX;
    array_rebuild_next(media);
}

static void begin_window(struct media *media)
{
    const uint64_t strip = (uint64_t)media->params.strip;
    const uint64_t from = media->drives[media->rebuild.drive].rebuilt;
    uint64_t bytes = (uint64_t)media->params.rebuild_window / strip * strip;
    bytes = bytes < strip ? strip : bytes;
    if (bytes > media->drive_bytes - from)
        bytes = media->drive_bytes - from;
    CHECK(media->rebuild.rows == 0 && bytes > 0);
    media->rebuild.window_at = env_now(media->env);
    media->rebuild.end = from + bytes;
    media->rebuild.rows = (uint32_t)(bytes / strip);
    for (uint64_t at = from; at < from + bytes; at += strip)
        array_row_begin(media,
                        &(struct row){.kind = ROW_REBUILD, .at = at, .bytes = (uint32_t)strip});
}

static void on_timer(void *self, time_ps now)
{
    struct media *media = self;
    const struct drive *drive = &media->drives[media->rebuild.drive];
    (void)now;
    if (media->broken || drive->failures != media->rebuild.failures)
        stop(media);
    else
        begin_window(media);
}

void array_rebuild_init(struct media *media)
{
    media->rebuild.drive = ARRAY_DRIVES_MAX;
    media->rebuild.timer = (struct timer){.fire = on_timer, .self = media, .due = TIME_NEVER};
}

void array_rebuild_next(struct media *media)
{
    if (media->broken || media->rebuild.drive < ARRAY_DRIVES_MAX)
        return;
    for (uint32_t i = 0; i < (uint32_t)media->params.drives; i++) {
        if (media->drives[i].failed || array_is_whole(media, i))
            continue;
        media->rebuild.drive = i;
        media->rebuild.failures = media->drives[i].failures;
        media->rebuild.begun_at = env_now(media->env);
        env_timer_set(media->env, &media->rebuild.timer, media->rebuild.begun_at);
        return;
    }
}

static time_ps next_window(const struct media *media, uint64_t bytes)
{
    const uint64_t rate = (uint64_t)media->params.rebuild_rate;
    const time_ps takes = rate == 0 ? 0 : units_transfer_ps(bytes, rate);
    const time_ps at = media->rebuild.window_at + (takes < window_least ? window_least : takes);
    return at < env_now(media->env) ? env_now(media->env) : at;
}

void array_rebuild_done(struct media *media, const struct row *row)
{
    struct drive *drive = &media->drives[media->rebuild.drive];
    const bool goes_on = !media->broken && drive->failures == media->rebuild.failures;
    CHECK(media->rebuild.rows > 0);
    media->stats.bytes_rebuilt += goes_on ? row->bytes : 0;
    if (--media->rebuild.rows > 0)
        return;
    const uint64_t bytes = media->rebuild.end - drive->rebuilt;
    if (goes_on)
        drive->rebuilt = media->rebuild.end;
    if (goes_on && drive->rebuilt < media->drive_bytes) {
        env_timer_set(media->env, &media->rebuild.timer, next_window(media, bytes));
        return;
    }
    media->stats.rebuilds += goes_on;
    stop(media);
}

time_ps array_rebuild_time(const struct media *media)
{
    const bool now = media->rebuild.drive < ARRAY_DRIVES_MAX;
    return (time_ps)media->stats.rebuild_ps +
           (now ? env_now(media->env) - media->rebuild.begun_at : 0);
}

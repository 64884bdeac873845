/* SPDX-License-Identifier: Apache-2.0
 * playback - windows of events. */
#include "replay/run/playback.h"

#include "base/nearest.h"
#include "replay/database/stored.h"

#include <stdio.h>
#include <string.h>

static const time_ps window = 4 * PS_PER_US;

#define NO_NODE (UINT32_MAX - 1)

static void tell_window(const struct playback *playback, struct eventlog *log)
{
    struct arena arena = {0};
    for (uint32_t i = 0; i < log->count; i++) {
        const struct eventlog_reported reported = eventlog_tell(log, &log->events[i], &arena);
        playback->tell(playback->self, &reported);
    }
    arena_free(&arena);
    eventlog_clear(log);
}

static enum playback_end run_windows(const struct playback *playback, const struct stored *stored,
                                     uint32_t node, struct diag *diag)
{
    const time_ps until = playback->until < stored->until ? playback->until : stored->until;
    struct world *world = world_build(stored->scenario, &probe_none, diag);
    struct eventlog log;
    if (world == NULL)
        return PLAYBACK_REFUSED;
    eventlog_init(&log, world);
    log.only = NO_NODE;
    bool more = playback->from < until && (playback->from <= 0 || world_run(world, playback->from));
    log.only = node;
    for (time_ps now = playback->from; more && now < until;) {
        now = until - now < window ? until : now + window;
        more = world_run(world, now);
        tell_window(playback, &log);
    }
    eventlog_fini(&log);
    world_free(world);
    return PLAYBACK_DONE;
}

/* *node is UINT32_MAX for all nodes. */
static bool find_node(const struct scenario *scenario, const char *name, uint32_t *node,
                      char why[STORE_ERROR_BYTES])
{
    *node = UINT32_MAX;
    if (name == NULL)
        return true;
    struct nearest nearest = nearest_to(name);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        nearest_offer(&nearest, scenario->nodes[i].name);
        if (strcmp(scenario->nodes[i].name, name) == 0)
            *node = i;
    }
    if (*node != UINT32_MAX)
        return true;
    snprintf(why, STORE_ERROR_BYTES, "there is no node '%.100s'%s", name,
             nearest_hint(&nearest).text);
    return false;
}

enum playback_end playback_run(const struct playback *playback, char why[STORE_ERROR_BYTES],
                               struct diag *diag)
{
    enum playback_end end = PLAYBACK_REFUSED;
    struct store *store = stored_open(playback->path, why);
    if (store == NULL)
        return PLAYBACK_REFUSED;
    struct stored stored;
    uint32_t node;
    snprintf(why, STORE_ERROR_BYTES, "its scenario cannot be run");
    if (stored_load(&stored, store, diag) && find_node(stored.scenario, playback->node, &node, why))
        end = run_windows(playback, &stored, node, diag);
    stored_free(&stored);
    store_close(store);
    return end;
}

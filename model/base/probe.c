/* SPDX-License-Identifier: Apache-2.0
 * probe - names of drop causes, and the observer that ignores everything. */
#include "base/probe.h"
#include "base/drop.h"

enum side { INGRESS, EGRESS };

const struct probe_drop_about probe_drops[PROBE_DROP_CAUSE_COUNT] = {
#define DROP(NAME, name, side, word, about)                                                        \
    [PROBE_DROP_##NAME] = {word, about, (side) == EGRESS, false},
#define DROP_ROOM(NAME, side, word, about)                                                         \
    [PROBE_DROP_##NAME] = {word, about, (side) == EGRESS, true},
#include "base/drop.def"
#undef DROP
#undef DROP_ROOM
};

static void no_drop(void *self, const struct probe_drop *drop)
{
    (void)self, (void)drop;
}

static void no_pause(void *self, const struct probe_pause *pause)
{
    (void)self, (void)pause;
}

static void no_blocked(void *self, const struct probe_blocked *blocked)
{
    (void)self, (void)blocked;
}

static void no_target_io(void *self, const struct probe_target_io *io)
{
    (void)self, (void)io;
}

static void no_host_io(void *self, const struct probe_host_io *io)
{
    (void)self, (void)io;
}

static void no_state(void *self, const struct probe_state *state)
{
    (void)self, (void)state;
}

static void no_note(void *self, time_ps at, const char *owner, const char *text)
{
    (void)self, (void)at, (void)owner, (void)text;
}

const struct probe probe_none = {
    .drop = no_drop,
    .pause = no_pause,
    .blocked = no_blocked,
    .target_io = no_target_io,
    .host_io = no_host_io,
    .state = no_state,
    .note = no_note,
};

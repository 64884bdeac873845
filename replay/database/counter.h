/* SPDX-License-Identifier: Apache-2.0
 * counter - the names of the counters that a run has.
 * counter.def lists them once, under the names of `ethtool -S` and of SAI, for whoever writes,
 * prints or compares counters.  A counter that is listed and not in a run's table is zero.
 * Source: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst and
 * drivers/infiniband/hw/mlx5/counters.c; SAI saiport.h, saibuffer.h, saiqueue.h. */
#ifndef STORMGLASS_REPLAY_DATABASE_COUNTER_H
#define STORMGLASS_REPLAY_DATABASE_COUNTER_H

#include "base/drop.h"
#include "base/probe.h"

#include <stdbool.h>
#include <stddef.h>

enum counter_id {
#define COUNTER(scope, id, name, sai, unit) COUNTER_##id,
#include "replay/database/counter.def"
#undef COUNTER
    COUNTER_COUNT
};

/* What there is one of for each ... */
enum counter_scope {
    COUNTER_OF_PRIORITY, /* port and priority */
    COUNTER_OF_PORT,
    COUNTER_OF_RNIC, /* port of a host */
    COUNTER_OF_TCP,  /* port of a host with TCP */
    COUNTER_OF_SWITCH_PRIORITY,
    COUNTER_OF_SWITCH_PORT,
    COUNTER_OF_SWITCH
};

struct counter_about {
    enum counter_scope scope;
    const char *name, *sai; /* with %d for the priority; sai may be NULL */
    const char *unit;       /* count, bytes, us, ps */
};

extern const struct counter_about counters_about[COUNTER_COUNT];

/* A switch port's, by cause of the drop. */
extern const enum counter_id counters_of_drops[PROBE_DROP_CAUSE_COUNT];

enum { COUNTER_NAME_BYTES = 80 };

/* A name of the table with its priority, which is not looked at where it has none. */
void counter_text(char text[COUNTER_NAME_BYTES], const char *name, int priority);

/* The counter of that name, as counter_text makes it for a priority of 0 to 7; false when a run has
 * none.  Out: its priority, or -1. */
bool counter_find(const char *text, enum counter_id *id, int *priority);

/* There is one for each priority, and its name says which. */
bool counter_has_priority(enum counter_id id);

#endif

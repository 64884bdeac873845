/* SPDX-License-Identifier: Apache-2.0
 * counter - the names of the counters of a run.
 * counter.def lists them once, under the names of `ethtool -S` and SAI, for all code that writes,
 * prints or compares counters. A listed counter that is not in a run's table is zero.
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

/* The object that a counter belongs to. */
enum counter_scope {
    COUNTER_OF_PRIORITY, /* port and priority */
    COUNTER_OF_PORT,
    COUNTER_OF_RNIC,    /* port of a host */
    COUNTER_OF_TCP,     /* port of a host with TCP */
    COUNTER_OF_CREDITS, /* port of a link with credits */
    COUNTER_OF_SWITCH_PRIORITY,
    COUNTER_OF_SWITCH_PORT,
    COUNTER_OF_SWITCH
};

struct counter_about {
    enum counter_scope scope;
    const char *name, *sai; /* %d stands for the priority; sai may be NULL */
    const char *unit;       /* count, bytes, us, ps */
};

extern const struct counter_about counters_about[COUNTER_COUNT];

/* Counters of a switch port, by cause of the drop. */
extern const enum counter_id counters_of_drops[PROBE_DROP_CAUSE_COUNT];

enum { COUNTER_NAME_BYTES = 80 };

/* Formats a counter's name with its priority, which is ignored if the name has none. */
void counter_text(char text[COUNTER_NAME_BYTES], const char *name, int priority);

/* Finds the counter whose name counter_text formats for a priority from 0 to 7; false if there is
 * none. Sets *priority, to -1 if the counter has none. */
bool counter_find(const char *text, enum counter_id *id, int *priority);

/* True if there is one counter per priority, with the priority in its name. */
bool counter_has_priority(enum counter_id id);

#endif

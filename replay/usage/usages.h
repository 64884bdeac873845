/* SPDX-License-Identifier: Apache-2.0
 * usages - what a run used while there was work, and while each workload had work.
 * Workloads that start and end together share one usage. The waits
 * of a workload with a short period would hardly show in the usage of a long run. Beyond
 * USAGES_MAX - 1 periods, the usage of the whole run applies.
 * Owner: usages_fini. Clock: the caller simulates up to usages->next and calls usages_take. */
#ifndef STORMGLASS_REPLAY_USAGE_USAGES_H
#define STORMGLASS_REPLAY_USAGE_USAGES_H

#include "replay/usage/usage.h"

enum { USAGES_MAX = 8 };

struct usages {
    struct usage list[USAGES_MAX]; /* list[0] is the whole run's */
    uint32_t count;
    uint32_t *of_workload;
    time_ps next; /* TIME_NEVER: no more */
};

/* Call before the simulation starts. */
void usages_init(struct usages *usages, const struct world *world);
void usages_fini(struct usages *usages);

void usages_take(struct usages *usages);

/* The run is over at `now`; its last operation completed at `last`. */
void usages_end(struct usages *usages, time_ps now, time_ps last);

const struct usage *usages_of(const struct usages *usages, uint32_t workload);

#endif

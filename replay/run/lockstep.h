/* SPDX-License-Identifier: Apache-2.0
 * lockstep - runs two scenarios in parallel until their events differ.
 * Both are simulated in the same short windows of virtual time. The events of a window are compared
 * node by node and forgotten if they are equal, so memory is that of a window, and nothing is
 * simulated twice. The order of events at different nodes at the same time does not count: it
 * depends on ranks derived from the seed and has no effect by itself.
 * Owner: lockstep_free. Errors: LOCKSTEP_REFUSED, messages in the diag. */
#ifndef STORMGLASS_REPLAY_RUN_LOCKSTEP_H
#define STORMGLASS_REPLAY_RUN_LOCKSTEP_H

#include "replay/run/eventlog.h"

enum {
    LOCKSTEP_BEFORE = 3, /* events reported before the difference, and after it */
    LOCKSTEP_BEHIND = 4
};

struct lockstep_side {
    const struct scenario *scenario;
    time_ps until; /* TIME_NEVER: to the end */
};

enum lockstep_end { LOCKSTEP_EQUAL, LOCKSTEP_PARTED, LOCKSTEP_REFUSED };

/* The first difference: the node, and its events on both sides. */
struct lockstep {
    struct arena arena;
    time_ps at;          /* time of the earlier event */
    uint64_t events[2];  /* events executed before it on each side, as counted by `step` */
    const char *node;    /* NULL: no difference */
    const char *how;     /* description */
    uint32_t same_count; /* the node's last events before it, equal on both sides */
    struct eventlog_reported same[LOCKSTEP_BEFORE];
    uint32_t counts[2]; /* the node's next events on each side, the differing one first */
    struct eventlog_reported next[2][LOCKSTEP_BEHIND];
};

/* `progress` as in run_options. */
enum lockstep_end lockstep_play(struct lockstep *lockstep, const struct lockstep_side sides[2],
                                bool progress, struct diag *diag);
void lockstep_free(struct lockstep *lockstep);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * lockstep - two scenarios played side by side until they part.
 * Both are played in the same short windows of virtual time; the events of a window are held
 * against each other node by node, and forgotten when they are equal.  So memory is that of a
 * window, and nothing is played twice.  The order in which different nodes act at the same moment
 * does not count: it depends on the seed's ranks and changes nothing by itself.
 * Owner: lockstep_free.  Errors: LOCKSTEP_REFUSED, messages in the diag. */
#ifndef STORMGLASS_REPLAY_RUN_LOCKSTEP_H
#define STORMGLASS_REPLAY_RUN_LOCKSTEP_H

#include "replay/run/eventlog.h"

enum {
    LOCKSTEP_BEFORE = 3, /* events that are reported before the difference and behind it */
    LOCKSTEP_BEHIND = 4
};

struct lockstep_side {
    const struct scenario *scenario;
    time_ps until; /* TIME_NEVER: to the end */
};

enum lockstep_end { LOCKSTEP_EQUAL, LOCKSTEP_PARTED, LOCKSTEP_REFUSED };

/* Where they part: the node, and its events on both sides. */
struct lockstep {
    struct arena arena;
    time_ps at;          /* of the earlier side's event */
    uint64_t events[2];  /* that each side executed before, as `step` counts them */
    const char *node;    /* NULL: they did not part */
    const char *how;     /* in words */
    uint32_t same_count; /* the node's last events before, the same on both sides */
    struct eventlog_reported same[LOCKSTEP_BEFORE];
    uint32_t counts[2]; /* the node's next events on each side, the differing one first */
    struct eventlog_reported next[2][LOCKSTEP_BEHIND];
};

/* `progress` as in run_options. */
enum lockstep_end lockstep_play(struct lockstep *lockstep, const struct lockstep_side sides[2],
                                bool progress, struct diag *diag);
void lockstep_free(struct lockstep *lockstep);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * checkpoint - digests of all nodes at a few times of a run, in its database.
 * If a repeated run has a different digest, checkpoints show between which two times, and in which
 * nodes, it diverged. Their times are equidistant and depend only on the scenario, so a repeated
 * run has them at the same times. Their number and size are bounded for any fabric. Taking a
 * checkpoint does not affect the run.
 * Owner: checkpoint_fini. Errors: recorded in the store. */
#ifndef STORMGLASS_REPLAY_RUN_CHECKPOINT_H
#define STORMGLASS_REPLAY_RUN_CHECKPOINT_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

enum {
    CHECKPOINTS_MAX = 64,          /* before the end of the measured window, and after it */
    CHECKPOINTS_MIN = 4,           /* likewise a minimum, for a fabric of any size */
    CHECKPOINT_BYTES = 256 * 1024, /* bytes in the database before that end */
    CHECKPOINT_DIGEST_BYTES = 8    /* per node, most significant byte first */
};

struct checkpoint {
    struct store *store;
    unsigned char *digests; /* at one time */
    uint32_t nodes;
    uint32_t left;          /* number of checkpoints */
    time_ps interval, next; /* TIME_NEVER: no more */
};

void checkpoint_init(struct checkpoint *checkpoint, struct store *store,
                     const struct scenario *scenario);
void checkpoint_fini(struct checkpoint *checkpoint);

/* Call when the world has executed every event up to checkpoint->next. */
void checkpoint_take(struct checkpoint *checkpoint, const struct world *world);

enum { CHECKPOINT_NODES = 6 };

/* Where two recordings of a run diverge. */
struct checkpoint_parting {
    bool known;                       /* both have checkpoints of the same nodes and times */
    uint32_t equal;                   /* number of equal checkpoints before that */
    bool parted;                      /* false: all equal, up to `before` */
    time_ps after;                    /* last time at which all nodes were equal; 0: none */
    time_ps before;                   /* first time at which some differ */
    uint32_t count;                   /* number of those nodes */
    uint32_t nodes[CHECKPOINT_NODES]; /* the first ones */
};

void checkpoint_compare(struct store *then, struct store *now, struct checkpoint_parting *parting);

enum { CHECKPOINT_WORDS_BYTES = 256 };

/* "leaf0, host3 and 4 more": the nodes that diverged, with their names from the database. */
void checkpoint_nodes(const struct checkpoint_parting *parting, struct store *store,
                      char text[CHECKPOINT_WORDS_BYTES]);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * checkpoint - the digests of all nodes at a few moments of a run, in its database.
 * A replay that comes to another digest finds in them between which two moments it parted from the
 * run, and in which nodes.  The moments are at equal distances that depend on the scenario alone,
 * so that a replay takes them at the same ones; they and the rows are few, whatever the fabric.
 * Taking one changes nothing in the run.
 * Owner: checkpoint_fini.  Errors: those of the store stick there. */
#ifndef STORMGLASS_REPLAY_RUN_CHECKPOINT_H
#define STORMGLASS_REPLAY_RUN_CHECKPOINT_H

#include "replay/database/store.h"
#include "scenarios/world/world.h"

enum {
    CHECKPOINTS_MAX = 64,          /* before the end of the measured window, and after it */
    CHECKPOINTS_MIN = 4,           /* likewise, in a fabric however large */
    CHECKPOINT_BYTES = 256 * 1024, /* what they take of the database before that end */
    CHECKPOINT_DIGEST_BYTES = 8    /* of each node, most significant first */
};

struct checkpoint {
    struct store *store;
    unsigned char *digests; /* of one moment */
    uint32_t nodes;
    uint32_t left;          /* moments */
    time_ps interval, next; /* TIME_NEVER: no more */
};

void checkpoint_init(struct checkpoint *checkpoint, struct store *store,
                     const struct scenario *scenario);
void checkpoint_fini(struct checkpoint *checkpoint);

/* The world has executed every event up to checkpoint->next. */
void checkpoint_take(struct checkpoint *checkpoint, const struct world *world);

enum { CHECKPOINT_NODES = 6 };

/* Where two recordings of a run part. */
struct checkpoint_parting {
    bool known;     /* both have checkpoints of the same nodes and moments */
    uint32_t equal; /* of them, before they part */
    bool parted;    /* false: all are equal, up to `before` */
    time_ps after;  /* the last moment at which all nodes were equal; 0: none was */
    time_ps before; /* the first at which some are not */
    uint32_t count; /* of those nodes */
    uint32_t nodes[CHECKPOINT_NODES]; /* the first of them */
};

void checkpoint_compare(struct store *then, struct store *now, struct checkpoint_parting *parting);

enum { CHECKPOINT_WORDS_BYTES = 256 };

/* "leaf0, host3 and 4 more": the nodes of a parting by their names in the database. */
void checkpoint_nodes(const struct checkpoint_parting *parting, struct store *store,
                      char text[CHECKPOINT_WORDS_BYTES]);

#endif

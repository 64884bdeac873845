/* SPDX-License-Identifier: Apache-2.0
 * verdict - why a node paused its peer, and how to describe it: the rows of verdict.def.
 * The first matching verdict gets the time of the end of a walk from a paused transmitter. Numbers
 * of verdicts are internal; databases and JSON use names. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_VERDICT_H
#define STORMGLASS_REPLAY_EXPLAIN_VERDICT_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum explain_kind {
#define VERDICT(NAME, name, about, guess, fits, words, brief) EXPLAIN_##NAME,
#include "replay/explain/verdict.def"
    EXPLAIN_KINDS
};

/* The end of a walk. */
struct explain_end {
    bool at_host;    /* a host that pauses by itself; otherwise the egress of a switch */
    bool full;       /* host: its receive buffer was above the threshold when it paused */
    bool went_round; /* switch: the walk passed here repeatedly */
    uint8_t priority;
};

/* A root as named in its sentences. */
struct explain_place {
    const char *node, *port; /* "leaf0", "leaf0:p3" */
    const char *peer_node, *peer_port;
    int64_t rate_bps;  /* rate of the port */
    time_ps direct_ps; /* ps; held by the root's own node, and in total because of it */
    time_ps held_ps;
    const char *spread; /* "; the pauses spread to 2 switches", or "" */
};

struct verdict {
    const char *name, *about;
    bool is_guess;
};

extern const struct verdict verdicts[EXPLAIN_KINDS];

enum explain_kind verdict_on(const struct explain_end *end);

/* The sentence of a root, or only device and reason. */
void verdict_words(enum explain_kind kind, const struct explain_place *place, bool brief,
                   char *text, size_t size);

#endif

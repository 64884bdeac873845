/* SPDX-License-Identifier: Apache-2.0
 * verdict - why somebody paused, and how that is said: one file per verdict, one line in
 * verdict.def.
 * Where a walk from a paused transmitter ends, the first verdict that fits has the time.  Numbers
 * of verdicts are of this program only; outside it they have their names. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_VERDICT_H
#define STORMGLASS_REPLAY_EXPLAIN_VERDICT_H

#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum explain_kind {
#define VERDICT(stem, NAME) EXPLAIN_##NAME,
#include "replay/explain/verdict.def"
#undef VERDICT
    EXPLAIN_KINDS
};

/* Where a walk ends. */
struct explain_end {
    bool at_host;    /* a host that pauses by itself; else the egress of a switch */
    bool full;       /* of a host: its receive buffer was above its threshold as it paused */
    bool went_round; /* of a switch: the walk came by here again and again */
    uint8_t priority;
};

/* A root as its sentences name it. */
struct explain_place {
    const char *node, *port; /* "leaf0", "leaf0:p3" */
    const char *peer_node, *peer_port;
    int64_t rate_bps;  /* of the port */
    time_ps direct_ps; /* held by the root's own node, and by all because of it */
    time_ps held_ps;
    const char *spread; /* "; the pauses spread to 2 switches", or "" */
};

struct verdict {
    const char *name;  /* in databases and JSON */
    const char *about; /* one sentence */
    bool is_guess;     /* pauses alone do not prove it: who is named for it is unsure */
    bool (*fits)(const struct explain_end *end);
    /* One sentence: who, why, how long, how far it spread; and who and why alone. */
    void (*words)(const struct explain_place *place, char *text, size_t size);
    void (*short_words)(const struct explain_place *place, char *text, size_t size);
};

extern const struct verdict *const verdicts[EXPLAIN_KINDS]; /* made from verdict.def */

enum explain_kind verdict_on(const struct explain_end *end);

#define VERDICT(stem, NAME) extern const struct verdict verdict_##stem;
#include "replay/explain/verdict.def"
#undef VERDICT

#endif

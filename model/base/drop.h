/* SPDX-License-Identifier: Apache-2.0
 * drop - the causes of drops that drop.def lists. */
#ifndef STORMGLASS_BASE_DROP_H
#define STORMGLASS_BASE_DROP_H

#include <stdbool.h>

/* Why a frame was dropped.  Outside the program causes have their words: numbers change. */
enum probe_drop_cause {
#define DROP(NAME, name, side, word, about) PROBE_DROP_##NAME,
#define DROP_ROOM(NAME, side, word, about)  PROBE_DROP_##NAME,
#include "base/drop.def"
#undef DROP
#undef DROP_ROOM
    PROBE_DROP_CAUSE_COUNT
};

struct probe_drop_about {
    const char *word, *about;
    bool at_egress;    /* counted at the port that it would have left by, where that is known */
    bool want_of_room; /* lossless and lossy classes are distinguished */
};

extern const struct probe_drop_about probe_drops[PROBE_DROP_CAUSE_COUNT];

#endif

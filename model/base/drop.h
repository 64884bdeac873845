/* SPDX-License-Identifier: Apache-2.0
 * drop - the causes of drops listed in drop.def. */
#ifndef STORMGLASS_BASE_DROP_H
#define STORMGLASS_BASE_DROP_H

#include <stdbool.h>

/* Why a frame was dropped. Outside the program a cause is identified by its word, because the
 * numbers change between versions. */
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
    bool at_egress;    /* counted at the egress port, where it is known */
    bool want_of_room; /* out of buffer: counted separately for lossless and lossy classes */
};

extern const struct probe_drop_about probe_drops[PROBE_DROP_CAUSE_COUNT];

#endif

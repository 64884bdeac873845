/* SPDX-License-Identifier: Apache-2.0
 * overrides - values that fabric.overrides of a scenario gives to ports.
 * Many links may have the same value: it is listed once, so that the cost of asking for one port
 * depends on how many different values there are, not on how many links have one.
 * Owner: overrides_free.  The scenario outlives it. */
#ifndef STORMGLASS_REPLAY_HARM_OVERRIDES_H
#define STORMGLASS_REPLAY_HARM_OVERRIDES_H

#include "scenarios/load/scenario.h"

/* The value that a port has without an override: of host links, or of fabric links. */
struct override_class {
    bool known;
    int64_t value;
};

struct override {
    const struct scenario_setting *setting; /* the last that gives the value */
    struct override_class of_host, of_fabric;
};

struct overrides {
    struct override *list; /* the last written comes first */
    uint32_t count, room;
};

void overrides_find(struct overrides *overrides, const struct scenario *scenario);
void overrides_free(struct overrides *overrides);

#endif

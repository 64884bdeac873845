/* SPDX-License-Identifier: Apache-2.0
 * overrides - values that fabric.overrides gives to ports.
 * Each distinct value is listed once, so a lookup depends on the number of distinct values, not on
 * the number of links.
 * Owner: overrides_free. The scenario must outlive it. */
#ifndef STORMGLASS_REPLAY_HARM_OVERRIDES_H
#define STORMGLASS_REPLAY_HARM_OVERRIDES_H

#include "scenarios/load/scenario.h"

/* The value of a port without an override, for host links or fabric links. */
struct override_class {
    bool known;
    int64_t value;
};

struct override {
    const struct scenario_setting *setting; /* the last setting with this value */
    struct override_class of_host, of_fabric;
};

struct overrides {
    struct override *list; /* latest setting first */
    uint32_t count, room;
};

void overrides_find(struct overrides *overrides, const struct scenario *scenario);
void overrides_free(struct overrides *overrides);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * usage_private - the layout of values, for the files that write and read them. */
#ifndef STORMGLASS_REPLAY_USAGE_USAGE_PRIVATE_H
#define STORMGLASS_REPLAY_USAGE_USAGE_PRIVATE_H

#include "replay/usage/usage.h"

static inline bool usage_is_target(const struct world *world, uint32_t node)
{
    const struct scenario_node *about = &world->scenario->nodes[node];
    return about->kind == SCENARIO_HOST && world->targets[about->index] != NULL;
}

/* Index of the first value of a host's port. */
static inline uint32_t usage_first_of_rnic(const struct usage *usage, uint32_t node, uint16_t port)
{
    return usage->first_rnic + (usage->rnic_of[node] + port) * USAGE_RNIC_VALUES;
}

#endif

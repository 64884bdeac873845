/* SPDX-License-Identifier: Apache-2.0
 * world_executors_private - what each executor of a world has for itself, and what goes between
 * them.
 * Frames for the nodes of another executor go by mail; what the nodes tell is put in order at the
 * end of a window.  Included only by world.c and world_executors.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_EXECUTORS_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_EXECUTORS_PRIVATE_H

#include "scenarios/world/world.h"

/* After engine_init, before there are nodes. */
void world_executors_init(struct world *world, uint32_t count, const struct probe *observer);

/* After the nodes are gone. */
void world_executors_fini(struct world *world);

/* What frames from the one to the other go by; NULL: their executor is the same. */
struct mail *world_mail(const struct world *world, const struct node *from, const struct node *to);

#endif

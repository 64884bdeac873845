/* SPDX-License-Identifier: Apache-2.0
 * world_executors_private - data of each executor, and their communication.
 * Frames for nodes of another executor are sent by mail; events reported by nodes are put in order
 * at the end of a window. Included only by world.c and world_executors.c. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_EXECUTORS_PRIVATE_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_EXECUTORS_PRIVATE_H

#include "scenarios/world/world.h"

/* Must be called after engine_init and before nodes exist. */
void world_executors_init(struct world *world, uint32_t count, const struct probe *observer);

/* Must be called after the nodes were destroyed. */
void world_executors_fini(struct world *world);

/* Mailbox for frames between two nodes; NULL: they have the same executor. */
struct mail *world_mail(const struct world *world, const struct node *from, const struct node *to);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * cause_threshold - a switch that pauses its neighbors earlier than comparable switches. */
#include "replay/cause/causes.h"
#include "replay/explain/verdict.h"

#include <stdio.h>

enum { EMPTY = 16 };

/* Settings that determine the XOFF threshold, in order of precedence. */
static const char rows[] = "policy xoff alpha";

/* The switch sent pauses although its lossless pool was almost empty. */
static bool is_early(const struct harm_scene *scene, uint32_t node)
{
    const struct buffer *buffer = &world_switch(scene->world, node)->buffer;
    const struct buffer_pool *pool = &buffer->pools[BUFFER_POOL_LOSSLESS];
    return (uint64_t)pool->shared_peak * EMPTY < pool->size;
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    const struct explain *explain = scene->explain;
    for (uint32_t i = 0; i < explain->root_count; i++) {
        const struct explain_root *root = &explain->roots[i];
        struct cause_clue clue = cause_clue();
        struct suspect suspect;
        char name[HARM_NAME_BYTES];
        const uint32_t node = explain->fabric->node_of[root->port];
        if (root->kind != EXPLAIN_CONGESTION || explain->verdict.all_ps == 0 ||
            !is_early(scene, node) ||
            !(suspects_deviation(scene, rows, (struct suspects_place){HARM_NONE, node}, &suspect) ||
              suspects_general(scene, rows, &suspect)))
            continue;
        clue.place.port = root->port;
        clue.root = i;
        clue.priority = root->priority;
        clue.parts = HARM_BIT(PAUSE) | HARM_BIT(BEHIND) | HARM_BIT(SLOW);
        clue.strength = (int64_t)((__int128)root->held_ps * PPM / explain->verdict.all_ps);
        clue.proven = true;
        snprintf(clue.seen, sizeof clue.seen, "%s paused its neighbors because of the queue at %s",
                 explain->fabric->names[node],
                 cause_port_name(scene, root->port, name, sizeof name));
        cause_accuse(search, &clue, &suspect);
    }
}

const struct cause_kind cause_threshold = {
    .name = "threshold",
    .about = "A switch pauses its neighbors sooner than its peers do.",
    .look = look,
};

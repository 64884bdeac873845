/* SPDX-License-Identifier: Apache-2.0
 * margins - compares watermarks with their limits. */
#include "replay/harm/margins.h"

#include "replay/database/words.h"

#include <stdio.h>

static void keep_nearest(struct harm_margin *margin, uint64_t used, uint64_t limit,
                         const char *node)
{
    const int64_t share = limit == 0 ? -1 : (int64_t)(used * (uint64_t)PPM / limit);
    if (share > margin->used)
        *margin = (struct harm_margin){share, node};
}

static void look_at_switch(const struct swtch *swtch, const char *name, struct harm *harm)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_pool *pool = &buffer->pools[BUFFER_POOL_LOSSLESS];
    for (uint32_t i = 0; i < buffer->group_count; i++)
        if (buffer->groups[i].lossless)
            keep_nearest(&harm->headroom, buffer->groups[i].headroom_peak,
                         buffer->groups[i].headroom, name);
    keep_nearest(&harm->memory, pool->shared_peak, pool->size, name);
}

void margins_find(const struct harm_scene *scene, struct harm *harm)
{
    const struct scenario *scenario = scene->scenario;
    harm->headroom.used = harm->memory.used = harm->receive.used = -1;
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        const struct scenario_node *about = &scenario->nodes[node];
        if (about->kind == SCENARIO_SWITCH) {
            look_at_switch(world_switch(scene->world, node), about->name, harm);
            continue;
        }
        for (uint16_t i = 0; i < about->port_count; i++) {
            const struct rx_buffer *rx = &world_host(scene->world, node)->rnics[i]->rx;
            keep_nearest(&harm->receive, (uint64_t)rx->peak, rx->xoff > 0 ? (uint64_t)rx->xoff : 0,
                         about->name);
        }
    }
}

static size_t write_margin(const struct harm_margin *margin, const char *what, char *text,
                           size_t size)
{
    text[0] = '\0';
    if (margin->used <= 0)
        return 0;
    const int length = snprintf(text, size, "; %s %s at %s", what,
                                words_percent((double)margin->used, PPM).text, margin->node);
    return length < 0 || (size_t)length >= size ? 0 : (size_t)length;
}

void margins_words(const struct harm *harm, char *text, size_t size)
{
    size_t used = write_margin(&harm->memory, "peak use of shared memory", text, size);
    used += write_margin(&harm->headroom, "peak use of headroom", text + used, size - used);
    write_margin(&harm->receive, "peak receive buffer relative to XOFF", text + used, size - used);
}

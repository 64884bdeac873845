/* SPDX-License-Identifier: Apache-2.0
 * series_fabric - activity of ports and switches in an interval, and their fill at its end. */
#include "replay/record/collect.h"
#include "replay/record/series_private.h"
#include "replay/usage/usage.h"

/* Current counters of a port's priority. MAC control frames leave with priority 7 but do not count
 * as its packets, see record_counters. */
static struct series_prio prio_now(const struct port *port, const struct swtch *swtch, int priority,
                                   time_ps now)
{
    const struct port_prio *prio = &port->prios[priority];
    const uint64_t control = priority == PRIORITIES - 1 ? port->pfc_frames_tx : 0;
    return (struct series_prio){
        .tx_bytes = prio->tx_bytes - control * WIRE_PFC_BYTES,
        .rx_bytes = prio->rx_bytes,
        /* a global pause holds all priorities and is counted in priority 0 */
        .xoff_frames = port->pauses[priority].tx_xoff + (priority == 0 ? port->global.tx_xoff : 0),
        .ecn_marked_frames =
            swtch == NULL ? 0 : swtch->port_counters[port->index].ecn_marked[priority],
        .blocked_ps = usage_blocked_ps(port, priority, now),
    };
}

/* Remaining link capacity in a sample. */
struct rooms {
    uint64_t tx, rx;
};

static void take_priority(struct series *series, const struct port *port, const struct swtch *swtch,
                          int priority, struct series_prio *before, struct rooms *rooms, time_ps at)
{
    struct series_prio now = prio_now(port, swtch, priority, at);
    const uint64_t tx_bytes = series_take_room(&rooms->tx, now.tx_bytes - before->tx_bytes);
    const uint64_t rx_bytes = series_take_room(&rooms->rx, now.rx_bytes - before->rx_bytes);
    const int64_t queued = port->prios[priority].bytes;
    const int64_t held =
        swtch == NULL ? 0 : buffer_held(&swtch->buffer.groups[port->index * PRIORITIES + priority]);
    const uint64_t grown = tx_bytes | rx_bytes | (now.xoff_frames - before->xoff_frames) |
                           (now.ecn_marked_frames - before->ecn_marked_frames) |
                           (uint64_t)(now.blocked_ps - before->blocked_ps);
    if ((grown | (uint64_t)queued | (uint64_t)held) == 0)
        return;
    SERIES_ROW(series, series_port, .node = STORE_I(port->node->id), .port = STORE_I(port->index),
               .priority = STORE_I(priority), .tx_bytes = STORE_I(tx_bytes),
               .rx_bytes = STORE_I(rx_bytes), .queue_bytes = STORE_I(queued),
               .buffer_bytes = STORE_I(swtch == NULL ? 0 : buffer_bytes(&swtch->buffer, held)),
               .blocked_ps = STORE_I(now.blocked_ps - before->blocked_ps),
               .xoff_frames = STORE_I(now.xoff_frames - before->xoff_frames),
               .ecn_marked_frames = STORE_I(now.ecn_marked_frames - before->ecn_marked_frames));
    now.tx_bytes = before->tx_bytes + tx_bytes;
    now.rx_bytes = before->rx_bytes + rx_bytes;
    *before = now;
}

/* The priorities of a port share the link. */
static void take_port(struct series *series, const struct port *port, const struct swtch *swtch,
                      struct series_prio *before, time_ps at)
{
    const uint64_t room = series_room(series, (uint64_t)port->params.rate);
    struct rooms rooms = {room, room};
    for (int priority = 0; priority < PRIORITIES; priority++)
        take_priority(series, port, swtch, priority, &before[priority], &rooms, at);
}

static void take_switch(struct series *series, uint32_t node, const struct buffer *buffer)
{
    if (buffer->used == 0 && buffer->headroom_used == 0)
        return;
    SERIES_ROW(series, series_switch, .node = STORE_I(node),
               .buffer_bytes =
                   STORE_I(buffer_bytes(buffer, buffer->used + (int64_t)buffer->headroom_used)),
               .lossless_shared_bytes =
                   STORE_I(buffer_bytes(buffer, buffer->pools[BUFFER_POOL_LOSSLESS].shared_used)),
               .lossy_shared_bytes =
                   STORE_I(buffer_bytes(buffer, buffer->pools[BUFFER_POOL_LOSSY].shared_used)),
               .headroom_bytes = STORE_I(buffer_bytes(buffer, buffer->headroom_used)));
}

void series_take_fabric(struct series *series, time_ps now)
{
    const struct world *world = series->world;
    struct series_prio *before = series->prios;
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        const struct swtch *swtch =
            about->kind == SCENARIO_SWITCH ? world_switch(world, node) : NULL;
        for (uint16_t i = 0; i < about->port_count; i++, before += PRIORITIES)
            take_port(series, world_port(world, node, i), swtch, before, now);
        if (swtch != NULL)
            take_switch(series, node, &swtch->buffer);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * deadlock_waits - collects the paused queues and computes the fixed point.
 * Three filters, each finer and more expensive than the one before: the ports' masks; then queues
 * whose peer has no paused queue of the priority at all; then, for the rest, the frames
 * themselves. */
#include "net/deadlock/deadlock_waits_private.h"

#include "base/memory.h"
#include "net/port/credits.h"

#include <stdlib.h>
#include <string.h>

void deadlock_waits_init(struct deadlock_waits *waits, struct swtch *const *switches,
                         uint32_t count)
{
    *waits = (struct deadlock_waits){.switches = switches, .switch_count = count};
    if (count == 0)
        return;
    const uint32_t nodes = switches[0]->node.engine->node_count;
    uint32_t groups = 0, ports_max = 0;
    waits->node_count = nodes;
    waits->of_node = memory_zeroed(nodes, sizeof *waits->of_node);
    waits->first_group = memory_zeroed(nodes, sizeof *waits->first_group);
    waits->pool = memory_zeroed(nodes, sizeof *waits->pool);
    waits->choices = memory_zeroed((size_t)nodes * PRIORITIES, sizeof *waits->choices);
    for (uint32_t i = 0; i < count; i++) {
        waits->first_group[switches[i]->node.id] = groups;
        groups += (uint32_t)switches[i]->port_count * PRIORITIES;
        ports_max = switches[i]->port_count > ports_max ? switches[i]->port_count : ports_max;
    }
    waits->left = memory_zeroed(groups, sizeof *waits->left);
    waits->by_port = memory_zeroed(ports_max, sizeof *waits->by_port);
}

void deadlock_waits_fini(struct deadlock_waits *waits)
{
    free(waits->waits);
    free(waits->holds);
    free(waits->of_node);
    free(waits->first_group);
    free(waits->left);
    free(waits->pool);
    free(waits->choices);
    free(waits->by_port);
}

/* ------------------------------------------------------------------ gathering */

static const struct port *peer_of(const struct deadlock_wait *wait)
{
    return &wait->peer->ports[wait->peer_port];
}

static bool is_global(const struct port *port)
{
    return port->params.flow_control == PORT_FLOW_GLOBAL;
}

/* True when only the peer's XON can end the pause: no XON from before the peer asserted it is still
 * in flight, and XOFF is refreshed, arrives, and is obeyed. Credits in flight need no such test,
 * because only the credits of frames in S count as missing. */
static bool is_lasting(const struct deadlock_wait *wait, time_ps now)
{
    const struct port *port = wait->port, *peer = peer_of(wait);
    if (peer->credits != NULL)
        return ((port->odd | peer->odd) & PORT_DOWN) == 0;
    const struct port_asserted *pauses =
        is_global(peer) ? &peer->global : &peer->pauses[wait->priority].frames;
    const time_ps quanta = port_quanta_ps(port, (uint32_t)peer->params.pfc_quanta);
    const uint64_t before = peer->largest + (uint64_t)WIRE_PFC_BYTES + 2 * WIRE_GAP_BYTES;
    const time_ps flight = units_transfer_ps(before, peer->rate.bps) + peer->propagation;
    return now >= pauses->asserted_since + flight + port->params.pfc_response &&
           peer->params.pfc_refresh < quanta && ((port->odd | peer->odd) & PORT_DOWN) == 0 &&
           (port->enabled >> wait->priority & 1) != 0;
}

/* True when the last frame of the priority that could begin before the pause has arrived. */
static bool is_silent(const struct port *port, unsigned priority, time_ps now)
{
    const time_ps last =
        units_transfer_ps(port->largest + (uint64_t)WIRE_GAP_BYTES, port->rate.bps);
    return (port->paused >> priority & 1) != 0 &&
           now >= port->pauses[priority].blocked_since + last + port->arrival_delay;
}

/* Frames enter a group from every priority whose DSCPs the peer maps to the group; with PFC only
 * the priority of the queue is known to stay paused. */
static uint8_t quiet_causes(const struct deadlock_wait *wait, time_ps now)
{
    unsigned quiet = wait->causes;
    for (unsigned dscp = 0; dscp < 64; dscp++) {
        const unsigned cause = 1u << wait->peer->priority_of_tos[4 * dscp];
        const unsigned from = wait->at->priority_of_tos[4 * dscp];
        if ((quiet & cause) != 0 && ((from != wait->priority && !is_global(wait->port)) ||
                                     !is_silent(wait->port, from, now)))
            quiet &= ~cause;
    }
    return (uint8_t)quiet;
}

static void add_wait(struct deadlock_waits *waits, struct deadlock_wait wait, time_ps now)
{
    if (!is_lasting(&wait, now))
        return;
    wait.quiet = peer_of(&wait)->credits != NULL ? 0 : quiet_causes(&wait, now);
    wait.stuck = true;
    waits->waits = memory_grown(waits->waits, waits->count, &waits->room, sizeof *waits->waits);
    waits->waits[waits->count++] = wait;
}

static void gather_port(struct deadlock_waits *waits, const struct swtch *swtch,
                        const struct port *port, time_ps now)
{
    const struct engine *engine = swtch->node.engine;
    if (!deadlock_is_switch(engine, port->peer_node))
        return;
    const struct swtch *peer = (const struct swtch *)(const void *)engine->nodes[port->peer_node];
    const uint8_t asserted = peer->ports[port->peer_port].asserted;
    for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
        const uint8_t own = (uint8_t)(1u << priority);
        const struct deadlock_wait wait = {
            .at = swtch,
            .peer = peer,
            .port = port,
            .peer_port = port->peer_port,
            .priority = priority,
            .causes = port->credits != NULL ? own
                      : is_global(port)     ? asserted
                                            : asserted & own,
        };
        if ((port->ready & port->paused & own) != 0 && wait.causes != 0)
            add_wait(waits, wait, now);
    }
}

static void forget(struct deadlock_waits *waits)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        const struct deadlock_wait *wait = &waits->waits[i];
        const uint32_t node = wait->at->node.id;
        waits->of_node[node] = (struct deadlock_range){0};
        waits->choices[node * PRIORITIES + wait->priority] = 0;
        waits->pool[node] = 0;
        for (uint32_t h = 0; h < wait->hold_count; h++)
            waits->left[waits->first_group[node] +
                        (uint32_t)waits->holds[wait->first_hold + h].in_port * PRIORITIES +
                        wait->priority] = 0;
    }
    waits->count = waits->hold_count = 0;
    waits->cost = 0;
}

static void gather_waits(struct deadlock_waits *waits, time_ps now)
{
    for (uint32_t i = 0; i < waits->switch_count; i++) {
        const struct swtch *swtch = waits->switches[i];
        const uint32_t from = waits->count;
        waits->cost += swtch->port_count;
        for (uint16_t p = 0; p < swtch->port_count; p++)
            if (UNLIKELY((swtch->ports[p].ready & swtch->ports[p].paused) != 0))
                gather_port(waits, swtch, &swtch->ports[p], now);
        if (waits->count > from)
            waits->of_node[swtch->node.id] = (struct deadlock_range){from, waits->count};
    }
}

/* ------------------------------------------------------------------ by switch */

static uint32_t *choices_at(struct deadlock_waits *waits, const struct swtch *swtch,
                            uint8_t priority)
{
    return &waits->choices[swtch->node.id * PRIORITIES + priority];
}

static bool has_choice(struct deadlock_waits *waits, const struct deadlock_wait *wait)
{
    for (uint8_t cause = 0; cause < PRIORITIES; cause++)
        if ((wait->causes & 1u << cause) != 0 && *choices_at(waits, wait->peer, cause) > 0)
            return true;
    return false;
}

/* A group drains if all queues of its switch can drain. */
static bool sieve_by_switch(struct deadlock_waits *waits)
{
    uint32_t stuck = waits->count;
    for (uint32_t i = 0; i < waits->count; i++)
        ++*choices_at(waits, waits->waits[i].at, waits->waits[i].priority);
    for (bool again = true; again;) {
        again = false;
        waits->cost += waits->count;
        for (uint32_t i = 0; i < waits->count; i++) {
            struct deadlock_wait *wait = &waits->waits[i];
            if (!wait->stuck || has_choice(waits, wait))
                continue;
            wait->stuck = false;
            --*choices_at(waits, wait->at, wait->priority);
            stuck--;
            again = true;
        }
    }
    return stuck > 0;
}

/* ------------------------------------------------------------------ by frame */

static int64_t *left_at(const struct deadlock_waits *waits, const struct swtch *swtch,
                        uint16_t in_port, uint8_t priority)
{
    return &waits->left[waits->first_group[swtch->node.id] + (uint32_t)in_port * PRIORITIES +
                        priority];
}

static const struct buffer_group *group_of(const struct swtch *swtch, uint16_t in_port,
                                           uint8_t priority)
{
    return &swtch->buffer.groups[in_port * PRIORITIES + priority];
}

/* Only lossless groups pause, so only their pool matters. */
static void change_left(struct deadlock_waits *waits, const struct deadlock_wait *wait,
                        uint16_t in_port, int64_t cells)
{
    const struct buffer_group *group = group_of(wait->at, in_port, wait->priority);
    const bool counts = wait->at->ports[in_port].credits == NULL &&
                        group->pool == &wait->at->buffer.pools[BUFFER_POOL_LOSSLESS];
    int64_t *left = left_at(waits, wait->at, in_port, wait->priority);
    int64_t *pool = &waits->pool[wait->at->node.id];
    *pool -= counts ? buffer_share_of_rest(group, *left) : 0;
    *left += cells;
    *pool += counts ? buffer_share_of_rest(group, *left) : 0;
}

/* What a frame takes of the group that it entered by: cells, or credits. */
static int64_t size_of(const struct swtch *swtch, const struct frame *frame)
{
    const struct port_credits *credits = swtch->ports[frame->in_port].credits;
    return credits != NULL ? credits_of(credits->unit, frame->bytes)
                           : buffer_cells(&swtch->buffer, frame->bytes);
}

/* Counts the cells or credits of a queue by ingress port. */
static void walk_frames(struct deadlock_waits *waits, struct deadlock_wait *wait)
{
    const struct swtch *swtch = wait->at;
    for (uint32_t handle = wait->port->prios[wait->priority].head; handle != POOL_NONE;) {
        const struct frame *frame = frame_at(swtch->frames, handle);
        waits->by_port[frame->in_port] += size_of(swtch, frame);
        handle = frame->next;
        waits->cost++;
    }
    wait->first_hold = waits->hold_count;
    for (uint16_t p = 0; p < swtch->port_count; p++) {
        if (waits->by_port[p] == 0)
            continue;
        waits->holds =
            memory_grown(waits->holds, waits->hold_count, &waits->hold_room, sizeof *waits->holds);
        waits->holds[waits->hold_count++] = (struct deadlock_hold){p, waits->by_port[p]};
        change_left(waits, wait, p, waits->by_port[p]);
        waits->by_port[p] = 0;
    }
    wait->hold_count = waits->hold_count - wait->first_hold;
}

bool deadlock_waits_hold(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                         uint8_t cause, int64_t left)
{
    const struct buffer_group *group = group_of(wait->peer, wait->peer_port, cause);
    const struct port_credits *credits = peer_of(wait)->credits;
    if (left == 0 || (wait->causes >> cause & 1) == 0)
        return false;
    if (credits != NULL)
        return credits->buffer - left < credits->largest;
    if ((wait->quiet >> cause & 1) != 0 && left == buffer_held(group))
        return true;
    return !buffer_rest_resumes(&wait->peer->buffer, group, left, waits->pool[wait->peer->node.id]);
}

bool deadlock_waits_is_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait)
{
    for (uint8_t cause = 0; cause < PRIORITIES; cause++)
        if (deadlock_waits_hold(waits, wait, cause,
                                *left_at(waits, wait->peer, wait->peer_port, cause)))
            return true;
    return false;
}

static void let_go(struct deadlock_waits *waits, struct deadlock_wait *wait)
{
    wait->stuck = false;
    for (uint32_t h = 0; h < wait->hold_count; h++) {
        const struct deadlock_hold *hold = &waits->holds[wait->first_hold + h];
        change_left(waits, wait, hold->in_port, -hold->cells);
    }
}

static bool sieve_by_frame(struct deadlock_waits *waits)
{
    uint32_t stuck = 0;
    for (uint32_t i = 0; i < waits->count; i++)
        if (waits->waits[i].stuck)
            walk_frames(waits, &waits->waits[i]);
    for (bool again = true; again;) {
        again = false;
        stuck = 0;
        waits->cost += waits->count;
        for (uint32_t i = 0; i < waits->count; i++) {
            struct deadlock_wait *wait = &waits->waits[i];
            if (!wait->stuck)
                continue;
            if (deadlock_waits_is_held(waits, wait)) {
                stuck++;
                continue;
            }
            let_go(waits, wait);
            again = true;
        }
    }
    return stuck > 0;
}

bool deadlock_waits_find(struct deadlock_waits *waits, time_ps now)
{
    forget(waits);
    gather_waits(waits, now);
    return sieve_by_switch(waits) && sieve_by_frame(waits);
}

/* ------------------------------------------------------------------ wait-for graph */

int64_t deadlock_waits_held(const struct deadlock_waits *waits, const struct deadlock_wait *wait,
                            uint16_t in_port)
{
    const struct deadlock_hold *holds = waits->holds + wait->first_hold;
    uint32_t low = 0, high = wait->hold_count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (holds[middle].in_port < in_port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < wait->hold_count && holds[low].in_port == in_port ? holds[low].cells : 0;
}

uint32_t deadlock_waits_next(struct deadlock_waits *waits, const struct deadlock_wait *wait,
                             uint32_t from)
{
    const struct deadlock_range range = waits->of_node[wait->peer->node.id];
    for (uint32_t i = from > range.from ? from : range.from; i < range.until; i++) {
        const struct deadlock_wait *next = &waits->waits[i];
        waits->cost++;
        if (next->stuck && (wait->causes >> next->priority & 1) != 0 &&
            deadlock_waits_held(waits, next, wait->peer_port) > 0)
            return i;
    }
    return DEADLOCK_NONE;
}

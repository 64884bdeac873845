/* SPDX-License-Identifier: Apache-2.0
 * run_laws_pause - pauses, from what wires carry.
 *   - XOFF and XON alternate on each port and priority
 *   - an edge is told before the next data frame, and a pause that holds is told again in time
 *   - after an XOFF has reached a port and its response time is over, no frame of the priority
 *     begins there until its quanta have run out or an XON is acted upon; and it begins again then
 *   - XOFF is sent from the threshold on, XON at or below where it may go on */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "net/port/port_inline.h"

#include <stdlib.h>
#include <string.h>

enum { ACTS = 64, SLACK_PS = 8 };

/* A PFC frame on its way to its effect. */
struct act {
    time_ps at;
    uint8_t classes;
    uint16_t quanta[PRIORITIES];
};

struct half {
    bool asserted, due, reported;
    time_ps due_since, reported_at;
    time_ps held_until; /* as the peer's frames have it; 0: not held */
    time_ps let_go_at;  /* the last XON took effect, or quanta ran out */
};

struct ports {
    struct half halves[PRIORITIES];
    struct act acts[ACTS];
    uint32_t first, last;
    bool watched; /* plain PFC that nobody disturbs */
};

struct run_laws_pauses {
    struct ports ports[RUN_LAWS_NODES * RUN_LAWS_PORTS];
};

static struct ports *ports_of(const struct run_laws *laws, uint32_t node, uint16_t port)
{
    return &laws->pauses->ports[run_laws_slot(node, port)];
}

static bool is_plain(const struct port *port)
{
    return port->params.flow_control == PORT_FLOW_PFC;
}

/* A watchdog frees queues from pauses, but "alert" does not. */
static bool frees(const struct scenario_node *node)
{
    return node->kind == SCENARIO_SWITCH &&
           (node->switch_params->watchdog == 1 || node->switch_params->watchdog == 2);
}

struct run_laws_pauses *run_laws_pauses_new(const struct run_laws *laws)
{
    struct run_laws_pauses *pauses = memory_zeroed(1, sizeof *pauses);
    for (uint32_t n = 0; n < laws->scenario->node_count; n++)
        for (uint16_t p = 0; p < laws->scenario->nodes[n].port_count; p++)
            pauses->ports[run_laws_slot(n, p)].watched = laws->terms.pauses_sound &&
                                                         !frees(&laws->scenario->nodes[n]) &&
                                                         is_plain(world_port(laws->world, n, p));
    return pauses;
}

void run_laws_pauses_free(struct run_laws_pauses *pauses)
{
    free(pauses);
}

/* ------------------------------------------------------------------ who asks */

/* A switch's reason: what its buffer says of itself in the edge. */
static void check_reason(struct run_laws *laws, const struct probe_pause *edge)
{
    const struct scenario_node *node = &laws->scenario->nodes[edge->node];
    if (node->kind != SCENARIO_SWITCH || edge->refresh || edge->frame == NULL)
        return;
    const struct switch_params *params = node->switch_params;
    const struct swtch *swtch = world_switch(laws->world, edge->node);
    const int64_t cell = swtch->buffer.cell;
    const int64_t below = edge->threshold - params->xon_offset + cell;
    const int64_t resume = (below > params->xon ? below : params->xon) + cell;
    if (!edge->xoff && edge->occupancy > resume)
        run_laws_break(laws, "%s port %u priority %u: XON at %lld B, threshold %lld B", node->name,
                       edge->port, edge->priority, (long long)edge->occupancy,
                       (long long)edge->threshold);
    /* Where a share may not be larger than what is left, a frame that finds no room of its pool
     * finds its share at the threshold too. */
    const bool alone = strcmp(buffer_policy_names[params->policy], "dynamic") == 0 &&
                       params->alpha <= PPM && params->alpha > 0;
    const int64_t frame = UINT16_MAX + cell;
    if (edge->xoff && alone && edge->occupancy + frame < edge->threshold)
        run_laws_break(laws, "%s port %u priority %u: XOFF at %lld B, threshold %lld B", node->name,
                       edge->port, edge->priority, (long long)edge->occupancy,
                       (long long)edge->threshold);
}

/* Between two moments: the port wants what its group wants, and headroom is for the paused. */
static void look_at_group(struct run_laws *laws, const struct swtch *swtch, uint16_t port,
                          unsigned priority)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = &buffer->groups[port * PRIORITIES + priority];
    const bool wanted = (swtch->ports[port].wanted & 1u << priority) != 0;
    const int64_t share = buffer_group_share(group);
    const int64_t limit = buffer_group_threshold(buffer, group);
    if (!group->lossless)
        return;
    if (group->xoff != wanted)
        run_laws_break(laws, "%s port %u priority %u: its memory wants %s, its port does not",
                       swtch->node.name, port, priority, group->xoff ? "a pause" : "none");
    if (group->headroom_used > 0 && !group->xoff)
        run_laws_break(laws, "%s port %u priority %u: headroom in use and no pause",
                       swtch->node.name, port, priority);
    const bool steady = buffer->policy->fixed && buffer->xon < limit && buffer->xon_offset > 0;
    if (steady && share > 0 && share >= limit && !group->xoff)
        run_laws_break(laws, "%s port %u priority %u: no pause at %lld cells, threshold %lld",
                       swtch->node.name, port, priority, (long long)share, (long long)limit);
}

void run_laws_pauses_look(struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->world->switch_count; i++) {
        const struct swtch *swtch = laws->world->switches[i];
        for (uint16_t p = 0; p < swtch->port_count; p++)
            for (unsigned priority = 0; priority < PRIORITIES; priority++)
                look_at_group(laws, swtch, p, priority);
    }
}

void run_laws_pauses_edge(struct run_laws *laws, const struct probe_pause *edge)
{
    struct half *half = &ports_of(laws, edge->node, edge->port)->halves[edge->priority];
    if (edge->refresh ? !half->asserted : edge->xoff == half->asserted)
        run_laws_break(laws, "%s port %u priority %u: %s twice",
                       laws->scenario->nodes[edge->node].name, edge->port, edge->priority,
                       edge->xoff ? "XOFF" : "XON");
    half->asserted = edge->xoff;
    check_reason(laws, edge);
    const struct port *port = world_port(laws->world, edge->node, edge->port);
    half->due = edge->xoff || (half->reported && port->params.pfc_xon != 0);
    half->due_since = edge->at;
}

static void note_reported(struct run_laws *laws, const struct probe_frame *sent,
                          struct ports *ports)
{
    const struct port *port = world_port(laws->world, sent->node, sent->port);
    const time_ps late =
        port->params.pfc_refresh +
        2 * units_transfer_ps((uint64_t)port->largest + WIRE_GAP_BYTES + 84, port->rate.bps);
    for (unsigned i = 0; i < PRIORITIES; i++) {
        struct half *half = &ports->halves[i];
        if ((sent->frame->classes & 1u << i) == 0)
            continue;
        const bool xoff = sent->frame->quanta[i] > 0;
        if (ports->watched && xoff != half->asserted)
            run_laws_break(laws, "%s port %u priority %u: a frame says %s where it is not so",
                           laws->scenario->nodes[sent->node].name, sent->port, i,
                           xoff ? "XOFF" : "XON");
        if (ports->watched && xoff && half->reported && !half->due &&
            sent->at - half->reported_at > late)
            run_laws_break(laws, "%s port %u priority %u: XOFF again after %lld ps",
                           laws->scenario->nodes[sent->node].name, sent->port, i,
                           (long long)(sent->at - half->reported_at));
        /* Unless the row says so, nobody may forget a pause between two frames that keep it up. */
        const struct port *peer = world_port(laws->world, port->peer_node, port->peer_port);
        const struct port_params *row = laws->scenario->nodes[sent->node].ports[sent->port].params;
        const time_ps quanta = port_quanta_ps(peer, (uint32_t)row->pfc_quanta);
        if (ports->watched && xoff && half->reported && !half->due && row->pfc_refresh == 0 &&
            quanta > 40 * PS_PER_US && sent->at - half->reported_at >= quanta)
            run_laws_break(laws,
                           "%s port %u priority %u: its pause ran out before it was told again",
                           laws->scenario->nodes[sent->node].name, sent->port, i);
        half->due = false;
        half->reported = xoff;
        half->reported_at = sent->at;
    }
}

/* ------------------------------------------------------------------ who obeys */

static void take_act(const struct port *port, struct ports *ports, const struct act *act)
{
    for (unsigned i = 0; i < PRIORITIES; i++) {
        if ((act->classes & port->enabled & 1u << i) == 0)
            continue;
        struct half *half = &ports->halves[i];
        if (act->quanta[i] > 0)
            half->held_until = act->at + port_quanta_ps(port, act->quanta[i]);
        else if (half->held_until > act->at) {
            half->held_until = 0;
            half->let_go_at = act->at;
        }
    }
}

/* What has taken effect before a moment, or at it. */
static void act_until(const struct port *port, struct ports *ports, time_ps until)
{
    while (ports->first != ports->last && ports->acts[ports->first % ACTS].at <= until)
        take_act(port, ports, &ports->acts[ports->first++ % ACTS]);
}

/* An XON that takes effect just now, as far as can be known from outside. */
static bool is_let_go_at(const struct ports *ports, unsigned priority, time_ps now)
{
    for (uint32_t i = ports->first; i != ports->last; i++) {
        const struct act *act = &ports->acts[i % ACTS];
        if (act->at > now + SLACK_PS)
            break;
        if ((act->classes & 1u << priority) != 0 && act->quanta[priority] == 0)
            return true;
    }
    return false;
}

static void check_obeys(struct run_laws *laws, const struct probe_frame *sent, struct ports *ports)
{
    const unsigned priority = sent->frame->priority;
    const struct half *half = &ports->halves[priority];
    const struct port *port = world_port(laws->world, sent->node, sent->port);
    act_until(port, ports, sent->at - SLACK_PS);
    if (half->held_until > sent->at + SLACK_PS && !is_let_go_at(ports, priority, sent->at))
        run_laws_break(laws, "%s port %u sends in priority %u, paused for another %lld ps",
                       laws->scenario->nodes[sent->node].name, sent->port, priority,
                       (long long)(half->held_until - sent->at));
    for (unsigned i = 0; i < PRIORITIES; i++)
        if (ports->halves[i].due && ports->halves[i].due_since + SLACK_PS < sent->at)
            run_laws_break(laws, "%s port %u priority %u: data goes before a pause or its end",
                           laws->scenario->nodes[sent->node].name, sent->port, i);
}

/* Blocked and free again when its peer's frames say so, and no sooner or later. */
void run_laws_pauses_blocked(struct run_laws *laws, const struct probe_blocked *blocked)
{
    struct ports *ports = ports_of(laws, blocked->node, blocked->port);
    const struct port *port = world_port(laws->world, blocked->node, blocked->port);
    if (laws->probe.frame == NULL || !ports->watched)
        return;
    act_until(port, ports, blocked->at + SLACK_PS);
    const struct half *half = &ports->halves[blocked->priority];
    const bool held = half->held_until > blocked->at + SLACK_PS;
    const bool recent = half->let_go_at >= blocked->at - SLACK_PS;
    if (blocked->blocked ? !held && !recent : held)
        run_laws_break(laws, "%s port %u priority %u: %s, and its peer's frames do not say so",
                       laws->scenario->nodes[blocked->node].name, blocked->port, blocked->priority,
                       blocked->blocked ? "stops" : "goes on");
}

static void note_on_way(struct run_laws *laws, const struct probe_frame *sent)
{
    const struct port *from = world_port(laws->world, sent->node, sent->port);
    struct ports *to = ports_of(laws, from->peer_node, from->peer_port);
    const struct port *peer = world_port(laws->world, from->peer_node, from->peer_port);
    if (to->last - to->first == ACTS)
        act_until(peer, to, sent->at - SLACK_PS);
    if (to->last - to->first == ACTS) /* a long cable: who knows what is on it */
        to->watched = false;
    if (sent->lost || !is_plain(peer) || !to->watched)
        return;
    const time_ps gap = units_transfer_ps(WIRE_GAP_BYTES - WIRE_PREAMBLE_BYTES, from->rate.bps);
    struct act *act = &to->acts[to->last++ % ACTS];
    act->at = sent->at + sent->wire_ps - gap + from->propagation + peer->params.pfc_response;
    act->classes = sent->frame->classes;
    for (unsigned i = 0; i < PRIORITIES; i++)
        act->quanta[i] = sent->frame->quanta[i];
}

void run_laws_pauses_frame(struct run_laws *laws, const struct probe_frame *sent)
{
    struct ports *ports = ports_of(laws, sent->node, sent->port);
    if (sent->frame->opcode == FRAME_PFC) {
        note_reported(laws, sent, ports);
        note_on_way(laws, sent);
    } else if (ports->watched && !frame_is_mac_control(sent->frame)) {
        check_obeys(laws, sent, ports);
    }
}

/* What should be sent is sent before long: the wire is free and nobody stops it. */
static void check_port(struct run_laws *laws, uint32_t node, uint16_t number)
{
    const struct port *port = world_port(laws->world, node, number);
    const struct ports *ports = ports_of(laws, node, number);
    const char *name = laws->scenario->nodes[node].name;
    const time_ps now = laws->world->engine.now;
    if ((port->odd & PORT_DOWN) == 0 && port->busy_until + PS_PER_US < now &&
        laws->scenario->nodes[node].kind == SCENARIO_SWITCH && port_has_work(port))
        run_laws_break(laws, "%s port %u has something to send and does not", name, number);
    for (unsigned i = 0; ports->watched && laws->probe.frame != NULL && i < PRIORITIES; i++)
        if (ports->halves[i].due && ports->halves[i].due_since + 100 * PS_PER_US < now)
            run_laws_break(laws, "%s port %u priority %u: a pause or its end was never told", name,
                           number, i);
}

void run_laws_pauses_judge(struct run_laws *laws)
{
    for (uint32_t n = 0; n < laws->scenario->node_count; n++)
        for (uint16_t p = 0; p < laws->scenario->nodes[n].port_count; p++)
            if (laws->scenario->nodes[n].ports[p].link != SCENARIO_NO_LINK)
                check_port(laws, n, p);
}

/* SPDX-License-Identifier: Apache-2.0
 * step_why_net - queues that wait for the wire, or for the peer that paused them.
 * The peer paused them because of its own queues with frames that came in through that port. */
#include "replay/step/step_why_private.h"

#include "base/plural.h"

enum { SHARE_LEAST_PERCENT = 20 };

/* ------------------------------------------------------------------ why a port is paused */

static void why_host_stops(const struct step_walk *walk, const struct step_prio *prio)
{
    const struct host *host = world_host(stepper_world(walk->stepper), prio->node);
    const struct rnic *rnic = host->rnics[prio->port];
    const struct rx_buffer *rx = &rnic->rx;
    const char *name = step_node(walk->stepper, prio->node)->name;
    if ((rx->storm & 1u << prio->priority) != 0)
        step_why_line(walk, "root cause: %s pauses its peer permanently (a fault of the scenario)",
                      name);
    else if (rx->stopped)
        step_why_line(walk,
                      "root cause: %s does not drain its receive buffer, which holds %s (XOFF "
                      "above %s)",
                      name, words_bytes(rx->held).text, words_bytes(rx->xoff).text);
    else if (rx->drain_bps > 0)
        step_why_line(walk,
                      "root cause: %s drains its receive buffer at %s, but its link delivers %s; "
                      "the buffer holds %s (XOFF above %s, XON at %s)",
                      name, words_rate((double)rx->drain_bps).text,
                      words_rate((double)rnic->port.params.rate).text, words_bytes(rx->held).text,
                      words_bytes(rx->xoff).text, words_bytes(rx->xon).text);
    else
        step_why_line(walk, "root cause: the receive buffer of %s holds %s", name,
                      words_bytes(rx->held).text);
}

static void why_switch_stops(struct step_walk *walk, const struct step_prio *prio)
{
    const struct swtch *swtch = world_switch(stepper_world(walk->stepper), prio->node);
    const struct buffer_group *group =
        &swtch->buffer.groups[prio->port * PRIORITIES + prio->priority];
    struct probe_pause why = {.port = prio->port, .priority = prio->priority};
    const struct port *port = &swtch->ports[prio->port];
    int64_t weight = 0;
    port->reason(port, &why);
    step_why_line(walk,
                  "%s buffers %s received from %s: shared memory %s (XOFF threshold %s), "
                  "headroom %s of %s",
                  step_port_name(walk->stepper, prio->node, prio->port).text,
                  words_bytes(buffer_bytes(&swtch->buffer, buffer_held(group))).text,
                  step_peer_name(walk->stepper, prio->node, prio->port).text,
                  words_bytes(why.occupancy).text, words_bytes(why.threshold).text,
                  words_bytes(buffer_bytes(&swtch->buffer, group->headroom_used)).text,
                  words_bytes(why.headroom).text);
    for (int i = 0; i < why.reason_count; i++)
        weight += why.reasons[i].weight;
    for (int i = 0; i < why.reason_count; i++) {
        const struct probe_reason *reason = &why.reasons[i];
        const int64_t share = reason->weight * 100 / weight;
        const struct step_prio next = {prio->node, reason->egress, reason->priority};
        if (i > 0 && share < SHARE_LEAST_PERCENT)
            continue;
        step_why_line(
            walk, "%lld%% of these bytes are queued at %s, priority %u:", (long long)share,
            step_port_name(walk->stepper, prio->node, reason->egress).text, reason->priority);
        step_why_prio(walk, &next);
    }
}

/* The given end of the link has asked its peer to stop. */
static void why_stops(struct step_walk *walk, const struct step_prio *prio)
{
    const struct port *port = world_port(stepper_world(walk->stepper), prio->node, prio->port);
    const struct step_name name = step_port_name(walk->stepper, prio->node, prio->port);
    if ((port->asserted & 1u << prio->priority) == 0) {
        step_why_line(
            walk,
            "root cause: %s has ended the pause: its XON is in flight, or the pause time runs out",
            name.text);
        return;
    }
    step_why_line(
        walk, "paused by %s for %s", name.text,
        words_time(step_now(walk->stepper) - port->pauses[prio->priority].asserted_since).text);
    if (step_is_switch(walk->stepper, prio->node))
        why_switch_stops(walk, prio);
    else
        why_host_stops(walk, prio);
}

/* ------------------------------------------------------------------ queues */

/* The hosts with frames in the queue, most bytes first. */
static void tell_sources(const struct step_walk *walk, const struct port *port, uint8_t priority)
{
    enum { SOURCES = 4 };
    struct {
        uint32_t host;
        int64_t bytes;
    } found[64];
    uint32_t count = 0, more = 0;
    for (uint32_t at = port->prios[priority].head; at != POOL_NONE;) {
        const struct frame *frame = frame_at(port->frames, at);
        const uint32_t host = stepper_host_of(walk->stepper, frame->source);
        uint32_t i = 0;
        while (i < count && found[i].host != host)
            i++;
        if (i == count && count < sizeof found / sizeof found[0]) {
            found[count].host = host;
            found[count++].bytes = 0;
        }
        if (i < count)
            found[i].bytes += frame->bytes;
        at = frame->next;
    }
    char text[256] = "";
    size_t used = 0;
    for (uint32_t shown = 0; shown < count; shown++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < count; i++)
            most = found[i].bytes > found[most].bytes ? i : most;
        if (shown < SOURCES)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%s)",
                                     shown > 0 ? ", " : "",
                                     step_node(walk->stepper, found[most].host)->name,
                                     words_bytes(found[most].bytes).text);
        else
            more++;
        found[most].bytes = 0;
    }
    if (more > 0)
        snprintf(text + used, sizeof text - used, " and %u more %s", more,
                 plural(more, "host", "hosts"));
    step_why_line(walk, "root cause: the link is busy with frames from %s", text);
}

static void why_sends(struct step_walk *walk, const struct step_prio *prio, const struct port *port)
{
    const int64_t bytes = port->prios[prio->priority].bytes;
    const struct step_name name = step_port_name(walk->stepper, prio->node, prio->port);
    const unsigned higher = port->ready & ~port->paused & ~((2u << prio->priority) - 1);
    if (bytes == 0) {
        step_why_line(walk, "%s, priority %u: no frame is queued, and the port is not paused",
                      name.text, prio->priority);
        return;
    }
    const unsigned frames = step_frames(port, prio->priority);
    step_why_line(walk, "%s, priority %u is not paused; %u queued %s (%s) %s %s at %s", name.text,
                  prio->priority, frames, plural(frames, "frame", "frames"),
                  words_bytes(bytes).text, plural(frames, "needs", "need"),
                  words_time(units_transfer_ps((uint64_t)bytes, (uint64_t)port->params.rate)).text,
                  words_rate((double)port->params.rate).text);
    walk->depth++;
    if (port->pauses[prio->priority].blocked_ps > 0)
        step_why_line(walk, "paused by %s for %s in total so far",
                      step_peer_name(walk->stepper, prio->node, prio->port).text,
                      words_time(port->pauses[prio->priority].blocked_ps).text);
    if (higher != 0)
        step_why_line(walk, "frames of a higher priority are sent first");
    tell_sources(walk, port, prio->priority);
    walk->depth--;
}

/* Index of the queue if it was visited, otherwise met_count. */
static int find_prio(const struct step_walk *walk, const struct step_prio *prio)
{
    int i = 0;
    while (i < walk->met_count &&
           (walk->met[i].prio.node != prio->node || walk->met[i].prio.port != prio->port ||
            walk->met[i].prio.priority != prio->priority))
        i++;
    return i;
}

static void why_new_prio(struct step_walk *walk, const struct step_prio *prio)
{
    const struct port *port = world_port(stepper_world(walk->stepper), prio->node, prio->port);
    const struct step_name name = step_port_name(walk->stepper, prio->node, prio->port);
    struct step_prio peer = {.priority = prio->priority};
    if ((port->odd & PORT_DOWN) != 0) {
        step_why_line(walk, "root cause: the link of %s is down", name.text);
        return;
    }
    if ((port->paused & 1u << prio->priority) == 0) {
        why_sends(walk, prio, port);
        return;
    }
    step_why_line(
        walk, "%s, priority %u has been paused for %s; %s are queued", name.text, prio->priority,
        words_time(step_now(walk->stepper) - port->pauses[prio->priority].blocked_since).text,
        words_bytes(port->prios[prio->priority].bytes).text);
    walk->depth++;
    if (step_peer(walk->stepper, prio->node, prio->port, &peer.node, &peer.port))
        why_stops(walk, &peer);
    walk->depth--;
}

/* A queue is followed once; reaching it again from itself closes a cycle. */
void step_why_prio(struct step_walk *walk, const struct step_prio *prio)
{
    const struct step_name name = step_port_name(walk->stepper, prio->node, prio->port);
    const int at = find_prio(walk, prio);
    if (at < walk->met_count) {
        step_why_line(walk,
                      walk->met[at].open
                          ? "root cause: this leads back to %s, priority %u: the queues wait for "
                            "each other in a cycle"
                          : "%s, priority %u: see above",
                      name.text, prio->priority);
        return;
    }
    if (at == STEP_PRIOS_MOST) {
        step_why_line(walk, "%s, priority %u: not followed further", name.text, prio->priority);
        return;
    }
    walk->met[walk->met_count].prio = *prio;
    walk->met[walk->met_count++].open = true;
    why_new_prio(walk, prio);
    walk->met[at].open = false;
}

/* SPDX-License-Identifier: Apache-2.0
 * step_show_net - ports, their queues and pauses, and a switch's buffer. */
#include "base/drop.h"
#include "base/plural.h"
#include "net/port/credits.h"
#include "replay/database/flow_words.h"
#include "replay/step/step_show_private.h"

#include <inttypes.h>
#include <string.h>

static const struct flow_words *flow_of(const struct stepper *stepper, uint32_t node)
{
    return flow_words_of_kind(stepper_world(stepper)->scenario->nodes[node].link);
}

static int percent(int64_t part, int64_t whole)
{
    return whole == 0 ? 0 : (int)((__int128)part * 100 / whole);
}

void step_show_buffer(const struct stepper *stepper, uint32_t node, bool busy, FILE *out)
{
    const struct buffer *buffer = &world_switch(stepper_world(stepper), node)->buffer;
    const int64_t used = buffer_bytes(buffer, (int64_t)buffer->used + buffer->headroom_used);
    const int64_t size = buffer_bytes(buffer, buffer->total);
    if (busy && used == 0)
        return;
    fprintf(out, "%s: packet memory holds %s of %s (%d%%), headroom holds %s of %s\n",
            step_node(stepper, node)->name, words_bytes(used).text, words_bytes(size).text,
            percent(used, size), words_bytes(buffer_bytes(buffer, buffer->headroom_used)).text,
            words_bytes(buffer_bytes(buffer, buffer->headroom_size)).text);
}

/* ------------------------------------------------------------------ queues */

static void show_waiting(const struct stepper *stepper, uint32_t node, const struct port *port,
                         uint8_t priority, FILE *out)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    const int64_t bytes = port->prios[priority].bytes;
    if (bytes > 0)
        fprintf(out, "; %s queued in %u %s", words_bytes(bytes).text, step_frames(port, priority),
                plural(step_frames(port, priority), "frame", "frames"));
    else if (!step_is_switch(stepper, node) && (port->ready & bit) != 0)
        fprintf(out, "; has frames to send");
    if ((port->paused & bit) != 0)
        fprintf(out,
                port->credits != NULL ? "; waits for credits of %s, so far %s"
                                      : "; paused by %s for %s",
                step_peer_name(stepper, node, port->index).text,
                words_time(step_now(stepper) - port->pauses[priority].blocked_since).text);
    if ((port->asserted & bit) != 0)
        fprintf(out, "; has paused %s for %s", step_peer_name(stepper, node, port->index).text,
                words_time(step_now(stepper) - port->pauses[priority].asserted_since).text);
}

static void show_group(const struct stepper *stepper, uint32_t node, uint16_t port,
                       uint8_t priority, FILE *out)
{
    const struct buffer *buffer = &world_switch(stepper_world(stepper), node)->buffer;
    const struct buffer_group *group = &buffer->groups[port * PRIORITIES + priority];
    if (buffer_held(group) == 0)
        return;
    fprintf(out, "; buffers %s received from %s",
            words_bytes(buffer_bytes(buffer, buffer_held(group))).text,
            step_peer_name(stepper, node, port).text);
    if (!group->lossless)
        return;
    fprintf(out, " (%s in shared memory, XOFF at %s",
            words_bytes(buffer_bytes(buffer, buffer_group_share(group))).text,
            words_bytes(buffer_bytes(buffer, buffer_group_threshold(buffer, group))).text);
    if (group->headroom_used > 0)
        fprintf(out, "; %s in headroom of %s",
                words_bytes(buffer_bytes(buffer, group->headroom_used)).text,
                words_bytes(buffer_bytes(buffer, group->headroom)).text);
    fputc(')', out);
}

static void show_priority(const struct stepper *stepper, uint32_t node, uint16_t index,
                          uint8_t priority, FILE *out)
{
    const struct port *port = world_port(stepper_world(stepper), node, index);
    const struct step_name name = step_port_name(stepper, node, index);
    const char *below = strrchr(name.text, ':') + 1;
    fprintf(out, "  %s to %s, priority %u", below, step_peer_name(stepper, node, index).text,
            priority);
    show_waiting(stepper, node, port, priority, out);
    if (step_is_switch(stepper, node))
        show_group(stepper, node, index, priority, out);
    fputc('\n', out);
}

void step_show_prios(const struct stepper *stepper, const struct step_subject *subject, FILE *out)
{
    const uint32_t node = subject->node;
    uint32_t shown = 0;
    for (uint16_t port = 0; port < step_node(stepper, node)->port_count; port++)
        for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
            if (!step_subject_has(subject, node, port, priority) ||
                !step_prio_is_busy(stepper, node, port, priority))
                continue;
            show_priority(stepper, node, port, priority, out);
            shown++;
        }
    if (shown == 0)
        fprintf(out, "  no frame is queued, and no port %s\n", flow_of(stepper, node)->is);
}

void step_show_stops(const struct stepper *stepper, uint32_t node, FILE *out)
{
    for (uint16_t i = 0; i < step_node(stepper, node)->port_count; i++) {
        const struct port *port = world_port(stepper_world(stepper), node, i);
        for (unsigned mask = port->paused; mask != 0; mask &= mask - 1) {
            const unsigned priority = (unsigned)__builtin_ctz(mask);
            fprintf(out, "%s, priority %u: %s %s for %s\n", step_port_name(stepper, node, i).text,
                    priority, flow_of(stepper, node)->of, step_peer_name(stepper, node, i).text,
                    words_time(step_now(stepper) - port->pauses[priority].blocked_since).text);
        }
    }
}

/* ------------------------------------------------------------------ ports and switches */

static void show_credits(const struct credit_lane *lane, FILE *out)
{
    const uint32_t left = credits_left(lane);
    fprintf(out, "%u %s left; credits ran out %" PRIu64 " %s", left,
            plural(left, "credit", "credits"), lane->zeros_tx,
            plural(lane->zeros_tx, "time", "times"));
}

void step_show_port(const struct stepper *stepper, const struct step_subject *subject, FILE *out)
{
    const struct port *port = world_port(stepper_world(stepper), subject->node, subject->port);
    const time_ps now = step_now(stepper);
    fprintf(out, "%s: %s to %s%s%s\n", step_port_name(stepper, subject->node, subject->port).text,
            words_rate((double)port->params.rate).text,
            step_peer_name(stepper, subject->node, subject->port).text,
            (port->odd & PORT_DOWN) != 0 ? ", link down" : "",
            port->busy_until > now ? ", transmitting a frame" : "");
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        const struct port_prio *prio = &port->prios[i];
        const struct port_pauses *pauses = &port->pauses[i];
        if (!step_subject_has(subject, subject->node, subject->port, i) ||
            prio->tx_frames + prio->rx_frames == 0)
            continue;
        fprintf(out, "  priority %u: %" PRIu64 " %s sent, %" PRIu64 " received; ", i,
                prio->tx_frames, plural(prio->tx_frames, "frame", "frames"), prio->rx_frames);
        if (port->credits != NULL)
            show_credits(&port->credits->lanes[i], out);
        else
            fprintf(out, "%" PRIu64 " %s sent, %" PRIu64 " received", pauses->tx_xoff,
                    plural(pauses->tx_xoff, "XOFF", "XOFFs"), pauses->rx_xoff);
        fprintf(out, "; longest queue %s\n", words_bytes(prio->peak).text);
    }
    step_show_prios(stepper, subject, out);
}

void step_show_switch(const struct stepper *stepper, const struct step_subject *subject, FILE *out)
{
    const struct swtch *swtch = world_switch(stepper_world(stepper), subject->node);
    uint64_t dropped = 0;
    step_show_buffer(stepper, subject->node, false, out);
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        dropped += swtch->counters.dropped[i];
    fprintf(out, "  %" PRIu64 " %s dropped, %" PRIu64 " ECN-marked\n", dropped,
            plural(dropped, "frame", "frames"), swtch->counters.ecn_marked);
    step_show_prios(stepper, subject, out);
}

/* SPDX-License-Identifier: Apache-2.0
 * switch_queue - pauses, credits and lossy queues. */
#include "net/switch/switch_queue_private.h"

#include "net/port/credits.h"
#include "net/switch/lifetimes.h"

/* ------------------------------------------------------------------ pauses */

static struct probe_pause pause_edge(struct swtch *swtch, const struct frame *frame,
                                     uint16_t egress, time_ps now)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = switch_group(swtch, frame);
    return (struct probe_pause){
        .at = now,
        .node = swtch->node.id,
        .port = frame->in_port,
        .priority = frame->priority,
        .egress = egress,
        .frame = frame,
        .occupancy = buffer_bytes(buffer, buffer_group_share(group)),
        .threshold = buffer_bytes(buffer, buffer_group_threshold(buffer, group)),
    };
}

void switch_pause_sender(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                         time_ps now)
{
    struct probe_pause why = pause_edge(swtch, frame, egress, now);
    CHECK(switch_is_lossless(swtch, frame) && switch_group(swtch, frame)->xoff);
    why.xoff = true;
    switch_reasons(swtch, frame, egress, &why);
    port_pfc_assert(&swtch->ports[frame->in_port], frame->priority, &why);
}

/* Sends XON; meanwhile the frame's egress port must not start another frame. */
void switch_resume_sender(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                          time_ps now)
{
    const struct probe_pause why = pause_edge(swtch, frame, egress, now);
    struct port *port = &swtch->ports[egress];
    CHECK(switch_is_lossless(swtch, frame) && !switch_group(swtch, frame)->xoff);
    CHECK(switch_group(swtch, frame)->headroom_used == 0);
    const bool choosing = port_is_choosing(port);
    port_set_choosing(port, true);
    port_pfc_release(&swtch->ports[frame->in_port], frame->priority, &why);
    port_set_choosing(port, choosing);
}

void switch_free_buffer(const struct port *port, struct port *from, uint8_t priority,
                        uint32_t bytes, time_ps now)
{
    if (port->params.kind == PORT_FIBRE_CHANNEL)
        port_return_credits_at(from, priority, now + units_transfer_ps(bytes, port->rate.bps));
    else
        port_return_credits(from, priority, bytes, now);
}

void switch_return_credits(struct swtch *swtch, const struct frame *frame, time_ps now)
{
    if (swtch->credits)
        port_return_credits(&swtch->ports[frame->in_port], frame->priority, frame->bytes, now);
}

/* ------------------------------------------------------------------ lossy queues */

bool switch_queue_may_grow(const struct swtch *swtch, const struct frame *frame, uint16_t egress,
                           uint32_t cells)
{
    const uint32_t queued = swtch->ports[egress].prios[frame->priority].cells;
    const struct buffer_place queue = switch_queue_place(frame, egress);
    return switch_is_lossless(swtch, frame)
               ? queued < swtch->buffer.queue_limit
               : buffer_queue_admits(&swtch->buffer, queue, queued, cells);
}

void switch_meter(struct swtch *swtch, const struct frame *frame, uint16_t egress, bool grown,
                  time_ps now)
{
    const struct buffer_place queue = switch_queue_place(frame, egress);
    const uint32_t queued = swtch->ports[egress].prios[frame->priority].cells;
    const uint32_t cells = buffer_cells(&swtch->buffer, frame->bytes);
    if (swtch->lifetimes != NULL)
        lifetimes_note(&swtch->ports[egress], frame->priority, grown, now);
    if (switch_is_lossless(swtch, frame))
        return;
    if (grown)
        buffer_queue_grown(&swtch->buffer, queue, queued - cells, cells, now);
    else
        buffer_queue_shrunk(&swtch->buffer, queue, queued, cells, now);
}

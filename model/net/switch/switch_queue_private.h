/* SPDX-License-Identifier: Apache-2.0
 * switch_queue_private - a frame's space in the memory of a switch, and its place in a queue.
 * The path of every frame that waits, to be inlined; the slow paths are in switch_queue.c. Included
 * only by switch*.c. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_QUEUE_PRIVATE_H
#define STORMGLASS_NET_SWITCH_SWITCH_QUEUE_PRIVATE_H

#include "net/switch/switch_private.h"

/* A frame on its way through the switch, with the fields that the path needs loaded once. The
 * compiler must assume that any store of a byte changes the frame, and would reload them after
 * each. Each field has the width of a register. */
struct passage {
    uint64_t handle; /* as in an event's argument */
    struct frame *frame;
    size_t in_port, priority, bytes;
    time_ps now;
};

static inline struct buffer_group *passage_group(struct swtch *swtch, const struct passage *passage)
{
    return &swtch->buffer.groups[passage->in_port * PRIORITIES + passage->priority];
}

static inline struct passage passage_of(const struct swtch *swtch, uint32_t handle, time_ps now)
{
    struct frame *frame = frame_at(swtch->frames, handle);
    return (struct passage){handle, frame, frame->in_port, frame->priority, frame->bytes, now};
}

/* Whether the priority's egress queues have a limit. */
static inline bool switch_is_metered(const struct swtch *swtch, size_t priority)
{
    return UNLIKELY((swtch->metered & 1u << priority) != 0);
}

/* Whether a queue with a limit may accept the frame. */
NOINLINE bool switch_queue_may_grow(const struct swtch *swtch, const struct frame *frame,
                                    uint16_t egress, uint32_t cells);

/* Updates the egress lossy pool after a queue has grown or shrunk by a frame. */
NOINLINE void switch_meter(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                           bool grown, time_ps now);

/* Pauses or resumes the sender: the frame has brought its group to the threshold, or below it
 * again. */
NOINLINE void switch_pause_sender(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                                  time_ps now);
NOINLINE void switch_resume_sender(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                                   time_ps now);

/* Charges the frame; false: its group has no space. */
static inline bool switch_admit(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                                uint32_t cells, time_ps now)
{
    const enum buffer_verdict verdict =
        buffer_admit(&swtch->buffer, switch_group(swtch, frame), cells, now);
    if (UNLIKELY(verdict == BUFFER_ADMIT_XOFF))
        switch_pause_sender(swtch, frame, egress, now);
    return verdict != BUFFER_REFUSE;
}

static inline void switch_release(struct swtch *swtch, struct buffer_group *group,
                                  const struct frame *frame, uint16_t egress, uint32_t cells,
                                  time_ps now)
{
    if (UNLIKELY(buffer_release(&swtch->buffer, group, cells, now)))
        switch_resume_sender(swtch, frame, egress, now);
}

/* Appends an admitted frame to the queue of its priority. */
static inline void switch_queue(struct port *port, struct buffer_group *group,
                                const struct passage *passage, uint32_t cells)
{
    struct port_prio *prio = &port->prios[passage->priority];
    port_append_to(port, passage->priority, (uint32_t)passage->handle, passage->frame);
    prio->cells += cells;
    if (prio->cells > prio->cells_peak)
        prio->cells_peak = prio->cells;
    group->waiting[port->index] += cells;
}

/* Releases the space of a frame that has left its queue. */
static inline void switch_unqueue(struct swtch *swtch, struct port *port,
                                  const struct passage *passage)
{
    const uint32_t cells = buffer_cells(&swtch->buffer, (uint32_t)passage->bytes);
    struct buffer_group *group = passage_group(swtch, passage);
    port->prios[passage->priority].cells -= cells;
    group->waiting[port->index] -= cells;
    if (switch_is_metered(swtch, passage->priority))
        switch_meter(swtch, passage->frame, port->index, false, passage->now);
    switch_release(swtch, group, passage->frame, port->index, cells, passage->now);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * switch - the path of a frame through a switch.
 *   arrival -> priority by DSCP -> egress port by route and ECMP -> giant?
 *           -> memory (drop, XOFF) -> ECN mark
 *           -> wire at once if nothing waits before it, else egress queue -> scheduler
 *           -> space released (XON) -> wire
 * Each stage is a function below, in this order. A frame that can leave at once costs one event; a
 * frame that has to wait is sent when the port's dequeue timer is due (net/port/dequeue_timers.h),
 * which is an event only under a watch.
 * Cut-through: the header arrives first, and the remaining bits follow at the ingress rate. The
 * frame may leave at the same time, unless the egress wire is faster and would run dry: then it
 * waits for its last bit (CUT_WAIT). */
#include "net/port/credits.h"
#include "net/switch/lifetimes.h"
#include "net/switch/switch_mark_private.h"
#include "net/switch/switch_queue_private.h"
#include "net/switch/watchdog.h"

static struct swtch *switch_of(struct node *node)
{
    return (struct swtch *)(void *)node;
}

/* ------------------------------------------------------------------ scheduling */

/* Selects the priority in `mask` to be served next; all have frames waiting. */
static inline unsigned pick_priority(const struct swtch *swtch, const struct port *port,
                                     unsigned mask)
{
    const unsigned strict = mask & swtch->strict;
    return LIKELY(strict != 0) ? port_highest(strict) : switch_weighted_pick(swtch, port, mask);
}

/* Removes the first frame of a non-empty queue. */
static inline struct passage take_first(struct swtch *swtch, struct port *port, size_t priority,
                                        time_ps now)
{
    const uint32_t handle = port->prios[priority].head;
    struct frame *frame = frame_at(port->frames, handle);
    const struct passage passage = {handle, frame, frame->in_port, priority, frame->bytes, now};
    port_shift_first(port, priority, frame, (uint32_t)passage.bytes);
    if (UNLIKELY(port->prios[priority].bytes > swtch->mark_above[SWITCH_DEQUEUE]))
        switch_mark(swtch, frame, port);
    switch_unqueue(swtch, port, &passage);
    return passage;
}

uint32_t switch_take(struct port *port, uint8_t allowed, time_ps now)
{
    struct swtch *swtch = switch_of(port->node);
    const unsigned mask = port->ready & allowed;
    if (mask == 0)
        return POOL_NONE;
    const struct passage passage = take_first(swtch, port, pick_priority(swtch, port, mask), now);
    if (UNLIKELY(swtch->credits))
        switch_free_buffer(port, &swtch->ports[passage.frame->in_port], passage.frame->priority,
                           passage.frame->bytes, now);
    return (uint32_t)passage.handle;
}

/* Each frame leaves the queue before its space is released, because the XON that this may trigger
 * requests frames from other ports or from this one. */
uint64_t switch_flush(struct swtch *swtch, struct port *port, uint8_t priority, time_ps now)
{
    const struct port_prio *prio = &port->prios[priority];
    uint64_t frames = 0;
    for (; prio->head != POOL_NONE; frames++) {
        const struct passage passage = passage_of(swtch, port_shift(port, priority), now);
        switch_unqueue(swtch, port, &passage);
        switch_discard(swtch, (uint32_t)passage.handle, port->index, now);
    }
    CHECK(prio->bytes == 0 && prio->cells == 0 && (port->ready & 1u << priority) == 0);
    swtch->turns[port->index].deficit[priority] = 0;
    return frames;
}

/* ------------------------------------------------------------------ dequeue timers */

/* Schedules the next dequeue for when the wire is free. Under a watch it is an event, so that the
 * watch sees it, and on Fibre Channel, where it schedules events at its node, which a timer that
 * runs late must not; the timers then have no space. */
static inline void dequeue_later(struct swtch *swtch, struct port *port)
{
    if (port->dequeue_at == port->busy_until)
        return;
    port->dequeue_at = port->busy_until;
    if (UNLIKELY(dequeue_timers_are_full(&swtch->dequeue_timers))) {
        if (swtch->node.engine->watch != NULL || port->params.kind == PORT_FIBRE_CHANNEL) {
            port_post_dequeue(port);
            return;
        }
        dequeue_timers_make_room(&swtch->dequeue_timers);
    }
    dequeue_timers_add(&swtch->dequeue_timers, port->dequeue_at, port);
    node_put_off(&swtch->node, port->dequeue_at);
}

void switch_dequeue_later(struct port *port)
{
    dequeue_later(switch_of(port->node), port);
}

/* The wire is free: usually sends the first frame of a queue. Returns true when more is left. */
static inline bool dequeue(struct swtch *swtch, struct port *port, uint64_t line, time_ps now)
{
    const unsigned mask = port->ready & ~(unsigned)port->paused;
    if (UNLIKELY(mask == 0))
        return false;
    const unsigned priority = pick_priority(swtch, port, mask);
    const struct passage passage = take_first(swtch, port, priority, now);
    if (UNLIKELY(port->odd != 0))
        port_send_odd(port, (uint32_t)passage.handle, now);
    else
        port_transmit(port, &port->prios[priority], passage.handle, passage.bytes, line, now);
    return port_has_work(port);
}

/* Handles a due timer of the port as if it were `event`. */
static inline void on_dequeue(struct swtch *swtch, struct port *port, const struct event *event)
{
    if (UNLIKELY(((port->odd & ~(unsigned)PORT_WATCHED) | port->pfc_due) != 0)) {
        port->dequeue_at = TIME_NEVER;
        port_dequeue(port, event->at);
    } else if (dequeue(swtch, port, event->order, event->at)) {
        dequeue_later(swtch, port);
    } else {
        port->dequeue_at = TIME_NEVER;
    }
}

/* Handles the timers that precede an event at `at` with order key `order`. */
static NOINLINE void dequeue_due(struct swtch *swtch, time_ps at, uint64_t order)
{
    struct dequeue_timers *timers = &swtch->dequeue_timers;
    struct event event = {.at = at, .order = order, .node = swtch->node.id};
    node_act_as(&swtch->node, &event);
    while (dequeue_timers_due(timers) <= at) {
        const struct dequeue_timer next = *timers->first;
        event.at = next.at;
        event.order = port_dequeue_order(next.port);
        if (UNLIKELY(next.at == at) && event.order > order)
            break;
        timers->first++;
        if (LIKELY(next.port->dequeue_at == next.at))
            on_dequeue(swtch, next.port, &event);
    }
    swtch->node.due = dequeue_timers_due(timers);
}

static void settle(struct node *node, time_ps until)
{
    dequeue_due(switch_of(node), until, UINT64_MAX);
}

/* ------------------------------------------------------------------ forwarding */

/* A frame never leaves at once by its ingress port: freeing its space may make an XON due there. */
static bool may_leave(const struct port *port, const struct frame *frame, time_ps now)
{
    return port_is_free(port, frame->priority, now) && LIKELY(port->index != frame->in_port);
}

/* Sends a frame that does not wait; it has another ingress port. */
static void send_at_once(struct swtch *swtch, struct port *port, uint32_t handle,
                         const struct frame *frame, time_ps now)
{
    struct port *from = &swtch->ports[frame->in_port];
    const uint8_t priority = frame->priority;
    const uint16_t bytes = frame->bytes;
    port_send(port, handle, frame, now);
    if (UNLIKELY(swtch->credits))
        switch_free_buffer(port, from, priority, bytes, now);
}

/* The general path of a frame: usually it is admitted and queued, but it may also turn out to leave
 * at once. */
static NOINLINE void enqueue(struct swtch *swtch, uint32_t handle, uint16_t egress, uint32_t cells,
                             time_ps now)
{
    struct frame *frame = frame_at(swtch->frames, handle);
    struct port *port = &swtch->ports[egress];
    if (may_leave(port, frame, now) &&
        buffer_pass(&swtch->buffer, switch_group(swtch, frame), cells)) {
        send_at_once(swtch, port, handle, frame, now);
        return;
    }
    if (switch_is_metered(swtch, frame->priority) &&
        !switch_queue_may_grow(swtch, frame, egress, cells)) {
        switch_refuse(swtch, handle, egress, PROBE_DROP_EGRESS, now);
        return;
    }
    if (UNLIKELY(!switch_admit(swtch, frame, egress, cells, now))) {
        switch_refuse(swtch, handle, egress, PROBE_DROP_BUFFER, now);
        return;
    }
    if (UNLIKELY(port->prios[frame->priority].bytes > swtch->mark_above[SWITCH_ENQUEUE]))
        switch_mark(swtch, frame, port);
    if (UNLIKELY(may_leave(port, frame, now))) {
        switch_release(swtch, switch_group(swtch, frame), frame, egress, cells, now);
        send_at_once(swtch, port, handle, frame, now);
        return;
    }
    const struct passage passage = passage_of(swtch, handle, now);
    switch_queue(port, switch_group(swtch, frame), &passage, cells);
    if (switch_is_metered(swtch, frame->priority))
        switch_meter(swtch, frame, egress, true, now);
    if (UNLIKELY(now >= port->busy_until))
        port_dequeue(port, now);
    else if (port_has_work(port))
        dequeue_later(swtch, port);
}

/* The hash input by which ECMP distinguishes flows. */
static uint32_t entropy_of(const struct swtch *swtch, const struct frame *frame)
{
    const uint64_t addresses = (uint64_t)frame->source << 32 | frame->destination;
    const uint64_t with_queue_pair = (uint64_t)frame->qpn << 32 | frame->entropy;
    switch ((enum switch_hash)swtch->params.ecmp_hash) {
    case SWITCH_HASH_5_TUPLE:
        return frame->entropy;
    case SWITCH_HASH_ADDRESSES:
        return (uint32_t)(hash_mix(addresses) >> 32);
    case SWITCH_HASH_QUEUE_PAIR:
        return (uint32_t)(hash_mix(with_queue_pair) >> 32);
    }
    CHECK(false); /* the parser accepts no other value */
}

/* Fast path of enqueue, for a frame that finds ample space, a busy wire and a queue without a
 * limit. */
static inline void join(struct swtch *swtch, struct buffer_group *group, struct port *port,
                        const struct passage *passage, uint32_t cells)
{
    const size_t priority = passage->priority;
    buffer_charge(&swtch->buffer, group, cells);
    if (UNLIKELY(port->prios[priority].bytes > swtch->mark_above[SWITCH_ENQUEUE]))
        switch_mark(swtch, passage->frame, port);
    switch_queue(port, group, passage, cells);
    if (port->dequeue_at != port->busy_until && port_has_work(port))
        dequeue_later(swtch, port);
}

/* The frame has no route, no hops left, or is larger than its egress port allows. A port without
 * carrier has limit 0: frames within its MTU are sent and counted. */
static NOINLINE void forward_odd(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    const struct frame *frame = frame_at(swtch->frames, handle);
    const uint32_t cells = buffer_cells(&swtch->buffer, frame->bytes);
    if (egress == UINT16_MAX || frame->ttl == 0 ||
        frame->bytes > port_largest_frame(&swtch->ports[egress].params))
        switch_reject(swtch, handle, egress, now);
    else
        enqueue(swtch, handle, egress, cells, now);
}

static INLINE void forward(struct swtch *swtch, const struct passage *passage, uint32_t entropy)
{
    struct frame *frame = passage->frame;
    const size_t bytes = passage->bytes, priority = passage->priority;
    const time_ps now = passage->now;
    const uint16_t egress =
        route_pick(&swtch->routes, frame->destination, entropy, swtch->ecmp_seed);
    if (UNLIKELY(egress == UINT16_MAX || --frame->ttl == 0 ||
                 bytes > swtch->ports[egress].largest)) {
        forward_odd(swtch, (uint32_t)passage->handle, egress, now);
        return;
    }
    struct port *port = &swtch->ports[egress];
    struct buffer_group *group = passage_group(swtch, passage);
    const uint32_t cells = buffer_cells(&swtch->buffer, (uint32_t)bytes);
    if (port->busy_until > now) {
        if (LIKELY(!switch_is_metered(swtch, priority) && buffer_is_ample(group, cells))) {
            join(swtch, group, port, passage, cells);
            return;
        }
    } else if (LIKELY(port_is_quiet(port) && egress != passage->in_port) &&
               buffer_pass(&swtch->buffer, group, cells)) {
        port_send(port, (uint32_t)passage->handle, frame, now);
        return;
    }
    enqueue(swtch, (uint32_t)passage->handle, egress, cells, now);
}

uint16_t switch_egress(const struct swtch *swtch, const struct frame *frame)
{
    return route_pick(&swtch->routes, frame->destination, entropy_of(swtch, frame),
                      swtch->ecmp_seed);
}

/* True when a frame's bits arrive more slowly than its egress port would send them. */
static bool must_wait(const struct swtch *swtch, const struct frame *frame)
{
    if (!swtch->cut_through || frame->bytes <= CUT_THROUGH_BYTES)
        return false;
    const uint16_t egress = switch_egress(swtch, frame);
    return egress != UINT16_MAX &&
           swtch->ports[egress].rate.bps > swtch->ports[frame->in_port].rate.bps;
}

static void wait_for_rest(struct swtch *swtch, uint32_t handle, const struct frame *frame,
                          time_ps now)
{
    CHECK(frame->bytes > CUT_THROUGH_BYTES);
    const uint64_t rest = frame->bytes - (uint64_t)CUT_THROUGH_BYTES;
    const uint64_t bps = swtch->ports[frame->in_port].rate.bps;
    node_post(&swtch->node, swtch->node.id, now + units_transfer_ps(rest, bps),
              SWITCH_EVENT_CUT_WAIT, frame->in_port, handle);
}

/* Drops the frame and returns true when the watchdog requires it. */
static bool watchdog_discards(struct swtch *swtch, uint32_t handle, const struct frame *frame,
                              time_ps now)
{
    if (swtch->condemned == 0)
        return false;
    const uint16_t egress = switch_egress(swtch, frame);
    if (egress == UINT16_MAX || !watchdog_takes(swtch, frame, egress))
        return false;
    switch_discard(swtch, handle, egress, now);
    return true;
}

static NOINLINE void forward_whole(struct swtch *swtch, uint32_t handle, time_ps now)
{
    const struct passage passage = passage_of(swtch, handle, now);
    if (!switch_refuses(swtch, handle, now) &&
        !watchdog_discards(swtch, handle, passage.frame, now))
        forward(swtch, &passage, entropy_of(swtch, passage.frame));
}

static NOINLINE void forward_carefully(struct swtch *swtch, uint32_t handle,
                                       const struct frame *frame, time_ps now)
{
    if (must_wait(swtch, frame))
        wait_for_rest(swtch, handle, frame, now);
    else
        forward_whole(swtch, handle, now);
}

/* Handles a giant, a corrupt frame or a MAC control frame; only the latter keeps its own
 * priority. With credits, it handles each frame. */
static NOINLINE void handle_odd_arrival(struct port *port, const struct event *event,
                                        struct frame *frame, unsigned priority)
{
    if (!frame_is_mac_control(frame))
        frame->priority = (uint8_t)priority;
    frame->in_port = event->port;
    if (port_receive_odd(port, event))
        forward_carefully(switch_of(port->node), (uint32_t)event->argument, frame, event->at);
}

static INLINE void on_arrival(struct swtch *swtch, const struct event *event)
{
    const uint64_t handle = event->argument;
    struct frame *frame = frame_at(swtch->frames, handle);
    const struct passage passage = {
        .handle = handle,
        .frame = frame,
        .in_port = event->port,
        .priority = swtch->priority_of_tos[frame->tos],
        .bytes = frame->bytes,
        .now = event->at,
    };
    struct port *port = &swtch->ports[passage.in_port];
    struct port_prio *prio = &port->prios[passage.priority];
    port_digest(&swtch->node, frame);
    if (UNLIKELY(!port_takes(port, frame))) {
        handle_odd_arrival(port, event, frame, (uint8_t)passage.priority);
        return;
    }
    port_count(prio, passage.bytes);
    frame->priority = (uint8_t)passage.priority;
    frame->in_port = event->port;
    if (UNLIKELY(swtch->careful))
        forward_carefully(swtch, (uint32_t)handle, frame, passage.now);
    else
        forward(swtch, &passage, frame->entropy);
}

static NOINLINE void on_other_event(struct swtch *swtch, const struct event *event)
{
    struct port *port = &swtch->ports[event->port];
    CHECK(event->port < swtch->port_count);
    if (UNLIKELY(event->kind == NET_EVENT_DEQUEUE)) {
        if (port_dequeue_came(port, event->at))
            port_dequeue(port, event->at);
    } else if (event->kind == SWITCH_EVENT_CUT_WAIT) {
        forward_whole(swtch, (uint32_t)event->argument, event->at);
    } else if (event->kind == SWITCH_EVENT_WATCHDOG) {
        watchdog_poll(swtch, SWITCH_EVENT_WATCHDOG, event->at);
    } else if (event->kind == SWITCH_EVENT_LIFETIME) {
        lifetimes_expire(port, (uint8_t)event->argument, event->at);
    } else {
        port_on_event(port, event);
    }
}

void switch_start(struct swtch *swtch)
{
    watchdog_start(swtch, SWITCH_EVENT_WATCHDOG);
}

/* Arrivals are inlined and everything else is called, so that arrivals save no registers for it. */
static INLINE void execute(struct node *node, const struct event *event)
{
    if (LIKELY(event->kind == NET_EVENT_ARRIVAL))
        on_arrival(switch_of(node), event);
    else
        on_other_event(switch_of(node), event);
}

static inline void dequeue_due_before(struct node *node, const struct event *event)
{
    if (UNLIKELY(node->due <= event->at)) {
        dequeue_due(switch_of(node), event->at, event->order);
        node_act_as(node, event);
    }
}

static void on_event(struct node *node, const struct event *event)
{
    dequeue_due_before(node, event);
    execute(node, event);
}

/* Timers chain nothing into the digest: the event's word is chained after they have run, together
 * with its frame's. */
static void take_batch(struct node *node)
{
    for (const struct event *event; (event = node_next(node)) != NULL;) {
        dequeue_due_before(node, event);
        if (LIKELY(event->kind == NET_EVENT_ARRIVAL)) {
            node_digest_event(node, event);
            on_arrival(switch_of(node), event);
            continue;
        }
        if (event_is_quiet(event)) /* of Fibre Channel: dequeue_later */
            node_discount_event(node);
        else
            node_digest_event(node, event);
        on_other_event(switch_of(node), event);
    }
}

/* Prefetches for a frame's arrival: the ingress port, prio and group, and the egress port given by
 * the route. The sender's priority is used as a guess. */
static void fetch(const struct node *node, const struct event *event)
{
    const struct swtch *swtch = (const struct swtch *)(const void *)node;
    if (event->kind != NET_EVENT_ARRIVAL)
        return;
    const struct frame *frame = frame_at(swtch->frames, (uint32_t)event->argument);
    const unsigned priority = frame->priority % PRIORITIES;
    __builtin_prefetch(&swtch->ports[event->port]);
    __builtin_prefetch(&swtch->ports[event->port].prios[priority]);
    __builtin_prefetch(&swtch->buffer.groups[event->port * PRIORITIES + priority]);
    if (frame_is_mac_control(frame))
        return;
    const uint16_t egress =
        route_pick(&swtch->routes, frame->destination, frame->entropy, swtch->ecmp_seed);
    if (egress == UINT16_MAX)
        return;
    __builtin_prefetch(&swtch->ports[egress]);
    __builtin_prefetch(&swtch->ports[egress].prios[priority]);
}

const struct node_ops switch_node_ops = {
    .name = "switch",
    .on_event = on_event,
    .take_batch = take_batch,
    .fetch = fetch,
    .settle = settle,
    .audit = switch_audit,
};

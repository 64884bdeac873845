/* SPDX-License-Identifier: Apache-2.0
 * soft - the tasks of a software RNIC. */
#include "rnic/soft/soft.h"

#include "base/drop.h"
#include "base/memory.h"
#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/soft/soft_private.h"

#include <stdlib.h>

enum { POLL_BUDGET = 64 }; /* Linux netdevice.h NAPI_POLL_WEIGHT */

static struct frame *frame_of(const struct rnic *rnic, uint32_t handle)
{
    return frame_at(rnic->port.frames, handle);
}

/* ------------------------------------------------------------------ lists of frames */

static void add_frame(const struct rnic *rnic, struct soft_list *list, uint32_t handle)
{
    frame_of(rnic, handle)->next = POOL_NONE;
    if (list->head == POOL_NONE)
        list->head = handle;
    else
        frame_of(rnic, list->tail)->next = handle;
    list->tail = handle;
    list->count++;
}

static uint32_t take_frame(const struct rnic *rnic, struct soft_list *list)
{
    const uint32_t handle = list->head;
    CHECK(handle != POOL_NONE);
    list->head = frame_of(rnic, handle)->next;
    list->count--;
    return handle;
}

static void give_all(struct rnic *rnic, struct soft_list *list)
{
    while (list->head != POOL_NONE)
        frame_give(rnic->port.frames, take_frame(rnic, list));
}

/* ------------------------------------------------------------------ to the wire */

void soft_on_transmit(struct rnic *rnic, time_ps now)
{
    struct soft *soft = rnic->soft;
    (void)now;
    soft->transmitting = false;
    while (soft->leaving.head != POOL_NONE) {
        const uint32_t handle = take_frame(rnic, &soft->leaving);
        port_append(&rnic->port, handle, frame_of(rnic, handle));
        soft->handed++;
    }
    rnic_want_dequeue(rnic);
}

static void emit_frame(struct rnic *rnic, uint32_t handle, time_ps now)
{
    struct soft *soft = rnic->soft;
    add_frame(rnic, &soft->leaving, handle);
    processor_charge(soft_processor(rnic), soft_costs(rnic)->sent);
    soft->full |= soft->leaving.count + soft->handed >= soft_costs(rnic)->send_queue;
    if (soft_costs(rnic)->transmit_timer == 0) {
        soft_on_transmit(rnic, now);
    } else if (!soft->transmitting) {
        soft->transmitting = true;
        rnic_post(rnic, now + soft_costs(rnic)->transmit_timer, RNIC_EVENT_TRANSMIT, 0);
    }
}

static void resume_requesters(struct rnic *rnic, time_ps now)
{
    rnic->soft->full = false;
    for (uint32_t i = 0; i < rnic->qps.used; i++)
        if (rnic->qp_slots[i].qpn != 0)
            soft_schedule(rnic, &rnic->qp_slots[i], now);
}

/* The port's source: frames passed to it; highest priority first. */
static uint32_t next_handed(struct port *port, uint8_t allowed, time_ps now)
{
    struct rnic *rnic = (struct rnic *)(void *)port; /* the port is the first member */
    struct soft *soft = rnic->soft;
    for (unsigned mask = port->ready & allowed; mask != 0; mask = port->ready & allowed) {
        const uint8_t priority = (uint8_t)port_highest(mask);
        if (port->prios[priority].head == POOL_NONE) { /* only the arbiter's list has frames of
                                                        * this priority */
            port->ready &= (uint8_t) ~(1u << priority);
            continue;
        }
        soft->handed--;
        if (soft->full && soft->handed + soft->leaving.count < soft_costs(rnic)->send_queue / 4 + 1)
            resume_requesters(rnic, now);
        return port_shift(port, priority);
    }
    return POOL_NONE;
}

/* ------------------------------------------------------------------ requester task */

static struct soft_qp *of_requester(struct work *work)
{
    return (struct soft_qp *)(void *)((char *)work - offsetof(struct soft_qp, requester));
}

static struct soft_qp *of_responder(struct work *work)
{
    return (struct soft_qp *)(void *)((char *)work - offsetof(struct soft_qp, responder));
}

bool soft_window_open(const struct rnic *rnic, const struct qp *qp)
{
    const int64_t most = soft_costs(rnic)->max_unacked;
    return most == 0 || psn_diff(qp->next_psn, qp->una_psn) <= most;
}

static time_ps request_due(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (rnic->soft->full || !soft_window_open(rnic, qp))
        return TIME_NEVER;
    return arbiter_request_due(qp, now);
}

static time_ps response_due(const struct qp *qp)
{
    return (qp->flags & QP_RESPOND) != 0 ? responder_due(qp) : TIME_NEVER;
}

static time_ps begin_request(struct work *work, time_ps now)
{
    struct soft_qp *own = of_requester(work);
    struct rnic *rnic = own->rnic;
    own->request = POOL_NONE;
    if (request_due(rnic, own->qp, now) <= now)
        own->request = requester_next(rnic, own->qp, now);
    if (own->request == POOL_NONE)
        return 0;
    arbiter_charge(rnic, own->qp, own->request, now);
    return soft_costs(rnic)->send_packet +
           soft_costs(rnic)->send_byte * frame_of(rnic, own->request)->payload;
}

/* The task checks once more before it ends. Packets that interrupt it within a system call of the
 * process do not run it: it sends what they allow when the process resumes (rxe_task.c do_task:
 * TASK_STATE_ARMED). */
static bool end_request(struct work *work, time_ps now)
{
    struct soft_qp *own = of_requester(work);
    if (own->request == POOL_NONE) {
        soft_schedule(own->rnic, own->qp, now);
        return false;
    }
    emit_frame(own->rnic, own->request, now);
    own->request = POOL_NONE;
    return true;
}

/* ------------------------------------------------------------------ responder tasklet */

static time_ps begin_response(struct work *work, time_ps now)
{
    struct soft_qp *own = of_responder(work);
    struct rnic *rnic = own->rnic;
    own->response = POOL_NONE;
    if (response_due(own->qp) > now)
        return 0;
    own->response = responder_next_response(rnic, own->qp, now);
    if (own->response == POOL_NONE)
        return 0;
    return soft_costs(rnic)->respond_packet +
           soft_costs(rnic)->send_byte * frame_of(rnic, own->response)->payload;
}

static bool end_response(struct work *work, time_ps now)
{
    struct soft_qp *own = of_responder(work);
    if (own->response == POOL_NONE)
        return false;
    emit_frame(own->rnic, own->response, now);
    own->response = POOL_NONE;
    responder_release(own->rnic, own->qp);
    soft_doorbell(own->rnic);
    if (response_due(own->qp) <= now)
        return true;
    soft_schedule(own->rnic, own->qp, now);
    return false;
}

void soft_schedule(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct soft_qp *own = qp->soft;
    const time_ps request = request_due(rnic, qp, now), response = response_due(qp);
    rnic_watch_hold(rnic, qp, now);
    if (request <= now)
        processor_add(soft_processor(rnic), &own->requester,
                      processor_within(soft_processor(rnic)));
    if (response <= now)
        processor_add(soft_processor(rnic), &own->responder, PROCESSOR_INTERRUPT);
    time_ps later = request > now ? request : TIME_NEVER;
    if (response > now && response < later)
        later = response;
    if (later < qp->wake_at)
        arbiter_set_wake(rnic, qp, later);
}

/* ------------------------------------------------------------------ answers */

static time_ps begin_control(struct work *work, time_ps now)
{
    const struct soft *soft =
        (const struct soft *)(const void *)((char *)work - offsetof(struct soft, control));
    (void)now;
    return soft_costs(soft->rnic)->send_ack;
}

static bool end_control(struct work *work, time_ps now)
{
    struct soft *soft = (struct soft *)(void *)((char *)work - offsetof(struct soft, control));
    emit_frame(soft->rnic, take_frame(soft->rnic, &soft->controls), now);
    return soft->controls.count > 0;
}

void soft_send(struct rnic *rnic, uint32_t handle)
{
    add_frame(rnic, &rnic->soft->controls, handle);
    processor_add(soft_processor(rnic), &rnic->soft->control,
                  processor_within(soft_processor(rnic)));
}

void soft_doorbell(struct rnic *rnic)
{
    for (uint8_t priority = 0; priority < PRIORITIES; priority++)
        while (rnic->classes[priority].answers.head != POOL_NONE) {
            const uint32_t handle = arbiter_next_answer(rnic, priority);
            if (handle != POOL_NONE)
                soft_send(rnic, handle);
        }
}

/* ------------------------------------------------------------------ reception */

static void drop_frame(struct rnic *rnic, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_of(rnic, handle);
    const struct probe_drop dropped = {
        .at = now,
        .node = rnic->port.node->id,
        .port = rnic->port.index,
        .priority = frame->priority,
        .cause = PROBE_DROP_RX_BUFFER,
        .egress = UINT16_MAX,
        .frame_bytes = frame->bytes,
        .source = frame->source,
        .destination = frame->destination,
        .qpn = frame->qpn,
        .psn = frame->psn,
        .opcode = frame->opcode,
        .payload = frame->payload,
        .occupancy = rnic->soft->ring.count + rnic->soft->waiting.count,
        .threshold = soft_costs(rnic)->receive_ring + soft_costs(rnic)->receive_backlog,
    };
    rnic->counters.rx_buffer_drops++;
    rnic->port.probe->drop(rnic->port.probe->self, &dropped);
    frame_give(rnic->port.frames, handle);
}

/* With a backlog, buffers are returned in batches; without one, each at once. */
static bool has_buffer(const struct rnic *rnic)
{
    const struct soft *soft = rnic->soft;
    const bool lasting = soft_costs(rnic)->receive_backlog > 0;
    return soft->ring.count + (lasting ? soft->taken : 0) < soft_costs(rnic)->receive_ring;
}

static void take_in(struct rnic *rnic, uint32_t handle)
{
    add_frame(rnic, &rnic->soft->ring, handle);
    processor_add(soft_processor(rnic), &rnic->soft->receive, PROCESSOR_INTERRUPT);
}

/* The first frame without a buffer waits at the interface, later ones in the hub before it. */
static void hold_frame(struct rnic *rnic, uint32_t handle, time_ps now)
{
    struct soft *soft = rnic->soft;
    rnic->counters.rx_out_of_buffer++;
    if (soft->overtaken.count + soft->waiting.count >= soft_costs(rnic)->receive_backlog)
        drop_frame(rnic, handle, now);
    else
        add_frame(rnic, soft->overtaken.count == 0 ? &soft->overtaken : &soft->waiting, handle);
}

void soft_receive(struct rnic *rnic, uint32_t handle, time_ps now)
{
    if (rnic->soft->overtaken.count > 0 || !has_buffer(rnic))
        hold_frame(rnic, handle, now);
    else
        take_in(rnic, handle);
}

/* The hub's frames go first; the first of them without a buffer again waits at the interface, after
 * those already there. */
static void refill(struct rnic *rnic)
{
    struct soft *soft = rnic->soft;
    soft->taken = 0;
    while (soft->waiting.count > 0 && has_buffer(rnic))
        take_in(rnic, take_frame(rnic, &soft->waiting));
    if (soft->waiting.count > 0)
        add_frame(rnic, &soft->overtaken, take_frame(rnic, &soft->waiting));
    while (soft->overtaken.count > 0 && has_buffer(rnic))
        take_in(rnic, take_frame(rnic, &soft->overtaken));
}

/* Returns buffers at the end of a turn, if they are more than half of the budget or of the ring
 * (Linux virtio_net.c virtnet_receive). */
static void give_buffers_back(struct rnic *rnic)
{
    const int64_t ring = soft_costs(rnic)->receive_ring;
    if (rnic->soft->taken > (ring < POLL_BUDGET ? ring : POLL_BUDGET) / 2)
        refill(rnic);
}

static bool is_control(const struct frame *frame)
{
    return frame->opcode == FRAME_RC_ACKNOWLEDGE || frame->opcode == FRAME_CNP ||
           frame->opcode == FRAME_UD_SEND_ONLY;
}

static time_ps begin_receive(struct work *work, time_ps now)
{
    struct soft *soft = (struct soft *)(void *)((char *)work - offsetof(struct soft, receive));
    const struct soft_params *cost = soft_costs(soft->rnic);
    const struct frame *frame = frame_of(soft->rnic, soft->ring.head);
    const time_ps interrupt = soft->polling ? 0 : cost->interrupt;
    (void)now;
    soft->polling = true;
    if (is_control(frame))
        return interrupt + cost->receive_ack;
    return interrupt + cost->receive_packet + cost->receive_byte * frame->payload;
}

static void deliver_frame(struct rnic *rnic, uint32_t handle, time_ps now)
{
    if ((rnic->rx_odd & RNIC_RX_BUFFERED) == 0)
        rnic_transport(rnic, handle, now);
    else
        rx_buffer_add(rnic, handle, now);
}

/* After the budget is used up, other work has its turn. */
static bool end_receive(struct work *work, time_ps now)
{
    struct soft *soft = (struct soft *)(void *)((char *)work - offsetof(struct soft, receive));
    soft->taken++;
    deliver_frame(soft->rnic, take_frame(soft->rnic, &soft->ring), now);
    if (--soft->budget > 0 && soft->ring.count > 0)
        return true;
    soft->budget = POLL_BUDGET;
    give_buffers_back(soft->rnic);
    if (soft->ring.count == 0) {
        soft->polling = false;
        return false;
    }
    processor_add(soft_processor(soft->rnic), work, PROCESSOR_INTERRUPT);
    return false;
}

/* ------------------------------------------------------------------ creation */

void soft_qp_init(struct rnic *rnic, struct qp *qp)
{
    struct soft_qp *own = memory_new(sizeof *own);
    *own = (struct soft_qp){
        .requester = {.node = rnic->port.node, .begin = begin_request, .end = end_request},
        .responder = {.node = rnic->port.node,
                      .begin = begin_response,
                      .end = end_response,
                      .tasklet = true},
        .rnic = rnic,
        .qp = qp,
        .request = POOL_NONE,
        .response = POOL_NONE,
    };
    qp->soft = own;
    qp->flags |= QP_SOFT;
}

void soft_qp_fini(struct qp *qp)
{
    struct soft_qp *own = qp->soft;
    struct frame_pool *frames = own->rnic->port.frames;
    processor_remove(soft_processor(own->rnic), &own->requester);
    processor_remove(soft_processor(own->rnic), &own->responder);
    if (own->request != POOL_NONE)
        frame_give(frames, own->request);
    if (own->response != POOL_NONE)
        frame_give(frames, own->response);
    free(own);
    qp->soft = NULL;
}

void soft_init(struct rnic *rnic, struct machine *machine)
{
    static const struct soft_list empty = {POOL_NONE, POOL_NONE, 0};
    struct soft *soft = memory_new(sizeof *soft);
    *soft = (struct soft){
        .rnic = rnic,
        .machine = machine,
        .receive = {.node = rnic->port.node, .begin = begin_receive, .end = end_receive},
        .control = {.node = rnic->port.node, .begin = begin_control, .end = end_control},
        .ring = empty,
        .waiting = empty,
        .overtaken = empty,
        .controls = empty,
        .leaving = empty,
        .budget = POLL_BUDGET,
    };
    machine->process.device_of = soft_device_of;
    rnic->soft = soft;
    rnic->port.source = next_handed;
    rnic->arbitrates = false;
}

void soft_fini(struct rnic *rnic)
{
    struct soft *soft = rnic->soft;
    give_all(rnic, &soft->ring);
    give_all(rnic, &soft->waiting);
    give_all(rnic, &soft->overtaken);
    give_all(rnic, &soft->controls);
    give_all(rnic, &soft->leaving);
    free(soft);
    rnic->soft = NULL;
}

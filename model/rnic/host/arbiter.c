/* SPDX-License-Identifier: Apache-2.0
 * arbiter - lists of queue pairs, and the source of the port. For each priority:
 *   the port's own queue                    CNPs and CM messages, first
 *   answers         -> QP -> QP             QPs with an ACK or NAK, before the data
 *   ready           -> QP -> QP -> ...      one packet of the first, which then goes to the end
 * A QP that has to wait (pacing, RNR, PCIe) is on no list until its wake-up event. Wake-ups are not
 * canceled: one whose time is not the QP's wake_at does nothing. */
#include "rnic/host/arbiter.h"

#include "rnic/host/fast_path.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic_flight.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/soft/soft.h"

static struct rnic *of_port(struct port *port)
{
    return (struct rnic *)(void *)port;
}

static struct qp *qp_at(const struct rnic *rnic, uint32_t index)
{
    return &rnic->qp_slots[index];
}

/* ------------------------------------------------------------------ lists */

static void set_ready(struct rnic *rnic, uint8_t priority)
{
    rnic->port.ready |= (uint8_t)(1u << priority);
    if (!port_is_choosing(&rnic->port))
        rnic_want_dequeue(rnic);
}

static void push_ready(struct rnic *rnic, struct qp *qp)
{
    struct rnic_list *list = &rnic->classes[qp->data.priority].ready;
    const uint32_t index = rnic_qp_index(rnic, qp);
    qp->next_ready = POOL_NONE;
    qp->flags |= QP_LISTED;
    if (list->head == POOL_NONE)
        list->head = index;
    else
        qp_at(rnic, list->tail)->next_ready = index;
    list->tail = index;
    set_ready(rnic, qp->data.priority);
}

void arbiter_list_answer(struct rnic *rnic, struct qp *qp)
{
    struct rnic_list *list = &rnic->classes[qp->ack.priority].answers;
    const uint32_t index = rnic_qp_index(rnic, qp);
    CHECK((qp->rx_flags & QP_RX_LISTED) == 0);
    qp->next_answer = POOL_NONE;
    qp->rx_flags |= QP_RX_LISTED;
    if (list->head == POOL_NONE)
        list->head = index;
    else
        qp_at(rnic, list->tail)->next_answer = index;
    list->tail = index;
    set_ready(rnic, qp->ack.priority);
}

static void unlist_ready(struct rnic *rnic, const struct qp *qp)
{
    struct rnic_list *list = &rnic->classes[qp->data.priority].ready;
    const uint32_t index = rnic_qp_index(rnic, qp);
    uint32_t before = POOL_NONE;
    for (uint32_t at = list->head; at != index; at = qp_at(rnic, at)->next_ready)
        before = at;
    if (before == POOL_NONE)
        list->head = qp->next_ready;
    else
        qp_at(rnic, before)->next_ready = qp->next_ready;
    if (list->tail == index)
        list->tail = before;
}

static void unlist_answer(struct rnic *rnic, const struct qp *qp)
{
    struct rnic_list *list = &rnic->classes[qp->ack.priority].answers;
    const uint32_t index = rnic_qp_index(rnic, qp);
    uint32_t before = POOL_NONE;
    for (uint32_t at = list->head; at != index; at = qp_at(rnic, at)->next_answer)
        before = at;
    if (before == POOL_NONE)
        list->head = qp->next_answer;
    else
        qp_at(rnic, before)->next_answer = qp->next_answer;
    if (list->tail == index)
        list->tail = before;
}

void arbiter_unlist(struct rnic *rnic, struct qp *qp)
{
    if ((qp->flags & QP_LISTED) != 0)
        unlist_ready(rnic, qp);
    if ((qp->rx_flags & QP_RX_LISTED) != 0)
        unlist_answer(rnic, qp);
    qp->flags &= (uint16_t)~QP_LISTED;
    qp->rx_flags &= (uint8_t)~QP_RX_LISTED;
}

/* ------------------------------------------------------------------ next queue pair */

/* Without these flags a QP that has something to send may send it now. */
#define QP_MAY_WAIT (QP_RNR_WAIT | QP_LIMITED | QP_RESPOND | QP_SOFT | QP_FLIGHT | QP_SELECTIVE)

/* When the requester may send; clears an expired RNR wait. */
static time_ps requester_due(struct qp *qp, time_ps now)
{
    if (!requester_ready(qp))
        return TIME_NEVER;
    if ((qp->flags & (QP_RNR_WAIT | QP_FLIGHT | QP_SELECTIVE)) == 0)
        return now;
    if ((qp->flags & QP_FULL) != 0)
        return TIME_NEVER;
    const time_ps paced = (qp->flags & QP_FLIGHT) != 0 ? qp->pacer.flight->paced_until : now;
    if ((qp->flags & QP_RNR_WAIT) != 0 && qp->rnr_until > now)
        return time_later(paced, qp->rnr_until);
    qp->flags &= (uint16_t)~QP_RNR_WAIT;
    return time_later(paced, now);
}

/* When the QP may next send something; at or before now: at once. */
static NOINLINE time_ps next_due(struct qp *qp, time_ps now)
{
    const time_ps at = requester_due(qp, now);
    const bool respond = (qp->flags & QP_RESPOND) != 0 && responder_due(qp) < at;
    return time_later(qp->paced_until, respond ? responder_due(qp) : at);
}

time_ps arbiter_request_due(struct qp *qp, time_ps now)
{
    return time_later(qp->paced_until, requester_due(qp, now));
}

/* An earlier pending wake-up suffices. */
static inline void sleep_until(struct rnic *rnic, struct qp *qp, time_ps at)
{
    if (at < qp->wake_at)
        arbiter_set_wake(rnic, qp, at);
}

/* The QP is ready at `at`. */
static inline void ready_at(struct rnic *rnic, struct qp *qp, time_ps at, time_ps now)
{
    if (at <= now)
        push_ready(rnic, qp);
    else
        sleep_until(rnic, qp, at);
}

/* arbiter_look for a QP that more than a rate holds, or whose waiting the probe records. */
static NOINLINE void look_with_waits(struct rnic *rnic, struct qp *qp, time_ps now)
{
    rnic_watch_hold(rnic, qp, now);
    if ((qp->flags & QP_SOFT) != 0)
        soft_schedule(rnic, qp, now);
    else
        ready_at(rnic, qp, next_due(qp, now), now);
}

void arbiter_look(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const unsigned why = qp->flags & QP_MAY_WAIT;
    if (UNLIKELY((why & ~(unsigned)QP_LIMITED) != 0) || rnic_is_watched(rnic))
        look_with_waits(rnic, qp, now);
    else if (requester_ready(qp))
        ready_at(rnic, qp, why != 0 ? qp->paced_until : now, now);
}

/* Alternates between requests and READ responses. */
static NOINLINE uint32_t next_of_both(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (LIKELY((qp->flags & QP_RESPOND) == 0))
        return requester_next(rnic, qp, now);
    const bool request = requester_due(qp, now) <= now;
    const bool respond = responder_due(qp) <= now;
    if (respond && (!request || (qp->flags & QP_REQUESTED_LAST) != 0)) {
        qp->flags &= (uint16_t)~QP_REQUESTED_LAST;
        const uint32_t handle = responder_next_response(rnic, qp, now);
        responder_release(rnic, qp);
        return handle;
    }
    qp->flags |= QP_REQUESTED_LAST;
    return request ? requester_next(rnic, qp, now) : POOL_NONE;
}

/* A frame of a limited QP has left. */
static inline void charge(struct rnic *rnic, struct qp *qp, uint32_t bytes, time_ps now)
{
    arbiter_pace(qp, pacer_sent(&qp->pacer, &rnic->cc_site, bytes, now));
}

void arbiter_charge(struct rnic *rnic, struct qp *qp, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(rnic->port.frames, handle);
    if ((qp->flags & QP_LIMITED) == 0)
        return;
    if (UNLIKELY((qp->flags & QP_FLIGHT) != 0))
        rnic_flight_charge(rnic, qp, frame, now);
    else
        charge(rnic, qp, frame->bytes, now);
}

/* Moves the first of a list to the end; it stays ready. */
static void rotate(struct rnic *rnic, struct rnic_list *list, struct qp *first)
{
    const uint32_t index = list->head;
    if (LIKELY(index == list->tail))
        return;
    list->head = first->next_ready;
    first->next_ready = POOL_NONE;
    qp_at(rnic, list->tail)->next_ready = index;
    list->tail = index;
}

static bool may_send(struct qp *qp, time_ps now)
{
    return (qp->flags & QP_MAY_WAIT) == 0 ? requester_ready(qp) : next_due(qp, now) <= now;
}

static uint32_t take_packet(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (LIKELY(fast_path_may_send(qp, now)))
        return fast_path_send(rnic, qp, now);
    return may_send(qp, now) ? next_of_both(rnic, qp, now) : POOL_NONE;
}

static NOINLINE uint32_t next_data(struct rnic *rnic, struct rnic_list *list, time_ps now)
{
    while (list->head != POOL_NONE) {
        struct qp *qp = qp_at(rnic, list->head);
        list->head = qp->next_ready;
        qp->flags &= (uint16_t)~QP_LISTED;
        const uint32_t handle = take_packet(rnic, qp, now);
        if (handle != POOL_NONE)
            arbiter_charge(rnic, qp, handle, now);
        arbiter_schedule(rnic, qp, now);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

static uint32_t next_answer(struct rnic *rnic, struct rnic_list *list)
{
    while (list->head != POOL_NONE) {
        struct qp *qp = qp_at(rnic, list->head);
        list->head = qp->next_answer;
        qp->rx_flags &= (uint8_t)~QP_RX_LISTED;
        const uint32_t handle = responder_answer(rnic, qp);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

uint32_t arbiter_next_answer(struct rnic *rnic, uint8_t priority)
{
    return next_answer(rnic, &rnic->classes[priority].answers);
}

/* Takes a frame of a limited QP, which then sleeps until the time of its next frame. */
static NOINLINE uint32_t next_limited(struct rnic *rnic, struct rnic_list *list, struct qp *qp,
                                      time_ps now)
{
    list->head = qp->next_ready;
    qp->flags &= (uint16_t)~QP_LISTED;
    const uint32_t handle = fast_path_send(rnic, qp, now);
    charge(rnic, qp, qp->data.bytes, now);
    rnic_watch_hold(rnic, qp, now);
    if (LIKELY(qp->paced_until > now))
        sleep_until(rnic, qp, qp->paced_until);
    else
        arbiter_look(rnic, qp, now);
    if (list->head == POOL_NONE)
        rnic->port.ready &= (uint8_t) ~(1u << qp->data.priority);
    return handle;
}

/* For a class with nothing but data; POOL_NONE: the next packet is not the middle of a message. */
static inline uint32_t next_fast(struct rnic *rnic, struct rnic_list *list, time_ps now)
{
    if (list->head == POOL_NONE)
        return POOL_NONE;
    struct qp *qp = qp_at(rnic, list->head);
    if (!fast_path_may_send(qp, now))
        return POOL_NONE;
    if ((qp->flags & QP_LIMITED) != 0)
        return next_limited(rnic, list, qp, now);
    rotate(rnic, list, qp);
    return fast_path_send(rnic, qp, now);
}

static uint32_t next_of(struct rnic *rnic, uint8_t priority, time_ps now)
{
    struct rnic_list *answers = &rnic->classes[priority].answers;
    if (UNLIKELY(rnic->port.prios[priority].head != POOL_NONE))
        return port_shift(&rnic->port, priority);
    if (answers->head != POOL_NONE) {
        const uint32_t handle = next_answer(rnic, answers);
        if (handle != POOL_NONE)
            return handle;
    }
    return next_data(rnic, &rnic->classes[priority].ready, now);
}

bool arbiter_has_more(const struct rnic *rnic, uint8_t priority)
{
    const struct rnic_class *class = &rnic->classes[priority];
    return class->ready.head != POOL_NONE || class->answers.head != POOL_NONE ||
           rnic->port.prios[priority].head != POOL_NONE;
}

/* ------------------------------------------------------------------ next class */

/* Surplus round robin among the weighted priorities of `mask` (Adiseshu, Parulkar and Varghese,
 * SIGCOMM 1996), because a frame's size is known only once it is built: a turn lasts while its
 * credit is positive, and any excess is deducted from the next turn. A turn suspended by a pause
 * continues later without more credit. */
static NOINLINE uint8_t weighted_pick(struct rnic *rnic, unsigned mask)
{
    while ((mask & 1u << rnic->drr_next) == 0 || rnic->classes[rnic->drr_next].credit <= 0) {
        rnic->drr_next = (uint8_t)((rnic->drr_next + 1) % PRIORITIES);
        struct rnic_class *class = &rnic->classes[rnic->drr_next];
        if ((mask & 1u << rnic->drr_next) != 0 && class->credit <= 0)
            class->credit += class->quantum;
    }
    return rnic->drr_next;
}

/* A class with nothing more to send loses the rest of its turn. */
static NOINLINE void charge_class(struct rnic *rnic, uint8_t priority, uint32_t handle)
{
    struct rnic_class *class = &rnic->classes[priority];
    if (handle != POOL_NONE)
        class->credit -= frame_at(rnic->port.frames, handle)->bytes;
    if ((rnic->port.ready & 1u << priority) == 0 && class->credit > 0)
        class->credit = 0;
}

/* Selects the class in `mask` whose turn it is. */
static uint8_t pick_priority(struct rnic *rnic, unsigned mask)
{
    const unsigned strict = mask & rnic->strict;
    return LIKELY(strict != 0) ? (uint8_t)port_highest(strict) : weighted_pick(rnic, mask);
}

static inline void keep_ready(struct rnic *rnic, unsigned priority)
{
    const unsigned others = rnic->port.ready & ~(1u << priority);
    rnic->port.ready =
        (uint8_t)(others | (unsigned)arbiter_has_more(rnic, (uint8_t)priority) << priority);
}

static NOINLINE uint32_t next_general(struct rnic *rnic, uint8_t allowed, time_ps now)
{
    const struct port *port = &rnic->port;
    for (unsigned mask = port->ready & allowed; mask != 0; mask = port->ready & allowed) {
        const uint8_t priority = pick_priority(rnic, mask);
        const uint32_t handle = next_of(rnic, priority, now);
        keep_ready(rnic, priority);
        if (UNLIKELY((rnic->strict & 1u << priority) == 0))
            charge_class(rnic, priority, handle);
        if (handle != POOL_NONE)
            return handle;
    }
    return POOL_NONE;
}

static inline uint32_t next_frame(struct port *port, uint8_t allowed, time_ps now)
{
    struct rnic *rnic = of_port(port);
    const unsigned strict = port->ready & allowed & rnic->strict;
    if (LIKELY(strict != 0)) {
        const unsigned priority = port_highest(strict);
        struct rnic_class *class = &rnic->classes[priority];
        if (port->prios[priority].head != POOL_NONE) {
            const uint32_t handle = port_shift(port, (uint8_t)priority);
            keep_ready(rnic, priority);
            return handle;
        }
        if (class->answers.head == POOL_NONE) {
            const uint32_t handle = next_fast(rnic, &class->ready, now);
            if (LIKELY(handle != POOL_NONE))
                return handle;
        }
    }
    return next_general(rnic, allowed, now);
}

uint32_t arbiter_next(struct port *port, uint8_t allowed, time_ps now)
{
    return next_frame(port, allowed, now);
}

void arbiter_serve(struct rnic *rnic, time_ps now)
{
    if (LIKELY(rnic->arbitrates))
        port_serve(&rnic->port, next_frame, port_dequeue_later, now);
    else if (UNLIKELY(rnic->carry))
        lag_serve(rnic, now);
    else if (rnic->pipeline != NULL)
        pipeline_serve(rnic, now);
    else
        port_dequeue(&rnic->port, now); /* for a software RNIC */
}

NOINLINE void arbiter_serve_alone(struct rnic *rnic, time_ps now)
{
    *rnic->ready_ports = RNIC_HOST_BUSY;
    arbiter_serve(rnic, now);
    *rnic->ready_ports = 0;
}

NOINLINE void arbiter_acknowledged(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (!qp->timeout_pending && qp_outstanding(qp))
        requester_post_timer(rnic, qp);
    arbiter_schedule(rnic, qp, now);
    arbiter_end(rnic, now);
}

static NOINLINE void look_and_end(struct rnic *rnic, struct qp *qp, time_ps now)
{
    qp->wake_at = TIME_NEVER;
    arbiter_look(rnic, qp, now);
    arbiter_end(rnic, now);
}

/* Usually nothing else needs the wire, and the frame leaves by the shortest path. */
bool arbiter_wake_fast(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    const unsigned odd =
        QP_LISTED | QP_MAY_WAIT | QP_AGAIN | QP_ARBITRATED | QP_TX_ACTIVE | QP_TX_BYTES;
    struct qp *qp = rnic_qp_slot(rnic, qpn);
    if (qp->qpn != qpn || qp->wake_at != now)
        return true;
    if ((qp->flags & odd) != (QP_LIMITED | QP_TX_ACTIVE) || qp->paced_until > now ||
        !fast_path_is_middle(qp) || !arbiter_is_free(rnic, now))
        return false;
    fast_path_send_now(rnic, qp, now);
    charge(rnic, qp, qp->data.bytes, now);
    rnic_watch_hold(rnic, qp, now);
    if (LIKELY(qp->paced_until > now))
        arbiter_set_wake(rnic, qp, qp->paced_until);
    else
        look_and_end(rnic, qp, now);
    return true;
}

/* The only ready queue pair of the class, if its next packet is the middle of a message and it is
 * not limited (it stays ready); else NULL. */
static inline struct qp *sole_middle(struct rnic *rnic, const struct rnic_class *class, time_ps now)
{
    const uint32_t index = class->ready.head;
    if (class->answers.head != POOL_NONE || index == POOL_NONE || index != class->ready.tail)
        return NULL;
    struct qp *qp = qp_at(rnic, index);
    return (qp->flags & QP_LIMITED) == 0 && fast_path_may_send(qp, now) ? qp : NULL;
}

bool arbiter_dequeue_fast(struct rnic *rnic, time_ps now)
{
    struct port *port = &rnic->port;
    const unsigned strict = port->ready & rnic->strict;
    if (!FAST_PATH || !rnic->arbitrates || now < port->busy_until ||
        (port->paused | port->pfc_due) != 0 || strict == 0)
        return false;
    const unsigned priority = port_highest(strict);
    uint32_t handle;
    if (port->prios[priority].head != POOL_NONE) {
        handle = port_shift(port, (uint8_t)priority);
        keep_ready(rnic, priority);
    } else {
        struct qp *qp = sole_middle(rnic, &rnic->classes[priority], now);
        if (qp == NULL)
            return false;
        handle = fast_path_send(rnic, qp, now);
    }
    port_send(port, handle, frame_at(port->frames, handle), now);
    if (port->ready != 0)
        port_dequeue_later(port);
    return true;
}

void arbiter_wake(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp == NULL || qp->wake_at != now)
        return;
    qp->wake_at = TIME_NEVER;
    arbiter_schedule(rnic, qp, now);
}

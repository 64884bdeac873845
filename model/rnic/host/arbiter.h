/* SPDX-License-Identifier: Apache-2.0
 * arbiter - selects the queue pair whose packet is next on the wire.
 * The highest strict priority first, then the weighted ones by their shares; within a priority the
 * port's queue, then answers, then one packet of each ready queue pair in turn. */
#ifndef STORMGLASS_RNIC_HOST_ARBITER_H
#define STORMGLASS_RNIC_HOST_ARBITER_H

#include "net/port/port_inline.h"
#include "rnic/host/rnic.h"

/* The source of an RNIC's port. */
uint32_t arbiter_next(struct port *port, uint8_t allowed, time_ps now);

/* Makes the port send the next frame, if it may, or ensures a DEQUEUE. */
void arbiter_serve(struct rnic *rnic, time_ps now);

/* arbiter_serve for events that the host does not end. */
void arbiter_serve_alone(struct rnic *rnic, time_ps now);

/* Ends such an event: what became ready in it is sent, or a DEQUEUE is scheduled. */
static inline void arbiter_end(struct rnic *rnic, time_ps now)
{
    if (UNLIKELY(*rnic->ready_ports != 0))
        arbiter_serve_alone(rnic, now);
}

/* Whether a frame may leave at once. A conservative check: false only costs the slow path. */
static inline bool arbiter_is_free(const struct rnic *rnic, time_ps now)
{
    return rnic->port.busy_until <= now && port_is_quiet(&rnic->port);
}

/* Whether a frame of that priority may leave at once without changing a turn of the scheduler. */
static inline bool arbiter_may_pass(const struct rnic *rnic, uint8_t priority, time_ps now)
{
    return arbiter_is_free(rnic, now) && (rnic->strict & 1u << priority) != 0;
}

/* Posts the QP's wake-up. */
static INLINE void arbiter_set_wake(struct rnic *rnic, struct qp *qp, time_ps at)
{
    qp->wake_at = at;
    rnic_post(rnic, at, RNIC_EVENT_WAKE, (uint64_t)qp->qpn << 32);
}

/* arbiter_schedule for a QP that is on no list. */
void arbiter_look(struct rnic *rnic, struct qp *qp, time_ps now);

/* The QP is on its ready list, or its wake-up is due early enough. */
static inline bool arbiter_is_scheduled(const struct qp *qp, time_ps now)
{
    return (now < qp->paced_until && qp->wake_at <= qp->paced_until) ||
           (qp->flags & QP_LISTED) != 0;
}

/* The QP has nothing to send and need not be scheduled. */
static inline bool arbiter_is_idle(const struct qp *qp)
{
    return qp->sq_cur == qp->sq_visible && (qp->flags & (QP_TX_ACTIVE | QP_RESPOND)) == 0;
}

/* Puts the QP on its ready list, or sets its wake-up, if it has something to send. */
static inline void arbiter_schedule(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (!arbiter_is_scheduled(qp, now))
        arbiter_look(rnic, qp, now);
}

/* Rarely needed work after an ACK: posts a timer event, schedules the QP, and calls arbiter_end. */
void arbiter_acknowledged(struct rnic *rnic, struct qp *qp, time_ps now);

/* Puts the QP on the list of QPs with an answer. */
void arbiter_list_answer(struct rnic *rnic, struct qp *qp);

/* Removes the QP from its lists. */
void arbiter_unlist(struct rnic *rnic, struct qp *qp);

/* For a software RNIC, which does its own scheduling: when the requester may send, including
 * congestion control; accounting for a sent request; the next listed answer, or POOL_NONE. */
time_ps arbiter_request_due(struct qp *qp, time_ps now);
void arbiter_charge(struct rnic *rnic, struct qp *qp, uint32_t handle, time_ps now);
uint32_t arbiter_next_answer(struct rnic *rnic, uint8_t priority);

/* Handles a wake-up, which may be that of wake_at or an outdated one. */
void arbiter_wake(struct rnic *rnic, uint32_t qpn, time_ps now);

/* Handles a wake-up of a limited QP within a message, including arbiter_end. Returns false, with
 * nothing done, when it is not such a wake-up or others have to be served first. */
bool arbiter_wake_fast(struct rnic *rnic, uint32_t qpn, time_ps now);

/* Handles a DEQUEUE that is not outdated, if the next frame is easy to determine. Returns false,
 * with nothing done, when it is not; arbiter_serve must follow. */
bool arbiter_dequeue_fast(struct rnic *rnic, time_ps now);

/* Applies the pacer's result for a limited QP's next frame: its time, or PACER_UNLIMITED. */
static inline void arbiter_pace(struct qp *qp, time_ps until)
{
    qp->paced_until = until;
    if (UNLIKELY(until == PACER_UNLIMITED))
        qp->flags &= (uint16_t)~QP_LIMITED;
}

/* arbiter_pace for a QP that may have become limited just now. */
static inline void arbiter_limit(struct qp *qp, time_ps until)
{
    qp->flags |= QP_LIMITED;
    arbiter_pace(qp, until);
}

bool arbiter_has_more(const struct rnic *rnic, uint8_t priority);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * selective - what selective repeat keeps of a queue pair.
 * Requester: one bit for each PSN that is outstanding: its packet is known to have come out of
 * order, or, of a READ, its response has.  Responder: the requests that came before the expected
 * one, at most as many as the window, in the order of their PSNs.
 * Owner: the RNIC, by the queue pair's slot; most have none.
 * Source: Mittal et al., Revisiting Network Support for RDMA (IRN), SIGCOMM 2018, 3 and 4. */
#ifndef STORMGLASS_RNIC_QP_SELECTIVE_H
#define STORMGLASS_RNIC_QP_SELECTIVE_H

#include "rnic/host/rnic.h"

struct selective {
    /* requester */
    uint64_t *bits;         /* by PSN */
    uint32_t room;          /* bits, a power of two, or 0 */
    uint32_t acked;         /* the responder has all before it */
    uint32_t lost_below;    /* requests before it that have not come are lost */
    uint32_t answers_below; /* READ responses likewise */
    uint32_t cursor;        /* in this round all before it has had its turn */
    uint32_t recovery_psn;  /* the round ends when all before it is done */
    uint32_t window;        /* packets, at least 1 */
    bool recovering;
    time_ps event_at; /* of the timer's event that counts */
    time_ps since;    /* of the last progress, or timeout that counted as a retry */

    /* responder */
    struct frame *held;
    uint32_t count, held_room;
};

static inline struct selective *selective_of(const struct rnic *rnic, const struct qp *qp)
{
    return rnic->selective[rnic_qp_index(rnic, qp)];
}

/* A queue pair is connected; it ends. */
void selective_begin(struct rnic *rnic, struct qp *qp);
void selective_end(struct rnic *rnic, struct qp *qp);

/* The blob of a frame that is held goes back. */
void selective_forget(struct rnic *rnic, struct selective *own, uint32_t index);

/* The queue pair has failed: what was held is given up. */
void selective_drop(struct rnic *rnic, struct qp *qp);
void selective_fini(struct rnic *rnic);

/* A request has left; `frame` is it. */
void selective_sent(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

/* How many PSNs of a READ, `most` at most, are to be asked for at next_psn. */
uint32_t selective_missing(const struct rnic *rnic, const struct qp *qp, uint32_t most);

/* una_psn has moved on. */
void selective_landed(struct rnic *rnic, struct qp *qp, time_ps now);

/* Whether the timer's event that is due now is another's, or an older one. */
bool selective_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now);
void selective_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at);

/* No window room for a new packet. */
bool selective_is_full(const struct rnic *rnic, const struct qp *qp);

/* What is sent next, or what is outstanding, is another: QP_FULL by its windows. */
void selective_look(struct rnic *rnic, struct qp *qp);

void selective_audit(const struct rnic *rnic, const struct qp *qp);

#endif

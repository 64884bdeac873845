/* SPDX-License-Identifier: Apache-2.0
 * selective - selective repeat's state per queue pair.
 * Requester: one bit per outstanding PSN: its packet, or for a READ its response, is known to have
 * arrived out of order. Responder: the requests received ahead of the expected one, at most one
 * window of them, in PSN order.
 * Owner: the RNIC, by the queue pair's slot; most have none. Source: Mittal et al., Revisiting
 * Network Support for RDMA (IRN), SIGCOMM 2018, 3 and 4. */
#ifndef STORMGLASS_RNIC_QP_SELECTIVE_H
#define STORMGLASS_RNIC_QP_SELECTIVE_H

#include "rnic/host/rnic.h"

struct selective {
    /* requester */
    uint64_t *bits;         /* bit map by PSN */
    uint32_t room;          /* size of the bit map, a power of two, or 0 */
    uint32_t acked;         /* the responder has received everything before this PSN */
    uint32_t lost_below;    /* requests before this PSN that have not arrived are lost */
    uint32_t answers_below; /* the same for READ responses */
    uint32_t cursor;        /* everything before it has been handled in this round */
    uint32_t recovery_psn;  /* the round ends when everything before it is done */
    uint32_t window;        /* packets, at least 1 */
    bool recovering;
    time_ps event_at; /* time of the timer's valid event */
    time_ps since;    /* time of the last progress, or of the last timeout counted as a retry */

    /* responder */
    struct frame *held;
    uint32_t count, held_room;
};

static inline struct selective *selective_of(const struct rnic *rnic, const struct qp *qp)
{
    return rnic->selective[rnic_qp_index(rnic, qp)];
}

/* Call when a queue pair is connected; when it ends. */
void selective_begin(struct rnic *rnic, struct qp *qp);
void selective_end(struct rnic *rnic, struct qp *qp);

/* Releases the blob of a kept frame. */
void selective_forget(struct rnic *rnic, struct selective *own, uint32_t index);

/* The queue pair has failed: discards the kept packets. */
void selective_drop(struct rnic *rnic, struct qp *qp);
void selective_fini(struct rnic *rnic);

/* Records a request that has left as `frame`. */
void selective_sent(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

/* Number of PSNs of a READ, at most `most`, to request at next_psn. */
uint32_t selective_missing(const struct rnic *rnic, const struct qp *qp, uint32_t most);

/* una_psn has advanced. */
void selective_landed(struct rnic *rnic, struct qp *qp, time_ps now);

/* Whether the timer event due now is outdated or belongs to another queue pair. */
bool selective_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now);
void selective_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at);

/* Whether the window has no space for a new packet. */
bool selective_is_full(const struct rnic *rnic, const struct qp *qp);

/* Updates QP_FULL from the windows, after next_psn or the outstanding packets have changed. */
void selective_look(struct rnic *rnic, struct qp *qp);

void selective_audit(const struct rnic *rnic, const struct qp *qp);

#endif

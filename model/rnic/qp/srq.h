/* SPDX-License-Identifier: Apache-2.0
 * srq - a shared receive queue: receives that several queue pairs of an RNIC take from.
 * A message takes the oldest when its first packet comes, or the last one of a WRITE with immediate
 * data: from then on it is its queue pair's own, and flushed with it.  Where none is left the
 * message is refused (RNR NAK), whoever it is for.  Armed with a limit, the queue says once that
 * fewer are left.
 * Source: IBTA Vol 1 10.2.9, 11.6.3.4; Linux ibv_create_srq(3), rxe_resp.c get_srq_wqe.  Not
 * modelled: resizing.
 * Owner: the RNIC; the user destroys it after its queue pairs. */
#ifndef STORMGLASS_RNIC_QP_SRQ_H
#define STORMGLASS_RNIC_QP_SRQ_H

#include "rnic/host/rnic.h"

struct verbs_srq {
    struct rnic *rnic;
    struct qp_receive *items; /* a ring */
    uint32_t head, tail, mask;
    uint32_t limit; /* 0: not armed */
    uint32_t index; /* among the RNIC's */
    struct verbs_srq_user user;
};

struct verbs_srq *srq_create(struct rnic *rnic, uint32_t max_wr, const struct verbs_srq_user *user);
void srq_destroy(struct verbs_srq *srq);
void srq_fini(struct rnic *rnic); /* all that are left */

/* False: it is full. */
bool srq_post(struct verbs_srq *srq, const struct qp_receive *receive);

/* Gives the queue pair, which has none of its own, the oldest; false: none is left. */
bool srq_take(struct qp *qp);

void srq_arm(struct verbs_srq *srq, uint32_t limit);

/* RNIC_EVENT_SRQ_LIMIT. */
void srq_on_limit(struct rnic *rnic, uint32_t index);

/* The queue pair has failed: whoever listens is told, behind its completions, that it takes no more
 * (IBV_EVENT_QP_LAST_WQE_REACHED). */
void srq_left(struct rnic *rnic, const struct qp *qp, time_ps now);

/* RNIC_EVENT_LAST_WQE. */
void srq_on_left(const struct rnic *rnic, uint64_t argument);

/* Receives that are posted and not taken, of all. */
uint64_t srq_posted(const struct rnic *rnic);

#endif

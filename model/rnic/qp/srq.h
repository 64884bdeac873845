/* SPDX-License-Identifier: Apache-2.0
 * srq - a shared receive queue: receives used by several queue pairs of an RNIC.
 * A message takes the oldest receive when its first packet arrives, or the last one of a WRITE with
 * immediate data; from then on the receive belongs to its queue pair, and is flushed with it. When
 * none is left the message gets an RNR NAK, whichever queue pair it is for. An armed limit reports
 * once that fewer receives are left.
 * Source: IBTA Vol 1 10.2.9, 11.6.3.4; Linux ibv_create_srq(3), rxe_resp.c get_srq_wqe. Not
 * modeled: resizing. Owner: the RNIC; the user destroys it after its queue pairs. */
#ifndef STORMGLASS_RNIC_QP_SRQ_H
#define STORMGLASS_RNIC_QP_SRQ_H

#include "rnic/host/rnic.h"

struct verbs_srq {
    struct rnic *rnic;
    struct qp_receive *items; /* ring */
    uint32_t head, tail, mask;
    uint32_t limit; /* 0: not armed */
    uint32_t index; /* index in the RNIC's table */
    struct verbs_srq_user user;
};

struct verbs_srq *srq_create(struct rnic *rnic, uint32_t max_wr, const struct verbs_srq_user *user);
void srq_destroy(struct verbs_srq *srq);
void srq_fini(struct rnic *rnic); /* destroys all remaining ones */

/* Returns false when the queue is full. */
bool srq_post(struct verbs_srq *srq, const struct qp_receive *receive);

/* Moves the oldest receive to the queue pair, which must have none; false: none is left. */
bool srq_take(struct qp *qp);

void srq_arm(struct verbs_srq *srq, uint32_t limit);

/* Handles RNIC_EVENT_SRQ_LIMIT. */
void srq_on_limit(struct rnic *rnic, uint32_t index);

/* The queue pair has failed: reports to its user, after its completions, that it takes no more
 * receives (IBV_EVENT_QP_LAST_WQE_REACHED). */
void srq_left(struct rnic *rnic, const struct qp *qp, time_ps now);

/* Handles RNIC_EVENT_LAST_WQE. */
void srq_on_left(const struct rnic *rnic, uint64_t argument);

/* Total receives posted to all shared queues and not taken. */
uint64_t srq_posted(const struct rnic *rnic);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * reaction - how long a card takes to handle a loss: delayed NAKs and retransmissions, and ACK
 * timers that start short and double.
 *   nak-delay         from the packet after a gap to the NAK for it
 *   retransmit-delay  from a sequence NAK, or the detection of a missing READ response, to the
 *                     first retransmitted packet; the queue pair continues sending meanwhile
 *   adaptive-...      the timer starts at adaptive-timeout, is used adaptive-tries times, and then
 *                     doubles, up to the ACK timeout; progress resets it. After `retry-count` ACK
 *                     timeouts without progress the queue pair fails
 * Owner: the RNIC, by the queue pair's slot; only when one of these is configured, and not for
 * selective repeat and software RNICs. Source: Yu et al., Lumina, SIGCOMM 2023 (NACK generation and
 * reaction latency); NVIDIA, Adaptive Retransmission: Parameters Control (one range, reset by
 * progress; initial timeouts are not randomized). */
#ifndef STORMGLASS_RNIC_QP_REACTION_H
#define STORMGLASS_RNIC_QP_REACTION_H

#include "rnic/host/rnic.h"

struct reaction {
    time_ps nak_at;        /* when the NAK for nak_psn is sent; TIME_NEVER: none pending */
    time_ps retransmit_at; /* when to go back to retransmit_psn; TIME_NEVER: not pending */
    uint32_t nak_psn, retransmit_psn;
    /* adaptive timers */
    time_ps timer_at; /* time of the timer's valid event */
    time_ps waited;   /* total of the timers expired since the last progress, ps */
    uint32_t tries;   /* uses of the present timeout */
};

/* Whether the parameters require a reaction. */
bool reaction_is_wanted(const struct rnic *rnic);

/* Call when a queue pair is connected, fails, or ends. */
void reaction_begin(struct rnic *rnic, struct qp *qp);
void reaction_drop(struct rnic *rnic, struct qp *qp);
void reaction_end(struct rnic *rnic, struct qp *qp);
void reaction_fini(struct rnic *rnic);

/* A packet arrived after a gap; returns false when the NAK is to be sent at once. */
bool reaction_delays_nak(struct rnic *rnic, struct qp *qp, uint32_t missing, time_ps now);

/* The missing packet has arrived. */
void reaction_caught_up(const struct rnic *rnic, const struct qp *qp);

/* The missing packets must be retransmitted; returns false when at once. */
bool reaction_delays_retransmission(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);

/* Handles RNIC_EVENT_REACTION. */
void reaction_on_event(struct rnic *rnic, struct qp *qp, time_ps now);

/* una_psn has advanced. */
void reaction_progressed(struct rnic *rnic, struct qp *qp);

/* Bookkeeping of the ACK timer's event. */
void reaction_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at);
bool reaction_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now);

/* The ACK timer has expired. Returns false when it is not adaptive and the timeout counts as a
 * retry. */
bool reaction_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now);

void reaction_audit(const struct rnic *rnic, const struct qp *qp);

#endif

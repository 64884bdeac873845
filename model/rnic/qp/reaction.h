/* SPDX-License-Identifier: Apache-2.0
 * reaction - how a card deals with a loss in its own time: NAKs that take a while to be made and to
 * be followed, and ACK timers that begin short and double.
 *   nak-delay         from the packet behind a gap to the NAK for it
 *   retransmit-delay  from a sequence NAK, or a READ response that is known to be missing, to the
 *                     first packet that is sent again; the queue pair goes on sending meanwhile
 *   adaptive-...      the timer begins with adaptive-timeout, is used adaptive-tries times, and
 *                     doubles, up to the ACK timeout; progress takes it back.  Who hears of no
 *                     progress for `retry-count` ACK timeouts gives up
 * Owner: the RNIC, by the queue pair's slot; only where one of these is asked for, and not for
 * selective repeat and software RNICs.
 * Source: Yu et al., Lumina, SIGCOMM 2023 (NACK generation and reaction latency); NVIDIA, Adaptive
 * Retransmission: Parameters Control (one range, reset by progress; initial timeouts are not
 * randomized). */
#ifndef STORMGLASS_RNIC_QP_REACTION_H
#define STORMGLASS_RNIC_QP_REACTION_H

#include "rnic/host/rnic.h"

struct reaction {
    time_ps nak_at;        /* when the NAK for nak_psn is made; TIME_NEVER: none is */
    time_ps retransmit_at; /* when retransmit_psn is gone back to; TIME_NEVER: it is not */
    uint32_t nak_psn, retransmit_psn;
    /* adaptive timers */
    time_ps timer_at; /* of the timer's event that counts */
    time_ps waited;   /* timers that ran out since the last progress, together */
    uint32_t tries;   /* with the present timeout */
};

/* The parameters ask for one. */
bool reaction_is_wanted(const struct rnic *rnic);

/* A queue pair is connected, fails, ends. */
void reaction_begin(struct rnic *rnic, struct qp *qp);
void reaction_drop(struct rnic *rnic, struct qp *qp);
void reaction_end(struct rnic *rnic, struct qp *qp);
void reaction_fini(struct rnic *rnic);

/* A gap was seen before the packet that came; false: its NAK is made at once. */
bool reaction_delays_nak(struct rnic *rnic, struct qp *qp, uint32_t missing, time_ps now);

/* What was missing has come. */
void reaction_caught_up(const struct rnic *rnic, const struct qp *qp);

/* What is missing is to be sent again; false: at once. */
bool reaction_delays_retransmission(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now);

/* RNIC_EVENT_REACTION. */
void reaction_on_event(struct rnic *rnic, struct qp *qp, time_ps now);

/* una_psn has moved on. */
void reaction_progressed(struct rnic *rnic, struct qp *qp);

/* The ACK timer. */
void reaction_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at);
bool reaction_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now);

/* It ran out.  False: it does not adapt, and a timeout is a retry. */
bool reaction_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now);

void reaction_audit(const struct rnic *rnic, const struct qp *qp);

#endif

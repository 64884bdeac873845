/* SPDX-License-Identifier: Apache-2.0
 * rnic_flight - queue pairs whose congestion control processes ACKs (QP_FLIGHT).
 * Their pacer delays only requests, because READ responses are not acknowledged. */
#ifndef STORMGLASS_RNIC_HOST_RNIC_FLIGHT_H
#define STORMGLASS_RNIC_HOST_RNIC_FLIGHT_H

#include "rnic/host/rnic.h"

/* Call when the queue pair is connected. */
void rnic_flight_begin(struct rnic *rnic, struct qp *qp, time_ps now);

/* Records a request packet that is about to leave. */
void rnic_flight_sent(struct rnic *rnic, struct qp *qp, struct frame *frame, time_ps now);

/* Charges a frame of a limited queue pair that has left. */
void rnic_flight_charge(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

/* Everything before una_psn is acknowledged. */
void rnic_flight_landed(struct rnic *rnic, struct qp *qp);

/* Everything from next_psn on is retransmitted or given up. */
void rnic_flight_back(struct rnic *rnic, struct qp *qp);

/* Handles an ACK after rnic_flight_landed; the next packet may be due sooner. */
void rnic_flight_acknowledged(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                              time_ps now);

/* Handles a NAK or a timeout; before going back. */
void rnic_flight_refused(struct rnic *rnic, struct qp *qp, enum cc_nak why, time_ps now);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * rnic_flight - queue pairs whose congestion control hears of ACKs (QP_FLIGHT).
 * Their pacer holds back requests alone: nobody acknowledges READ responses. */
#ifndef STORMGLASS_RNIC_HOST_RNIC_FLIGHT_H
#define STORMGLASS_RNIC_HOST_RNIC_FLIGHT_H

#include "rnic/host/rnic.h"

/* The queue pair is connected. */
void rnic_flight_begin(struct rnic *rnic, struct qp *qp, time_ps now);

/* A request packet is about to leave, and accounted for. */
void rnic_flight_sent(struct rnic *rnic, struct qp *qp, struct frame *frame, time_ps now);

/* A frame of one that is limited has left. */
void rnic_flight_charge(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now);

/* All before una_psn is acknowledged. */
void rnic_flight_landed(struct rnic *rnic, struct qp *qp);

/* All from next_psn on is sent again or given up. */
void rnic_flight_back(struct rnic *rnic, struct qp *qp);

/* An ACK has come, and what it acknowledges has landed; the next packet may be due sooner. */
void rnic_flight_acknowledged(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                              time_ps now);

/* A NAK, or none in time; before anything goes back. */
void rnic_flight_refused(struct rnic *rnic, struct qp *qp, enum cc_nak why, time_ps now);

#endif

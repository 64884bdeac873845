/* SPDX-License-Identifier: Apache-2.0
 * notification - congestion notifications between the two ends of a queue pair: the receiver of a
 * marked packet sends a CNP, or sets BECN in its next ACK; the sender passes both on to its
 * congestion control. Source: IBTA annex A17.9.3 (RoCEv2 CNP), annex A10.2.2 (FECN and BECN). */
#ifndef STORMGLASS_RNIC_HOST_NOTIFICATION_H
#define STORMGLASS_RNIC_HOST_NOTIFICATION_H

#include "rnic/host/rnic.h"

/* A packet with a CE mark, or with FECN, has arrived. */
void notification_send(struct rnic *rnic, struct qp *qp, const struct frame *marked, time_ps now);

/* A CNP, or an ACK with BECN, has arrived. */
void notification_becn(struct rnic *rnic, struct qp *qp, time_ps now);

#endif

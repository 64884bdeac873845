/* SPDX-License-Identifier: Apache-2.0
 * cm_send - sends connection manager messages as frames. */
#ifndef STORMGLASS_RNIC_CM_CM_SEND_H
#define STORMGLASS_RNIC_CM_CM_SEND_H

#include "rnic/cm/cm.h"

/* Sends one UD packet from QP 1 to QP 1. */
void cm_send(struct rnic *rnic, const struct cm_peer *peer, const struct cm_mad *mad);

/* Sends an RTU, DREQ or DREP of a connection. */
void cm_send_short(struct verbs_conn *conn, enum cm_attribute attribute);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * cm_conn - the connections of an RNIC by communication ID.
 * Like a QPN, an ID consists of a slot and its generation, so that an answer to a connection that
 * no longer exists finds nothing. */
#ifndef STORMGLASS_RNIC_CM_CM_CONN_H
#define STORMGLASS_RNIC_CM_CM_CONN_H

#include "rnic/host/rnic.h"

void cm_conn_init(struct cm *cm);
void cm_conn_fini(struct cm *cm);

struct verbs_conn *cm_conn_take(struct rnic *rnic, const struct verbs_user *user,
                                void (*on_timer)(void *self, time_ps now));
void cm_conn_give(struct verbs_conn *conn);

uint32_t cm_conn_id(const struct verbs_conn *conn);

/* NULL: none, or destroyed. */
struct verbs_conn *cm_conn_of_id(struct rnic *rnic, uint32_t id);

/* Enters a passive connection, with known peer and remote ID, in the table of
 * cm_conn_of_request. */
void cm_conn_enter(struct verbs_conn *conn);

/* The passive connection created by a peer's REQ. */
struct verbs_conn *cm_conn_of_request(struct rnic *rnic, uint32_t peer, uint32_t remote_id);

/* The member of a link aggregate for which a message from the endpoint is, by whatever port it
 * came; for a new REQ the member selected for it. The RNIC itself when it is not in an
 * aggregate. */
struct rnic *cm_conn_member(struct rnic *rnic, const struct frame *frame, const struct cm_mad *mad);

void cm_conn_audit(const struct cm *cm);

#endif

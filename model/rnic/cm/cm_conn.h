/* SPDX-License-Identifier: Apache-2.0
 * cm_conn - the connections of an RNIC by communication ID.
 * An ID names a slot and its generation, as a QPN does, so an answer to a connection that is gone
 * finds nothing. */
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

/* Its peer and remote ID are known: it is passive, and cm_conn_of_request finds it. */
void cm_conn_enter(struct verbs_conn *conn);

/* The passive connection that a peer's REQ has made. */
struct verbs_conn *cm_conn_of_request(struct rnic *rnic, uint32_t peer, uint32_t remote_id);

/* The member of a link aggregate that a message from the endpoint is for, by whatever port it came;
 * of a new REQ the one that is chosen for it.  The RNIC itself where it is no member. */
struct rnic *cm_conn_member(struct rnic *rnic, uint32_t source, const struct cm_mad *mad);

void cm_conn_audit(const struct cm *cm);

#endif

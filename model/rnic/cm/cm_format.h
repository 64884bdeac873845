/* SPDX-License-Identifier: Apache-2.0
 * cm_format - the REQ and REP of a connection, kept as its own message, and a REJ.
 * Source: IBTA Vol 1 12.6; Linux cma.c and cm.c. */
#ifndef STORMGLASS_RNIC_CM_CM_FORMAT_H
#define STORMGLASS_RNIC_CM_CM_FORMAT_H

#include "rnic/host/rnic.h"

void cm_format_req(struct verbs_conn *conn, uint16_t port, const struct rdma_conn_param *param);
void cm_format_rep(struct verbs_conn *conn, const struct rdma_conn_param *param);

/* The port that the host which asks has for its connection: of the ephemeral ones. */
uint16_t cm_source_port(const struct verbs_conn *conn);

/* What the ports of a link aggregate's connections are drawn from. */
uint64_t cm_port_seed(const struct rnic *rnic);

/* Of a connection of a link aggregate, known before its member is. */
uint16_t cm_port_of_tid(struct rnic *rnic, uint64_t tid);

/* Of two limits the one that both can hold. */
static inline uint8_t cm_least(int64_t a, int64_t b)
{
    return (uint8_t)(a < b ? a : b);
}

/* What the queue pair of the connection has, by its own message and that of the other end. */
struct qp_connection cm_format_terms(const struct verbs_conn *conn, const struct cm_mad *theirs);

/* Sends it: nobody has to answer. */
void cm_send_rej(struct verbs_conn *conn, const void *private_data, uint8_t private_len);

#endif

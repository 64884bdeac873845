/* SPDX-License-Identifier: Apache-2.0
 * cm_format - fills in a connection's REQ, REP or REJ message.
 * Source: IBTA Vol 1 12.6; Linux cma.c and cm.c. */
#ifndef STORMGLASS_RNIC_CM_CM_FORMAT_H
#define STORMGLASS_RNIC_CM_CM_FORMAT_H

#include "rnic/host/rnic.h"

void cm_format_req(struct verbs_conn *conn, uint16_t port, const struct rdma_conn_param *param);
/* Time that a response timeout code of a REQ stands for. */
time_ps cm_response_time(uint8_t code);

void cm_format_rep(struct verbs_conn *conn, const struct rdma_conn_param *param);

/* Source port of the connection at the requesting host: an ephemeral port. */
uint16_t cm_source_port(const struct verbs_conn *conn);

/* Seed of the source ports of a link aggregate's connections. */
uint64_t cm_port_seed(const struct rnic *rnic);

/* Source port of a link aggregate's connection, known before its member is selected. */
uint16_t cm_port_of_tid(struct rnic *rnic, uint64_t tid);

/* The smaller of two limits. */
static inline uint8_t cm_least(int64_t a, int64_t b)
{
    return (uint8_t)(a < b ? a : b);
}

/* Attributes of the connection's queue pair, from its own message and the peer's. */
struct qp_connection cm_format_terms(const struct verbs_conn *conn, const struct cm_mad *theirs);

/* Sends a REJ, which is not answered. */
void cm_send_rej(struct verbs_conn *conn, const void *private_data, uint8_t private_len);

#endif

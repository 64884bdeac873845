/* SPDX-License-Identifier: Apache-2.0
 * cm - the connection manager: rdma_cm's active and passive side on IB CM messages.
 * Source: IBTA Vol 1 ch. 12; event sequences of librdmacm; timers of the Linux kernel
 * (drivers/infiniband/core/cma.c: response timeout code 20, 15 retries).  Address and route
 * resolution are times, and fail where the peer is out of reach (cm_setup.h).
 * Not modelled: time-wait, MRA.  Messages ride in the traffic
 * class of their connection, which the passive side takes from the REQ's primary path (12.7.11,
 * Linux cm.c cm_format_paths_from_req); the priority is what each side's own map says of it.
 * Owner: the RNIC.  Errors: as events of enum rdma_cm_event_type. */
#ifndef STORMGLASS_RNIC_CM_CM_H
#define STORMGLASS_RNIC_CM_CM_H

#include "base/env.h"
#include "base/pool.h"
#include "base/slab.h"
#include "rnic/cm/cm_mad.h"
#include "rnic/qp/packet_class.h"
#include "rnic/soft/process.h"
#include "rnic/verbs.h"

#include <stdbool.h>

struct rnic;
struct qp;
struct frame;

enum cm_state {
    CM_IDLE,
    CM_REQ_SENT,     /* active: waits for a REP */
    CM_REQ_RECEIVED, /* passive: the ULP has to accept or reject */
    CM_REP_SENT,     /* passive: waits for the RTU or data */
    CM_ESTABLISHED,
    CM_DREQ_SENT,
    CM_CLOSED,
    /* steps that cost time, cm_setup.h: */
    CM_RESOLVING,  /* active, before its queue pair is made */
    CM_CREATING,   /* active, before the REQ */
    CM_CONNECTING, /* active, between REP and RTU */
    CM_ACCEPTING,  /* passive, between the ULP's answer and the REP */
};

enum { CM_COMMAND_SLOTS = 32 };

/* Where a message goes, and in what class. */
struct cm_peer {
    uint32_t endpoint; /* endpoint */
    struct packet_class class;
    uint32_t flow_label; /* of the connection; 0: of none */
};

struct verbs_conn {
    uint32_t slot; /* its index; of a free one, the slab's */
    uint32_t next_request;
    struct rnic *rnic;
    struct qp *qp; /* NULL until prepared */
    struct verbs_user user;
    enum cm_state state;
    bool taken, destroyed, passive;
    uint8_t overrun; /* enum cq_overrun */
    bool fences;     /* what is posted next waits for all before it */
    uint8_t generation;
    uint8_t tries;        /* of the message that waits for its answer */
    uint32_t undelivered; /* completions under way */
    uint32_t remote_id, remote_qpn;
    struct cm_peer peer; /* to the peer */
    uint64_t tid;
    time_ps resolve_by;  /* address resolution ends then; 0: the peer's address was not in doubt */
    uint64_t bulk_taken; /* payload into bulk memory here, of whole messages */
    struct cm_mad *mine; /* the message of this side that may have to be sent again, or NULL */
    struct cm_mad *theirs; /* the peer's REQ until it is answered, else NULL */
    struct timer timer;
    /* of a software RNIC */
    struct process_queue queue;
    uint32_t oldest, newest; /* of the completions in it */
};

struct cm_listener {
    uint16_t port;
    struct verbs_user user;
};

struct cm {
    struct slab conns;
    struct cm_listener *listeners;
    uint32_t listener_count, listener_room;
    /* passive connections by what their peers asked for: a table of lists, POOL_NONE ends one */
    uint32_t *requests;
    uint32_t request_count, request_room;
    uint32_t id_base;
    uint64_t tids;
    uint64_t retries; /* messages that were sent again, ARP requests too */
    uint64_t guid;
    uint64_t port_seed; /* of the source ports of a link aggregate's connections */
    struct rng psns;
    time_ps commands[CM_COMMAND_SLOTS]; /* when each slot has executed all that it was given */
    time_ps context_at;                 /* the first connection has a context from then on */
    bool has_context;
};

void cm_init(struct rnic *rnic);
void cm_fini(struct rnic *rnic);

int cm_listen(struct rnic *rnic, uint16_t port, const struct verbs_user *user);
void cm_unlisten(struct rnic *rnic, uint16_t port);
struct verbs_conn *cm_connect(struct rnic *rnic, const struct verbs_peer *peer,
                              const struct ibv_qp_cap *cap, const struct rdma_conn_param *param,
                              const struct verbs_user *user);
int cm_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
               const struct verbs_user *user);
int cm_accept(struct verbs_conn *conn, const struct rdma_conn_param *param);
int cm_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len);
void cm_disconnect(struct verbs_conn *conn);
void cm_destroy(struct verbs_conn *conn);

/* A MAD for this RNIC's QP 1. */
void cm_receive(struct rnic *rnic, const struct frame *frame, const uint8_t *bytes);

/* The first request packet has come before the RTU; it is reported to the protocol in an event of
 * its own. */
void cm_on_first_data(struct verbs_conn *conn, time_ps now);
void cm_on_data_came(struct rnic *rnic, uint32_t id);

/* A completion was delivered; frees a destroyed connection after its last. */
void cm_delivered(struct verbs_conn *conn);

#endif

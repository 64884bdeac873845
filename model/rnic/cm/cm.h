/* SPDX-License-Identifier: Apache-2.0
 * cm - the connection manager: the active and passive side of rdma_cm, with IB CM messages.
 * Source: IBTA Vol 1 ch. 12; event sequences of librdmacm; timers of the Linux kernel
 * (drivers/infiniband/core/cma.c: response timeout code 20, 15 retries). The passive side uses the
 * response timeout and the retries in the REQ (cm.c cm_req_handler). Address and route
 * resolution are modeled as times, and fail when the peer is unreachable (cm_setup.h). Not modeled:
 * time-wait, MRA. Messages use the traffic class of their connection, which the passive side takes
 * from the REQ's primary path (12.7.11, Linux cm.c cm_format_paths_from_req); each side derives the
 * priority from its own DSCP map. Owner: the RNIC. Errors: as events of enum rdma_cm_event_type. */
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
    CM_REQ_SENT,     /* active: waiting for a REP */
    CM_REQ_RECEIVED, /* passive: waiting for the ULP to accept or reject */
    CM_REP_SENT,     /* passive: waiting for the RTU or data */
    CM_ESTABLISHED,
    CM_DREQ_SENT,
    CM_CLOSED,
    /* timed set-up steps, see cm_setup.h: */
    CM_RESOLVING,  /* active, before its queue pair is created */
    CM_CREATING,   /* active, before the REQ */
    CM_CONNECTING, /* active, between REP and RTU */
    CM_ACCEPTING,  /* passive, between the ULP's accept and the REP */
};

enum { CM_COMMAND_SLOTS = 32 };

/* Destination and class of a message. */
struct cm_peer {
    uint32_t endpoint;
    struct packet_class class;
    uint32_t flow_label; /* of the connection; 0: none */
};

struct verbs_conn {
    uint32_t slot; /* its index; for a free one, used by the slab */
    uint32_t next_request;
    struct rnic *rnic;
    struct qp *qp; /* NULL until prepared */
    struct verbs_user user;
    enum cm_state state;
    bool taken, destroyed, passive;
    uint8_t overrun; /* enum cq_overrun */
    bool polled;     /* by its user's threads, without interrupts */
    bool fences;     /* the next work request posted waits for all earlier ones */
    uint8_t generation;
    uint8_t tries;        /* retries of the message that waits for an answer */
    uint8_t tries_most;   /* of the active side's REQ at both ends, IBTA Vol 1 12.7.27 */
    time_ps patience;     /* time until a message without an answer is sent again */
    uint32_t undelivered; /* completions not yet delivered */
    uint32_t remote_id, remote_qpn;
    struct cm_peer peer; /* addressing of the peer */
    uint64_t tid;
    time_ps resolve_by;    /* deadline of address resolution; 0: the address resolved at once */
    uint64_t bulk_taken;   /* bytes of complete messages written to bulk memory here */
    struct cm_mad *mine;   /* last message of this side, for retransmission, or NULL */
    struct cm_mad *theirs; /* the peer's REQ until it is answered, else NULL */
    struct timer timer;
    /* for a software RNIC */
    struct process_queue queue;
    uint32_t oldest, newest; /* first and last completion in the queue */
};

struct cm_listener {
    uint16_t port;
    struct verbs_user user;
};

struct cm {
    struct slab conns;
    struct cm_listener *listeners;
    uint32_t listener_count, listener_room;
    /* passive connections by peer and remote ID: a hash table of lists that end with POOL_NONE */
    uint32_t *requests;
    uint32_t request_count, request_room;
    uint32_t id_base;
    uint64_t tids;
    uint64_t retries; /* retransmitted messages, including ARP requests */
    uint64_t guid;
    uint64_t port_seed; /* for the source ports of a link aggregate's connections */
    struct rng psns;
    time_ps commands[CM_COMMAND_SLOTS]; /* by slot: when it has executed all its commands */
    time_ps context_at;                 /* from when the first connection has a device context */
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

/* Handles a MAD for this RNIC's QP 1. */
void cm_receive(struct rnic *rnic, const struct frame *frame, const uint8_t *bytes);

/* The first request packet arrived before the RTU; the protocol is notified in a separate event. */
void cm_on_first_data(struct verbs_conn *conn, time_ps now);
void cm_on_data_came(struct rnic *rnic, uint32_t id);

/* Call when a completion was delivered; frees a destroyed connection after its last completion. */
void cm_delivered(struct verbs_conn *conn);

#endif

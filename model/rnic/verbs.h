/* SPDX-License-Identifier: Apache-2.0
 * verbs - the RDMA operations that a protocol may use.
 * One table, two implementations: the simulated RNIC on virtual time (rnic/) and libibverbs with
 * librdmacm on real time (bridge/).  The vocabulary is that of <infiniband/verbs.h> and
 * <rdma/rdma_cma.h>; a connection is one RC queue pair with its CM identifier, as rdma_cm pairs
 * them.
 *
 * Memory.  A buffer is registered by asking for one.  VERBS_BYTES buffers hold real bytes
 * (capsules, Connect and Identify data) which travel for real; VERBS_BULK buffers hold I/O data:
 * in the simulator a length and one content tag that travels with every transfer, on the bridge
 * real bytes made from the tag and checked. A work request names buffers by the addr and lkey of
 * their verbs_mr, never by a C pointer.
 *
 * Callbacks run to completion one at a time; they may post, connect and disconnect, but not
 * destroy the connection they are called for.
 * Errors: functions that can fail return 0 or a positive errno value. */
#ifndef STORMGLASS_RNIC_VERBS_H
#define STORMGLASS_RNIC_VERBS_H

#include "base/check.h"
#include "base/units.h"

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct verbs_conn;   /* owned by the implementation until destroy */
struct verbs_srq;    /* a shared receive queue; likewise */
struct verbs_device; /* one RNIC port */

/* The tag of memory that holds parts of several contents: no tag of one. */
#define VERBS_CONTENT_MIXED UINT32_C(0xFFFFFFFE)

/* EITHER: registered as such it is BULK that has bytes too, for receives of which nobody knows what
 * comes next.  Only where there are shared receive queues. */
enum verbs_memory { VERBS_BYTES, VERBS_BULK, VERBS_EITHER };

struct verbs_mr {
    uint64_t addr; /* for sge.addr and remote_addr */
    uint32_t length;
    uint32_t lkey, rkey;
    uint32_t content; /* BULK: the tag of what it holds; VERBS_CONTENT_MIXED: of several */
    enum verbs_memory memory;
    unsigned char *bytes; /* BYTES, EITHER: the memory itself; NULL for BULK in the simulator */
};

struct verbs_event {
    enum rdma_cm_event_type
        type;   /* CONNECT_REQUEST, ESTABLISHED, REJECTED, DISCONNECTED, UNREACHABLE ... */
    int status; /* REJECTED: the REJ reason, IBTA Vol 1 12.6.7.2 */
    uint32_t peer_ip;
    uint8_t responder_resources, initiator_depth; /* as the peer offered them */
    uint8_t private_len;
    const uint8_t *private_data; /* the ULP's own part; valid during the call */
};

/* What a protocol hands in for a listener or a connection. */
struct verbs_user {
    void *self;
    void (*on_cm)(void *self, struct verbs_conn *conn, const struct verbs_event *event);
    void (*on_completion)(void *self, struct verbs_conn *conn, const struct ibv_wc *wc);
    /* What the device tells of the connection besides: IBV_EVENT_CQ_ERR, its completion queue
     * overran; IBV_EVENT_QP_LAST_WQE_REACHED, its queue pair has failed and takes no more of the
     * receives that it shared: what it had taken has completed.  NULL: nobody listens, as most
     * programs do not. */
    void (*on_async)(void *self, struct verbs_conn *conn, enum ibv_event_type type);
    struct verbs_srq *srq; /* that a connection takes its receives from; NULL: it has its own */
};

struct verbs_srq_user {
    void *self;
    void (*on_limit)(void *self); /* IBV_EVENT_SRQ_LIMIT_REACHED */
};

/* The class of a connection's packets, as librdmacm's RDMA_OPTION_ID_TOS and `nvme connect --tos`
 * set it.  All zero: the device's own.  The other side takes the traffic class from the REQ. */
struct verbs_class {
    bool tos_set, priority_set;
    uint8_t tos;      /* DSCP << 2; the ECN bits are the device's */
    uint8_t priority; /* at the device's own port; not set: as the device maps the DSCP */
};

struct verbs_peer {
    uint32_t ip;
    uint16_t port;
    struct verbs_class class;
};

/* Payload into BULK memory that has come by a connection, in order. */
struct verbs_arrived {
    uint64_t here, there; /* at this end, and at the peer's */
    bool for_good;        /* false: loss recovery may begin messages under way anew, go-back-0 */
};

/* The largest private data that a protocol can send: IBTA Vol 1 12.6; a REQ keeps 36 of its 92
 * bytes for the IP CM service header (annex A11). */
enum { VERBS_REQ_PRIVATE_MAX = 56, VERBS_REP_PRIVATE_MAX = 196, VERBS_REJ_PRIVATE_MAX = 148 };

struct verbs_ops {
    const char *name;
    /* rkeys can be renewed and invalidated (LOCAL_INV, remote invalidation): fast registration,
     * which user space does not have.  Without it a buffer's rkey holds as long as the buffer. */
    bool fast_registration;

    /* NULL: there is no more memory that can be registered. */
    struct verbs_mr *(*reg_mr)(struct verbs_device *, uint32_t length, int access,
                               enum verbs_memory);
    /* Told by who cannot go on without the `length` bytes that were just not registered.  NULL: the
     * device always has memory. */
    void (*no_memory)(struct verbs_device *, uint32_t length);
    void (*dereg_mr)(struct verbs_device *, struct verbs_mr *);
    /* A fresh rkey for the next use of the buffer's first `length` bytes (fast registration: the
     * low key byte moves on), before what is posted to the connection next. */
    void (*renew_rkey)(struct verbs_conn *, struct verbs_mr *, uint32_t length);

    /* CONNECT_REQUEST events arrive at the listener's user with a new conn to accept or reject. */
    int (*listen)(struct verbs_device *, uint16_t port, const struct verbs_user *);
    /* What is asked for is refused from now on; connections stay. */
    void (*unlisten)(struct verbs_device *, uint16_t port);
    struct verbs_conn *(*connect)(struct verbs_device *, const struct verbs_peer *,
                                  const struct ibv_qp_cap *, const struct rdma_conn_param *,
                                  const struct verbs_user *);
    /* Prepares the queue pair of a requested connection (INIT), so that receives can be posted. */
    int (*prepare)(struct verbs_conn *, const struct ibv_qp_cap *, const struct verbs_user *);
    int (*accept)(struct verbs_conn *, const struct rdma_conn_param *);
    int (*reject)(struct verbs_conn *, const void *private_data, uint8_t private_len);
    void (*disconnect)(struct verbs_conn *);
    void (*destroy)(struct verbs_conn *);

    /* The chain is taken whole or up to *bad.  Opcodes: SEND and RDMA_WRITE, with immediate data
     * or without, SEND_WITH_INV, RDMA_READ, LOCAL_INV.  A connecting QP accepts receives at once
     * and sends from ESTABLISHED on. */
    int (*post_send)(struct verbs_conn *, struct ibv_send_wr *, struct ibv_send_wr **bad);
    int (*post_recv)(struct verbs_conn *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);

    /* Receives that several connections share: of `max_wr` at most.  post_recv of such a connection
     * is refused.  arm_srq: on_limit is told once, as soon as fewer than `limit` are posted.
     * Destroyed after its connections.  NULL: the device has none. */
    struct verbs_srq *(*create_srq)(struct verbs_device *, uint32_t max_wr,
                                    const struct verbs_srq_user *);
    int (*post_srq_recv)(struct verbs_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
    void (*arm_srq)(struct verbs_srq *, uint32_t limit);
    void (*destroy_srq)(struct verbs_srq *);

    uint32_t (*local_ip)(struct verbs_device *);
    uint32_t (*qp_num)(const struct verbs_conn *);
    /* The most RDMA READs that this device serves and issues per QP (max_qp_rd_atom,
     * max_qp_init_rd_atom). */
    uint8_t (*max_rd_atomic)(struct verbs_device *);
    /* Time of the core that posts and polls, for each message.  NULL: it takes what it takes. */
    time_ps (*post_cost)(struct verbs_device *);
    /* Makes the first `length` bytes of a BULK buffer that a peer will READ what its content says.
     * NULL: a tag is all there is. */
    void (*make)(struct verbs_device *, struct verbs_mr *, uint32_t length);
    /* Looks at what a peer has written into the first `length` bytes of a BULK buffer, and sets its
     * content.  NULL: the content is always that of the last transfer. */
    void (*look)(struct verbs_device *, struct verbs_mr *, uint32_t length);
    /* What has arrived so far; to be asked between events, for it looks at both ends.  False: they
     * are not connected (any more).  NULL: nobody can see both ends. */
    bool (*arrived)(const struct verbs_conn *, struct verbs_arrived *);
};

/* Memory that its owner cannot go on without.  What a peer asks for is not: see reg_mr. */
static inline struct verbs_mr *verbs_register(const struct verbs_ops *verbs,
                                              struct verbs_device *device, uint32_t length,
                                              int access, enum verbs_memory memory)
{
    struct verbs_mr *mr = verbs->reg_mr(device, length, access, memory);
    if (mr == NULL && verbs->no_memory != NULL)
        verbs->no_memory(device, length);
    CHECK(mr != NULL);
    return mr;
}

/* Fills the first `length` bytes of a BULK buffer with what a peer is to READ. */
static inline void verbs_fill(const struct verbs_ops *verbs, struct verbs_device *device,
                              struct verbs_mr *mr, uint32_t length, uint32_t content)
{
    mr->content = content;
    if (verbs->make != NULL)
        verbs->make(device, mr, length);
}

/* The tag of the first `length` bytes of a BULK buffer that the peer may have written. */
static inline uint32_t verbs_content(const struct verbs_ops *verbs, struct verbs_device *device,
                                     struct verbs_mr *mr, uint32_t length)
{
    if (verbs->look != NULL)
        verbs->look(device, mr, length);
    return mr->content;
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * verbs - the RDMA operations that a protocol may use.
 * One table with two implementations: the simulated RNIC in virtual time (rnic/), and libibverbs
 * with librdmacm in real time (bridge/). The vocabulary is that of <infiniband/verbs.h> and
 * <rdma/rdma_cma.h>; a connection is one RC queue pair with its CM identifier, as in rdma_cm.
 * Memory. A buffer is allocated and registered in one call. VERBS_BYTES buffers have real bytes
 * (capsules, Connect and Identify data) that are really transferred. VERBS_BULK buffers have I/O
 * data: in the simulator a length and a content tag that is part of every transfer, on the bridge
 * real bytes that are generated from the tag and checked. A work request refers to buffers by the
 * addr and lkey of their verbs_mr, never by a C pointer.
 * Callbacks run to completion one at a time; they may post, connect and disconnect, but not destroy
 * the connection for which they are called. Errors: functions that can fail return 0 or a positive
 * errno value. */
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
struct verbs_srq;    /* a shared receive queue; owned likewise */
struct verbs_device; /* one RNIC port */

/* The tag of memory with parts of several contents; not a tag of any single one. */
#define VERBS_CONTENT_MIXED UINT32_C(0xFFFFFFFE)

/* EITHER: BULK that also has bytes, for receives whose next message is unknown. Only with shared
 * receive queues. */
enum verbs_memory { VERBS_BYTES, VERBS_BULK, VERBS_EITHER };

struct verbs_mr {
    uint64_t addr; /* value for sge.addr and remote_addr */
    uint32_t length;
    uint32_t lkey, rkey;
    uint32_t content; /* BULK: tag of its content; VERBS_CONTENT_MIXED: several */
    enum verbs_memory memory;
    unsigned char *bytes; /* BYTES, EITHER: the memory; NULL for BULK in the simulator */
};

struct verbs_event {
    enum rdma_cm_event_type
        type;   /* CONNECT_REQUEST, ESTABLISHED, REJECTED, DISCONNECTED, UNREACHABLE ... */
    int status; /* REJECTED: the REJ reason, IBTA Vol 1 12.6.7.2; -ETIMEDOUT: no answer */
    uint32_t peer_ip;
    uint8_t responder_resources, initiator_depth; /* as offered by the peer */
    uint8_t private_len;
    const uint8_t *private_data; /* excluding headers of lower layers; valid during the call */
};

/* The callbacks and settings of a listener or a connection. */
struct verbs_user {
    void *self;
    void (*on_cm)(void *self, struct verbs_conn *conn, const struct verbs_event *event);
    void (*on_completion)(void *self, struct verbs_conn *conn, const struct ibv_wc *wc);
    /* Asynchronous events of the connection. IBV_EVENT_CQ_ERR: its completion queue overran.
     * IBV_EVENT_QP_LAST_WQE_REACHED: its queue pair has failed and takes no more shared receives;
     * those taken before have completed. NULL: ignored, as by most programs. */
    void (*on_async)(void *self, struct verbs_conn *conn, enum ibv_event_type type);
    struct verbs_srq *srq; /* source of a connection's receives; NULL: its own queue */
};

struct verbs_srq_user {
    void *self;
    void (*on_limit)(void *self); /* IBV_EVENT_SRQ_LIMIT_REACHED */
};

/* The class of a connection's packets, as set by librdmacm's RDMA_OPTION_ID_TOS and `nvme connect
 * --tos`. All zero: the device's default. The other side takes the traffic class from the REQ. */
struct verbs_class {
    bool tos_set, priority_set;
    uint8_t tos;      /* DSCP << 2; the device sets the ECN bits */
    uint8_t priority; /* at the device's own port; not set: from the device's DSCP map */
};

struct verbs_peer {
    uint32_t ip;
    uint16_t port;
    struct verbs_class class;
    bool polled; /* threads of the user poll the completion queue: IB_POLL_DIRECT */
};

/* Payload received into BULK memory by a connection, in order. */
struct verbs_arrived {
    uint64_t here, there; /* at this end, and at the peer's */
    bool for_good;        /* false: loss recovery may restart messages in progress (go-back-0) */
};

/* Maximum private data of a protocol: IBTA Vol 1 12.6; 36 of the REQ's 92 bytes are the IP CM
 * service header (annex A11). */
enum { VERBS_REQ_PRIVATE_MAX = 56, VERBS_REP_PRIVATE_MAX = 196, VERBS_REJ_PRIVATE_MAX = 148 };

/* The opcode of a send work request's completion. */
static inline enum ibv_wc_opcode verbs_completes_as(enum ibv_wr_opcode opcode)
{
    switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
        return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ:
        return IBV_WC_RDMA_READ;
    case IBV_WR_LOCAL_INV:
        return IBV_WC_LOCAL_INV;
    default:
        return IBV_WC_SEND;
    }
}

struct verbs_ops {
    const char *name;
    /* rkeys can be renewed and invalidated (LOCAL_INV, remote invalidation) by fast registration,
     * which does not exist in user space. Without it a buffer's rkey is valid as long as the
     * buffer. */
    bool fast_registration;

    /* NULL: no more memory can be registered. */
    struct verbs_mr *(*reg_mr)(struct verbs_device *, uint32_t length, int access,
                               enum verbs_memory);
    /* Called when a caller cannot continue because `length` bytes could not be registered. NULL:
     * registration never fails. */
    void (*no_memory)(struct verbs_device *, uint32_t length);
    void (*dereg_mr)(struct verbs_device *, struct verbs_mr *);
    /* Creates a new rkey for the next use of the buffer's first `length` bytes (fast registration:
     * the low key byte changes), effective before the next work request on the connection. */
    void (*renew_rkey)(struct verbs_conn *, struct verbs_mr *, uint32_t length);

    /* A CONNECT_REQUEST event passes a new conn to the listener's user, to accept or reject. */
    int (*listen)(struct verbs_device *, uint16_t port, const struct verbs_user *);
    /* Rejects new requests from now on; existing connections stay. */
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

    /* Takes the chain as a whole or up to *bad. Opcodes: SEND and RDMA_WRITE, with or without
     * immediate data, SEND_WITH_INV, RDMA_READ, LOCAL_INV. A connecting QP accepts receives at once
     * and sends once it is ESTABLISHED. */
    int (*post_send)(struct verbs_conn *, struct ibv_send_wr *, struct ibv_send_wr **bad);
    int (*post_recv)(struct verbs_conn *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);

    /* Shared receives, at most `max_wr`. post_recv fails for connections that use them. arm_srq:
     * calls on_limit once, when fewer than `limit` are posted. Must be destroyed after its
     * connections. NULL: not supported. */
    struct verbs_srq *(*create_srq)(struct verbs_device *, uint32_t max_wr,
                                    const struct verbs_srq_user *);
    int (*post_srq_recv)(struct verbs_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **bad);
    void (*arm_srq)(struct verbs_srq *, uint32_t limit);
    void (*destroy_srq)(struct verbs_srq *);

    uint32_t (*local_ip)(struct verbs_device *);
    uint32_t (*qp_num)(const struct verbs_conn *);
    /* Maximum number of RDMA READs that the device serves and issues per QP (max_qp_rd_atom,
     * max_qp_init_rd_atom). */
    uint8_t (*max_rd_atomic)(struct verbs_device *);
    /* CPU time of posting and polling per message, within its mean +- spread. NULL: real time. */
    time_ps (*post_cost)(struct verbs_device *, time_ps *spread);
    /* Fills the first `length` bytes of a BULK buffer, which a peer will READ, according to its
     * content tag. NULL: the tag is sufficient. */
    void (*make)(struct verbs_device *, struct verbs_mr *, uint32_t length);
    /* Inspects the first `length` bytes of a BULK buffer, written by a peer, and sets its content
     * tag. NULL: the tag is always that of the last transfer. */
    void (*look)(struct verbs_device *, struct verbs_mr *, uint32_t length);
    /* Data received so far. Call between events, because it reads both ends. False: not connected,
     * or no longer. NULL: both ends are not accessible. */
    bool (*arrived)(const struct verbs_conn *, struct verbs_arrived *);
    /* A SEND or WRITE completes when the stream has taken its data, which is before they arrive
     * (RFC 5040 section 5.5: completion says nothing about the peer). */
    bool completes_before_arrival;
    /* Time that a core worked for the connection's completions. NULL: not measured. */
    time_ps (*cpu)(const struct verbs_conn *);
    /* Frees a device that belongs to its user. NULL: devices belong to others. */
    void (*release)(struct verbs_device *);
};

/* Allocates memory without which its owner cannot continue. For sizes requested by a peer use
 * reg_mr. */
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

/* Fills the first `length` bytes of a BULK buffer that a peer will READ. */
static inline void verbs_fill(const struct verbs_ops *verbs, struct verbs_device *device,
                              struct verbs_mr *mr, uint32_t length, uint32_t content)
{
    mr->content = content;
    if (verbs->make != NULL)
        verbs->make(device, mr, length);
}

/* Tag of the first `length` bytes of a BULK buffer that the peer may have written. */
static inline uint32_t verbs_content(const struct verbs_ops *verbs, struct verbs_device *device,
                                     struct verbs_mr *mr, uint32_t length)
{
    if (verbs->look != NULL)
        verbs->look(device, mr, length);
    return mr->content;
}

#endif

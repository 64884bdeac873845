/* SPDX-License-Identifier: Apache-2.0
 * transport - what moves capsules and data for NVMe-oF hosts and targets.
 * The command core (host/, target/) knows queues, commands, capsules and buffers, and no network.
 * A transport is a table of operations: RDMA (rdma/rdma.h) is one.
 *
 *                     RDMA                        a transport of PDUs, as NVMe/TCP
 *   connect, accept   CM handshake, queue pair    TCP handshake, ICReq and ICResp
 *   send_command      SEND of a command capsule   CapsuleCmd, with or without data
 *   map               registered memory, a key    memory
 *   on_done           SEND and invalidation are   the last byte is sent, the response is here
 *                     complete, the response here
 *   fetch             RDMA READ                   R2T, until all of H2CData is here
 *   respond           RDMA WRITE, then SEND       C2HData, then CapsuleResp
 *   reserve           room in the send queue      always
 *
 * Owners.  A transport belongs to the one host or target that it was handed to, which destroys it.
 * A connection is the transport's until `close`; one NVMe queue has one connection.  A buffer's
 * struct is its user's and does not move while it is mapped; its memory is the transport's.  A
 * capsule that came is the core's until `respond`, and so is its data.
 * Calls.  No callback is made from within a call.  Callbacks come one at a time; they may make any
 * call but `close` for the connection that they are made for.
 * After `disconnect` a connection makes only on_closed, once or more: a target's is not closed
 * before.  While a target's software stands still (stall.h), what would make a
 * callback waits in the listener's stall.
 * Errors.  What fails later is reported by on_failed with a sentence for people; the core then
 * disconnects.  What cannot even be begun is a false, or a NULL. */
#ifndef STORMGLASS_NVME_TRANSPORT_TRANSPORT_H
#define STORMGLASS_NVME_TRANSPORT_TRANSPORT_H

#include "base/check.h"
#include "nvme/stall.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- buffers ---- */

/* BYTES buffers hold real bytes (Connect and Identify data); BULK buffers hold I/O data: in the
 * simulator a length and one content tag that travels with every transfer, on the bridge real bytes
 * that are made from the tag and checked. */
enum nvme_memory { NVME_MEMORY_BYTES, NVME_MEMORY_BULK };

struct nvme_buffer {
    uint32_t length;  /* 0: not mapped */
    uint32_t content; /* BULK: the tag of what it holds, as far as its user knows */
    enum nvme_memory memory;
    unsigned char *bytes; /* BYTES: the memory itself; NULL for BULK */
    bool apart;           /* it does not travel in a capsule */
    void *region;         /* the transport's own */
};

/* ---- a host's connection ---- */

/* What a transport tells the host's queue. */
struct nvme_transport_host {
    void *self;
    /* Commands may be sent. */
    void (*on_established)(void *self);
    /* A response came.  The tag of its command; negative: it names none, and the queue has failed.
     */
    int32_t (*on_response)(void *self, const struct nvme_response *response);
    /* The command was answered, and the transport has let go of its capsule and its data. */
    void (*on_done)(void *self, uint16_t tag);
    /* The connection could not be made, is lost, or cannot be trusted any more. */
    void (*on_failed)(void *self, const char *why);
    /* After `disconnect`, of a transport that `parts`: the peer has answered, or never will. */
    void (*on_closed)(void *self);
};

struct nvme_transport_connect {
    uint32_t ip; /* of the target, at the transport's own port for NVMe */
    uint16_t qid;
    uint16_t entries;    /* of the submission queue: tags are below */
    uint32_t in_capsule; /* data that the controller takes behind a command; 0: not known yet */
    struct nvme_transport_host user;
};

/* ---- a target's connections ---- */

struct nvme_transport; /* of one host or target, at one port of the machine */
struct nvme_transport_conn;

/* A host asks for a queue. */
struct nvme_transport_request {
    uint32_t ip;        /* of the host */
    bool announced;     /* queue and sizes are known now; otherwise the Connect command says them */
    uint16_t qid;       /* these if it is announced */
    uint32_t entries;   /* of the submission queue */
    uint32_t answers;   /* responses that the host can take */
    uint8_t unreadable; /* enum nvme_cm_reject: it cannot be read; 0: it can */
};

struct nvme_transport_listener {
    void *self;
    /* The connection is the listener's: to be accepted, or to be rejected and closed later. */
    void (*on_request)(void *self, struct nvme_transport_conn *,
                       const struct nvme_transport_request *);
    struct nvme_stall *stall; /* of the software that listens: callbacks wait there */
};

/* A command capsule as it arrived. */
struct nvme_capsule {
    const unsigned char *sqe; /* NVME_SQE_BYTES */
    struct nvme_buffer *data; /* what came behind it; NULL: there is no room for any */
    uint32_t data_bytes;      /* that came */
};

/* What is to be moved for one command: its user's, and in its place until on_responded. */
struct nvme_transfer {
    uint16_t slot; /* of the command, below what `accept` returned; no other has it meanwhile */
    struct nvme_capsule *capsule; /* that brought the command */
    const struct nvme_sgl *sgl;   /* where the host has the data */
    bool described;               /* the descriptor was understood, and not empty */
    struct nvme_buffer *data;     /* where the target has them; NULL: there are none to move */
    uint32_t length;
    uint8_t credits; /* the transport's own; 0 before `reserve` */
};

/* What a transport tells the target's queue. */
struct nvme_transport_target {
    void *self;
    void (*on_established)(void *self);
    /* May come ahead of on_established. */
    void (*on_capsule)(void *self, struct nvme_capsule *capsule);
    void (*on_fetched)(void *self, struct nvme_transfer *transfer);
    /* The transport has let go of the response and of the data. */
    void (*on_responded)(void *self, struct nvme_transfer *transfer);
    void (*on_failed)(void *self, const char *why);
    void (*on_closed)(void *self); /* the connection is over; nothing is under way any more */
};

struct nvme_transport_accept {
    uint16_t entries;        /* of the submission queue: capsules that may be under way at once */
    uint32_t in_capsule;     /* data that an I/O queue takes behind a command */
    uint32_t max_transfer;   /* of one command */
    enum nvme_memory memory; /* that data of I/O come in */
    struct nvme_transport_target user;
};

/* ---- the table ---- */

/* Data of I/O that has come by a connection of a host, in order. */
struct nvme_transport_arrived {
    uint64_t in, out; /* at the host, at the target */
    bool for_good;    /* false: what is under way may be sent again from its beginning */
};

struct nvme_discovery_record;

struct nvme_transport_ops {
    const char *name;
    uint8_t type;   /* TRTYPE: fabrics 5.3 */
    bool keyed_sgl; /* data is described with a key, which the controller must understand */
    bool parts;     /* a host hears of the end of a connection that it has disconnected */

    /* A buffer of so many bytes.  directions: what a peer may do with it, NVME_DATA_OUT to take and
     * NVME_DATA_IN to put.  False: there is no memory that can be mapped. */
    bool (*map)(struct nvme_transport *, struct nvme_buffer *, uint32_t length, enum nvme_memory,
                unsigned directions);
    void (*unmap)(struct nvme_transport *, struct nvme_buffer *);
    /* Told by who cannot go on without what was just not mapped.  NULL: there always is. */
    void (*no_memory)(struct nvme_transport *, uint32_t length);
    /* Makes the first `length` bytes of a BULK buffer what its content says. */
    void (*fill)(struct nvme_transport *, struct nvme_buffer *, uint32_t length);
    /* Looks at what a peer has put into the first `length` bytes of a BULK buffer, and sets its
     * content. */
    void (*look)(struct nvme_transport *, struct nvme_buffer *, uint32_t length);

    /* Begins to connect a queue.  NULL: it cannot. */
    struct nvme_transport_conn *(*connect)(struct nvme_transport *,
                                           const struct nvme_transport_connect *);
    /* Sends a command with `bytes` of data, which the transport describes in the command's SGL: in
     * the capsule when they go out and fit, otherwise in the buffer, where they stay until on_done.
     * 0 bytes: no data.  False: it cannot. */
    bool (*send_command)(struct nvme_transport_conn *, uint16_t tag, struct nvme_command *,
                         struct nvme_buffer *data, uint32_t bytes);

    /* Requests come from now on.  False: the port cannot be had. */
    bool (*listen)(struct nvme_transport *, const struct nvme_transport_listener *);
    void (*unlisten)(struct nvme_transport *);
    /* Returns how many commands may be under way at once; 0: there is no memory for it, and the
     * request is still to be rejected. */
    uint32_t (*accept)(struct nvme_transport_conn *, const struct nvme_transport_accept *);
    void (*reject)(struct nvme_transport_conn *, enum nvme_cm_reject why);
    /* The status with which a command's descriptor of data outside the capsule is refused, or
     * NVME_STATUS_OK. */
    uint16_t (*judge_sgl)(const struct nvme_sgl *);
    /* Moves of data that so many bytes take; NULL: one. */
    unsigned (*operations)(const struct nvme_transport_conn *, uint32_t bytes);
    /* Takes what the command will need.  False: there is no room; worth another try after each
     * on_fetched and on_responded. */
    bool (*reserve)(struct nvme_transport_conn *, struct nvme_transfer *);
    /* Brings a write's data from the host: on_fetched.  False: it cannot. */
    bool (*fetch)(struct nvme_transport_conn *, struct nvme_transfer *);
    /* Sends the response, with_data: behind the data of a read.  The capsule is the transport's
     * again.  False: it cannot. */
    bool (*respond)(struct nvme_transport_conn *, struct nvme_transfer *,
                    const struct nvme_response *, bool with_data);
    /* CHECKs every invariant of a target's connection. */
    void (*audit)(const struct nvme_transport_conn *);
    /* Says in a record of the discovery log what only the transport knows. */
    void (*describe)(struct nvme_discovery_record *);
    uint32_t (*local_ip)(struct nvme_transport *);

    /* Parts with the peer in good order. */
    void (*disconnect)(struct nvme_transport_conn *);
    /* Cuts the connection off without a word; no callback comes any more. */
    void (*drop)(struct nvme_transport_conn *);
    /* Frees the connection; one that is still up is cut off. */
    void (*close)(struct nvme_transport_conn *);
    /* Its number at this port, for somebody who looks on: RDMA's QPN.  0: none. */
    uint32_t (*number)(const struct nvme_transport_conn *);
    /* What has come so far, for somebody who looks on between events.  False: it is not known (any
     * more).  NULL: it never is. */
    bool (*arrived)(const struct nvme_transport_conn *, struct nvme_transport_arrived *);

    void (*destroy)(struct nvme_transport *);
};

/* First in every kind. */
struct nvme_transport {
    const struct nvme_transport_ops *ops;
};

/* A buffer that its user cannot go on without. */
static inline void nvme_transport_need(struct nvme_transport *transport, struct nvme_buffer *buffer,
                                       uint32_t length, enum nvme_memory memory,
                                       unsigned directions)
{
    const bool mapped = transport->ops->map(transport, buffer, length, memory, directions);
    if (!mapped && transport->ops->no_memory != NULL)
        transport->ops->no_memory(transport, length);
    CHECK(mapped);
}

static inline void nvme_transport_unmap(struct nvme_transport *transport,
                                        struct nvme_buffer *buffer)
{
    if (buffer->length > 0)
        transport->ops->unmap(transport, buffer);
}

#endif

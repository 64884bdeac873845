/* SPDX-License-Identifier: Apache-2.0
 * transport - the interface that transfers capsules and data for NVMe-oF hosts and targets.
 * The command core (host/, target/) handles queues, commands, capsules and buffers, but no network.
 * A transport is a table of operations: RDMA (rdma/rdma.h) and TCP (tcp/tcp.h).
 *                     RDMA                        TCP
 *   connect, accept   CM handshake, queue pair    TCP handshake, ICReq and ICResp
 *   send_command      SEND of a command capsule   CapsuleCmd, with or without data
 *   map               registered memory, a key    memory
 *   on_done           SEND and invalidation are   the last byte is sent, the response
 *                     complete, response received has been received
 *   fetch             RDMA READ                   R2T, until all of H2CData is received
 *   respond           RDMA WRITE, then SEND       C2HData, then CapsuleResp
 *   reserve           space in the send queue     always
 * - Ownership: a transport belongs to the host or target to which it was passed, which destroys it.
 *   A connection belongs to the transport until `close`; one NVMe queue has one connection. A
 *   buffer's struct belongs to its user and must not move while it is mapped; its memory belongs to
 *   the transport. A received capsule and its data belong to the core until `respond`.
 * - Calls: no callback is made from within a call. Callbacks come one at a time; they may make any
 *   call except `close` for their own connection. After `disconnect` a connection makes only
 *   on_closed calls, one or more; a target's is not closed before. While a target's software is
 *   stalled (stall.h), callbacks are deferred in the listener's stall.
 * - Errors: later failures are reported by on_failed with a sentence for people; the core then
 *   disconnects. Calls that fail at once return false or NULL. */
#ifndef STORMGLASS_NVME_TRANSPORT_TRANSPORT_H
#define STORMGLASS_NVME_TRANSPORT_TRANSPORT_H

#include "base/check.h"
#include "base/units.h"
#include "nvme/stall.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- buffers ---- */

/* BYTES buffers have real bytes (Connect and Identify data). BULK buffers have I/O data: in the
 * simulator a length and a content tag that is part of every transfer, on the bridge real bytes
 * that are generated from the tag and checked. */
enum nvme_memory { NVME_MEMORY_BYTES, NVME_MEMORY_BULK };

struct nvme_buffer {
    uint32_t length;  /* 0: not mapped */
    uint32_t content; /* BULK: tag of its content, as known to its user */
    enum nvme_memory memory;
    unsigned char *bytes; /* BYTES: the memory; NULL for BULK */
    bool apart;           /* must not be sent in a capsule */
    void *region;         /* private to the transport */
};

/* ---- a host's connection ---- */

/* Callbacks to the host's queue. */
struct nvme_transport_host {
    void *self;
    /* Commands may be sent. */
    void (*on_established)(void *self);
    /* A response was received. Returns the tag of its command; negative: no such command, and the
     * queue has failed. */
    int32_t (*on_response)(void *self, const struct nvme_response *response);
    /* The command was answered, and the transport has released its capsule and its data. */
    void (*on_done)(void *self, uint16_t tag);
    /* The connection could not be established, was lost, or is no longer reliable. */
    void (*on_failed)(void *self, const char *why);
    /* After `disconnect`, for a transport that `parts`: the peer has answered, or never will. */
    void (*on_closed)(void *self);
};

struct nvme_transport_connect {
    uint32_t ip; /* of the target; the port is the transport's NVMe port */
    uint16_t qid;
    uint16_t entries;    /* entries of the submission queue; tags are smaller */
    uint32_t in_capsule; /* maximum in-capsule data that the controller accepts; 0: not known yet */
    bool polled;         /* threads poll for the queue's completions: it needs no interrupts */
    struct nvme_transport_host user;
};

/* ---- a target's connections ---- */

struct nvme_transport; /* of one host or target, at one port of the machine */
struct nvme_transport_conn;

/* A host's request for a queue. */
struct nvme_transport_request {
    uint32_t ip;        /* of the host */
    bool announced;     /* queue and sizes are known now; otherwise Connect specifies them */
    uint16_t qid;       /* valid if announced */
    uint32_t entries;   /* of the submission queue */
    uint32_t answers;   /* responses for which the host has receives */
    uint8_t unreadable; /* enum nvme_cm_reject: why the request is invalid; 0: valid */
};

struct nvme_transport_listener {
    void *self;
    /* The listener owns the connection: it must accept it, or reject it and close it later. */
    void (*on_request)(void *self, struct nvme_transport_conn *,
                       const struct nvme_transport_request *);
    struct nvme_stall *stall; /* of the listening software: callbacks are deferred here */
};

/* A received command capsule. */
struct nvme_capsule {
    const unsigned char *sqe; /* NVME_SQE_BYTES */
    struct nvme_buffer *data; /* buffer of in-capsule data; NULL: none */
    uint32_t data_bytes;      /* bytes received in it */
    bool damaged;             /* they are not those that were sent (data digest of NVMe/TCP) */
};

/* The data transfer of one command; owned by its user, must not move until on_responded. */
struct nvme_transfer {
    uint16_t slot; /* of the command, less than the result of `accept`; unique among outstanding
                    * ones */
    struct nvme_capsule *capsule; /* capsule of the command */
    const struct nvme_sgl *sgl;   /* location of the data at the host */
    bool described;               /* the descriptor is valid and not empty */
    struct nvme_buffer *data;     /* location of the data at the target; NULL: no data */
    uint32_t length;
    uint8_t credits; /* private to the transport; 0 before `reserve` */
    bool damaged;    /* the data that was fetched, as in a capsule */
};

/* Callbacks to the target's queue. */
struct nvme_transport_target {
    void *self;
    void (*on_established)(void *self);
    /* May be called before on_established. */
    void (*on_capsule)(void *self, struct nvme_capsule *capsule);
    void (*on_fetched)(void *self, struct nvme_transfer *transfer);
    /* The transport has released the response and the data. */
    void (*on_responded)(void *self, struct nvme_transfer *transfer);
    void (*on_failed)(void *self, const char *why);
    /* The host has closed the connection in order, which ends its queue alone; on_closed follows
     * after `disconnect`. NULL: on_failed is called. */
    void (*on_parted)(void *self);
    void (*on_closed)(void *self); /* the connection has ended; nothing is outstanding */
};

struct nvme_transport_accept {
    uint16_t entries;        /* of the submission queue: maximum outstanding capsules */
    uint32_t in_capsule;     /* maximum in-capsule data of an I/O queue, bytes */
    uint32_t max_transfer;   /* bytes per command */
    enum nvme_memory memory; /* memory type of I/O data */
    struct nvme_transport_target user;
};

/* ---- operations ---- */

/* I/O data received on a host's connection, in order. */
struct nvme_transport_arrived {
    uint64_t in, out; /* bytes received at the host, at the target */
    bool for_good;    /* false: outstanding data may be sent again from its beginning */
};

struct cpu_core; /* base/cpu_core.h */
struct nvme_discovery_record;

struct nvme_transport_ops {
    const char *name;
    uint8_t type;   /* TRTYPE: Fabrics 5.3; NVME_TRANSPORT_NONE: not in discovery logs */
    bool keyed_sgl; /* data is described with a key, which the controller must support */
    bool parts;     /* on_closed is called after a host's `disconnect` */

    /* Allocates a buffer of `length` bytes. directions: access by the peer, NVME_DATA_OUT to read
     * and NVME_DATA_IN to write. False: no more memory can be mapped. */
    bool (*map)(struct nvme_transport *, struct nvme_buffer *, uint32_t length, enum nvme_memory,
                unsigned directions);
    void (*unmap)(struct nvme_transport *, struct nvme_buffer *);
    /* Called when a caller cannot continue because `map` failed. NULL: `map` always succeeds. */
    void (*no_memory)(struct nvme_transport *, uint32_t length);
    /* Fills the first `length` bytes of a BULK buffer according to its content tag. */
    void (*fill)(struct nvme_transport *, struct nvme_buffer *, uint32_t length);
    /* Inspects the first `length` bytes of a BULK buffer, written by a peer, and sets its content
     * tag. */
    void (*look)(struct nvme_transport *, struct nvme_buffer *, uint32_t length);

    /* Starts connecting a queue. NULL: failed. */
    struct nvme_transport_conn *(*connect)(struct nvme_transport *,
                                           const struct nvme_transport_connect *);
    /* Sends a command with `bytes` of data and fills in the command's SGL: outgoing data that fits
     * is in the capsule, other data stays in the buffer until on_done. 0 bytes: no data. False:
     * failed. */
    bool (*send_command)(struct nvme_transport_conn *, uint16_t tag, struct nvme_command *,
                         struct nvme_buffer *data, uint32_t bytes);

    /* Maximum in-capsule data of a target's I/O queues, bytes. NULL: the target's parameter. */
    uint32_t (*in_capsule)(const struct nvme_transport *);
    /* Starts listening. False: the port is unavailable. */
    bool (*listen)(struct nvme_transport *, const struct nvme_transport_listener *);
    void (*unlisten)(struct nvme_transport *);
    /* Returns the maximum number of outstanding commands; 0: out of memory, and the request must
     * still be rejected. */
    uint32_t (*accept)(struct nvme_transport_conn *, const struct nvme_transport_accept *);
    void (*reject)(struct nvme_transport_conn *, enum nvme_cm_reject why);
    /* Checks a command's descriptor of data outside the capsule; returns NVME_STATUS_OK or the
     * status of the rejection. */
    uint16_t (*judge_sgl)(const struct nvme_sgl *);
    /* Number of data transfers needed for `bytes`; NULL: one. */
    unsigned (*operations)(const struct nvme_transport_conn *, uint32_t bytes);
    /* Reserves everything that the command will need. False: no space; retry after each on_fetched
     * and on_responded. */
    bool (*reserve)(struct nvme_transport_conn *, struct nvme_transfer *);
    /* Fetches a write's data from the host: on_fetched follows. False: failed. */
    bool (*fetch)(struct nvme_transport_conn *, struct nvme_transfer *);
    /* Sends the response, after the data of a read when with_data. The capsule belongs to the
     * transport again. False: failed. */
    bool (*respond)(struct nvme_transport_conn *, struct nvme_transfer *,
                    const struct nvme_response *, bool with_data);
    /* CHECKs every invariant of a target's connection. */
    void (*audit)(const struct nvme_transport_conn *);
    /* Fills in the transport-specific fields of a discovery log record. */
    void (*describe)(struct nvme_discovery_record *);
    uint32_t (*local_ip)(struct nvme_transport *);

    /* Disconnects gracefully. */
    void (*disconnect)(struct nvme_transport_conn *);
    /* Aborts the connection without notice to the peer; no more callbacks. */
    void (*drop)(struct nvme_transport_conn *);
    /* Frees the connection; one that is still up is aborted. */
    void (*close)(struct nvme_transport_conn *);
    /* Number of the connection at this port, for observers: RDMA's QPN. 0: none. */
    uint32_t (*number)(const struct nvme_transport_conn *);
    /* Data received so far, for observers between events. False: unknown or no longer known. NULL:
     * never known. */
    bool (*arrived)(const struct nvme_transport_conn *, struct nvme_transport_arrived *);

    /* Time that cores worked for the connection below NVMe, until now or its end. NULL: not
     * measured. */
    time_ps (*cpu)(const struct nvme_transport_conn *);

    /* An operation has begun that receives so many bytes of data into memory here; negative: one
     * has ended. NULL: no core moves data. */
    void (*expect)(struct nvme_transport *, int64_t bytes);
    /* From now on the work of the connection takes turns on a core with the commands of its queue.
     * False: the core of the connection also serves others. NULL: its work takes no core. */
    bool (*run_on)(struct nvme_transport_conn *, struct cpu_core *core);
    /* CPU time of a host for each command, in addition to submit-cost and complete-cost: of its
     * queue's CPU. NULL: none. */
    void (*costs)(const struct nvme_transport *, time_ps *submit, time_ps *complete);

    void (*destroy)(struct nvme_transport *);
};

/* First member of every transport. */
struct nvme_transport {
    const struct nvme_transport_ops *ops;
};

/* Maps a buffer without which the caller cannot continue. */
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

static inline void nvme_transport_expect(struct nvme_transport *transport, int64_t bytes)
{
    if (transport->ops->expect != NULL)
        transport->ops->expect(transport, bytes);
}

static inline bool nvme_transport_run_on(const struct nvme_transport_ops *ops,
                                         struct nvme_transport_conn *conn, struct cpu_core *core)
{
    return conn != NULL && ops->run_on != NULL && ops->run_on(conn, core);
}

static inline time_ps nvme_transport_cpu(const struct nvme_transport_ops *ops,
                                         const struct nvme_transport_conn *conn)
{
    return conn == NULL || ops->cpu == NULL ? 0 : ops->cpu(conn);
}

#endif

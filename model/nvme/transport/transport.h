/* SPDX-License-Identifier: Apache-2.0
 * transport - what moves capsules and data for an NVMe-oF host and target.
 * The command core (host/, target/) knows queues, commands, capsules and buffers, and no network.
 * A transport is a table of operations: RDMA (rdma/rdma.h) is one.
 *
 *                     RDMA                        a transport of PDUs, as NVMe/TCP
 *   connect, accept   CM handshake, queue pair    TCP handshake, ICReq and ICResp
 *   send_command      SEND of a command capsule   CapsuleCmd, with or without data
 *   map               registered memory, a key    nothing
 *   on_done           SEND and invalidation are   the last byte is sent, the response is here
 *                     complete, the response here
 *
 * Owners.  A transport belongs to the one host that it was handed to, which destroys it.  A
 * connection is the transport's until `close`; one NVMe queue has one connection.  A buffer's
 * struct is its user's and does not move while it is mapped; its memory is the transport's.
 * Calls.  No callback is made from within a call.  Callbacks come one at a time; they may make any
 * call but `close` for the connection that they are made for.
 * After `disconnect` or `close` a host's connection makes no callbacks.
 * Errors.  What fails on the way is told by on_failed with a sentence for people; the core then
 * disconnects.  What cannot even be begun is a false, or a NULL. */
#ifndef STORMGLASS_NVME_TRANSPORT_TRANSPORT_H
#define STORMGLASS_NVME_TRANSPORT_TRANSPORT_H

#include "base/check.h"
#include "nvme/wire/capsule.h"

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
};

struct nvme_transport_connect {
    uint32_t ip; /* of the target, at the transport's own port for NVMe */
    uint16_t qid;
    uint16_t entries;    /* of the submission queue: tags are below */
    uint32_t in_capsule; /* data that the controller takes behind a command; 0: not known yet */
    struct nvme_transport_host user;
};

/* ---- the table ---- */

struct nvme_transport; /* of one host, at one port of the machine */
struct nvme_transport_conn;

struct nvme_transport_ops {
    const char *name;
    bool keyed_sgl; /* data is described with a key, which the controller must understand */

    /* A buffer of so many bytes.  directions: what a peer may do with it, NVME_DATA_OUT to take and
     * NVME_DATA_IN to put.  False: there is no memory that can be mapped. */
    bool (*map)(struct nvme_transport *, struct nvme_buffer *, uint32_t length, enum nvme_memory,
                unsigned directions);
    void (*unmap)(struct nvme_transport *, struct nvme_buffer *);
    /* Told by who cannot go on without the memory that was just not mapped. */
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

    /* Parts with the peer in good order. */
    void (*disconnect)(struct nvme_transport_conn *);
    /* Frees the connection; one that is still up is cut off. */
    void (*close)(struct nvme_transport_conn *);
    /* Its number at this port, for somebody who looks on: RDMA's QPN.  0: none. */
    uint32_t (*number)(const struct nvme_transport_conn *);

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
    if (!mapped)
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

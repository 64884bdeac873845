/* SPDX-License-Identifier: Apache-2.0
 * stream_real - the stream table on the sockets of the operating system.
 * A device is one local address: it is used to bind, listen and connect. Bulk data are real bytes:
 * they are made from the tag when they are sent, and converted back to the tag when they are read
 * (content.h).
 * Each connection has its own receive buffer, from which the user reads. If the user does not read,
 * the peer has to stop when this buffer and the kernel's are full. Data that arrives after `close`
 * is dropped, so that the end of the peer's stream can arrive.
 * `destroy` of an open connection closes it as the end of a process does: FIN, or RST if received
 * data were not read.
 * Limits: accepted connections have a maximum, and leave some file descriptors to the process; a
 * peer that no longer answers is detected by the kernel (TCP_USER_TIMEOUT, keep-alives), and one
 * that does not close is reset 1 s after `close`. How long a peer may be silent is the protocol's
 * matter.
 * Owner: stream_real_close, after all connections were destroyed. Clock: the loop.
 * Errors: as in stream.h; every error of a connection but a refusal and a reset is ETIMEDOUT. */
#ifndef STORMGLASS_BRIDGE_STREAMS_STREAM_REAL_H
#define STORMGLASS_BRIDGE_STREAMS_STREAM_REAL_H

#include "bridge/bytes/content.h"
#include "bridge/loop/loop.h"
#include "tcp/stream.h"

enum {
    STREAM_REAL_ACCEPTED_MAX = 1024,
    STREAM_REAL_RESERVE = 64, /* file descriptors that accepted connections leave to the process */
    STREAM_REAL_NAME_BYTES = 64
};

/* What a connection did, for observers: it began, or bytes went out or came in. */
struct stream_real_seen {
    uint32_t ip[2]; /* sender, receiver */
    uint16_t port[2];
    const unsigned char *bytes; /* NULL: it began; the sender is the side that connected */
    uint32_t length;
    uint64_t sent[2]; /* bytes before this, by the sender and by the receiver */
    bool accepted;    /* the connection was accepted here */
};

struct stream_real_site {
    struct loop *loop;
    uint32_t ip; /* local address, host byte order */
    bool any;    /* listen on all addresses instead */
    enum content_depth depth;
    /* True if an address may connect to a port; NULL: all may. */
    bool (*admits)(void *self, uint16_t port, uint32_t ip);
    /* A connection was refused for another reason than its address. NULL: not reported. */
    void (*on_refused)(void *self, const char *why);
    /* Sees all bytes of all connections in order. NULL: none. */
    void (*on_seen)(void *self, const struct stream_real_seen *seen);
    void *self;
};

/* X(member, name in the report). Connects and closes are those requested here; refused are accepted
 * connections that were reset at once; resets are connections that ended in an error. */
#define STREAM_REAL_COUNTERS(X)                                                                    \
    X(connects, "connects")                                                                        \
    X(accepts, "accepts")                                                                          \
    X(refused, "rejects")                                                                          \
    X(closes, "disconnects")                                                                       \
    X(resets, "resets")                                                                            \
    X(sends, "send_calls")                                                                         \
    X(receives, "receive_calls")                                                                   \
    X(bytes_out, "bytes_sent")                                                                     \
    X(bytes_in, "bytes_received")                                                                  \
    X(unsound, "unsound_transfers") /* reads that returned foreign bytes */

struct stream_real_counters {
#define X(member, name) uint64_t member;
    STREAM_REAL_COUNTERS(X)
#undef X
    uint32_t open; /* current connections, without listeners */
};

/* NULL: the address is not one of this machine, or there is no socket; errno has the reason. */
struct stream_device *stream_real_open(const struct stream_real_site *site);
/* Ends remaining connections and listeners. */
void stream_real_close(struct stream_device *device);

const struct stream_real_counters *stream_real_counters(const struct stream_device *device);
/* Name of the network interface that has the address. */
void stream_real_name(const struct stream_device *device, char name[STREAM_REAL_NAME_BYTES]);

extern const struct stream_ops stream_real;

#endif

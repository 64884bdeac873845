/* SPDX-License-Identifier: Apache-2.0
 * stream - reliable byte streams that a protocol may use.
 * One table, two implementations: the simulated TCP on virtual time (tcp/) and sockets on real time
 * (bridge/).  The vocabulary is that of sockets and of Linux's struct tcp_info.
 *
 * Content.  A stream carries two kinds of data, in any mixture and order.  Real bytes (headers,
 * capsules) travel as they are.  Bulk data (the payload of I/O) is a length and a content tag in
 * the simulator, and real bytes made from the tag on the bridge.  The receiver chooses the kind for
 * each read, since its protocol says what comes next.  A read of the other kind is legal, because a
 * peer may be out of step: bulk data reads as zeros, and real bytes read as bulk data have the
 * content STREAM_CONTENT_MIXED.  There are no message boundaries: a protocol finds them by the
 * lengths in its headers.
 *
 * Back-pressure.  `send` takes what fits into the send buffer.  After it took less than offered,
 * on_writable is called once when a third of the buffer is free, as Linux does.  The receiver
 * closes the window by not reading.
 *
 * Callbacks are made one at a time and never from within a call.  A callback may make any call but
 * `destroy` for the connection that it is made for.  on_readable is called when data or the end of
 * the stream arrived; a reader that leaves data unread is not called again before more arrives.
 * on_closed is the last callback of a connection.  A connection that was accepted or connected is
 * its user's until `destroy`, which resets it if it is still open.
 *
 * Errors are positive errno values: ECONNREFUSED (an RST answered the SYN), ETIMEDOUT (SYN or data
 * were retransmitted too often), ECONNRESET (an RST arrived). */
#ifndef STORMGLASS_TCP_STREAM_H
#define STORMGLASS_TCP_STREAM_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

struct stream_conn;   /* owned by the implementation until destroy */
struct cpu_core;      /* base/cpu_core.h */
struct stream_device; /* TCP at one network port */

/* The tag of bulk data that was read in one piece and has parts with different tags. */
#define STREAM_CONTENT_MIXED UINT32_C(0xFFFFFFFE)

/* Work of a connection's core for its user: TLS. */
enum stream_work {
    STREAM_WORK_HANDSHAKE, /* keys of a connection */
    STREAM_WORK_ENCRYPT,   /* a record of so many bytes to be sent */
    STREAM_WORK_DECRYPT,   /* a record whose next so many bytes can be read */
    STREAM_WORKS
};

struct stream_user {
    void *self;
    void (*on_connected)(void *self, struct stream_conn *conn); /* after `connect` only */
    void (*on_readable)(void *self, struct stream_conn *conn);
    void (*on_writable)(void *self, struct stream_conn *conn); /* NULL: not needed */
    /* error 0: both sides closed in order. */
    void (*on_closed)(void *self, struct stream_conn *conn, int error);
    /* After `work`; NULL: not needed. */
    void (*on_worked)(void *self, struct stream_conn *conn, enum stream_work what);
};

struct stream_listener {
    void *self;
    /* A connection is established: fills in its user.  False refuses it (RST). */
    bool (*on_accept)(void *self, struct stream_conn *conn, uint32_t peer_ip,
                      struct stream_user *user);
};

/* Traffic class of a connection's segments (IP_TOS, SO_PRIORITY).  All zero: the device's own.  The
 * accepting side uses its own class, as sockets do. */
struct stream_class {
    bool dscp_set, priority_set;
    uint8_t dscp;
    uint8_t priority; /* at the device's own port; not set: as the device maps the DSCP */
};

struct stream_peer {
    uint32_t ip;
    uint16_t port;
    struct stream_class class;
    bool polled; /* threads of the user poll for data: it needs no interrupts and wake-ups */
};

/* One piece of a stream to send. */
struct stream_piece {
    const unsigned char *bytes; /* real bytes, copied by `send`; NULL: bulk data */
    uint32_t length;
    uint32_t content; /* bulk: its tag */
    uint32_t offset;  /* bulk: of this piece within the tagged data; the bridge makes bytes by it */
    bool more;        /* MSG_MORE: a segment that is not full may wait for the next piece */
};

/* A connection as `ss -ti` shows it: fields of struct tcp_info in bytes and ps where it has
 * segments and us, except cwnd and ssthresh, which are segments. */
struct stream_info {
    const char *state, *congestion_control;
    time_ps rtt, rttvar, min_rtt, rto; /* rtt 0: no sample yet */
    uint32_t cwnd, ssthresh;           /* ssthresh UINT32_MAX: infinite */
    uint32_t mss;                      /* payload of a full segment */
    uint64_t pacing_bps;               /* 0: not paced */
    uint64_t unacked;                  /* bytes sent and not acknowledged */
    uint64_t notsent;                  /* bytes in the send buffer that were never sent */
    uint64_t send_room;                /* bytes that `send` would take */
    uint64_t readable;                 /* bytes that `read` would return */
    uint64_t send_window;              /* bytes that the peer's window allows */
    uint64_t bytes_sent, bytes_acked, bytes_received; /* bytes_sent with retransmissions */
    uint64_t bytes_retrans;
    uint64_t segs_out, segs_in, retrans; /* retrans: segments */
    uint64_t data_segs_out, data_segs_in;
    uint32_t packets_out, lost, sacked, retrans_out; /* segments that are not acknowledged */
    uint32_t backoff;                                /* timeouts in a row */
    bool scaled;                                     /* both sides scale their windows: */
    uint8_t send_scale, receive_scale;
    bool ecn;
    uint32_t alpha_ppm;           /* of dctcp: the share of marked segments */
    uint64_t receive_window;      /* bytes */
    time_ps idle_sent, idle_read; /* since data was sent, since it arrived; 0 also: never */
    uint64_t delivered, delivered_ce;    /* segments */
    uint64_t timeouts, probes;           /* RTOs; tail loss probes */
    uint32_t reordering;                 /* segments */
    time_ps cpu;                         /* time that cores worked for it; 0 on real sockets */
};

struct stream_ops {
    const char *name;

    /* False: the port is in use. */
    bool (*listen)(struct stream_device *, uint16_t port, const struct stream_listener *);
    /* Refuses new connections from now on; established ones stay. */
    void (*unlisten)(struct stream_device *, uint16_t port);

    /* Begins to connect; on_connected or on_closed follows.  NULL: no local port is free. */
    struct stream_conn *(*connect)(struct stream_device *, const struct stream_peer *,
                                   const struct stream_user *);

    /* Number of bytes taken, 0 .. piece->length; 0 also after `close` and on a connection that is
     * not established. */
    uint32_t (*send)(struct stream_conn *, const struct stream_piece *piece);

    /* Moves up to `most` bytes out of the receive buffer: real bytes into `bytes`, or bulk data
     * whose tag is returned in *content.  Returns the number of bytes.  `offset` is as in
     * stream_piece: that of the first byte within the tagged data that the reader expects. */
    uint32_t (*read)(struct stream_conn *, unsigned char *bytes, uint32_t most);
    uint32_t (*read_bulk)(struct stream_conn *, uint32_t most, uint32_t offset, uint32_t *content);
    /* CRC32C (base/crc32c.h) of bulk data as it travels.  NULL: it travels as zeros. */
    uint32_t (*bulk_crc)(struct stream_device *, uint32_t content, uint32_t offset,
                         uint32_t length);
    /* CRC32C of the bulk data that was read since the last call; the first call begins to count
     * and returns 0.  NULL: it travels as zeros. */
    uint32_t (*read_crc)(struct stream_conn *);

    /* The peer has closed and everything before its FIN was read. */
    bool (*ended)(const struct stream_conn *);

    /* Sends FIN after what is in the send buffer; reading goes on until the peer closes too. */
    void (*close)(struct stream_conn *);
    /* Sends RST and drops all data.  No callback follows. */
    void (*reset)(struct stream_conn *);
    void (*destroy)(struct stream_conn *);

    /* The core of the connection works for its user; one work of each kind at a time. True:
     * on_worked follows; false: it takes no time. NULL: time is that of the machine. */
    bool (*work)(struct stream_conn *, enum stream_work what, uint32_t bytes);
    /* The user has begun an operation that will read so many bytes of bulk data into its memory;
     * negative: one of so many has ended. NULL: time is that of the machine. */
    void (*expect)(struct stream_device *, int64_t bytes);
    /* From now on the user computes digests of all bytes, sent and read, which takes the time of
     * the connection's core. NULL: time is that of the machine. */
    void (*digest)(struct stream_conn *);
    /* From now on the core, which must outlive the device, does the work of the connection in turn
     * with other jobs.  False: the core of the connection also serves others.  NULL: time is that
     * of the machine. */
    bool (*run_on)(struct stream_conn *, struct cpu_core *core);
    /* That many bytes can be read, or will never be at once: the buffer is too small, or the peer
     * has closed. NULL: unknown. */
    bool (*holds)(const struct stream_conn *, uint32_t bytes);

    void (*info)(const struct stream_conn *, struct stream_info *info);
    uint32_t (*local_ip)(const struct stream_device *);
    uint32_t (*peer_ip)(const struct stream_conn *);
    uint16_t (*local_port)(const struct stream_conn *);
    uint16_t (*peer_port)(const struct stream_conn *);
    /* For observers: what the user does with a message (enum probe_stream_kind: POSTED.., with its
     * bytes, BUFFERED, TAKEN).  NULL: not observed. */
    void (*mark)(struct stream_conn *, unsigned kind, uint32_t bytes);
};

/* Why on_closed was called. `used`: the protocol above had begun its exchange. */
const char *stream_end_words(int error, bool used);

#endif

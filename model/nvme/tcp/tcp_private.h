/* SPDX-License-Identifier: Apache-2.0
 * tcp_private - declarations shared by the files of the TCP transport.
 *   tcp.c         operations table, parameters, memory, end of connections
 *   tcp_send.c    PDUs of a connection as bytes of its stream
 *   tcp_stream.c  received bytes as PDUs, faults, end
 *   tcp_digest.c  CRC32C of data
 *   tcp_guard.c   protection of a target from its peers
 *   tcp_tls.c     TLS records between PDUs and stream
 *   tcp_tls_flight.c  messages of the TLS handshake
 *   tcp_host.c    a host's connection
 *   tcp_target.c  a target's connection
 *   tcp_r2t.c     the data that a target requests */
#ifndef STORMGLASS_NVME_TCP_TCP_PRIVATE_H
#define STORMGLASS_NVME_TCP_TCP_PRIVATE_H

#include "base/probe.h"
#include "nvme/tcp/pdu.h"
#include "nvme/tcp/tcp.h"

#include <stddef.h>

enum { TCP_ADMIN_CAPSULE = 8192 }; /* NVME_TCP_ADMIN_CCSZ: data of Fabrics and admin capsules */
enum { NVME_TCP_R2TS_MAX = 16 };   /* outstanding for a command; times all slots: 16 bits */

/* TLS records: types (NVME_TLS_HANDSHAKE is no PDU type), header, content type and tag. */
enum {
    NVME_TLS_CHANGE_CIPHER_SPEC = 20,
    NVME_TLS_HANDSHAKE = 22,
    NVME_TLS_DATA = 23,
    NVME_TLS_HEAD = 5,
    NVME_TLS_TAG = 17,
    NVME_TLS_FLIGHT_MAX = 512,
};

enum tls_flight_kind { TLS_CLIENT_HELLO, TLS_SERVER_ANSWER, TLS_CLIENT_FINISHED };

/* Messages of the handshake that are sent together. */
struct tls_flight {
    unsigned char bytes[NVME_TLS_FLIGHT_MAX];
    uint32_t length;
};

struct nvme_tcp {
    struct nvme_transport base;
    struct nvme_tcp_site site;
    struct nvme_tcp_params params;
    struct nvme_transport_listener listener; /* callbacks of a target */
    struct nvme_transport_conn *strangers;   /* accepted streams without an ICReq so far */
    struct nvme_transport_conn *dead;        /* closed, with wake-ups of timers under way */
    uint32_t stranger_count;
    struct timer reaper;   /* frees strangers whose connections ended */
    uint64_t mapped_bytes; /* of buffers */
    uint32_t mapped;       /* buffers */
    uint32_t zeros;        /* bytes of data whose CRC32C is zeros_digest */
    uint32_t zeros_digest;
};

/* A PDU that is to be sent. */
struct tcp_out {
    uint8_t type, flags;
    uint16_t slot; /* a host's: its tag */
    uint16_t ttag; /* R2T, H2CData */
    bool answers;  /* R2T: to data, not to the command */
    uint32_t at, length;
};

/* The PDU at the head of the line as bytes: header to PDO, data, data digest. */
struct tcp_sending {
    unsigned char head[NVME_PDU_BEFORE_MAX];
    unsigned char digest[NVME_PDU_DIGEST_BYTES];
    uint32_t before, length, digest_bytes; /* before 0: nothing */
    uint32_t sent;                         /* bytes of these */
    const struct nvme_buffer *data;
    uint32_t at; /* offset of the data in its buffer */
};

enum tcp_phase { TCP_COMMON, TCP_HEADER, TCP_PAD, TCP_DATA, TCP_DIGEST };

/* The PDU that is arriving. */
struct tcp_arriving {
    enum tcp_phase phase;
    unsigned char head[NVME_PDU_BEFORE_MAX];
    unsigned char digest[NVME_PDU_DIGEST_BYTES];
    uint32_t bytes;  /* of this phase */
    uint32_t header; /* HLEN and header digest */
    struct nvme_pdu pdu;
    struct nvme_buffer *data; /* destination; NULL: the data is dropped */
    uint32_t at;              /* offset in it */
    uint32_t content;         /* tag of the data so far */
    bool damaged;             /* the data digest does not match the data */
};

struct nvme_transport_conn;
struct tcp_tls;

/* The differences between hosts and targets. */
struct tcp_role {
    /* Fills in the PDU; returns the buffer of its data, or NULL. */
    const struct nvme_buffer *(*describe)(const struct nvme_transport_conn *,
                                          const struct tcp_out *, struct nvme_pdu *pdu);
    /* All bytes of the PDU are in the stream. NULL: no need to know. */
    void (*on_sent)(struct nvme_transport_conn *, const struct tcp_out *);
    /* A header has arrived; sets `data` and `at` of the PDU. False: a fault. */
    bool (*on_header)(struct nvme_transport_conn *, struct tcp_arriving *, struct nvme_pdu_fault *);
    /* The whole PDU has arrived; it is no TermReq. */
    void (*on_pdu)(struct nvme_transport_conn *, struct tcp_arriving *);
    void (*on_failed)(struct nvme_transport_conn *, const char *why);
    /* The peer has closed in order. */
    void (*on_parted)(struct nvme_transport_conn *);
    void (*on_closed)(struct nvme_transport_conn *);
    /* Since when it has waited for the peer; TIME_NEVER: it does not wait. NULL: a host's, which no
     * guard watches. */
    time_ps (*awaits_since)(const struct nvme_transport_conn *);
    /* The TLS handshake is over. NULL: no need to know. */
    void (*on_secured)(struct nvme_transport_conn *);
    /* Calls that could not be made when they became due. */
    void (*on_later)(struct nvme_transport_conn *);
    /* Frees the connection. */
    void (*release)(struct nvme_transport_conn *);
};

enum { TCP_WHY_BYTES = 192 };

/* First member of a host's and of a target's connection. */
struct nvme_transport_conn {
    struct nvme_tcp *tcp;
    const struct tcp_role *role;
    struct stream_conn *stream; /* NULL: destroyed */
    struct tcp_tls *tls;        /* NULL: without TLS */
    time_ps cpu;                /* of the stream that was destroyed */
    bool ended;                 /* the stream has ended */
    bool failed;                /* reported */
    bool closed;                /* by the user: only its end is reported */
    bool reported;              /* its end was */
    bool deferred;              /* a call waits for the end of a stall */
    bool initialized;           /* ICReq or ICResp has arrived */
    struct nvme_pdu_format out, in;
    struct tcp_out *line; /* PDUs to send, a ring */
    uint32_t room, first, count;
    struct tcp_sending sending;
    struct tcp_arriving arriving;
    struct timer later, linger;
    struct timer idle; /* of a guarded target: looks at the connection from time to time */
    time_ps pdu_at;    /* first byte of the PDU that is arriving */
    time_ps excused;   /* end of the last stall, which is not the peer's fault */
    struct nvme_transport_conn *next_dead, *next_stranger;
    unsigned char term[NVME_PDU_TERM_DATA_MAX]; /* of the TermReq: the header in error */
    struct nvme_pdu term_pdu;
    char why[TCP_WHY_BYTES];
};

/* A connection that is over has no stream any more, or none that is read. */
static inline bool nvme_tcp_is_over(const struct nvme_transport_conn *conn)
{
    return conn->failed || conn->closed || conn->ended;
}

static inline struct nvme_tcp *nvme_tcp_of(struct nvme_transport *transport)
{
    return (struct nvme_tcp *)(void *)transport;
}

/* For observers. */
static inline void nvme_tcp_mark(const struct nvme_transport_conn *conn,
                                 enum probe_stream_kind kind, uint32_t bytes)
{
    const struct stream_ops *streams = conn->tcp->site.streams;
    if (conn->stream != NULL && streams->mark != NULL)
        streams->mark(conn->stream, kind, bytes);
}

/* tcp.c */
/* Frees the connection, once no wake-up of its timers is under way. */
void nvme_tcp_conn_free(struct nvme_transport_conn *conn);
/* Frees those that were closed; `all`: there is no world any more that could wake one up. */
void nvme_tcp_free_dead(struct nvme_tcp *tcp, bool all);

/* tcp_send.c */
/* Appends a PDU to the line. nvme_tcp_flush sends what the stream takes. */
void nvme_tcp_send(struct nvme_transport_conn *conn, const struct tcp_out *pdu);
void nvme_tcp_flush(struct nvme_transport_conn *conn);

/* tcp_stream.c */
void nvme_tcp_conn_init(struct nvme_transport_conn *conn, struct nvme_tcp *tcp,
                        const struct tcp_role *role);
struct stream_user nvme_tcp_conn_user(struct nvme_transport_conn *conn);
void nvme_tcp_later(struct nvme_transport_conn *conn);
void nvme_tcp_fail(struct nvme_transport_conn *conn, const char *why);
void nvme_tcp_disconnect(struct nvme_transport_conn *conn);
void nvme_tcp_drop(struct nvme_transport_conn *conn);
bool nvme_tcp_run_on(struct nvme_transport_conn *conn, struct cpu_core *core);
time_ps nvme_tcp_cpu(const struct nvme_transport_conn *conn);
/* The digests of ICReq or ICResp and the alignment of the peer. */
void nvme_tcp_agree(struct nvme_transport_conn *conn, uint8_t digests, uint8_t out_pda,
                    uint8_t in_pda);

static inline uint8_t nvme_tcp_pda(int64_t alignment)
{
    return (uint8_t)(alignment / 4 - 1); /* 0's based, in units of 4 bytes */
}

/* tcp_guard.c */
void nvme_tcp_on_reaper(void *self, time_ps now); /* of the transport's timer */
void nvme_tcp_forget_stranger(struct nvme_transport_conn *conn);
/* Makes room for one more stranger. False: a stall has deferred all. */
bool nvme_tcp_bound_strangers(struct nvme_tcp *tcp);
void nvme_tcp_guard(struct nvme_transport_conn *conn); /* the site's guard begins to watch it */
void nvme_tcp_on_idle(void *self, time_ps now);        /* of its timer */
/* The connection fails through its peer's fault, which a target's guard reports. */
void nvme_tcp_refuse(struct nvme_transport_conn *conn, const char *why);

/* tcp_digest.c */
uint32_t nvme_tcp_digest(struct nvme_tcp *tcp, const struct nvme_buffer *data, uint32_t at,
                         uint32_t length);
/* Of the data that has arrived. */
uint32_t nvme_tcp_digest_read(struct nvme_transport_conn *conn);

/* tcp_tls.c */
/* The stream begins with a TLS handshake that the target accepts. */
bool nvme_tls_begins(const struct nvme_transport_conn *conn);
void nvme_tls_connect(struct nvme_transport_conn *conn);
/* The peer has begun a handshake; these bytes of its first record were read. */
void nvme_tls_accept(struct nvme_transport_conn *conn, const unsigned char *read, uint32_t length);
/* Goes on with the handshake. True: it is over. */
bool nvme_tls_shake(struct nvme_transport_conn *conn);
/* As `send`, `read` and `read_bulk` of the stream. ends_pdu: the piece is the end of a PDU. */
uint32_t nvme_tls_send(struct nvme_transport_conn *conn, const struct stream_piece *piece,
                       bool ends_pdu);
uint32_t nvme_tls_read(struct nvme_transport_conn *conn, unsigned char *bytes, uint32_t most);
uint32_t nvme_tls_read_bulk(struct nvme_transport_conn *conn, uint32_t most, uint32_t offset,
                            uint32_t *content);
void nvme_tls_on_writable(struct nvme_transport_conn *conn);
void nvme_tls_on_worked(struct nvme_transport_conn *conn, enum stream_work what);
/* True: the stream is closed after the record that is being sent. */
bool nvme_tls_close(struct nvme_transport_conn *conn);
void nvme_tls_free(struct nvme_transport_conn *conn);

/* tcp_tls_flight.c */
void nvme_tls_flight(struct tls_flight *flight, enum tls_flight_kind kind);

/* tcp_host.c */
struct nvme_transport_conn *nvme_tcp_connect(struct nvme_transport *transport,
                                             const struct nvme_transport_connect *how);
bool nvme_tcp_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                           struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes);

/* tcp_target.c, tcp_r2t.c */
bool nvme_tcp_listen(struct nvme_transport *transport,
                     const struct nvme_transport_listener *listener);
void nvme_tcp_unlisten(struct nvme_transport *transport);
uint32_t nvme_tcp_accept(struct nvme_transport_conn *conn, const struct nvme_transport_accept *how);
void nvme_tcp_reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why);
bool nvme_tcp_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_tcp_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool nvme_tcp_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                      const struct nvme_response *response, bool with_data);
void nvme_tcp_target_audit(const struct nvme_transport_conn *conn);

#endif

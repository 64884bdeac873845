/* SPDX-License-Identifier: Apache-2.0
 * iscsi_private - declarations shared by the files of the iSCSI transport.
 *   iscsi.c         operations table, parameters, memory, end of sessions
 *   bhs.c           PDUs as they travel
 *   text.c          keys of Login PDUs
 *   scsi.c          SCSI commands, data, status
 *   iscsi_send.c    PDUs of a connection as bytes of its stream
 *   iscsi_stream.c  received bytes as PDUs, faults, end
 *   iscsi_host.c    a host's session: its PDUs and I/O commands
 *   iscsi_host_session.c  begins and ends it
 *   iscsi_host_login.c    Login of a host
 *   iscsi_host_admin.c    a host's admin commands
 *   iscsi_target.c  a target's session: commands and their data
 *   iscsi_target_receive.c  PDUs that it has received
 *   iscsi_target_order.c  the order in which its commands begin
 *   iscsi_target_login.c  Login at a target, which connects its queues
 *   iscsi_target_scsi.c   commands of a target that are no I/O */
#ifndef STORMGLASS_NVME_ISCSI_ISCSI_PRIVATE_H
#define STORMGLASS_NVME_ISCSI_ISCSI_PRIVATE_H

#include "base/probe.h"
#include "nvme/iscsi/bhs.h"
#include "nvme/iscsi/iscsi.h"
#include "nvme/iscsi/text.h"

#include <stddef.h>

enum { ISCSI_ADMIN, ISCSI_IO, ISCSI_QUEUES };

struct iscsi {
    struct nvme_transport base;
    struct iscsi_site site;
    struct iscsi_params params;
    struct nvme_transport_listener listener; /* callbacks of a target */
    struct iscsi_session *sessions;          /* all of them */
    struct iscsi_session *dead;              /* closed, with wake-ups of timers under way */
    uint32_t mapped;                         /* buffers */
    bool unit_scanned;                       /* a session of the host has read unit 0 */
    uint32_t zeros;                          /* bytes of data whose CRC32C is zeros_digest */
    uint32_t zeros_digest;
};

/* A PDU that is to be sent. Its sequence numbers are those of the moment in which it leaves, except
 * a command's own. */
struct iscsi_out {
    struct iscsi_pdu pdu;
    const struct nvme_buffer *data; /* its data segment, from `at`; or */
    const unsigned char *bytes;     /* these; they stay until it is sent */
    uint32_t at;
    bool moves_window; /* the response to a numbered command: MaxCmdSN moves with it */
    void *owner;       /* for on_sent */
};

/* The PDU at the head of the line: header and its digest, data, pad and data digest. */
struct iscsi_sending {
    unsigned char head[ISCSI_BHS_BYTES + ISCSI_DIGEST_BYTES];
    unsigned char tail[4 + ISCSI_DIGEST_BYTES];
    uint32_t head_bytes, tail_bytes; /* head_bytes 0: nothing */
    uint32_t sent;                   /* bytes of these and the data */
};

enum iscsi_phase { ISCSI_HEAD, ISCSI_DATA, ISCSI_TAIL };

/* The PDU that is arriving. */
struct iscsi_arriving {
    enum iscsi_phase phase;
    unsigned char head[ISCSI_BHS_BYTES + ISCSI_DIGEST_BYTES];
    unsigned char tail[4 + ISCSI_DIGEST_BYTES];
    uint32_t bytes; /* of this phase */
    struct iscsi_pdu pdu;
    struct nvme_buffer *data; /* destination, at `at`; or */
    unsigned char *real;      /* these bytes; neither: the data is dropped */
    uint32_t at;
    uint32_t content; /* tag of the data so far */
    void *owner;      /* of the role, from on_header to on_pdu */
    bool ignored;     /* target: the PDU has no effect, and its data is dropped */
};

struct iscsi_connection;

/* The differences between hosts and targets. */
struct iscsi_role {
    /* Fills in the sequence numbers of a PDU that leaves. */
    void (*number)(struct iscsi_connection *, struct iscsi_out *);
    void (*on_sent)(struct iscsi_connection *, const struct iscsi_out *);
    /* A header has arrived; sets the destination of its data. False: a fault. */
    bool (*on_header)(struct iscsi_connection *, struct iscsi_fault *);
    /* The whole PDU has arrived. False: a fault. */
    bool (*on_pdu)(struct iscsi_connection *, struct iscsi_fault *);
    /* The peer has closed in order. */
    void (*on_parted)(struct iscsi_session *);
    /* Calls of users, which are made for a queue that has them. */
    void (*on_failed)(struct nvme_transport_conn *, const char *why);
    void (*on_closed)(struct nvme_transport_conn *);
    /* Calls that could not be made when they became due. */
    void (*on_later)(struct iscsi_session *);
    /* Frees what the role has in the session, or in one of its queues. */
    void (*release)(struct iscsi_session *);
    void (*release_queue)(struct nvme_transport_conn *);
};

enum { ISCSI_SENTENCE_BYTES = 192 };

/* One queue of a session: first member of a host's and of a target's. */
struct nvme_transport_conn {
    struct iscsi_session *session;
    unsigned index; /* ISCSI_ADMIN, ISCSI_IO */
    bool attached;  /* the user has it and has not closed it (`close`) */
    bool closed;    /* by the user (`disconnect`): only its end is reported */
    bool reported;  /* its end was */
};

/* One TCP connection of a session. */
struct iscsi_connection {
    struct iscsi_session *session;
    struct iscsi_connection *next; /* of the session */
    uint16_t cid;
    struct stream_conn *stream; /* NULL: destroyed */
    time_ps cpu;                /* of the stream that was destroyed */
    bool ended;                 /* the stream has ended */
    bool full_feature;          /* Login is complete */
    bool login_sent;            /* host: a Login Request, which has no response yet or a good one */
    struct iscsi_pdu login;     /* target: the last Login Request */
    struct iscsi_terms terms;   /* as agreed; before, those of Login */
    uint32_t stat_sn;           /* target: of its next status; host: the next that it expects */
    struct iscsi_out *line;     /* PDUs to send, a ring */
    uint32_t room, first, count;
    struct iscsi_sending sending;
    struct iscsi_arriving arriving;
    struct iscsi_text text_in, text_out; /* of Login PDUs */
    unsigned char rejected[ISCSI_BHS_BYTES];
};

/* First member of a host's and of a target's session. */
struct iscsi_session {
    struct iscsi *iscsi;
    const struct iscsi_role *role;
    struct nvme_transport_conn *queues[ISCSI_QUEUES];
    struct iscsi_connection *connections; /* the leading one is the first */
    bool lost;                            /* the stream of a connection has ended */
    bool failed;                          /* reported */
    bool parting;                         /* the streams are closed by this side */
    bool deferred;                        /* a call waits for the end of a stall */
    struct timer later, linger;
    struct iscsi_session *next;
    char why[ISCSI_SENTENCE_BYTES];
};

static inline struct iscsi *iscsi_of(struct nvme_transport *transport)
{
    return (struct iscsi *)(void *)transport;
}

static inline bool iscsi_is_host(const struct iscsi_session *session)
{
    return session->iscsi->listener.on_request == NULL;
}

/* A queue whose user hears of it. */
static inline bool iscsi_is_used(const struct nvme_transport_conn *queue)
{
    return queue != NULL && queue->attached && !queue->closed;
}

/* Nothing can be sent or received for the users any more. */
static inline bool iscsi_is_over(const struct iscsi_session *session)
{
    return session->failed || session->lost || session->parting;
}

static inline bool iscsi_is_leading(const struct iscsi_connection *connection)
{
    return connection->session->connections == connection;
}

static inline uint32_t iscsi_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* iscsi.c */
struct iscsi_terms iscsi_terms_of(const struct iscsi_keys *keys);
/* The same for a further connection of a session whose leading one has agreed on `leading`. */
struct iscsi_terms iscsi_terms_of_further(const struct iscsi_keys *keys,
                                          const struct iscsi_terms *leading);
void iscsi_session_init(struct iscsi_session *session, struct iscsi *iscsi,
                        const struct iscsi_role *role);
/* A connection that the session has from now on; its stream is the caller's to set. */
struct iscsi_connection *iscsi_connection_add(struct iscsi_session *session, uint16_t cid);
/* Frees the session if no queue is attached. */
void iscsi_session_free(struct iscsi_session *session);

/* iscsi_send.c */
/* Appends a PDU to the line; iscsi_flush sends what the stream takes. */
void iscsi_send(struct iscsi_connection *connection, const struct iscsi_out *out,
                enum probe_stream_kind kind);
void iscsi_flush(struct iscsi_connection *connection);
/* CRC32C of `length` bytes and their pad; data without bytes counts as zeros. */
uint32_t iscsi_digest(struct iscsi *iscsi, const unsigned char *bytes, uint32_t length);
void iscsi_mark(const struct iscsi_connection *connection, enum probe_stream_kind kind,
                uint32_t bytes);

/* iscsi_stream.c */
struct stream_user iscsi_stream_user(struct iscsi_connection *connection);
/* The full feature phase begins, with the terms. */
void iscsi_open(struct iscsi_connection *connection);
void iscsi_later(struct iscsi_session *session);
void iscsi_fail(struct iscsi_session *session, const char *why);
/* Closes each stream when the data in its send buffer has left. */
void iscsi_part(struct iscsi_session *session);
/* Aborts the streams; no more callbacks. */
void iscsi_abort(struct iscsi_session *session);

/* iscsi_host.c */
struct nvme_transport_conn *iscsi_connect(struct nvme_transport *transport,
                                          const struct nvme_transport_connect *how);
bool iscsi_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                        struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes);
void iscsi_host_disconnect(struct nvme_transport_conn *conn);

/* iscsi_target.c */
bool iscsi_listen(struct nvme_transport *transport, const struct nvme_transport_listener *listener);
void iscsi_unlisten(struct nvme_transport *transport);
uint32_t iscsi_accept(struct nvme_transport_conn *conn, const struct nvme_transport_accept *how);
void iscsi_reject_queue(struct nvme_transport_conn *conn, enum nvme_cm_reject why);
bool iscsi_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool iscsi_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer);
bool iscsi_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                   const struct nvme_response *response, bool with_data);
void iscsi_target_audit(const struct nvme_transport_conn *conn);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * iscsi_stream - received bytes of a connection as PDUs; faults and the end of a session.
 * Received bytes pass through phases until a PDU is complete. While a target's software is stalled,
 * its sessions are not read, so that their windows close. */
#include "nvme/iscsi/iscsi_private.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

/* Time for the peer to answer a Logout and a FIN. Assumed; open-iscsi waits 15 s for a Logout. */
#define LINGER PS_PER_S

enum { DROP_BYTES = 1024 };

static const struct stream_ops *streams_of(const struct iscsi_session *session)
{
    return session->iscsi->site.streams;
}

/* ---- failure ---- */

static void report_failure(struct iscsi_session *session)
{
    for (unsigned i = 0; i < ISCSI_QUEUES; i++)
        if (iscsi_is_used(session->queues[i]))
            session->role->on_failed(session->queues[i], session->why);
}

void iscsi_fail(struct iscsi_session *session, const char *why)
{
    if (session->failed || session->parting)
        return;
    session->failed = true;
    if (why != session->why)
        snprintf(session->why, sizeof session->why, "%s", why);
    report_failure(session);
    iscsi_part(session);
}

/* A target sends a Reject with the header in error (RFC 7143, 11.17); either side ends the
 * connection, since ErrorRecoveryLevel is 0. */
static void refuse(struct iscsi_connection *connection, const struct iscsi_fault *fault)
{
    if (!iscsi_is_host(connection->session) && connection->full_feature) {
        memcpy(connection->rejected, connection->arriving.head, ISCSI_BHS_BYTES);
        const struct iscsi_out out = {.pdu = {.opcode = ISCSI_REJECT,
                                              .flags = ISCSI_FINAL,
                                              .byte2 = fault->reason,
                                              .length = ISCSI_BHS_BYTES,
                                              .itt = ISCSI_TAG_NONE},
                                      .bytes = connection->rejected};
        iscsi_send(connection, &out, PROBE_STREAM_POSTED);
        iscsi_flush(connection);
    }
    iscsi_fail(connection->session, fault->why);
}

/* ---- receiving ---- */

static bool read_bytes(struct iscsi_connection *connection, unsigned char *bytes, uint32_t end)
{
    struct iscsi_arriving *from = &connection->arriving;
    if (from->bytes < end)
        from->bytes += streams_of(connection->session)
                           ->read(connection->stream, bytes + from->bytes, end - from->bytes);
    return from->bytes == end;
}

static uint32_t read_some(struct iscsi_connection *connection, uint32_t most)
{
    struct iscsi_arriving *from = &connection->arriving;
    const struct stream_ops *streams = streams_of(connection->session);
    unsigned char dropped[DROP_BYTES];
    const uint32_t at = from->at + from->bytes;
    if (from->real != NULL)
        return streams->read(connection->stream, from->real + from->bytes, most);
    if (from->data == NULL)
        return streams->read(connection->stream, dropped, most < DROP_BYTES ? most : DROP_BYTES);
    if (from->data->bytes != NULL)
        return streams->read(connection->stream, from->data->bytes + at, most);
    uint32_t content = NVME_CONTENT_MIXED;
    const uint32_t taken = streams->read_bulk(connection->stream, most, at, &content);
    if (taken > 0)
        from->content =
            from->bytes == 0 || from->content == content ? content : STREAM_CONTENT_MIXED;
    return taken;
}

static bool read_data(struct iscsi_connection *connection)
{
    struct iscsi_arriving *from = &connection->arriving;
    while (from->bytes < from->pdu.length) {
        const uint32_t taken = read_some(connection, from->pdu.length - from->bytes);
        if (taken == 0)
            return false;
        from->bytes += taken;
    }
    return true;
}

static void enter(struct iscsi_arriving *from, enum iscsi_phase phase)
{
    from->phase = phase;
    from->bytes = 0;
}

static uint32_t head_bytes(const struct iscsi_connection *connection)
{
    const bool digest = connection->full_feature && connection->terms.header_digest;
    return ISCSI_BHS_BYTES + (digest ? ISCSI_DIGEST_BYTES : 0);
}

static uint32_t tail_bytes(const struct iscsi_connection *connection)
{
    const uint32_t length = connection->arriving.pdu.length;
    const bool digest = connection->full_feature && connection->terms.data_digest && length > 0;
    return iscsi_pad(length) + (digest ? ISCSI_DIGEST_BYTES : 0);
}

/* Parts of the data with different tags have no tag in common. */
static void note_content(const struct iscsi_arriving *from)
{
    if (from->pdu.length == 0 || from->data == NULL || from->data->bytes != NULL)
        return;
    const bool more = from->at > 0 && from->data->content != from->content;
    from->data->content = more ? NVME_CONTENT_MIXED : from->content;
}

static bool check_digests(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    const struct iscsi_arriving *from = &connection->arriving;
    const uint32_t length = from->pdu.length, pad = iscsi_pad(length);
    if (tail_bytes(connection) == pad)
        return true;
    const unsigned char *bytes = from->real;
    if (bytes == NULL && from->data != NULL && from->data->bytes != NULL)
        bytes = from->data->bytes + from->at;
    /* Data that is dropped was not kept for its digest. */
    if (from->real == NULL && from->data == NULL)
        return true;
    return wire_get32(from->tail + pad) ==
               iscsi_digest(connection->session->iscsi, bytes, length) ||
           iscsi_fail_with(fault, ISCSI_REJECT_DIGEST, "%s: the data digest does not match",
                           iscsi_pdu_name(from->pdu.opcode));
}

static bool after_head(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct iscsi_arriving *from = &connection->arriving;
    if (head_bytes(connection) > ISCSI_BHS_BYTES &&
        wire_get32(from->head + ISCSI_BHS_BYTES) != crc32c(0, from->head, ISCSI_BHS_BYTES))
        return iscsi_fail_with(fault, ISCSI_REJECT_DIGEST, "the header digest does not match");
    const uint32_t most =
        connection->full_feature ? connection->terms.recv_data : (uint32_t)ISCSI_TEXT_MAX;
    from->data = NULL;
    from->real = NULL;
    from->owner = NULL;
    from->ignored = false;
    from->at = 0;
    if (!iscsi_pdu_decode(&from->pdu, from->head, !iscsi_is_host(connection->session), most,
                          fault) ||
        !connection->session->role->on_header(connection, fault))
        return false;
    enter(from, ISCSI_DATA);
    return true;
}

static bool finish_pdu(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct iscsi_arriving *from = &connection->arriving;
    if (!check_digests(connection, fault))
        return false;
    iscsi_mark(connection, PROBE_STREAM_TAKEN, 0);
    note_content(from);
    enter(from, ISCSI_HEAD);
    return connection->session->role->on_pdu(connection, fault);
}

/* One phase. *more: the next one may have bytes, too. False: a fault. */
static bool step(struct iscsi_connection *connection, struct iscsi_fault *fault, bool *more)
{
    struct iscsi_arriving *from = &connection->arriving;
    switch (from->phase) {
    case ISCSI_HEAD:
        *more = read_bytes(connection, from->head, head_bytes(connection));
        return !*more || after_head(connection, fault);
    case ISCSI_DATA:
        *more = read_data(connection);
        if (*more)
            enter(from, ISCSI_TAIL);
        return true;
    default:
        *more = read_bytes(connection, from->tail, tail_bytes(connection));
        return !*more || finish_pdu(connection, fault);
    }
}

static void receive(struct iscsi_connection *connection)
{
    struct iscsi_fault fault = {0};
    bool more = true;
    while (more && !iscsi_is_over(connection->session))
        if (!step(connection, &fault, &more)) {
            refuse(connection, &fault);
            return;
        }
    struct iscsi_session *session = connection->session;
    if (!iscsi_is_over(session) && streams_of(session)->ended(connection->stream))
        session->role->on_parted(session);
}

static bool have_ended(const struct iscsi_session *session)
{
    for (const struct iscsi_connection *at = session->connections; at != NULL; at = at->next)
        if (!at->ended)
            return false;
    return true;
}

static void report_end(struct iscsi_session *session)
{
    env_timer_cancel(session->iscsi->site.env, &session->linger);
    for (unsigned i = 0; i < ISCSI_QUEUES; i++) {
        struct nvme_transport_conn *queue = session->queues[i];
        if (queue == NULL || !queue->attached || !queue->closed || queue->reported)
            continue;
        queue->reported = true;
        session->role->on_closed(queue);
    }
}

/* Everything that is due: data, its end, and deferred calls. */
static void attend(void *self, const void *what)
{
    struct iscsi_session *session = self;
    struct nvme_stall *stall = session->iscsi->listener.stall;
    (void)what;
    if (stall != NULL && stall->on) {
        if (!session->deferred)
            session->deferred = nvme_stall_holds(stall, attend, session, NULL, 0);
        return;
    }
    session->deferred = false;
    session->role->on_later(session);
    for (struct iscsi_connection *at = session->connections; at != NULL; at = at->next)
        receive(at);
    if (session->connections == NULL) { /* its connection has joined another session */
        iscsi_session_free(session);
        return;
    }
    if (session->lost && !session->failed) {
        session->failed = true;
        report_failure(session);
        if (!have_ended(session)) /* ErrorRecoveryLevel 0: the others end, too */
            iscsi_part(session);
    }
    if (session->lost && have_ended(session))
        report_end(session);
}

static void on_later(void *self, time_ps now)
{
    (void)now;
    attend(self, NULL);
}

void iscsi_open(struct iscsi_connection *connection)
{
    const struct stream_ops *streams = streams_of(connection->session);
    connection->full_feature = true;
    if (connection->terms.data_digest && connection->stream != NULL && streams->digest != NULL)
        streams->digest(connection->stream);
}

void iscsi_later(struct iscsi_session *session)
{
    const struct env *env = session->iscsi->site.env;
    if (session->later.due == TIME_NEVER)
        env_timer_set(env, &session->later, env_now(env));
}

static void on_readable(void *self, struct stream_conn *stream)
{
    struct iscsi_connection *connection = self;
    (void)stream;
    attend(connection->session, NULL);
}

static void on_writable(void *self, struct stream_conn *stream)
{
    (void)stream;
    iscsi_flush(self);
}

static void on_stream_closed(void *self, struct stream_conn *stream, int error)
{
    struct iscsi_connection *connection = self;
    struct iscsi_session *session = connection->session;
    (void)stream;
    connection->ended = session->lost = true;
    if (!session->failed)
        snprintf(session->why, sizeof session->why, "%s",
                 stream_end_words(error, connection->full_feature));
    attend(session, NULL);
}

/* ---- life ---- */

static void on_linger(void *self, time_ps now)
{
    struct iscsi_session *session = self;
    (void)now;
    for (struct iscsi_connection *at = session->connections; at != NULL; at = at->next) {
        if (at->stream != NULL && !at->ended)
            streams_of(session)->reset(at->stream);
        at->ended = true;
    }
    session->lost = true;
    attend(session, NULL);
}

void iscsi_session_init(struct iscsi_session *session, struct iscsi *iscsi,
                        const struct iscsi_role *role)
{
    session->iscsi = iscsi;
    session->role = role;
    session->later = (struct timer){.fire = on_later, .self = session, .due = TIME_NEVER};
    session->linger = (struct timer){.fire = on_linger, .self = session, .due = TIME_NEVER};
    session->next = iscsi->sessions;
    iscsi->sessions = session;
}

struct iscsi_connection *iscsi_connection_add(struct iscsi_session *session, uint16_t cid)
{
    struct iscsi_connection *connection = memory_zeroed(1, sizeof *connection);
    struct iscsi_connection **link = &session->connections;
    while (*link != NULL)
        link = &(*link)->next;
    *link = connection;
    connection->session = session;
    connection->cid = cid;
    connection->terms =
        (struct iscsi_terms){.recv_data = ISCSI_TEXT_MAX, .send_data = ISCSI_TEXT_MAX};
    return connection;
}

struct stream_user iscsi_stream_user(struct iscsi_connection *connection)
{
    return (struct stream_user){.self = connection,
                                .on_readable = on_readable,
                                .on_writable = on_writable,
                                .on_closed = on_stream_closed};
}

void iscsi_part(struct iscsi_session *session)
{
    const struct env *env = session->iscsi->site.env;
    if (session->parting)
        return;
    session->parting = true;
    for (struct iscsi_connection *at = session->connections; at != NULL; at = at->next) {
        at->count = 0;
        if (!at->ended)
            streams_of(session)->close(at->stream);
    }
    if (have_ended(session))
        iscsi_later(session);
    else
        env_timer_set(env, &session->linger, env_now(env) + LINGER);
}

void iscsi_abort(struct iscsi_session *session)
{
    const struct env *env = session->iscsi->site.env;
    struct stream_info info;
    session->lost = session->failed = session->parting = true;
    env_timer_cancel(env, &session->later);
    env_timer_cancel(env, &session->linger);
    for (struct iscsi_connection *at = session->connections; at != NULL; at = at->next) {
        at->ended = true;
        at->count = 0;
        if (at->stream == NULL)
            continue;
        streams_of(session)->info(at->stream, &info);
        at->cpu = info.cpu;
        streams_of(session)->destroy(at->stream);
        at->stream = NULL;
    }
}

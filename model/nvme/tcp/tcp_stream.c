/* SPDX-License-Identifier: Apache-2.0
 * tcp_stream - a connection's received bytes as PDUs, its faults and its end.
 * Received bytes pass through phases until a PDU is complete. While a target's software is stalled,
 * its connections are not read, so that their windows close. */
#include "nvme/tcp/tcp_private.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time for the peer to answer a FIN. Our own value: Linux resets a closed connection at once
 * (sock_no_linger), here the reset would discard the last PDUs. */
#define LINGER PS_PER_S

enum { DROP_BYTES = 1024 };

static const struct stream_ops *streams_of(const struct nvme_transport_conn *conn)
{
    return conn->tcp->site.streams;
}

static bool is_host(const struct nvme_transport_conn *conn)
{
    return conn->tcp->listener.on_request == NULL;
}

/* ---- failure ---- */

void nvme_tcp_fail(struct nvme_transport_conn *conn, const char *why)
{
    if (conn->failed || conn->closed)
        return;
    conn->failed = true;
    if (why != conn->why)
        snprintf(conn->why, sizeof conn->why, "%s", why);
    conn->role->on_failed(conn, conn->why);
}

/* Sends a TermReq with the header in error (NVMe/TCP 1.0, 3.5.4). PDUs in the line are dropped,
 * except the rest of one that has begun. */
static void terminate(struct nvme_transport_conn *conn, const struct nvme_pdu_fault *fault)
{
    const struct tcp_arriving *from = &conn->arriving;
    if (nvme_pdu_is_term(from->head[0])) { /* none answers another */
        nvme_tcp_refuse(conn, fault->why);
        return;
    }
    const uint8_t type = is_host(conn) ? NVME_PDU_H2C_TERM : NVME_PDU_C2H_TERM;
    uint32_t bytes = from->header > 0 ? from->header : (uint32_t)NVME_PDU_COMMON_BYTES;
    bytes = bytes < NVME_PDU_TERM_DATA_MAX ? bytes : (uint32_t)NVME_PDU_TERM_DATA_MAX;
    memcpy(conn->term, from->head, bytes);
    conn->term_pdu =
        (struct nvme_pdu){.type = type, .length = bytes, .fes = fault->fes, .fei = fault->fei};
    conn->count = conn->sending.before > 0 ? 1 : 0;
    nvme_tcp_send(conn, &(struct tcp_out){.type = type});
    nvme_tcp_flush(conn);
    snprintf(conn->why, sizeof conn->why, "%s: %s", nvme_pdu_fes_name(fault->fes, is_host(conn)),
             fault->why);
    nvme_tcp_refuse(conn, conn->why);
}

/* ---- receiving ---- */

static uint32_t read_real(struct nvme_transport_conn *conn, unsigned char *bytes, uint32_t most)
{
    return conn->tls != NULL ? nvme_tls_read(conn, bytes, most)
                             : streams_of(conn)->read(conn->stream, bytes, most);
}

static uint32_t read_bulk(struct nvme_transport_conn *conn, uint32_t most, uint32_t offset,
                          uint32_t *content)
{
    return conn->tls != NULL ? nvme_tls_read_bulk(conn, most, offset, content)
                             : streams_of(conn)->read_bulk(conn->stream, most, offset, content);
}

/* Reads up to `end` bytes of the phase. True: all are there. */
static bool read_bytes(struct nvme_transport_conn *conn, unsigned char *bytes, uint32_t end)
{
    struct tcp_arriving *from = &conn->arriving;
    if (from->bytes < end)
        from->bytes += read_real(conn, bytes + from->bytes, end - from->bytes);
    return from->bytes == end;
}

static uint32_t read_dropped(struct nvme_transport_conn *conn, uint32_t most)
{
    unsigned char dropped[DROP_BYTES];
    return read_real(conn, dropped, most < DROP_BYTES ? most : DROP_BYTES);
}

static uint32_t read_some(struct nvme_transport_conn *conn, uint32_t most)
{
    struct tcp_arriving *from = &conn->arriving;
    if (from->data == NULL)
        return read_dropped(conn, most);
    const uint32_t at = from->at + from->bytes;
    if (from->data->bytes != NULL)
        return read_real(conn, from->data->bytes + at, most);
    uint32_t content = NVME_CONTENT_MIXED;
    const uint32_t taken = read_bulk(conn, most, at, &content);
    if (taken > 0)
        from->content =
            from->bytes == 0 || from->content == content ? content : STREAM_CONTENT_MIXED;
    return taken;
}

static bool read_data(struct nvme_transport_conn *conn)
{
    struct tcp_arriving *from = &conn->arriving;
    while (from->bytes < from->pdu.length) {
        const uint32_t taken = read_some(conn, from->pdu.length - from->bytes);
        if (taken == 0)
            return false;
        from->bytes += taken;
    }
    return true;
}

static void enter(struct tcp_arriving *from, enum tcp_phase phase)
{
    from->phase = phase;
    from->bytes = 0;
}

static struct nvme_pdu_rules rules_of(const struct nvme_transport_conn *conn)
{
    return (struct nvme_pdu_rules){
        .format = conn->in, .from_host = !is_host(conn), .initialized = conn->initialized};
}

/* Parts of the data with different tags have no tag in common. */
static void note_content(struct tcp_arriving *from)
{
    if (from->data == NULL || from->data->bytes != NULL)
        return;
    const bool more = from->at > 0 && from->data->content != from->content;
    from->data->content = more ? NVME_CONTENT_MIXED : from->content;
}

/* The peer terminates the connection. */
static void on_terminated(struct nvme_transport_conn *conn, const struct nvme_pdu *pdu)
{
    char why[TCP_WHY_BYTES];
    snprintf(why, sizeof why, "%s: %s", nvme_pdu_name(pdu->type),
             nvme_pdu_fes_name(pdu->fes, !is_host(conn)));
    nvme_tcp_refuse(conn, why);
}

static void finish_pdu(struct nvme_transport_conn *conn)
{
    struct tcp_arriving *from = &conn->arriving;
    nvme_tcp_mark(conn, PROBE_STREAM_TAKEN, 0);
    if (from->pdu.length > 0 && nvme_pdu_has_data(&from->pdu))
        note_content(from);
    if (nvme_pdu_is_term(from->pdu.type))
        on_terminated(conn, &from->pdu);
    else
        conn->role->on_pdu(conn, from);
    enter(from, TCP_COMMON);
}

static bool after_header(struct nvme_transport_conn *conn, struct nvme_pdu_fault *fault)
{
    struct tcp_arriving *from = &conn->arriving;
    const struct nvme_pdu_rules rules = rules_of(conn);
    if (!nvme_pdu_decode(&from->pdu, from->head, &rules, fault))
        return false;
    from->data = NULL;
    from->at = 0;
    from->damaged = false;
    if (!conn->role->on_header(conn, from, fault))
        return false;
    enter(from, TCP_PAD);
    return true;
}

/* One phase. *more: the next one may have bytes, too. False: a fault. */
static bool step(struct nvme_transport_conn *conn, struct nvme_pdu_fault *fault, bool *more)
{
    struct tcp_arriving *from = &conn->arriving;
    const struct nvme_pdu_rules rules = rules_of(conn);
    unsigned char pad[NVME_PDU_BEFORE_MAX];
    switch (from->phase) {
    case TCP_COMMON:
        if (from->bytes == 0 && conn->tcp->site.guard != NULL)
            conn->pdu_at = env_now(conn->tcp->site.env);
        *more = read_bytes(conn, from->head, NVME_PDU_COMMON_BYTES);
        if (!*more)
            return true;
        if (nvme_tls_begins(conn)) {
            nvme_tls_accept(conn, from->head, NVME_PDU_COMMON_BYTES);
            enter(from, TCP_COMMON);
            *more = nvme_tls_shake(conn);
            return true;
        }
        from->header = nvme_pdu_header_bytes(from->head, &rules, fault);
        from->phase = TCP_HEADER;
        return from->header > 0;
    case TCP_HEADER:
        *more = read_bytes(conn, from->head, from->header);
        return !*more || after_header(conn, fault);
    case TCP_PAD:
        *more = read_bytes(conn, pad, from->pdu.before - from->header);
        if (*more)
            enter(from, TCP_DATA);
        return true;
    case TCP_DATA:
        if (nvme_pdu_has_data(&from->pdu)) {
            *more = read_data(conn);
            if (!*more)
                return true;
        }
        if ((from->pdu.flags & NVME_PDU_DDGST) == 0)
            finish_pdu(conn);
        else
            enter(from, TCP_DIGEST);
        return true;
    default:
        *more = read_bytes(conn, from->digest, NVME_PDU_DIGEST_BYTES);
        if (!*more)
            return true;
        /* Not fatal: the command fails, as at Linux's host and SPDK's target. */
        from->damaged = wire_get32(from->digest) != nvme_tcp_digest_read(conn);
        finish_pdu(conn);
        return true;
    }
}

static void receive(struct nvme_transport_conn *conn)
{
    struct nvme_pdu_fault fault = {0};
    bool more = !nvme_tcp_is_over(conn) && (conn->tls == NULL || nvme_tls_shake(conn));
    while (more && !nvme_tcp_is_over(conn))
        if (!step(conn, &fault, &more)) {
            terminate(conn, &fault);
            return;
        }
    if (!nvme_tcp_is_over(conn) && streams_of(conn)->ended(conn->stream))
        conn->role->on_parted(conn);
}

static void report_end(struct nvme_transport_conn *conn)
{
    if (!conn->closed || conn->reported)
        return;
    conn->reported = true;
    env_timer_cancel(conn->tcp->site.env, &conn->linger);
    conn->role->on_closed(conn);
}

/* Everything that is due: data, its end, and deferred calls. */
static void attend(void *self, const void *what)
{
    struct nvme_transport_conn *conn = self;
    struct nvme_stall *stall = conn->tcp->listener.stall;
    (void)what;
    if (stall != NULL && stall->on) {
        if (!conn->deferred)
            conn->deferred = nvme_stall_holds(stall, attend, conn, NULL, 0);
        return;
    }
    if (conn->deferred)
        conn->excused = env_now(conn->tcp->site.env);
    conn->deferred = false;
    if (conn->role->on_later != NULL)
        conn->role->on_later(conn);
    receive(conn);
    if (conn->ended && !conn->failed && !conn->closed)
        nvme_tcp_fail(conn, conn->why);
    if (conn->ended)
        report_end(conn);
}

static void on_later(void *self, time_ps now)
{
    (void)now;
    attend(self, NULL);
}

void nvme_tcp_later(struct nvme_transport_conn *conn)
{
    const struct env *env = conn->tcp->site.env;
    if (conn->later.due == TIME_NEVER)
        env_timer_set(env, &conn->later, env_now(env));
}

static void on_readable(void *self, struct stream_conn *stream)
{
    (void)stream;
    attend(self, NULL);
}

static void on_writable(void *self, struct stream_conn *stream)
{
    struct nvme_transport_conn *conn = self;
    (void)stream;
    if (conn->tls != NULL)
        nvme_tls_on_writable(conn);
    else
        nvme_tcp_flush(conn);
}

static void on_worked(void *self, struct stream_conn *stream, enum stream_work what)
{
    (void)stream;
    nvme_tls_on_worked(self, what);
    if (what != STREAM_WORK_ENCRYPT)
        attend(self, NULL);
}

static void on_stream_closed(void *self, struct stream_conn *stream, int error)
{
    struct nvme_transport_conn *conn = self;
    (void)stream;
    conn->ended = true;
    if (!conn->failed)
        snprintf(conn->why, sizeof conn->why, "%s", stream_end_words(error, conn->initialized));
    attend(conn, NULL);
}

/* ---- life ---- */

static void on_linger(void *self, time_ps now)
{
    struct nvme_transport_conn *conn = self;
    (void)now;
    if (conn->stream != NULL && !conn->ended)
        streams_of(conn)->reset(conn->stream);
    conn->ended = true;
    attend(conn, NULL);
}

void nvme_tcp_conn_init(struct nvme_transport_conn *conn, struct nvme_tcp *tcp,
                        const struct tcp_role *role)
{
    conn->tcp = tcp;
    conn->role = role;
    conn->later = (struct timer){.fire = on_later, .self = conn, .due = TIME_NEVER};
    conn->linger = (struct timer){.fire = on_linger, .self = conn, .due = TIME_NEVER};
    conn->idle = (struct timer){.fire = nvme_tcp_on_idle, .self = conn, .due = TIME_NEVER};
}

struct stream_user nvme_tcp_conn_user(struct nvme_transport_conn *conn)
{
    return (struct stream_user){.self = conn,
                                .on_readable = on_readable,
                                .on_writable = on_writable,
                                .on_worked = on_worked,
                                .on_closed = on_stream_closed};
}

void nvme_tcp_agree(struct nvme_transport_conn *conn, uint8_t digests, uint8_t out_pda,
                    uint8_t in_pda)
{
    const bool header = (digests & NVME_PDU_DGST_HEADER) != 0;
    const bool data = (digests & NVME_PDU_DGST_DATA) != 0;
    conn->out = (struct nvme_pdu_format){header, data, out_pda};
    conn->in = (struct nvme_pdu_format){header, data, in_pda};
    conn->initialized = true;
    if (data && streams_of(conn)->digest != NULL)
        streams_of(conn)->digest(conn->stream);
    if (data && streams_of(conn)->read_crc != NULL)
        streams_of(conn)->read_crc(conn->stream);
}

void nvme_tcp_disconnect(struct nvme_transport_conn *conn)
{
    const struct env *env = conn->tcp->site.env;
    conn->closed = true;
    conn->count = 0;
    if (conn->ended) {
        nvme_tcp_later(conn);
        return;
    }
    if (conn->tls == NULL || !nvme_tls_close(conn))
        streams_of(conn)->close(conn->stream);
    env_timer_set(env, &conn->linger, env_now(env) + LINGER);
}

bool nvme_tcp_run_on(struct nvme_transport_conn *conn, struct cpu_core *core)
{
    const struct stream_ops *streams = streams_of(conn);
    return conn->stream != NULL && streams->run_on != NULL && streams->run_on(conn->stream, core);
}

time_ps nvme_tcp_cpu(const struct nvme_transport_conn *conn)
{
    struct stream_info info;
    if (conn->stream == NULL)
        return conn->cpu;
    streams_of(conn)->info(conn->stream, &info);
    return info.cpu;
}

void nvme_tcp_drop(struct nvme_transport_conn *conn)
{
    const struct env *env = conn->tcp->site.env;
    conn->closed = conn->reported = conn->ended = true;
    conn->count = 0;
    env_timer_cancel(env, &conn->later);
    env_timer_cancel(env, &conn->linger);
    env_timer_cancel(env, &conn->idle);
    conn->cpu = nvme_tcp_cpu(conn);
    if (conn->stream != NULL)
        streams_of(conn)->destroy(conn->stream);
    conn->stream = NULL;
}

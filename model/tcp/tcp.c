/* SPDX-License-Identifier: Apache-2.0
 * tcp - one port's TCP, and the stream operations on it. */
#include "tcp/tcp_private.h"

#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CONNS_MAX = 1 << 20, BATCHES_MAX = 1 << 20, EPHEMERAL = 32768 };

const struct tcp_counter_name tcp_counter_names[TCP_COUNTERS] = {
#define TCP_COUNTER(field, name, about) {name, about},
#include "tcp/tcp_counters.def"
#undef TCP_COUNTER
};

static_assert(sizeof(struct tcp_counters) == TCP_COUNTERS * sizeof(uint64_t), "nothing else");

/* ------------------------------------------------------------------ life */

struct tcp *tcp_create(const struct tcp_site *site)
{
    struct tcp *tcp = memory_new(sizeof *tcp);
    *tcp = (struct tcp){
        .node = site->port->node,
        .frames = site->port->frames,
        .site = *site,
        .params = *site->params,
        .next_port = EPHEMERAL,
        .core_count = (uint32_t)site->params->cores,
    };
    tcp->isn = site->env->seed;
    tcp->nic_timer = (struct timer){.fire = tcp_nic_on_timer, .self = tcp, .due = TIME_NEVER};
    slab_init(&tcp->conns, "TCP connections of a port", sizeof(struct tcp_conn), CONNS_MAX);
    slab_init(&tcp->batches, "TCP batches of a port", sizeof(struct tcp_batch), BATCHES_MAX);
    tcp->cores = memory_zeroed(tcp->core_count, sizeof *tcp->cores);
    for (uint32_t i = 0; i < tcp->core_count; i++)
        tcp_core_init(&tcp->cores[i], tcp);
    return tcp;
}

static struct tcp_conn *next_conn(const struct tcp *tcp, uint32_t *bucket, uint32_t *at)
{
    while (tcp->buckets != NULL && *at == POOL_NONE && *bucket <= tcp->bucket_mask)
        *at = tcp->buckets[(*bucket)++];
    if (*at == POOL_NONE)
        return NULL;
    struct tcp_conn *conn = slab_at(&tcp->conns, *at);
    *at = conn->next_hash;
    return conn;
}

void tcp_destroy(struct tcp *tcp)
{
    uint32_t bucket = 0, at = POOL_NONE;
    for (struct tcp_conn *conn; (conn = next_conn(tcp, &bucket, &at)) != NULL;) {
        tcp_board_fini(conn);
        tcp_receive_fini(conn);
    }
    /* Connections that have ended are in no bucket, and may have data that was not read. */
    for (uint32_t i = 0; i < tcp->conns.used; i++) {
        struct tcp_conn *conn = slab_at(&tcp->conns, i);
        content_fini(&conn->out);
        content_fini(&conn->in);
        tcp_messages_fini(conn);
    }
    slab_fini(&tcp->conns);
    slab_fini(&tcp->batches);
    free(tcp->buckets);
    free(tcp->listens);
    free(tcp->cores);
    free(tcp);
}

/* ------------------------------------------------------------------ arrival */

static const struct tcp_listen *find_listen(const struct tcp *tcp, uint16_t port)
{
    for (uint32_t i = 0; i < tcp->listen_count; i++)
        if (tcp->listens[i].port == port)
            return &tcp->listens[i];
    return NULL;
}

void tcp_receive(struct tcp *tcp, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(tcp->frames, handle);
    struct tcp_conn *conn = tcp_conn_find(tcp, frame->source, frame->qpn);
    const unsigned syn = frame->tcp_flags & (SEGMENT_SYN | SEGMENT_ACK | SEGMENT_RST);
    tcp->counters.in_segs++;
    tcp->counters.in_ce += (frame->tos & ECN_CE) == ECN_CE;
    tcp->counters.in_ect0 += (frame->tos & ECN_CE) == ECN_ECT0;
    tcp->counters.in_no_ect += (frame->tos & ECN_CE) == ECN_NOT_ECT;
    if (conn != NULL) {
        tcp_watch_arrived(conn, frame, now);
        tcp_core_receive(conn, handle, now);
        return;
    }
    if (syn == SEGMENT_SYN && find_listen(tcp, (uint16_t)frame->qpn) != NULL)
        tcp_conn_on_syn(tcp, frame, now);
    else
        tcp_refuse(tcp, frame, now);
    frame_give(tcp->frames, handle);
}

/* ------------------------------------------------------------------ stream operations */

static struct tcp *tcp_of(const struct stream_device *device)
{
    return (struct tcp *)(uintptr_t)device;
}

static struct tcp_conn *conn_of(const struct stream_conn *conn)
{
    return (struct tcp_conn *)(uintptr_t)conn;
}

static bool stream_listen(struct stream_device *device, uint16_t port,
                          const struct stream_listener *listener)
{
    struct tcp *tcp = tcp_of(device);
    CHECK(port >= TCP_FIRST_PORT);
    if (find_listen(tcp, port) != NULL)
        return false;
    tcp->listens =
        memory_grown(tcp->listens, tcp->listen_count, &tcp->listen_room, sizeof *tcp->listens);
    tcp->listens[tcp->listen_count++] = (struct tcp_listen){.port = port, .user = *listener};
    return true;
}

static void stream_unlisten(struct stream_device *device, uint16_t port)
{
    struct tcp *tcp = tcp_of(device);
    const struct tcp_listen *listen = find_listen(tcp, port);
    if (listen != NULL)
        tcp->listens[listen - tcp->listens] = tcp->listens[--tcp->listen_count];
}

/* 0: all that lead to this peer and port are taken. */
static uint16_t free_port(struct tcp *tcp, uint32_t peer, uint16_t to)
{
    for (uint32_t i = 0; i <= UINT16_MAX - EPHEMERAL; i++) {
        const uint16_t port = tcp->next_port;
        tcp->next_port = port == UINT16_MAX ? EPHEMERAL : (uint16_t)(port + 1);
        if (tcp_conn_find(tcp, peer, (uint32_t)to << 16 | port) == NULL)
            return port;
    }
    return 0;
}

static struct stream_conn *stream_connect(struct stream_device *device,
                                          const struct stream_peer *peer,
                                          const struct stream_user *user)
{
    struct tcp *tcp = tcp_of(device);
    const time_ps now = tcp_now(tcp);
    const uint32_t endpoint = peer->ip - tcp->site.first_ip;
    const uint16_t port = free_port(tcp, endpoint, peer->port);
    if (port == 0)
        return NULL;
    struct tcp_conn *conn = tcp_conn_new(tcp, endpoint, port, peer->port);
    conn->user = *user;
    conn->owned = true;
    conn->own_core.polled = peer->polled;
    if (peer->class.dscp_set) {
        conn->tos = (uint8_t)(peer->class.dscp << 2);
        conn->priority = tcp->site.priority_of_dscp[peer->class.dscp];
    }
    if (peer->class.priority_set)
        conn->priority = peer->class.priority;
    tcp_set_state(conn, TCP_SYN_SENT);
    tcp->counters.active_opens++;
    conn->last_send = now;
    tcp_send_syn(conn, now);
    tcp_set_rtx(conn, TCP_TIMER_RTO, now + conn->rto);
    return tcp_stream(conn);
}

/* Twice the window, as Linux lets the send buffer grow (tcp_sndbuf_expand). */
uint64_t tcp_send_room(const struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    const uint64_t least = (uint64_t)params->send_buffer, most = (uint64_t)params->send_buffer_max;
    const uint64_t initial = (uint64_t)params->initial_window;
    const uint64_t cwnd = conn->cc.cwnd > initial ? conn->cc.cwnd : initial;
    uint64_t limit = 2 * cwnd * conn->mss;
    limit = limit < least ? least : limit > most ? most : limit;
    const uint64_t used = conn->out.end - conn->out.begin;
    return used < limit ? limit - used : 0;
}

static bool takes_data(const struct tcp_conn *conn)
{
    return !conn->fin_wanted && (conn->state == TCP_ESTABLISHED || conn->state == TCP_CLOSE_WAIT);
}

static uint32_t stream_send(struct stream_conn *stream, const struct stream_piece *piece)
{
    struct tcp_conn *conn = conn_of(stream);
    if (!takes_data(conn))
        return 0;
    const uint64_t room = tcp_send_room(conn);
    const uint32_t taken = piece->length < room ? piece->length : (uint32_t)room;
    if (taken < piece->length)
        conn->blocked = true;
    if (piece->bytes != NULL)
        content_add_real(&conn->out, piece->bytes, taken);
    else
        content_add_bulk(&conn->out, taken, piece->content);
    conn->undigested += conn->digests ? taken : 0;
    if (!piece->more || taken < piece->length)
        conn->pushed = conn->out.end;
    if (taken > 0)
        tcp_want_send(conn, tcp_now(conn->tcp));
    tcp_watch_hold(conn, tcp_now(conn->tcp));
    return taken;
}

static uint32_t read_length(const struct tcp_conn *conn, uint32_t most)
{
    const uint64_t length = conn->in.end - conn->in.begin;
    return length < most ? (uint32_t)length : most;
}

static uint32_t stream_read(struct stream_conn *stream, unsigned char *bytes, uint32_t most)
{
    struct tcp_conn *conn = conn_of(stream);
    const uint32_t length = read_length(conn, most);
    uint64_t at = conn->in.begin;
    const uint64_t end = at + length;
    for (uint32_t i = 0; at < end; i++) {
        const struct content_piece *piece = content_piece(&conn->in, i);
        const uint64_t stop = piece->end < end ? piece->end : end;
        if (piece->real)
            content_copy(&conn->in, piece, at, bytes, stop - at);
        else
            memset(bytes, 0, (size_t)(stop - at));
        bytes += stop - at;
        at = stop;
    }
    content_drop(&conn->in, end);
    tcp_on_read(conn, length, tcp_now(conn->tcp));
    return length;
}

static uint32_t stream_read_bulk(struct stream_conn *stream, uint32_t most, uint32_t offset,
                                 uint32_t *content)
{
    struct tcp_conn *conn = conn_of(stream);
    const uint32_t length = read_length(conn, most);
    const uint64_t end = conn->in.begin + length;
    (void)offset;
    for (uint32_t i = 0; length > 0; i++) {
        const struct content_piece *piece = content_piece(&conn->in, i);
        const uint32_t tag = piece->real ? STREAM_CONTENT_MIXED : piece->tag;
        *content = i == 0 || *content == tag ? tag : STREAM_CONTENT_MIXED;
        if (piece->end >= end)
            break;
    }
    content_drop(&conn->in, end);
    tcp_on_read(conn, length, tcp_now(conn->tcp));
    return length;
}

static bool stream_ended(const struct stream_conn *stream)
{
    const struct tcp_conn *conn = conn_of(stream);
    return conn->fin_seen && conn->in.end == conn->in.begin;
}

static void stream_close(struct stream_conn *stream)
{
    struct tcp_conn *conn = conn_of(stream);
    if (conn->fin_wanted || conn->state == TCP_CLOSED)
        return;
    if (conn->state == TCP_SYN_SENT || conn->state == TCP_SYN_RECEIVED) {
        conn->reported = true;
        tcp_conn_end(conn, 0);
        return;
    }
    conn->fin_wanted = true;
    conn->pushed = conn->out.end;
    tcp_set_state(conn, conn->state == TCP_CLOSE_WAIT ? TCP_LAST_ACK : TCP_FIN_WAIT_1);
    tcp_want_send(conn, tcp_now(conn->tcp));
}

static void stream_reset(struct stream_conn *stream)
{
    struct tcp_conn *conn = conn_of(stream);
    conn->reported = true;
    if (conn->state != TCP_CLOSED && conn->state != TCP_SYN_SENT && conn->state != TCP_TIME_WAIT)
        tcp_send_rst(conn, tcp_now(conn->tcp));
    tcp_conn_end(conn, ECONNRESET);
}

static void stream_destroy(struct stream_conn *stream)
{
    struct tcp_conn *conn = conn_of(stream);
    conn->destroyed = true;
    conn->owned = false;
    conn->reported = true;
    if (conn->state == TCP_TIME_WAIT) /* its timer ends it */
        return;
    stream_reset(stream);
    tcp_conn_release(conn);
}

static bool stream_work(struct stream_conn *stream, enum stream_work what, uint32_t bytes)
{
    struct tcp_conn *conn = conn_of(stream);
    const time_ps now = tcp_now(conn->tcp);
    conn->secure = true;
    if (what == STREAM_WORK_ENCRYPT)
        conn->tcp->counters.tls_tx_records++;
    else if (what == STREAM_WORK_DECRYPT)
        conn->tcp->counters.tls_rx_records++;
    if (conn->state != TCP_CLOSED && tcp_core_work(conn, what, bytes, now))
        return true;
    if (what == STREAM_WORK_DECRYPT)
        tcp_watch_decrypted(conn, bytes, now);
    return false;
}

static void stream_expect(struct stream_device *device, int64_t bytes)
{
    tcp_of(device)->expected += bytes;
}

static void stream_digest(struct stream_conn *stream)
{
    conn_of(stream)->digests = true;
}

static bool stream_run_on(struct stream_conn *stream, struct cpu_core *core)
{
    return tcp_core_run_on(conn_of(stream), core);
}

static bool stream_holds(const struct stream_conn *stream, uint32_t bytes)
{
    const struct tcp_conn *conn = conn_of(stream);
    const uint64_t have = conn->in.end - conn->in.begin;
    const bool too_small = have > 0 && (uint64_t)bytes + conn->mss > conn->receive_limit;
    return have >= bytes || conn->fin_seen || too_small;
}

static void stream_info(const struct stream_conn *stream, struct stream_info *info)
{
    const struct tcp_conn *conn = conn_of(stream);
    const uint64_t bps = tcp_pacing_bps(conn);
    *info = conn->did;
    info->state = tcp_state_name((enum tcp_state)conn->state);
    info->congestion_control = conn->ops->name;
    info->rtt = conn->srtt8 / 8;
    info->rttvar = conn->mdev / 4;
    info->min_rtt = conn->min_rtt == TIME_NEVER ? 0 : conn->min_rtt;
    info->rto = conn->rto;
    info->cwnd = conn->cc.cwnd;
    info->ssthresh = conn->cc.ssthresh >= TCP_CC_INFINITE ? UINT32_MAX : conn->cc.ssthresh;
    info->mss = conn->payload_most;
    info->pacing_bps = conn->tcp->params.pacing && bps != UINT64_MAX ? bps : 0;
    info->unacked = conn->nxt - conn->una;
    info->notsent = conn->out.end > conn->nxt ? conn->out.end - conn->nxt : 0;
    info->send_room = takes_data(conn) ? tcp_send_room(conn) : 0;
    info->readable = conn->in.end - conn->in.begin;
    info->send_window = conn->send_window;
    info->delivered = conn->cc.delivered;
    info->delivered_ce = conn->cc.delivered_ce;
    tcp_watch_info(conn, info);
}

static uint32_t stream_local_ip(const struct stream_device *device)
{
    const struct tcp *tcp = tcp_of(device);
    return tcp->site.first_ip + tcp->site.endpoint;
}

static uint32_t stream_peer_ip(const struct stream_conn *stream)
{
    const struct tcp_conn *conn = conn_of(stream);
    return conn->tcp->site.first_ip + conn->peer;
}

static uint16_t stream_local_port(const struct stream_conn *stream)
{
    return conn_of(stream)->local_port;
}

static uint16_t stream_peer_port(const struct stream_conn *stream)
{
    return conn_of(stream)->peer_port;
}

static void stream_mark(struct stream_conn *stream, unsigned kind, uint32_t bytes)
{
    tcp_watch_mark(conn_of(stream), (enum probe_stream_kind)kind, bytes);
}

const struct stream_ops tcp_stream_ops = {
    .name = "simulated TCP",
    .listen = stream_listen,
    .unlisten = stream_unlisten,
    .connect = stream_connect,
    .send = stream_send,
    .read = stream_read,
    .read_bulk = stream_read_bulk,
    .ended = stream_ended,
    .close = stream_close,
    .reset = stream_reset,
    .destroy = stream_destroy,
    .work = stream_work,
    .expect = stream_expect,
    .digest = stream_digest,
    .run_on = stream_run_on,
    .holds = stream_holds,
    .info = stream_info,
    .local_ip = stream_local_ip,
    .peer_ip = stream_peer_ip,
    .local_port = stream_local_port,
    .peer_port = stream_peer_port,
    .mark = stream_mark,
};

/* ------------------------------------------------------------------ for observers */

const struct tcp_counters *tcp_counters(const struct tcp *tcp)
{
    return &tcp->counters;
}

/* What a core does now was counted when it began. */
static time_ps worked(const struct tcp_core *core, time_ps now)
{
    const time_ps left = tcp_core_left(core, now);
    return core->busy > left ? core->busy - left : 0;
}

time_ps tcp_busy(const struct tcp *tcp)
{
    const time_ps now = tcp_now(tcp);
    uint32_t bucket = 0, at = POOL_NONE;
    time_ps busy = tcp->busy;
    for (uint32_t i = 0; i < tcp->core_count; i++)
        busy += worked(&tcp->cores[i], now);
    for (const struct tcp_conn *conn; (conn = next_conn(tcp, &bucket, &at)) != NULL;)
        busy += worked(&conn->own_core, now);
    return busy;
}

static void look_at_core(const struct tcp_core *core, uint32_t number, time_ps now,
                         struct tcp_look *look)
{
    look->cores[number % TCP_LOOK_CORES] += core->busy > 0;
    look->busy[number % TCP_LOOK_CORES] += worked(core, now);
}

void tcp_look(const struct tcp *tcp, struct tcp_look *look)
{
    const time_ps now = tcp_now(tcp);
    uint32_t bucket = 0, at = POOL_NONE;
    *look = (struct tcp_look){0};
    for (uint32_t i = 0; i < tcp->core_count; i++)
        look_at_core(&tcp->cores[i], i, now, look);
    for (const struct tcp_conn *conn; (conn = next_conn(tcp, &bucket, &at)) != NULL;) {
        if (tcp->core_count == 0)
            look_at_core(&conn->own_core, conn->slot, now, look);
        tcp_watch_look(conn, look, now);
    }
}

void tcp_view(const struct tcp *tcp, tcp_viewer *viewer, void *self)
{
    uint32_t bucket = 0, at = POOL_NONE;
    for (struct tcp_conn *conn; (conn = next_conn(tcp, &bucket, &at)) != NULL;) {
        const struct tcp_view view = tcp_watch_view(conn, tcp_now(tcp));
        viewer(self, &view);
    }
}

uint32_t tcp_connections(const struct tcp *tcp)
{
    return tcp->conn_count;
}

void tcp_audit(const struct tcp *tcp)
{
    uint32_t bucket = 0, at = POOL_NONE, count = 0;
    for (const struct tcp_conn *conn; (conn = next_conn(tcp, &bucket, &at)) != NULL; count++) {
        CHECK(conn->state != TCP_CLOSED && conn->cc.cwnd >= 1 && conn->cc.ssthresh >= 2);
        CHECK(conn->una <= conn->nxt && conn->out.begin <= conn->una + 1);
        CHECK(conn->in.end + conn->fin_seen == conn->received || conn->received == 0);
        if (conn->state >= TCP_ESTABLISHED)
            tcp_board_audit(conn);
    }
    CHECK(count == tcp->conn_count);
}

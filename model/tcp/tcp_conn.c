/* SPDX-License-Identifier: Apache-2.0
 * tcp_conn - connections: states, lookup, handshake, end.
 * A hash table by peer and ports.  A connection that was destroyed waits in a list until no wake-up
 * of its timers is under way, since those cannot be taken back. */
#include "tcp/tcp_private.h"

#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>

enum { DEAD_LOOKS = 4, FIRST_BUCKETS = 16 };

/* ------------------------------------------------------------------ states */

const char *tcp_state_name(enum tcp_state state)
{
    static const char *const names[TCP_STATES] = {
        [TCP_CLOSED] = "CLOSED",         [TCP_SYN_SENT] = "SYN-SENT",
        [TCP_SYN_RECEIVED] = "SYN-RECV", [TCP_ESTABLISHED] = "ESTAB",
        [TCP_FIN_WAIT_1] = "FIN-WAIT-1", [TCP_FIN_WAIT_2] = "FIN-WAIT-2",
        [TCP_CLOSE_WAIT] = "CLOSE-WAIT", [TCP_CLOSING] = "CLOSING",
        [TCP_LAST_ACK] = "LAST-ACK",     [TCP_TIME_WAIT] = "TIME-WAIT",
    };
    return names[state];
}

void tcp_set_state(struct tcp_conn *conn, enum tcp_state state)
{
    static const bool legal[TCP_STATES][TCP_STATES] = {
#define EDGE(from, to, when) [TCP_##from][TCP_##to] = true,
#include "tcp/tcp_state.def"
#undef EDGE
    };
    CHECK(legal[conn->state][state]);
    conn->state = (uint8_t)state;
}

/* ------------------------------------------------------------------ lookup */

static uint32_t *bucket_of(const struct tcp *tcp, uint32_t peer, uint32_t ports)
{
    return &tcp->buckets[hash_home(peer, ports) & tcp->bucket_mask];
}

static struct tcp_conn *conn_at(const struct tcp *tcp, uint32_t index)
{
    return slab_at(&tcp->conns, index);
}

/* As a frame from the peer has them. */
static uint32_t ports_of(const struct tcp_conn *conn)
{
    return (uint32_t)conn->peer_port << 16 | conn->local_port;
}

struct tcp_conn *tcp_conn_find(const struct tcp *tcp, uint32_t peer, uint32_t ports)
{
    if (tcp->buckets == NULL)
        return NULL;
    for (uint32_t at = *bucket_of(tcp, peer, ports); at != POOL_NONE;) {
        struct tcp_conn *conn = conn_at(tcp, at);
        if (conn->peer == peer && ports_of(conn) == ports)
            return conn;
        at = conn->next_hash;
    }
    return NULL;
}

static void grow_buckets(struct tcp *tcp)
{
    const uint32_t room = tcp->buckets == NULL ? FIRST_BUCKETS : 2 * (tcp->bucket_mask + 1);
    uint32_t *buckets = tcp->buckets, count = buckets == NULL ? 0 : tcp->bucket_mask + 1;
    tcp->buckets = memory_zeroed(room, sizeof *tcp->buckets);
    tcp->bucket_mask = room - 1;
    for (uint32_t i = 0; i < room; i++)
        tcp->buckets[i] = POOL_NONE;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t at = buckets[i], next; at != POOL_NONE; at = next) {
            struct tcp_conn *conn = conn_at(tcp, at);
            uint32_t *bucket = bucket_of(tcp, conn->peer, ports_of(conn));
            next = conn->next_hash;
            conn->next_hash = *bucket;
            *bucket = at;
        }
    free(buckets);
}

static void hash_in(struct tcp *tcp, struct tcp_conn *conn, uint32_t index)
{
    if (tcp->buckets == NULL || tcp->conn_count > tcp->bucket_mask)
        grow_buckets(tcp);
    uint32_t *bucket = bucket_of(tcp, conn->peer, ports_of(conn));
    conn->next_hash = *bucket;
    *bucket = index;
    tcp->conn_count++;
}

static void hash_out(struct tcp *tcp, const struct tcp_conn *conn)
{
    uint32_t *link = bucket_of(tcp, conn->peer, ports_of(conn));
    while (*link != conn->slot)
        link = &conn_at(tcp, *link)->next_hash;
    *link = conn->next_hash;
    tcp->conn_count--;
}

/* ------------------------------------------------------------------ memory */

static bool has_wakeups(const struct tcp_conn *conn)
{
    return conn->rtx.pending + conn->ack_timer.pending + conn->pace_timer.pending +
                   conn->own_core.own.timer.pending + conn->own_core.interrupt.pending >
               0 ||
           conn->own_core.job.core != NULL;
}

/* Takes back some of the dead that nothing refers to any more. */
static void sweep_dead(struct tcp *tcp)
{
    struct tcp_conn **link = &tcp->dead;
    for (int looks = 0; *link != NULL && looks < DEAD_LOOKS; looks++) {
        struct tcp_conn *conn = *link;
        if (has_wakeups(conn)) {
            link = &conn->next_dead;
            continue;
        }
        *link = conn->next_dead;
        slab_give(&tcp->conns, conn->slot);
    }
}

void tcp_conn_release(struct tcp_conn *conn)
{
    struct tcp *tcp = conn->tcp;
    if (!conn->destroyed || conn->state != TCP_CLOSED || conn->holds > 0 || conn->in_qdisc ||
        conn->core->current == conn)
        return;
    conn->destroyed = false; /* once */
    content_fini(&conn->in);
    tcp_messages_fini(conn);
    tcp->busy += conn->own_core.busy;
    conn->own_core.busy = 0;
    conn->next_dead = tcp->dead;
    tcp->dead = conn;
}

static void on_pace(void *self, time_ps now)
{
    struct tcp_conn *conn = self;
    conn->holds++;
    if (conn->state != TCP_CLOSED && conn->recovery >= TCP_RECOVERY)
        tcp_retransmit_lost(conn, now);
    if (conn->state != TCP_CLOSED)
        tcp_want_send(conn, now);
    conn->holds--;
    tcp_conn_release(conn);
}

static void init_timers(struct tcp_conn *conn)
{
    conn->rtx = (struct timer){.fire = tcp_on_rtx, .self = conn, .due = TIME_NEVER};
    conn->ack_timer = (struct timer){.fire = tcp_on_ack_timer, .self = conn, .due = TIME_NEVER};
    conn->pace_timer = (struct timer){.fire = on_pace, .self = conn, .due = TIME_NEVER};
}

static uint32_t entropy_of(const struct tcp_conn *conn)
{
    const uint64_t addresses = (uint64_t)conn->tcp->site.endpoint << 32 | conn->peer;
    const uint64_t ports = (uint64_t)conn->local_port << 16 | conn->peer_port;
    return (uint32_t)(hash_mix(hash_mix(addresses) ^ ports) >> 32);
}

/* The least shift that lets 16 bits say the largest window. */
static uint8_t scale_of(const struct tcp_params *params)
{
    uint8_t shift = 0;
    if (!params->window_scaling)
        return SEGMENT_NO_SCALE;
    while (params->receive_buffer_max >> shift > UINT16_MAX && shift < 14)
        shift++;
    return shift;
}

static void init_cc(struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    conn->ops = tcp_cc_list[params->congestion_control];
    conn->cc = (struct tcp_cc_flow){
        .params = params->cc[params->congestion_control],
        .state = conn->cc_state,
        .counters = &conn->tcp->counters,
        .cwnd = (uint32_t)params->initial_window,
        .ssthresh = TCP_CC_INFINITE,
        .paced = params->pacing != 0,
        .min_rtt = TIME_NEVER,
    };
}

struct tcp_conn *tcp_conn_new(struct tcp *tcp, uint32_t peer, uint16_t local_port,
                              uint16_t peer_port)
{
    const struct tcp_params *params = &tcp->params;
    sweep_dead(tcp);
    const uint32_t slot = slab_take(&tcp->conns);
    struct tcp_conn *conn = conn_at(tcp, slot);
    *conn = (struct tcp_conn){
        .slot = slot,
        .tcp = tcp,
        .peer = peer,
        .local_port = local_port,
        .peer_port = peer_port,
        .tos = (uint8_t)(params->dscp << 2),
        .priority = tcp->site.priority_of_dscp[params->dscp],
        .rto = params->rto_initial,
        .min_rtt = TIME_NEVER,
        .last_send = -1,
        .last_data = -1,
        .receive_scale = scale_of(params),
        .send_scale = SEGMENT_NO_SCALE,
        .sorted_head = POOL_NONE,
        .sorted_tail = POOL_NONE,
        .batch_head = POOL_NONE,
        .batch_tail = POOL_NONE,
        .ooo_head = POOL_NONE,
        .ooo_tail = POOL_NONE,
        .rx_head = POOL_NONE,
        .rx_tail = POOL_NONE,
        .reo_steps = 1,
        .receive_limit = (uint64_t)params->receive_buffer / 2,
        .did.reordering = (uint32_t)params->reordering,
    };
    conn->iss = (uint32_t)hash_mix(tcp->isn++ ^ (uint64_t)tcp->site.endpoint << 32);
    conn->entropy = entropy_of(conn);
    conn->core =
        tcp->core_count == 0 ? &conn->own_core : &tcp->cores[conn->entropy % tcp->core_count];
    tcp_core_init(&conn->own_core, tcp);
    init_timers(conn);
    init_cc(conn);
    content_init(&conn->out, 1);
    content_init(&conn->in, 1);
    hash_in(tcp, conn, slot);
    return conn;
}

/* ------------------------------------------------------------------ handshake */

void tcp_read_syn(struct tcp_conn *conn, const struct frame *frame)
{
    const struct tcp_params *params = &conn->tcp->params;
    const uint32_t own = (uint32_t)conn->tcp->site.port->params.mtu - SEGMENT_IPV4 - SEGMENT_TCP;
    const uint8_t scale = frame->tcp_options >> SEGMENT_SCALE_SHIFT;
    const bool first = conn->state == TCP_CLOSED || conn->state == TCP_SYN_RECEIVED;
    conn->irs = frame->psn;
    conn->received = conn->acked = 1;
    conn->advertised += 1;
    conn->sack = params->sack && (frame->tcp_options & SEGMENT_HAS_SACK_PERMITTED) != 0;
    conn->timestamps = params->timestamps && (frame->tcp_options & SEGMENT_HAS_TIMESTAMPS) != 0;
    conn->ts_recent = frame->ts_value;
    conn->send_scale = params->window_scaling ? scale : SEGMENT_NO_SCALE;
    if (conn->send_scale == SEGMENT_NO_SCALE)
        conn->receive_scale = SEGMENT_NO_SCALE;
    conn->mss =
        (own < frame->mss ? own : frame->mss) - (conn->timestamps ? SEGMENT_TIMESTAMPS : 0u);
    if (conn->receive_limit < 2 * (uint64_t)conn->mss)
        conn->receive_limit = 2 * (uint64_t)conn->mss;
    conn->payload_most = conn->mss;
    tcp_ecn_read_syn(conn, frame, first);
}

void tcp_established(struct tcp_conn *conn, time_ps now)
{
    tcp_set_state(conn, TCP_ESTABLISHED);
    tcp_clear_rtx(conn);
    conn->timeouts_in_row = 0;
    conn->backoff = 0;
    conn->nxt = 1;
    conn->last_send = -1;
    conn->tune_end = conn->received + conn->receive_limit;
    tcp_watch_open(conn);
    conn->cc.una = conn->cc.nxt = 1;
    conn->cc.ecn = conn->ecn;
    conn->cc.srtt = conn->srtt8 / 8;
    if (conn->srtt8 > 0)
        conn->min_rtt = conn->cc.min_rtt = conn->srtt8 / 8;
    if (conn->ops->init != NULL)
        conn->ops->init(&conn->cc, now);
    if (!conn->accepted)
        return;
    for (uint32_t i = 0; i < conn->tcp->listen_count; i++) {
        const struct tcp_listen *listen = &conn->tcp->listens[i];
        if (listen->port != conn->local_port)
            continue;
        conn->owned = listen->user.on_accept(listen->user.self, tcp_stream(conn),
                                             conn->tcp->site.first_ip + conn->peer, &conn->user);
        break;
    }
    if (!conn->owned && conn->state != TCP_CLOSED) {
        conn->destroyed = true;
        tcp_send_rst(conn, now);
        tcp_conn_end(conn, 0);
    }
}

void tcp_conn_on_syn(struct tcp *tcp, const struct frame *frame, time_ps now)
{
    struct tcp_conn *conn =
        tcp_conn_new(tcp, frame->source, (uint16_t)frame->qpn, (uint16_t)(frame->qpn >> 16));
    tcp_set_state(conn, TCP_SYN_RECEIVED);
    conn->accepted = true;
    tcp->counters.passive_opens++;
    tcp_read_syn(conn, frame);
    conn->last_send = now;
    tcp_send_syn(conn, now);
    tcp_set_rtx(conn, TCP_TIMER_RTO, now + conn->rto);
}

/* ------------------------------------------------------------------ end */

static void report_end(struct tcp_conn *conn, int error)
{
    if (conn->reported)
        return;
    conn->reported = true;
    if (conn->owned && !conn->destroyed)
        conn->user.on_closed(conn->user.self, tcp_stream(conn), error);
}

void tcp_conn_end(struct tcp_conn *conn, int error)
{
    struct tcp *tcp = conn->tcp;
    const bool opening = conn->state == TCP_SYN_SENT || conn->state == TCP_SYN_RECEIVED;
    if (conn->state == TCP_CLOSED)
        return;
    tcp->counters.attempt_fails += opening;
    tcp_set_state(conn, TCP_CLOSED);
    conn->error = error;
    tcp_clear_rtx(conn);
    env_timer_cancel(tcp->site.env, &conn->ack_timer);
    env_timer_cancel(tcp->site.env, &conn->pace_timer);
    tcp_drop_batches(conn);
    tcp_board_fini(conn);
    tcp_core_leave(conn);
    tcp_receive_fini(conn);
    content_fini(&conn->out);
    tcp_messages_fini(conn);
    hash_out(tcp, conn);
    if (opening && conn->accepted)
        conn->destroyed = true;
    report_end(conn, error);
    tcp_conn_release(conn);
}

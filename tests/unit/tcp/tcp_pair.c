/* SPDX-License-Identifier: Apache-2.0
 * tcp_pair - the harness. */
#include "tests/unit/tcp/tcp_pair.h"

#include "base/probe.h"

#include <stdlib.h>
#include <string.h>

enum { EVENT_TIMER = NET_EVENT_FIRST_OWN, EVENT_LEFT };

static struct tcp_pair_side *side_of(void *node)
{
    return node;
}

/* ------------------------------------------------------------------ env */

static time_ps env_time(void *world)
{
    return node_now(&side_of(world)->node);
}

static void env_timer(void *world, struct timer *timer, time_ps due)
{
    struct tcp_pair_side *side = world;
    timer->due = due;
    if (due == TIME_NEVER || (timer->pending > 0 && timer->wakeup <= due))
        return;
    timer->wakeup = due;
    timer->pending++;
    node_post(&side->node, side->node.id, due, EVENT_TIMER, 0, (uint64_t)(uintptr_t)timer);
}

static const struct env_ops env_ops = {.now = env_time, .timer_set = env_timer};

static void on_timer(struct tcp_pair_side *side, struct timer *timer, time_ps at)
{
    timer->pending--;
    if (timer->wakeup != at)
        return;
    timer->wakeup = TIME_NEVER;
    if (timer->due > at) {
        env_timer(side, timer, timer->due);
        return;
    }
    timer->due = TIME_NEVER;
    timer->fire(timer->self, at);
}

/* ------------------------------------------------------------------ wire */

static int index_of(const struct tcp_pair_side *side)
{
    return (int)(side - side->pair->sides);
}

static uint64_t known_offset(const struct tcp_pair_side *side, uint32_t number, bool ack)
{
    const struct tcp_conn *conn = (const struct tcp_conn *)(const void *)side->conn;
    if (conn == NULL)
        return 0;
    return ack ? tcp_offset(conn->irs, number, conn->received)
               : tcp_offset(conn->iss, number, conn->una);
}

static struct tcp_pair_frame describe(const struct tcp_pair_side *side, const struct frame *frame)
{
    return (struct tcp_pair_frame){
        .at = node_now(&side->node),
        .seq = known_offset(side, frame->psn, false),
        .ack = known_offset(side, frame->tcp_ack, true),
        .payload = frame->payload,
        .bytes = frame->bytes,
        .side = (uint8_t)index_of(side),
        .flags = frame->tcp_flags,
        .options = frame->tcp_options,
        .tos = frame->tos,
        .ace = segment_ace(frame),
        .accecn = frame->tcp_accecn,
        .again = (frame->flags & FRAME_RESENT) != 0,
    };
}

static uint32_t copy_frame(struct tcp_pair *pair, uint32_t handle)
{
    const uint32_t copy = frame_take(&pair->frames);
    struct frame *to = frame_at(&pair->frames, copy);
    const struct frame *from = frame_at(&pair->frames, handle);
    *to = *from;
    to->blob = POOL_NONE;
    if (from->blob != POOL_NONE)
        memcpy(frame_blob_take(&pair->frames, to, from->blob_bytes),
               frame_blob(&pair->frames, from), from->blob_bytes);
    return copy;
}

static void put_on_wire(struct tcp_pair_side *side, uint32_t handle, struct tcp_pair_fate fate)
{
    struct tcp_pair *pair = side->pair;
    struct frame *frame = frame_at(&pair->frames, handle);
    const time_ps now = node_now(&side->node);
    const uint64_t bytes = frame->bytes + (uint64_t)WIRE_GAP_BYTES;
    if ((side->mark_above > 0 && side->queued > side->mark_above && (frame->tos & 3) != 0) ||
        fate.mark)
        frame->tos |= ECN_CE;
    side->wire_free =
        time_later(side->wire_free, now) + units_transfer_ps(bytes, (uint64_t)pair->rate);
    side->queued += bytes;
    node_post(&side->node, side->node.id, side->wire_free, EVENT_LEFT, 0, bytes);
    node_post(&side->node, pair->sides[1 - index_of(side)].node.id,
              side->wire_free + pair->delay + fate.late, NET_EVENT_ARRIVAL, 0, handle);
}

static void send_frame(void *nic, uint32_t handle)
{
    struct tcp_pair_side *side = nic;
    struct tcp_pair *pair = side->pair;
    const struct frame *frame = frame_at(&pair->frames, handle);
    struct tcp_pair_frame seen = describe(side, frame);
    struct tcp_pair_fate fate = {0};
    if (pair->fate != NULL)
        fate = pair->fate(pair, &seen);
    if (side->queue_most > 0 && side->queued + frame->bytes > side->queue_most) {
        side->queue_drops++;
        fate.lose = true;
    }
    seen.lost = fate.lose;
    if (pair->log_count < TCP_PAIR_LOG)
        pair->log[pair->log_count++] = seen;
    if (fate.twice)
        put_on_wire(side, copy_frame(pair, handle), fate);
    if (fate.lose)
        frame_give(&pair->frames, handle);
    else
        put_on_wire(side, handle, fate);
}

static void on_event(struct node *node, const struct event *event)
{
    struct tcp_pair_side *side = side_of(node);
    if (event->kind == EVENT_TIMER)
        on_timer(side, (struct timer *)(uintptr_t)event->argument, event->at);
    else if (event->kind == EVENT_LEFT)
        side->queued -= event->argument;
    else
        tcp_receive(side->tcp, (uint32_t)event->argument, event->at);
}

static void audit(const struct node *node)
{
    tcp_audit(side_of((void *)(uintptr_t)node)->tcp);
}

static const struct node_ops node_ops = {.name = "test", .on_event = on_event, .audit = audit};

/* ------------------------------------------------------------------ users */

static void pump(struct tcp_pair_side *side)
{
    while (side->sent < side->to_send) {
        const uint64_t left = side->to_send - side->sent;
        const struct stream_piece piece = {.length = left < (1u << 30) ? (uint32_t)left : 1u << 30,
                                           .content = side->tag};
        const uint32_t taken = tcp_stream_ops.send(side->conn, &piece);
        side->sent += taken;
        if (taken < piece.length)
            break;
    }
}

static void on_connected(void *self, struct stream_conn *conn)
{
    struct tcp_pair_side *side = self;
    side->conn = conn;
    side->connected++;
    pump(side);
}

static void on_readable(void *self, struct stream_conn *conn)
{
    struct tcp_pair_side *side = self;
    side->readable++;
    for (uint32_t got = 1, tag = 0; side->reads && got > 0;) {
        got = tcp_stream_ops.read_bulk(conn, 1 << 30, 0, &tag);
        CHECK(got == 0 || side->expected == 0 || tag == side->expected);
        side->got += got;
    }
}

static void on_writable(void *self, struct stream_conn *conn)
{
    struct tcp_pair_side *side = self;
    (void)conn;
    side->writable++;
    pump(side);
}

static void on_closed(void *self, struct stream_conn *conn, int error)
{
    struct tcp_pair_side *side = self;
    (void)conn;
    side->closed++;
    side->error = error;
}

struct stream_user tcp_pair_user(struct tcp_pair_side *side)
{
    return (struct stream_user){side, on_connected, on_readable, on_writable, on_closed};
}

static bool on_accept(void *self, struct stream_conn *conn, uint32_t peer_ip,
                      struct stream_user *user)
{
    struct tcp_pair_side *side = self;
    CHECK(peer_ip == 0x0A000001);
    side->conn = conn;
    side->accepted++;
    *user = tcp_pair_user(side);
    return true;
}

/* ------------------------------------------------------------------ life */

struct tcp_pair *tcp_pair_new(time_ps delay)
{
    struct tcp_pair *pair = calloc(1, sizeof *pair);
    CHECK(pair != NULL);
    pair->log = calloc(TCP_PAIR_LOG, sizeof *pair->log);
    CHECK(pair->log != NULL);
    pair->delay = delay;
    pair->rate = INT64_C(100000000000);
    pair->probe = probe_none;
    pair->rng = rng_stream(7, "pair", "test");
    struct opt rows[128];
    CHECK(tcp_rows(NULL) < sizeof rows / sizeof rows[0]);
    tcp_rows(rows);
    for (int i = 0; i < 2; i++) {
        struct tcp_params *params = &pair->sides[i].params;
        opt_presets(rows, params);
        params->interrupt_delay = params->wakeup_cost = 0;
        params->interrupt_cost = params->rx_batch_cost = params->rx_segment_cost = 0;
        params->tx_batch_cost = params->copy_cost = 0;
        pair->sides[i].reads = true;
        pair->sides[i].pair = pair;
    }
    return pair;
}

void tcp_pair_start(struct tcp_pair *pair)
{
    static const char *const names[2] = {"host0", "host1"};
    static const uint8_t priorities[DSCPS];
    struct port_params port;
    opt_presets(port_opts, &port);
    port.rate = pair->rate;
    port.mtu = 1500;
    engine_init(&pair->engine, 1);
    pair->engine.hostile = true;
    frame_pool_init(&pair->frames);
    for (uint32_t i = 0; i < 2; i++) {
        struct tcp_pair_side *side = &pair->sides[i];
        engine_add(&pair->engine, &side->node, &node_ops, names[i]);
        side->env = (struct env){.ops = &env_ops,
                                 .world = side,
                                 .probe = &pair->probe,
                                 .seed = 1,
                                 .owner = side->node.name};
        port_init(&side->port, &side->node, 0, &port, &pair->frames, &pair->probe, NULL);
        const struct tcp_site site = {.port = &side->port,
                                      .env = &side->env,
                                      .endpoint = i,
                                      .first_ip = 0x0A000001,
                                      .ttl = 64,
                                      .priority_of_dscp = priorities,
                                      .params = &side->params,
                                      .nic = side,
                                      .send = send_frame};
        side->tcp = tcp_create(&site);
    }
    engine_link(&pair->engine, pair->delay);
    engine_start(&pair->engine);
}

void tcp_pair_connect(struct tcp_pair *pair)
{
    tcp_pair_start(pair);
    const struct stream_listener listener = {&pair->sides[1], on_accept};
    const struct stream_peer peer = {.ip = 0x0A000002, .port = TCP_PAIR_PORT};
    const struct stream_user user = tcp_pair_user(&pair->sides[0]);
    CHECK(tcp_stream_ops.listen(tcp_device(pair->sides[1].tcp), TCP_PAIR_PORT, &listener));
    pair->sides[0].conn = tcp_stream_ops.connect(tcp_device(pair->sides[0].tcp), &peer, &user);
}

void tcp_pair_run(struct tcp_pair *pair, time_ps span)
{
    engine_run(&pair->engine, pair->engine.now + span);
}

void tcp_pair_free(struct tcp_pair *pair)
{
    for (int i = 0; i < 2; i++)
        tcp_destroy(pair->sides[i].tcp);
    frame_pool_fini(&pair->frames);
    engine_fini(&pair->engine);
    free(pair->log);
    free(pair);
}

/* ------------------------------------------------------------------ helpers */

void tcp_pair_send(struct tcp_pair *pair, int side, uint64_t bytes, uint32_t tag)
{
    pair->sides[side].to_send += bytes;
    pair->sides[side].tag = tag;
    pair->sides[1 - side].expected = tag;
    pump(&pair->sides[side]);
}

struct stream_info tcp_pair_info(const struct tcp_pair *pair, int side)
{
    struct stream_info info;
    tcp_stream_ops.info(pair->sides[side].conn, &info);
    return info;
}

unsigned tcp_pair_count(const struct tcp_pair *pair, int side, bool payload)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pair->log_count; i++)
        count += pair->log[i].side == side && (pair->log[i].payload > 0) == payload;
    return count;
}

const struct tcp_pair_frame *tcp_pair_nth(const struct tcp_pair *pair, int side, bool payload,
                                          unsigned n)
{
    for (unsigned i = 0; i < pair->log_count; i++)
        if (pair->log[i].side == side && (pair->log[i].payload > 0) == payload && n-- == 0)
            return &pair->log[i];
    return NULL;
}

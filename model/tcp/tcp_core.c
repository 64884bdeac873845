/* SPDX-License-Identifier: Apache-2.0
 * tcp_core - the cores that execute TCP.
 * A core serves its connections in turn: first the segments that came for one, merged to a batch by
 * GRO, else the next batch that it sends, else work for its user (TLS).  The effect of work comes
 * when its time is over.  Work that takes no time is done at once.  An idle core is woken by an
 * interrupt, interrupt-delay after the first segment (rx-usecs of ethtool); while it works, it
 * polls (NAPI).
 * GRO merges segments in order whose data is full-sized; a short segment, PSH, or other flags end a
 * batch (Linux net/ipv4/tcp_offload.c, tcp_gro_receive). */
#include "tcp/tcp_private.h"

static void on_timer(void *self, time_ps now);

void tcp_core_init(struct tcp_core *core, struct tcp *tcp)
{
    *core =
        (struct tcp_core){.tcp = tcp, .timer = {.fire = on_timer, .self = core, .due = TIME_NEVER}};
}

static struct frame *frame_of(const struct tcp *tcp, uint32_t handle)
{
    return frame_at(tcp->frames, handle);
}

/* ------------------------------------------------------------------ batches */

static bool is_plain(const struct frame *frame)
{
    const unsigned odd = SEGMENT_SYN | SEGMENT_FIN | SEGMENT_RST | SEGMENT_CWR;
    return frame->payload > 0 && (frame->tcp_flags & odd) == 0 &&
           (frame->tcp_options & SEGMENT_BLOCKS) == 0;
}

static bool follows(const struct frame *frame, const struct frame *before)
{
    return is_plain(frame) && frame->psn == before->psn + before->payload &&
           frame->tos == before->tos &&
           ((frame->tcp_flags ^ before->tcp_flags) & (uint8_t)~SEGMENT_PSH) == 0;
}

/* Frames of the connection's next batch, and its bytes. */
static uint32_t gro_batch(const struct tcp_conn *conn, uint32_t *bytes)
{
    const struct tcp *tcp = conn->tcp;
    const struct frame *frame = frame_of(tcp, conn->rx_head);
    const uint32_t full = frame->payload;
    uint32_t count = 1;
    *bytes = frame->payload;
    if (!is_plain(frame))
        return count;
    while (frame->next != POOL_NONE && frame->payload == full &&
           (frame->tcp_flags & SEGMENT_PSH) == 0) {
        const struct frame *next = frame_of(tcp, frame->next);
        if (!follows(next, frame) || next->payload > full ||
            *bytes + next->payload > (uint64_t)tcp->params.gro_size)
            break;
        frame = next;
        *bytes += next->payload;
        count++;
    }
    return count;
}

static time_ps copy_cost(const struct tcp *tcp, uint64_t bytes)
{
    return (time_ps)(bytes * (uint64_t)tcp->params.copy_cost / 1024);
}

/* ------------------------------------------------------------------ work */

static uint32_t shift_frame(struct tcp_conn *conn)
{
    const uint32_t handle = conn->rx_head;
    conn->rx_head = frame_of(conn->tcp, handle)->next;
    conn->rx_count--;
    if (conn->rx_head == POOL_NONE)
        conn->rx_tail = POOL_NONE;
    return handle;
}

static void do_receive(struct tcp_conn *conn, time_ps now)
{
    const uint64_t received = conn->received;
    conn->tcp->counters.rx_batches++;
    while (conn->work_frames > 0) {
        conn->work_frames--;
        tcp_input(conn, shift_frame(conn), now);
    }
    tcp_watch_delivered(conn, received, now);
    tcp_receive_end(conn, now);
}

static void list_conn(struct tcp_core *core, struct tcp_conn *conn)
{
    if (conn->listed)
        return;
    conn->listed = true;
    conn->next_work = NULL;
    if (core->first == NULL)
        core->first = conn;
    else
        core->last->next_work = conn;
    core->last = conn;
}

static struct tcp_conn *unlist_first(struct tcp_core *core)
{
    struct tcp_conn *conn = core->first;
    core->first = conn->next_work;
    conn->listed = false;
    return conn;
}

static time_ps user_work_cost(const struct tcp_params *params, enum stream_work what,
                              uint32_t bytes)
{
    return what == STREAM_WORK_HANDSHAKE
               ? params->tls_handshake_cost
               : params->tls_record_cost + params->tls_cost * (time_ps)bytes / 1024;
}

static time_ps choose_user_work(struct tcp_conn *conn)
{
    unsigned what = 0;
    while ((conn->works & 1u << what) == 0)
        what++;
    conn->work = (uint8_t)(what + 1);
    return user_work_cost(&conn->tcp->params, (enum stream_work)what, conn->work_bytes[what]);
}

static void do_user_work(struct tcp_conn *conn, time_ps now)
{
    const enum stream_work what = (enum stream_work)(conn->work - 1);
    conn->works &= (uint8_t) ~(1u << what);
    conn->work = 0;
    if (what == STREAM_WORK_DECRYPT)
        tcp_watch_decrypted(conn, conn->work_bytes[what], now);
    if (conn->owned)
        conn->user.on_worked(conn->user.self, tcp_stream(conn), what);
}

/* Chooses the next work of the connection and returns its cost. */
static time_ps choose_work(struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    uint32_t bytes;
    conn->work_frames = 0;
    if (conn->rx_head == POOL_NONE && conn->works != 0 && !conn->want_send)
        return choose_user_work(conn);
    if (conn->rx_head == POOL_NONE)
        return params->tx_batch_cost;
    conn->work_frames = gro_batch(conn, &bytes);
    return params->rx_batch_cost + params->rx_segment_cost * (time_ps)conn->work_frames +
           copy_cost(conn->tcp, bytes);
}

static void finish_work(struct tcp_core *core, time_ps now)
{
    struct tcp_conn *conn = core->current;
    conn->holds++;
    if (conn->work_frames > 0) {
        do_receive(conn, now);
    } else if (conn->work != 0) {
        do_user_work(conn, now);
    } else if (conn->want_send) {
        conn->want_send = false;
        tcp_output(conn, now);
    }
    core->current = NULL;
    if (conn->rx_head != POOL_NONE || conn->want_send || conn->works != 0)
        list_conn(core, conn);
    tcp_watch_hold(conn, now);
    conn->holds--;
    tcp_conn_release(conn);
}

/* Works until something takes time, or nothing is left. */
static void run_core(struct tcp_core *core, time_ps now)
{
    if (core->running)
        return;
    core->running = true;
    while (core->current == NULL && core->first != NULL) {
        struct tcp_conn *conn = unlist_first(core);
        core->current = conn;
        core->begun_at = now;
        const time_ps cost = choose_work(conn);
        if (cost > 0) {
            core->busy += cost;
            conn->did.cpu += cost;
            env_timer_set(core->tcp->site.env, &core->timer, now + cost);
            break;
        }
        finish_work(core, now);
    }
    core->running = false;
}

static void on_timer(void *self, time_ps now)
{
    struct tcp_core *core = self;
    if (core->waking)
        core->waking = false;
    else if (core->current != NULL)
        finish_work(core, now);
    run_core(core, now);
}

void tcp_core_list(struct tcp_conn *conn, time_ps now)
{
    struct tcp_core *core = conn->core;
    if (core->current != conn)
        list_conn(core, conn);
    if (core->current == NULL && !core->waking)
        run_core(core, now);
}

bool tcp_core_work(struct tcp_conn *conn, enum stream_work what, uint32_t bytes, time_ps now)
{
    if (user_work_cost(&conn->tcp->params, what, bytes) == 0)
        return false;
    conn->works |= (uint8_t)(1u << what);
    conn->work_bytes[what] = bytes;
    tcp_core_list(conn, now);
    tcp_watch_hold(conn, now);
    return true;
}

void tcp_core_receive(struct tcp_conn *conn, uint32_t handle, time_ps now)
{
    struct tcp_core *core = conn->core;
    const struct tcp_params *params = &conn->tcp->params;
    frame_of(conn->tcp, handle)->next = POOL_NONE;
    if (conn->rx_head == POOL_NONE)
        conn->rx_head = handle;
    else
        frame_of(conn->tcp, conn->rx_tail)->next = handle;
    conn->rx_tail = handle;
    conn->rx_count++;
    if (core->current != conn)
        list_conn(core, conn);
    if (core->current != NULL || core->waking || core->running)
        return;
    const time_ps wait = params->interrupt_delay + params->interrupt_cost;
    if (wait == 0) {
        run_core(core, now);
        return;
    }
    core->waking = true;
    core->busy += params->interrupt_cost;
    conn->did.cpu += params->interrupt_cost;
    core->woken_at = now + params->interrupt_delay;
    env_timer_set(core->tcp->site.env, &core->timer, now + wait);
}

void tcp_core_leave(struct tcp_conn *conn)
{
    struct tcp_core *core = conn->core;
    while (conn->rx_head != POOL_NONE)
        frame_give(conn->tcp->frames, shift_frame(conn));
    conn->work_frames = 0;
    conn->works = conn->work = 0;
    conn->want_send = false;
    if (!conn->listed)
        return;
    struct tcp_conn **link = &core->first, *before = NULL;
    while (*link != conn) {
        before = *link;
        link = &before->next_work;
    }
    *link = conn->next_work;
    if (core->last == conn)
        core->last = before;
    conn->listed = false;
}

/* SPDX-License-Identifier: Apache-2.0
 * tcp_core - the cores that execute TCP.
 * A core serves its connections in turn: first the segments that came for one, merged to a batch by
 * GRO, else the next batch that it sends, else work for its user (TLS).  The effect of work comes
 * when its time is over.  Work that takes no time is done at once.  Several users may share the
 * processor below (base/cpu_core.h): with NVMe, the commands of the queue.
 * Segments wait for an interrupt, interrupt-delay after the first of them (rx-usecs of ethtool).
 * From then on the core polls until no segment is left (NAPI).  If the processor was idle at the
 * interrupt, the thread that reads the stream has to be woken for the first data.
 * GRO merges segments in order whose data is full-sized; a short segment, PSH, or other flags end a
 * batch (Linux net/ipv4/tcp_offload.c, tcp_gro_receive). */
#include "tcp/tcp_private.h"

#include <string.h>

static void on_interrupt(void *self, time_ps now);
static time_ps begin_work(void *self, time_ps now);
static void end_work(void *self, time_ps now);

void tcp_core_init(struct tcp_core *core, struct tcp *tcp)
{
    *core = (struct tcp_core){.tcp = tcp,
                              .on = &core->own,
                              .job = {.begin = begin_work, .done = end_work, .self = core},
                              .interrupt = {.fire = on_interrupt, .self = core, .due = TIME_NEVER}};
    cpu_core_init(&core->own, tcp->site.env);
}

static struct frame *frame_of(const struct tcp *tcp, uint32_t handle)
{
    return frame_at(tcp->frames, handle);
}

/* ------------------------------------------------------------------ batches */

/* With accurate ECN, CWR is a bit of a counter. */
static bool is_plain(const struct tcp_conn *conn, const struct frame *frame)
{
    const unsigned odd =
        SEGMENT_SYN | SEGMENT_FIN | SEGMENT_RST | (conn->accurate ? 0u : SEGMENT_CWR);
    return frame->payload > 0 && (frame->tcp_flags & odd) == 0 &&
           (frame->tcp_options & SEGMENT_BLOCKS) == 0;
}

static bool has_same_option(const struct tcp_conn *conn, const struct frame *a,
                            const struct frame *b)
{
    const struct frame_pool *pool = conn->tcp->frames;
    return a->tcp_accecn == b->tcp_accecn &&
           ((a->tcp_accecn & SEGMENT_HAS_ACCECN) == 0 ||
            memcmp(frame_blob(pool, a), frame_blob(pool, b), SEGMENT_COUNTERS) == 0);
}

static bool follows(const struct tcp_conn *conn, const struct frame *frame,
                    const struct frame *before)
{
    return is_plain(conn, frame) && has_same_option(conn, frame, before) &&
           frame->psn == before->psn + before->payload && frame->tos == before->tos &&
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
    if (!is_plain(conn, frame))
        return count;
    while (frame->next != POOL_NONE && frame->payload == full &&
           (frame->tcp_flags & SEGMENT_PSH) == 0) {
        const struct frame *next = frame_of(tcp, frame->next);
        if (!follows(conn, next, frame) || next->payload > full ||
            *bytes + next->payload > (uint64_t)tcp->params.gro_size)
            break;
        frame = next;
        *bytes += next->payload;
        count++;
    }
    return count;
}

/* The operations under way share the cache. */
static time_ps copy_cost(const struct tcp *tcp)
{
    const struct tcp_params *params = &tcp->params;
    const int64_t kib = tcp->expected / 1024, cold = kib - params->cache / 1024;
    if (cold <= 0)
        return params->copy_cost;
    return params->copy_cost + (params->cold_copy_cost - params->copy_cost) * cold / kib;
}

static time_ps read_cost(const struct tcp_conn *conn, uint64_t bytes)
{
    const struct tcp_params *params = &conn->tcp->params;
    const time_ps each = copy_cost(conn->tcp) + (conn->digests ? params->digest_cost : 0);
    return (time_ps)(bytes * (uint64_t)each / 1024);
}

/* The batch, and the digest of what was sent since the last one. */
static time_ps send_cost(struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    const uint64_t bytes = conn->undigested;
    conn->undigested = 0;
    return params->tx_batch_cost + (time_ps)(bytes * (uint64_t)params->digest_cost / 1024);
}

/* ------------------------------------------------------------------ work */

static uint32_t shift_frame(struct tcp_conn *conn)
{
    const uint32_t handle = conn->rx_head;
    conn->rx_head = frame_of(conn->tcp, handle)->next;
    conn->rx_count--;
    conn->core->rx_count--;
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

static bool has_received(const struct tcp_conn *conn)
{
    return conn->core->polling && conn->rx_head != POOL_NONE;
}

/* Chooses the next work of the connection and returns its cost. */
static time_ps choose_work(struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    struct tcp_core *core = conn->core;
    uint32_t bytes;
    conn->work_frames = 0;
    if (!has_received(conn) && conn->works != 0 && !conn->want_send)
        return choose_user_work(conn);
    if (!has_received(conn))
        return send_cost(conn);
    conn->work_frames = gro_batch(conn, &bytes);
    const bool wakes = core->asleep && bytes > 0;
    core->asleep = core->asleep && !wakes;
    return params->rx_batch_cost + params->rx_segment_cost * (time_ps)conn->work_frames +
           read_cost(conn, bytes) + (wakes ? params->wakeup_cost : (time_ps)0);
}

static void finish_work(struct tcp_core *core, time_ps now)
{
    struct tcp_conn *conn = core->current;
    conn->holds++;
    if (conn->work_frames > 0) {
        do_receive(conn, now);
        core->polling = core->rx_count > 0;
    } else if (conn->work != 0) {
        do_user_work(conn, now);
    } else if (conn->want_send) {
        conn->want_send = false;
        tcp_output(conn, now);
    }
    core->current = NULL;
    if (has_received(conn) || conn->want_send || conn->works != 0)
        list_conn(core, conn);
    tcp_watch_hold(conn, now);
    conn->holds--;
    tcp_conn_release(conn);
}

static time_ps begin_work(void *self, time_ps now)
{
    struct tcp_core *core = self;
    time_ps cost = 0;
    core->begun_at = now;
    if (core->interrupted) {
        cost = core->tcp->params.interrupt_cost;
        if (core->first != NULL)
            core->first->did.cpu += cost;
    } else if (core->first != NULL) {
        core->current = unlist_first(core);
        cost = choose_work(core->current);
        core->current->did.cpu += cost;
    }
    core->busy += cost;
    return cost;
}

/* Asks the processor for the next turn. */
static void take_turn(struct tcp_core *core)
{
    if (core->job.core == NULL && core->current == NULL &&
        (core->interrupted || core->first != NULL))
        cpu_core_add(core->on, &core->job);
}

time_ps tcp_core_left(const struct tcp_core *core, time_ps now)
{
    return cpu_job_begun(&core->job) ? cpu_core_left(core->on, now) : 0;
}

static void end_work(void *self, time_ps now)
{
    struct tcp_core *core = self;
    if (core->current != NULL)
        finish_work(core, now);
    else
        core->interrupted = false;
    take_turn(core);
}

void tcp_core_list(struct tcp_conn *conn, time_ps now)
{
    struct tcp_core *core = conn->core;
    (void)now;
    if (core->current != conn)
        list_conn(core, conn);
    take_turn(core);
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

/* ------------------------------------------------------------------ interrupts */

/* All connections whose segments the interrupt announces. */
static void list_announced(struct tcp_core *core)
{
    struct tcp_conn *conn = core->announced;
    core->announced = core->last_announced = NULL;
    for (; conn != NULL; conn = conn->next_announced) {
        conn->is_announced = false;
        list_conn(core, conn);
    }
}

static void on_interrupt(void *self, time_ps now)
{
    struct tcp_core *core = self;
    if (core->announced == NULL) /* the connections have ended */
        return;
    core->woken_at = now;
    core->polling = true;
    core->asleep = !core->polled && core->on->timer.due == TIME_NEVER;
    core->interrupted = !core->polled && core->tcp->params.interrupt_cost > 0;
    list_announced(core);
    take_turn(core);
}

static void announce(struct tcp_core *core, struct tcp_conn *conn, time_ps now)
{
    if (conn->is_announced)
        return;
    conn->is_announced = true;
    conn->next_announced = NULL;
    if (core->announced == NULL)
        core->announced = conn;
    else
        core->last_announced->next_announced = conn;
    core->last_announced = conn;
    if (core->interrupt.due != TIME_NEVER)
        return;
    const struct tcp_params *params = &core->tcp->params;
    const time_ps delay = core->polled ? time_earlier(params->poll_delay, params->interrupt_delay)
                                       : params->interrupt_delay;
    if (delay == 0)
        on_interrupt(core, now);
    else
        env_timer_set(core->tcp->site.env, &core->interrupt, now + delay);
}

void tcp_core_receive(struct tcp_conn *conn, uint32_t handle, time_ps now)
{
    struct tcp_core *core = conn->core;
    frame_of(conn->tcp, handle)->next = POOL_NONE;
    if (conn->rx_head == POOL_NONE)
        conn->rx_head = handle;
    else
        frame_of(conn->tcp, conn->rx_tail)->next = handle;
    conn->rx_tail = handle;
    conn->rx_count++;
    core->rx_count++;
    if (core->polling)
        tcp_core_list(conn, now);
    else
        announce(core, conn, now);
}

bool tcp_core_run_on(struct tcp_conn *conn, struct cpu_core *processor)
{
    struct tcp_core *core = conn->core;
    if (core != &conn->own_core)
        return false;
    core->on = processor;
    if (core->job.core == NULL || cpu_job_begun(&core->job))
        return true;
    cpu_core_remove(&core->job);
    cpu_core_add(processor, &core->job);
    return true;
}

/* ------------------------------------------------------------------ the end */

static void unlist(struct tcp_core *core, struct tcp_conn *conn)
{
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

static void withdraw(struct tcp_core *core, struct tcp_conn *conn)
{
    struct tcp_conn **link = &core->announced, *before = NULL;
    while (*link != conn) {
        before = *link;
        link = &before->next_announced;
    }
    *link = conn->next_announced;
    if (core->last_announced == conn)
        core->last_announced = before;
    conn->is_announced = false;
}

void tcp_core_leave(struct tcp_conn *conn)
{
    struct tcp_core *core = conn->core;
    while (conn->rx_head != POOL_NONE)
        frame_give(conn->tcp->frames, shift_frame(conn));
    conn->work_frames = 0;
    conn->works = conn->work = 0;
    conn->want_send = false;
    if (conn->is_announced)
        withdraw(core, conn);
    if (conn->listed)
        unlist(core, conn);
    core->polling = core->polling && core->rx_count > 0;
    if (core == &conn->own_core && core->current == NULL) {
        core->interrupted = false;
        cpu_core_remove(&core->job);
    }
}

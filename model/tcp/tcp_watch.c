/* SPDX-License-Identifier: Apache-2.0
 * tcp_watch - reports segments, deliveries, and what holds up a connection, to the time
 * accounting. */
#include "tcp/tcp_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct probe *probe_of(const struct tcp_conn *conn)
{
    return conn->tcp->site.env->probe;
}

static struct probe_flow flow_from(const struct tcp_conn *conn)
{
    const uint32_t local = conn->local_port, peer = conn->peer_port;
    return (struct probe_flow){conn->tcp->site.endpoint, local << 16 | peer, conn->peer,
                               peer << 16 | local};
}

static struct probe_flow flow_to(const struct tcp_conn *conn)
{
    const struct probe_flow own = flow_from(conn);
    return (struct probe_flow){own.peer, own.peer_qpn, own.endpoint, own.qpn};
}

static bool sends_less(const struct tcp_conn *conn, uint64_t limit)
{
    const uint64_t unsent = conn->out.end - conn->nxt;
    return limit < unsent && limit < conn->payload_most;
}

/* A batch that is small for what the windows allow waits for the next ACK: then the smaller of them
 * is the limit. */
static bool window_is_smaller(const struct tcp_conn *conn)
{
    return conn->window_end - conn->una < (uint64_t)conn->cc.cwnd * conn->payload_most;
}

/* What the byte after the last one that the NIC got is waiting for. */
static enum probe_hold_state state_of(const struct tcp_conn *conn, time_ps now)
{
    const uint64_t window = conn->window_end > conn->nxt ? conn->window_end - conn->nxt : 0;
    if (conn->out.end <= conn->nxt && (conn->works & 1u << STREAM_WORK_ENCRYPT) != 0)
        return PROBE_HOLD_SOFTWARE;
    if (conn->out.end <= conn->nxt)
        return conn->blocked ? PROBE_HOLD_WINDOW : PROBE_HOLD_NOTHING; /* send buffer */
    if (conn->want_send)
        return PROBE_HOLD_SOFTWARE;
    if (conn->held_back)
        return PROBE_HOLD_WIRE;
    if (sends_less(conn, window))
        return PROBE_HOLD_WINDOW;
    if (conn->recovery >= TCP_RECOVERY)
        return PROBE_HOLD_LOSS;
    if (tcp_in_flight(conn) >= conn->cc.cwnd ||
        (conn->tcp->params.pacing && conn->pace_until > now))
        return PROBE_HOLD_CONGESTION;
    if (conn->pushed < conn->out.end && conn->out.end - conn->nxt < conn->payload_most)
        return PROBE_HOLD_NOTHING; /* MSG_MORE */
    return window_is_smaller(conn) ? PROBE_HOLD_WINDOW : PROBE_HOLD_CONGESTION;
}

/* Longer than a round trip in a data center; assumed. */
static const time_ps silence = 500 * PS_PER_US;

/* Two round trips, if that is more. */
static time_ps patience(const struct tcp_conn *conn)
{
    return time_later(silence, conn->srtt8 / 4);
}

static bool is_silent_since(time_ps last, time_ps limit, time_ps now)
{
    return last < 0 || now - last > limit;
}

/* Fewer bytes than two full segments are unacknowledged. */
static bool may_be_delayed(const struct tcp_conn *conn)
{
    return conn->nxt - conn->una < 2 * (uint64_t)conn->payload_most;
}

/* Since then, no delay explains that there is no ACK. */
static time_ps longest_delay(const struct tcp_conn *conn)
{
    return patience(conn) + (may_be_delayed(conn) ? conn->tcp->params.delayed_ack : (time_ps)0);
}

/* All was sent, and the last of it is not acknowledged although nothing delays the ACK any more. */
static bool misses_ack(const struct tcp_conn *conn, time_ps now)
{
    return conn->nxt > conn->una && conn->out.end == conn->nxt &&
           is_silent_since(conn->last_send, longest_delay(conn), now);
}

/* A limit holds back more data, and the ACK that opens it is later than the network explains: the
 * smoothed round-trip time has the delays of earlier ACKs in it. */
static bool awaits_delayed_ack(const struct tcp_conn *conn, enum probe_hold_state state,
                               time_ps now)
{
    const time_ps trip = conn->min_rtt == TIME_NEVER ? 0 : conn->min_rtt;
    return (state == PROBE_HOLD_WINDOW || state == PROBE_HOLD_CONGESTION) &&
           conn->nxt > conn->una && may_be_delayed(conn) &&
           is_silent_since(conn->last_send, time_later(silence, 2 * trip), now) &&
           !is_silent_since(conn->last_send, longest_delay(conn), now);
}

/* ------------------------------------------------------------------ messages */

void tcp_messages_fini(struct tcp_conn *conn)
{
    free(conn->messages.list);
    conn->messages = (struct tcp_messages){0};
}

static bool is_buffered(const struct tcp_message *message)
{
    return !message->open && message->buffered == message->parts;
}

/* Offset behind the bytes that have left the host, unless some are sent again. */
static uint64_t end_of_sent(const struct tcp_conn *conn)
{
    return conn->nxt - (conn->queued < conn->nxt ? conn->queued : conn->nxt);
}

static bool is_sent(const struct tcp_message *message, uint64_t end)
{
    return is_buffered(message) && message->end <= end;
}

static void forget_sent(struct tcp_conn *conn)
{
    struct tcp_messages *messages = &conn->messages;
    const uint64_t end = end_of_sent(conn);
    while (messages->first < messages->filling && is_sent(&messages->list[messages->first], end))
        messages->start = messages->list[messages->first++].end;
    if (messages->first == 0 || messages->first < messages->count / 2)
        return;
    messages->count -= messages->first;
    messages->filling -= messages->first;
    memmove(messages->list, messages->list + messages->first,
            messages->count * sizeof *messages->list);
    messages->first = 0;
}

static void add_message(struct tcp_conn *conn, bool open, uint32_t bytes)
{
    struct tcp_messages *messages = &conn->messages;
    forget_sent(conn);
    struct tcp_message *last =
        messages->count == messages->first ? NULL : &messages->list[messages->count - 1];
    if (last == NULL || !last->open) {
        messages->list =
            memory_grown(messages->list, messages->count, &messages->room, sizeof *messages->list);
        last = &messages->list[messages->count++];
        *last = (struct tcp_message){0};
    }
    last->bytes += bytes;
    last->parts++;
    last->open = open;
}

static void buffer_message(struct tcp_conn *conn)
{
    struct tcp_messages *messages = &conn->messages;
    if (messages->filling == messages->count)
        return;
    struct tcp_message *message = &messages->list[messages->filling];
    message->buffered++;
    message->end = conn->out.end;
    messages->filling += is_buffered(message);
}

/* More bytes are left of the message that is being sent than a waiting message has. With a
 * connection of its own, the waiting message would end earlier. Of two equal messages, one ends
 * last at the same time, whichever is first. */
static bool has_behind(const struct tcp_conn *conn)
{
    const struct tcp_messages *messages = &conn->messages;
    const uint64_t end = end_of_sent(conn);
    uint64_t start = messages->start;
    uint32_t at = messages->first;
    while (at < messages->filling && is_sent(&messages->list[at], end))
        start = messages->list[at++].end;
    if (at == messages->count)
        return false;
    const struct tcp_message *head = &messages->list[at];
    const uint64_t sent = end > start ? end - start : 0;
    const uint64_t left = sent < head->bytes ? head->bytes - sent : 0;
    for (at++; at < messages->count; at++)
        if (messages->list[at].bytes < left)
            return true;
    return false;
}

static bool has_more_work(const struct tcp_conn *conn)
{
    if (conn->core->current != conn)
        return conn->listed;
    return conn->rx_count > conn->work_frames || (conn->work_frames > 0 && conn->want_send);
}

void tcp_watch_look(const struct tcp_conn *conn, struct tcp_look *look, time_ps now)
{
    const bool lost = conn->recovery >= TCP_RECOVERY || misses_ack(conn, now);
    const bool quiet = is_silent_since(conn->last_send, patience(conn), now) &&
                       is_silent_since(conn->last_data, patience(conn), now);
    if (conn->state != TCP_ESTABLISHED ||
        (quiet && !lost && !conn->blocked && conn->rx_count == 0 && conn->out.end == conn->nxt))
        return;
    const enum probe_hold_state state = state_of(conn, now);
    const bool delayed = !lost && awaits_delayed_ack(conn, state, now);
    look->active++;
    look->core += has_more_work(conn);
    look->loss += lost;
    look->delayed += delayed;
    look->behind += !lost && (conn->queued > 0 || state == PROBE_HOLD_SOFTWARE) && has_behind(conn);
    look->window += !lost && !delayed && state == PROBE_HOLD_WINDOW;
    look->congestion += !lost && !delayed && state == PROBE_HOLD_CONGESTION;
}

struct tcp_view tcp_watch_view(struct tcp_conn *conn, time_ps now)
{
    static const char *const timers[] = {[TCP_TIMER_RTO] = "retransmission",
                                         [TCP_TIMER_PROBE] = "tail loss probe",
                                         [TCP_TIMER_REORDER] = "reordering",
                                         [TCP_TIMER_WINDOW] = "window probe"};
    return (struct tcp_view){.conn = tcp_stream(conn),
                             .hold = state_of(conn, now),
                             .repairs = conn->recovery >= TCP_RECOVERY,
                             .timer = timers[conn->rtx_kind],
                             .timer_due = conn->rtx.due};
}

static time_ps time_since(time_ps last, time_ps now)
{
    return last < 0 ? 0 : now - last;
}

void tcp_watch_info(const struct tcp_conn *conn, struct stream_info *info)
{
    const struct tcp_core *core = conn->core;
    const struct tcp_conn *served = core->current != NULL ? core->current : core->first;
    info->cpu -= served == conn ? tcp_core_left(core, tcp_now(conn->tcp)) : 0;
    info->packets_out = tcp_packets_out(conn);
    info->lost = conn->lost_out;
    info->sacked = conn->sacked_out;
    info->retrans_out = conn->retrans_out;
    info->backoff = conn->backoff;
    info->scaled = conn->send_scale != SEGMENT_NO_SCALE;
    info->send_scale = info->scaled ? conn->send_scale : 0;
    info->receive_scale = info->scaled ? conn->receive_scale : 0;
    info->ecn = conn->ecn;
    info->alpha_ppm = conn->ops->alpha_ppm == NULL ? 0 : conn->ops->alpha_ppm(&conn->cc);
    info->receive_window =
        conn->advertised > conn->received ? conn->advertised - conn->received : 0;
    info->idle_sent = time_since(conn->last_send, tcp_now(conn->tcp));
    info->idle_read = time_since(conn->last_data, tcp_now(conn->tcp));
}

void tcp_watch_open(const struct tcp_conn *conn)
{
    const struct probe *probe = probe_of(conn);
    if (probe->stream == NULL)
        return;
    const struct probe_stream open = {.at = tcp_now(conn->tcp),
                                      .flow = flow_from(conn),
                                      .number = tcp_number(conn->iss, 1),
                                      .kind = PROBE_STREAM_OPEN};
    probe->stream(probe->self, &open);
}

void tcp_watch_hold(struct tcp_conn *conn, time_ps now)
{
    const struct probe *probe = probe_of(conn);
    if (probe->stream == NULL || conn->state < TCP_ESTABLISHED)
        return;
    const enum probe_hold_state state = state_of(conn, now);
    if (conn->watched_nxt == conn->nxt && conn->watched_state == (uint8_t)state)
        return;
    conn->watched_nxt = conn->nxt;
    conn->watched_state = (uint8_t)state;
    const struct probe_stream hold = {.at = now,
                                      .flow = flow_from(conn),
                                      .number = tcp_number(conn->iss, conn->nxt),
                                      .kind = PROBE_STREAM_HOLD,
                                      .state = (uint8_t)state};
    probe->stream(probe->self, &hold);
}

void tcp_watch_arrived(const struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    const struct probe *probe = probe_of(conn);
    if (probe->stream == NULL || frame->payload == 0)
        return;
    const struct probe_stream arrived = {
        .at = now, .flow = flow_to(conn), .number = frame->psn, .kind = PROBE_STREAM_ARRIVED};
    probe->stream(probe->self, &arrived);
}

static void report_delivered(const struct tcp_conn *conn, uint64_t end, time_ps now)
{
    const struct probe *probe = probe_of(conn);
    const struct probe_stream delivered = {.at = now,
                                           .begun_at = conn->core->begun_at,
                                           .woken_at = conn->core->woken_at,
                                           .flow = flow_to(conn),
                                           .number = tcp_number(conn->irs, end),
                                           .kind = PROBE_STREAM_DELIVERED};
    probe->stream(probe->self, &delivered);
}

void tcp_watch_delivered(const struct tcp_conn *conn, uint64_t before, time_ps now)
{
    if (probe_of(conn)->stream != NULL && conn->received != before && !conn->secure)
        report_delivered(conn, conn->received, now);
}

void tcp_watch_decrypted(const struct tcp_conn *conn, uint32_t bytes, time_ps now)
{
    if (probe_of(conn)->stream != NULL)
        report_delivered(conn, conn->in.begin + bytes, now);
}

void tcp_watch_mark(struct tcp_conn *conn, enum probe_stream_kind kind, uint32_t bytes)
{
    const struct probe *probe = probe_of(conn);
    const bool taken = kind == PROBE_STREAM_TAKEN;
    if (kind == PROBE_STREAM_BUFFERED)
        buffer_message(conn);
    else if (!taken && conn->state != TCP_CLOSED)
        add_message(conn, kind == PROBE_STREAM_POSTED_DATA, bytes);
    if (probe->stream == NULL)
        return;
    const struct probe_stream mark = {.at = tcp_now(conn->tcp),
                                      .flow = taken ? flow_to(conn) : flow_from(conn),
                                      .number = taken ? tcp_number(conn->irs, conn->in.begin)
                                                      : tcp_number(conn->iss, conn->out.end),
                                      .kind = (uint8_t)kind};
    probe->stream(probe->self, &mark);
}

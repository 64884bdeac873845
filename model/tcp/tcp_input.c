/* SPDX-License-Identifier: Apache-2.0
 * tcp_input - a segment of a connection, by the connection's state.
 * Source: RFC 9293 3.10.7, RFC 7323 4.3 (which timestamp is echoed), RFC 5961 4 (SYN within a
 * connection). */
#include "tcp/tcp_private.h"

#include <errno.h>

static const struct frame *frame_of(const struct tcp *tcp, uint32_t handle)
{
    return frame_at(tcp->frames, handle);
}

/* ------------------------------------------------------------------ handshake */

static void on_syn_sent(struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    const bool acks = (frame->tcp_flags & SEGMENT_ACK) != 0;
    const bool good = acks && frame->tcp_ack == tcp_number(conn->iss, 1);
    if (acks && !good)
        return;
    if ((frame->tcp_flags & SEGMENT_RST) != 0) {
        if (good)
            tcp_conn_end(conn, ECONNREFUSED);
        return;
    }
    if ((frame->tcp_flags & SEGMENT_SYN) == 0 || !good)
        return;
    tcp_read_syn(conn, frame);
    conn->una = 1;
    conn->window_end = 1 + frame->window;
    conn->send_window = frame->window;
    if (conn->timeouts_in_row == 0)
        tcp_rtt_sample(conn, now - conn->last_send);
    tcp_established(conn, now);
    if (conn->state != TCP_CLOSED)
        tcp_send_ack(conn, now);
    if (conn->state != TCP_CLOSED && conn->owned)
        conn->user.on_connected(conn->user.self, tcp_stream(conn));
}

/* False: the segment does not complete the handshake. */
static bool on_syn_received(struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    if ((frame->tcp_flags & SEGMENT_SYN) != 0) {
        tcp_accecn_read_again(conn, frame);
        tcp_send_syn(conn, now);
        return false;
    }
    if ((frame->tcp_flags & SEGMENT_ACK) == 0 || frame->tcp_ack != tcp_number(conn->iss, 1))
        return false;
    const uint8_t shift = conn->send_scale == SEGMENT_NO_SCALE ? 0 : conn->send_scale;
    conn->una = 1;
    conn->send_window = (uint64_t)frame->window << shift;
    conn->window_end = 1 + conn->send_window;
    tcp_accecn_end_handshake(conn, frame);
    if (conn->timeouts_in_row == 0)
        tcp_rtt_sample(conn, now - conn->last_send);
    tcp_established(conn, now);
    return conn->state != TCP_CLOSED;
}

/* ------------------------------------------------------------------ established */

static void on_fin_acked(struct tcp_conn *conn)
{
    if (!conn->fin_sent || conn->una != conn->nxt)
        return;
    if (conn->state == TCP_FIN_WAIT_1)
        tcp_set_state(conn, TCP_FIN_WAIT_2);
    else if (conn->state == TCP_CLOSING)
        tcp_set_state(conn, TCP_TIME_WAIT);
    else if (conn->state == TCP_LAST_ACK)
        tcp_conn_end(conn, 0);
}

static void begin_time_wait(struct tcp_conn *conn, time_ps now)
{
    if (conn->state == TCP_TIME_WAIT)
        tcp_set_rtx(conn, TCP_TIMER_RTO, now + conn->tcp->params.time_wait);
}

/* True: the frame is kept. */
static bool on_segment(struct tcp_conn *conn, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_of(conn->tcp, handle);
    const uint64_t seq = tcp_offset(conn->irs, frame->psn, conn->received);
    const bool has_data = frame->payload > 0 || (frame->tcp_flags & SEGMENT_FIN) != 0;
    const uint64_t ack = tcp_offset(conn->iss, frame->tcp_ack, conn->una);
    if ((frame->tcp_flags & SEGMENT_RST) != 0) {
        conn->tcp->counters.estab_resets++;
        tcp_conn_end(conn, ECONNRESET);
        return false;
    }
    if ((frame->tcp_flags & SEGMENT_SYN) != 0 || ack > conn->nxt ||
        (!has_data && seq < conn->received)) {
        if ((frame->tcp_flags & SEGMENT_SYN) != 0)
            tcp_accecn_read_again(conn, frame);
        conn->ack_at_once = true; /* also the answer to a window probe */
        return false;
    }
    const bool stamped = (frame->tcp_options & SEGMENT_HAS_TIMESTAMPS) != 0;
    conn->accecn.moved = stamped && (int32_t)(frame->ts_value - conn->ts_recent) > 0;
    if (stamped && seq <= conn->acked)
        conn->ts_recent = frame->ts_value;
    if (conn->accurate)
        tcp_accecn_receive(conn, frame, now);
    tcp_on_ack(conn, frame, ack, now);
    if (conn->state == TCP_CLOSED)
        return false;
    on_fin_acked(conn);
    if (conn->state == TCP_CLOSED)
        return false;
    return has_data && tcp_receive_data(conn, handle, seq, now);
}

void tcp_input(struct tcp_conn *conn, uint32_t handle, time_ps now)
{
    struct tcp *tcp = conn->tcp;
    const struct frame *frame = frame_of(tcp, handle);
    const uint8_t before = conn->state;
    bool kept = false;
    conn->did.segs_in++;
    conn->did.data_segs_in += frame->payload > 0;
    if (conn->state == TCP_SYN_SENT)
        on_syn_sent(conn, frame, now);
    else if (conn->state == TCP_SYN_RECEIVED && (frame->tcp_flags & SEGMENT_RST) != 0)
        tcp_conn_end(conn, ECONNRESET);
    else if (conn->state != TCP_CLOSED &&
             (conn->state != TCP_SYN_RECEIVED || on_syn_received(conn, frame, now)))
        kept = on_segment(conn, handle, now);
    if (conn->state != before)
        begin_time_wait(conn, now);
    if (!kept)
        frame_give(tcp->frames, handle);
}

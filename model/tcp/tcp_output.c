/* SPDX-License-Identifier: Apache-2.0
 * tcp_output - what is sent, and when.
 * New data leaves in batches of whole segments (TSO); only the end of what was pushed may be a
 * short one.  Limits: the peer's window, cwnd, pacing, bytes below TCP (output-limit, TSQ of
 * Linux), and deferral: a batch that could soon be larger waits for the next ACK.
 * Source: RFC 9293 3.8.6, RFC 7661 (validation of cwnd as Linux does it), Linux
 * net/ipv4/tcp_output.c (tcp_write_xmit, tcp_tso_autosize, tcp_tso_should_defer, tcp_cwnd_validate,
 * tcp_cwnd_restart). */
#include "tcp/tcp_private.h"

enum {
    PACING_SHIFT = 10, /* a batch has at most 1/1024 s at the pacing rate: sk_pacing_shift */
    TSO_WIN_DIVISOR = 3,
    TSO_LEAST_SEGMENTS = 2,
    TSO_RTT_SHIFT = 9, /* tcp_tso_rtt_log: below 512 us batches are as large as they may be */
    RATIO = 1000000,
};

static bool may_send(const struct tcp_conn *conn)
{
    return conn->state == TCP_ESTABLISHED || conn->state == TCP_CLOSE_WAIT ||
           conn->state == TCP_FIN_WAIT_1 || conn->state == TCP_CLOSING ||
           conn->state == TCP_LAST_ACK;
}

/* ------------------------------------------------------------------ limits */

uint64_t tcp_pacing_bps(const struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    if (conn->srtt8 == 0)
        return UINT64_MAX;
    const bool slow = conn->cc.cwnd < conn->cc.ssthresh / 2;
    const int64_t ratio = slow ? params->pacing_slow_start : params->pacing_avoidance;
    const unsigned __int128 bits = (unsigned __int128)conn->cc.cwnd * conn->payload_most * 8 *
                                   (uint64_t)PS_PER_S * (uint64_t)ratio;
    const unsigned __int128 bps = bits / RATIO / (uint64_t)(conn->srtt8 / 8 + 1);
    return bps < UINT64_MAX / 8 ? (uint64_t)bps : UINT64_MAX / 8;
}

/* Bytes that 1/1024 s carries at the pacing rate. */
static uint64_t paced_bytes(const struct tcp_conn *conn)
{
    const uint64_t bps = tcp_pacing_bps(conn);
    return bps == UINT64_MAX ? INT64_MAX : bps / 8 >> PACING_SHIFT;
}

/* Bytes of a full batch. */
static uint64_t batch_goal(const struct tcp_conn *conn)
{
    const uint64_t most = (uint64_t)conn->tcp->params.tso_size;
    if (most < (uint64_t)TSO_LEAST_SEGMENTS * conn->payload_most)
        return conn->payload_most;
    const uint64_t rtt = (uint64_t)(conn->min_rtt / PS_PER_US) >> TSO_RTT_SHIFT;
    uint64_t bytes = paced_bytes(conn);
    if (rtt < 32 && conn->min_rtt != TIME_NEVER)
        bytes += most >> rtt;
    const uint64_t least = (uint64_t)TSO_LEAST_SEGMENTS * conn->payload_most;
    bytes = bytes < least ? least : bytes > most ? most : bytes;
    return bytes / conn->payload_most * conn->payload_most;
}

static bool is_held_back(struct tcp_conn *conn)
{
    const struct tcp_params *params = &conn->tcp->params;
    const uint64_t two =
        2 * (uint64_t)(params->tso_size > 0 ? params->tso_size : conn->payload_most);
    const uint64_t paced = paced_bytes(conn), most = (uint64_t)params->output_limit;
    const uint64_t wanted = paced > two ? paced : two;
    conn->held_back = conn->queued >= (wanted < most ? wanted : most) && conn->queued > 0;
    return conn->held_back;
}

static bool is_paced_out(struct tcp_conn *conn, time_ps now)
{
    if (!conn->tcp->params.pacing || conn->pace_until <= now)
        return false;
    env_timer_set(conn->tcp->site.env, &conn->pace_timer, conn->pace_until);
    return true;
}

static void pace(struct tcp_conn *conn, uint64_t bytes, time_ps now)
{
    const uint64_t bps = tcp_pacing_bps(conn);
    if (conn->tcp->params.pacing && bps != UINT64_MAX)
        conn->pace_until = time_later(conn->pace_until, now) + units_transfer_ps(bytes, bps + 1);
}

/* A third of what the windows allow is worth a batch; less waits while an ACK is expected soon. */
static bool defers(const struct tcp_conn *conn, uint64_t limit, time_ps now)
{
    const uint64_t cwnd = (uint64_t)conn->cc.cwnd * conn->payload_most;
    const uint64_t window = conn->send_window < cwnd ? conn->send_window : cwnd;
    const uint64_t unsent = conn->out.end - conn->nxt;
    if (conn->recovery >= TCP_RECOVERY || tcp_packets_out(conn) == 0)
        return false;
    if (limit >= unsent || limit >= batch_goal(conn) || limit >= window / TSO_WIN_DIVISOR)
        return false;
    if (now - conn->last_send > PS_PER_MS)
        return false;
    return now - tcp_seg(conn, conn->seg_head)->sent_at >= conn->srtt8 / 16;
}

/* ------------------------------------------------------------------ cwnd after idle times */

static void restart_cwnd(struct tcp_conn *conn, time_ps idle)
{
    struct tcp_cc_flow *cc = &conn->cc;
    const uint32_t initial = (uint32_t)conn->tcp->params.initial_window;
    const uint32_t least = cc->cwnd < initial ? cc->cwnd : initial;
    const uint32_t part = cc->cwnd / 4 * 3 + cc->cwnd % 4 * 3 / 4;
    cc->ssthresh = cc->ssthresh > part ? cc->ssthresh : part;
    for (idle -= conn->rto; idle > 0 && cc->cwnd > least; idle -= conn->rto)
        cc->cwnd /= 2;
    cc->cwnd = cc->cwnd > least ? cc->cwnd : least;
    cc->cwnd_cnt = 0;
    conn->max_flight = 0;
    if (conn->ops->on_event != NULL)
        conn->ops->on_event(cc, TCP_CC_CWND_RESTART, conn->last_send);
}

static void begin_after_idle(struct tcp_conn *conn, time_ps now)
{
    const time_ps idle = now - conn->last_send;
    if (tcp_packets_out(conn) > 0)
        return;
    if (conn->tcp->params.slow_start_after_idle && conn->last_send >= 0 && idle > conn->rto)
        restart_cwnd(conn, idle);
    if (conn->ops->on_event != NULL)
        conn->ops->on_event(&conn->cc, TCP_CC_TX_START, now);
}

static void validate_cwnd(struct tcp_conn *conn, bool limited)
{
    const uint32_t out = tcp_packets_out(conn);
    if (conn->una < conn->flight_end && !limited && (conn->was_limited || out <= conn->max_flight))
        return;
    conn->was_limited = limited;
    conn->max_flight = out;
    conn->flight_end = conn->nxt;
}

/* ------------------------------------------------------------------ new segments */

/* Bytes of new data that the peer's window and `most` allow, in whole segments, or up to the end of
 * what was pushed. */
static uint64_t sendable(const struct tcp_conn *conn, uint64_t most)
{
    const uint64_t window = conn->window_end > conn->nxt ? conn->window_end - conn->nxt : 0;
    const uint64_t unsent = conn->out.end > conn->nxt ? conn->out.end - conn->nxt : 0;
    const uint64_t limit = window < most ? window : most;
    if (unsent <= limit && conn->pushed >= conn->out.end)
        return unsent;
    const uint64_t bytes = unsent < limit ? unsent : limit;
    return bytes - bytes % conn->payload_most;
}

static bool fin_is_due(const struct tcp_conn *conn)
{
    return conn->fin_wanted && !conn->fin_sent;
}

/* The next segment of new data, which ends at `end` at most. */
static void add_segment(struct tcp_conn *conn, uint64_t end, time_ps now)
{
    const uint64_t rest = end - conn->nxt;
    uint32_t length = (uint32_t)(rest < conn->payload_most ? rest : conn->payload_most);
    if (length > 0)
        length = tcp_content_fit(conn, conn->nxt, length);
    const bool last = conn->nxt + length == conn->out.end;
    struct tcp_seg seg = {.seq = conn->nxt, .length = length, .sent_at = now};
    if (length > 0 && (last || conn->nxt + length == end))
        seg.flags |= conn->nxt + length <= conn->pushed ? TCP_SEG_PUSH : 0;
    if (last && fin_is_due(conn)) {
        seg.flags |= TCP_SEG_FIN;
        seg.length++;
        conn->fin_sent = true;
    }
    if (conn->cwr_due && length > 0) {
        seg.flags |= TCP_SEG_CWR;
        conn->cwr_due = false;
    }
    tcp_board_add(conn, &seg);
    conn->nxt += seg.length;
    conn->did.bytes_sent += length;
    conn->tcp->counters.out_bytes += length;
}

/* Answers to data hold back their ACKs. */
static void note_data_sent(struct tcp_conn *conn, time_ps now)
{
    if (conn->last_data >= 0 && now - conn->last_data < conn->tcp->params.delayed_ack)
        conn->pingpong = true;
    conn->last_send = now;
}

/* Sends new data up to `end`, with the FIN if it is next. */
static void send_batch(struct tcp_conn *conn, uint64_t end, time_ps now)
{
    const uint32_t first = conn->seg_tail;
    const uint64_t from = conn->nxt;
    begin_after_idle(conn, now);
    const bool was_empty = tcp_packets_out(conn) == 0;
    do
        add_segment(conn, end, now);
    while (conn->nxt < end);
    const uint64_t bytes = conn->nxt - from;
    note_data_sent(conn, now);
    if (conn->recovery == TCP_CWR || conn->recovery == TCP_RECOVERY)
        conn->prr_out += conn->seg_tail - first;
    if (was_empty || (conn->rtx.due != TIME_NEVER && conn->rtx_kind == TCP_TIMER_PROBE))
        tcp_rearm_rto(conn, now);
    pace(conn, bytes, now);
    tcp_queue_batch(conn, first, conn->seg_tail - first, false, bytes, now);
}

bool tcp_send_one(struct tcp_conn *conn, time_ps now)
{
    tcp_accecn_measure(conn, now);
    const uint64_t bytes = may_send(conn) ? sendable(conn, conn->payload_most) : 0;
    if (bytes == 0)
        return false;
    send_batch(conn, conn->nxt + bytes, now);
    return true;
}

void tcp_send_rest(struct tcp_conn *conn, time_ps now)
{
    tcp_accecn_measure(conn, now);
    const uint64_t end = conn->window_end < conn->out.end ? conn->window_end : conn->out.end;
    const uint64_t most = conn->nxt + conn->payload_most;
    if (may_send(conn) && end > conn->nxt)
        send_batch(conn, end < most ? end : most, now);
}

enum outcome { SENT, NOTHING, LIMITED };

/* One batch. */
static enum outcome send_next(struct tcp_conn *conn, time_ps now)
{
    const uint32_t flight = tcp_in_flight(conn);
    const uint64_t unsent = conn->out.end - conn->nxt;
    if (conn->fin_sent || (unsent == 0 && !fin_is_due(conn)))
        return NOTHING;
    if (flight >= conn->cc.cwnd)
        return LIMITED;
    if (is_paced_out(conn, now) || is_held_back(conn))
        return NOTHING;
    const uint64_t quota = (uint64_t)(conn->cc.cwnd - flight) * conn->payload_most;
    const uint64_t goal = batch_goal(conn);
    const uint64_t bytes = sendable(conn, quota < goal ? quota : goal);
    if (unsent > 0 && bytes == 0)
        return NOTHING;
    if (defers(conn, bytes, now))
        return quota < goal ? LIMITED : NOTHING;
    send_batch(conn, conn->nxt + bytes, now);
    return SENT;
}

void tcp_output(struct tcp_conn *conn, time_ps now)
{
    enum outcome outcome = NOTHING;
    bool sent = false;
    if (!may_send(conn))
        return;
    tcp_accecn_measure(conn, now);
    do {
        outcome = send_next(conn, now);
        sent |= outcome == SENT;
    } while (outcome == SENT && conn->tcp->params.tx_batch_cost == 0);
    conn->want_send |= outcome == SENT;
    const bool limited = outcome == LIMITED || tcp_in_flight(conn) >= conn->cc.cwnd;
    if (sent || limited)
        validate_cwnd(conn, limited);
    if (sent)
        tcp_tlp_schedule(conn, false, now);
    tcp_check_window_probe(conn, now);
    tcp_watch_hold(conn, now);
}

void tcp_want_send(struct tcp_conn *conn, time_ps now)
{
    if (conn->tcp->params.tx_batch_cost == 0 && conn->undigested == 0) {
        tcp_output(conn, now);
        return;
    }
    conn->want_send = true;
    tcp_watch_hold(conn, now);
    tcp_core_list(conn, now);
}

/* ------------------------------------------------------------------ retransmission */

void tcp_retransmit(struct tcp_conn *conn, uint32_t number, bool probe, time_ps now)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    struct tcp_counters *counters = &conn->tcp->counters;
    const uint64_t waited_ns = (uint64_t)((now - seg->sent_at) / PS_PER_NS);
    tcp_board_sent_again(conn, number, probe, now);
    if (conn->recovery >= TCP_RECOVERY && conn->retrans_at == 0)
        conn->retrans_at = now;
    if (conn->undo_marker != 0)
        conn->undo_retrans = conn->undo_retrans < 0 ? 1 : conn->undo_retrans + 1;
    conn->did.retrans++;
    conn->did.bytes_retrans += seg->length;
    conn->did.bytes_sent += seg->length;
    conn->last_send = now;
    if (conn->recovery == TCP_LOSS) {
        counters->slow_start_retrans++;
        counters->slow_start_retrans_wait_ns += waited_ns;
    } else if (conn->recovery == TCP_RECOVERY) {
        counters->fast_retrans++;
        counters->fast_retrans_wait_ns += waited_ns;
    }
    pace(conn, seg->length, now);
    tcp_queue_batch(conn, number, 1, true, seg->length, now);
}

void tcp_retransmit_lost(struct tcp_conn *conn, time_ps now)
{
    uint32_t number = conn->lost_hint;
    const uint8_t skip = TCP_SEG_RETRANS | TCP_SEG_SACKED;
    if ((int32_t)(number - conn->seg_head) < 0)
        number = conn->seg_head;
    for (; conn->retrans_out < conn->lost_out && number != conn->seg_tail; number++) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        if ((seg->flags & TCP_SEG_LOST) == 0 || (seg->flags & skip) != 0)
            continue;
        if (tcp_in_flight(conn) >= conn->cc.cwnd || is_paced_out(conn, now))
            return;
        tcp_retransmit(conn, number, false, now);
        if (conn->recovery == TCP_CWR || conn->recovery == TCP_RECOVERY)
            conn->prr_out++;
        if (number == conn->seg_head && conn->recovery != TCP_OPEN)
            tcp_set_rtx(conn, TCP_TIMER_RTO, now + conn->rto);
    }
}

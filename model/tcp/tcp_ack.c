/* SPDX-License-Identifier: Apache-2.0
 * tcp_ack - what an acknowledgment says: new data, SACK blocks, window, round-trip times, ECN.
 * Source: RFC 9293 3.10.7.4, RFC 2018, RFC 2883 (D-SACK), RFC 3168 6.1.2; Linux
 * net/ipv4/tcp_input.c (tcp_ack, tcp_sacktag_write_queue, tcp_clean_rtx_queue). */
#include "tcp/tcp_private.h"

#include <string.h>

/* ------------------------------------------------------------------ SACK */

struct edges {
    uint64_t left, right;
};

/* A segment reached the peer. */
static void note_delivered(struct tcp_conn *conn, const struct tcp_seg *seg,
                           struct tcp_round *round)
{
    round->acked_sacked++;
    round->bytes += seg->length;
    conn->cc.delivered++;
}

void tcp_note_reordering(struct tcp_conn *conn, uint64_t offset, uint64_t *counter)
{
    if (offset >= conn->highest_sacked)
        return;
    const uint64_t distance = (conn->highest_sacked - offset) / conn->payload_most;
    if (distance > conn->did.reordering)
        conn->did.reordering = (uint32_t)(distance < 300 ? distance : 300);
    (*counter)++;
    conn->reordered = true;
}

/* A hole below what was SACKED before means that segments overtook each other. */
static void note_reordering(struct tcp_conn *conn, const struct tcp_seg *seg)
{
    if ((seg->flags & TCP_SEG_EVER) == 0)
        tcp_note_reordering(conn, seg->seq, &conn->tcp->counters.sack_reorder);
}

static void sack_segment(struct tcp_conn *conn, uint32_t number, struct tcp_round *round,
                         time_ps now)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    if ((seg->flags & TCP_SEG_SACKED) != 0)
        return;
    note_reordering(conn, seg);
    if ((seg->flags & TCP_SEG_EVER) == 0) {
        round->sack_sent = seg->sent_at;
        round->original |= seg->seq + seg->length <= conn->high_seq;
    }
    round->sacked = true;
    note_delivered(conn, seg, round);
    tcp_rack_advance(conn, seg, now);
    tcp_board_unsort(conn, number);
    conn->lost_out -= (seg->flags & TCP_SEG_LOST) != 0;
    conn->retrans_out -= (seg->flags & TCP_SEG_RETRANS) != 0;
    seg->flags &= (uint8_t) ~(TCP_SEG_LOST | TCP_SEG_RETRANS);
    seg->flags |= TCP_SEG_SACKED;
    conn->sacked_out++;
    if (seg->seq + seg->length > conn->highest_sacked)
        conn->highest_sacked = seg->seq + seg->length;
}

static void sack_range(struct tcp_conn *conn, struct edges block, struct tcp_round *round,
                       time_ps now)
{
    for (uint32_t number = tcp_board_find(conn, block.left); number != conn->seg_tail; number++) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        if (seg->seq + seg->length > block.right)
            break;
        if (seg->seq >= block.left)
            sack_segment(conn, number, round, now);
    }
}

/* Walks only what the last ACK did not say. */
static void sack_block(struct tcp_conn *conn, struct edges block, struct tcp_round *round,
                       time_ps now)
{
    for (unsigned i = 0; i < conn->sack_cached; i++) {
        const uint64_t left = tcp_offset(conn->iss, conn->sack_cache[2 * i], conn->una);
        const uint64_t right = tcp_offset(conn->iss, conn->sack_cache[2 * i + 1], conn->una);
        if (block.left <= left && right <= block.right && left < right) {
            sack_range(conn, (struct edges){block.left, left}, round, now);
            sack_range(conn, (struct edges){right, block.right}, round, now);
            return;
        }
    }
    sack_range(conn, block, round, now);
}

static bool is_dsack(const struct edges *blocks, unsigned count, uint64_t ack)
{
    if (blocks[0].left < ack)
        return true;
    return count > 1 && blocks[1].left <= blocks[0].left && blocks[0].right <= blocks[1].right;
}

static void on_dsack(struct tcp_conn *conn, struct edges block, struct tcp_round *round)
{
    round->dsack = true;
    conn->tcp->counters.dsack_recv++;
    if (conn->undo_marker != 0 && conn->undo_retrans > 0 && block.right > conn->undo_marker)
        conn->undo_retrans--;
    tcp_rack_on_dsack(conn);
}

static void read_sacks(struct tcp_conn *conn, const struct frame *frame, uint64_t ack,
                       struct tcp_round *round, time_ps now)
{
    const unsigned count = frame->tcp_options & SEGMENT_BLOCKS;
    uint32_t words[2 * SEGMENT_SACK_BLOCKS];
    struct edges blocks[SEGMENT_SACK_BLOCKS];
    if (count == 0 || !conn->sack)
        return;
    memcpy(words, frame_blob(conn->tcp->frames, frame), (size_t)count * SEGMENT_SACK_BLOCK);
    for (unsigned i = 0; i < count; i++)
        blocks[i] = (struct edges){tcp_offset(conn->iss, words[2 * i], conn->una),
                                   tcp_offset(conn->iss, words[2 * i + 1], conn->una)};
    const unsigned first = is_dsack(blocks, count, ack) ? 1 : 0;
    if (first == 1)
        on_dsack(conn, blocks[0], round);
    for (unsigned i = first; i < count; i++)
        if (conn->una <= blocks[i].left && blocks[i].left < blocks[i].right &&
            blocks[i].right <= conn->nxt)
            sack_block(conn, blocks[i], round, now);
    conn->sack_cached = (uint8_t)(count - first);
    memcpy(conn->sack_cache, words + 2 * first, (size_t)(count - first) * SEGMENT_SACK_BLOCK);
}

/* ------------------------------------------------------------------ new data */

static void ack_segment(struct tcp_conn *conn, struct tcp_round *round, time_ps now)
{
    const struct tcp_seg *seg = tcp_seg(conn, conn->seg_head);
    if ((seg->flags & TCP_SEG_EVER) != 0) {
        round->retrans_acked = true;
    } else if ((seg->flags & TCP_SEG_SACKED) == 0) {
        if (round->first_sent < 0) {
            round->first_sent = seg->sent_at;
            round->original |= seg->seq + seg->length <= conn->high_seq;
        }
        round->last_sent = seg->sent_at;
        note_reordering(conn, seg);
    }
    if ((seg->flags & TCP_SEG_SACKED) == 0) {
        note_delivered(conn, seg, round);
        /* An ACK that answers the first transmission says nothing about the second. */
        if ((seg->flags & TCP_SEG_EVER) == 0 || !tcp_echoes_before(round, seg->sent_at))
            tcp_rack_advance(conn, seg, now);
    }
    round->acked++;
    tcp_board_pop(conn);
}

static void clean_acked(struct tcp_conn *conn, uint64_t ack, struct tcp_round *round, time_ps now)
{
    while (conn->seg_head != conn->seg_tail) {
        const struct tcp_seg *seg = tcp_seg(conn, conn->seg_head);
        if (seg->seq + seg->length > ack)
            break;
        ack_segment(conn, round, now);
    }
    /* Segments are acknowledged whole: receivers keep them whole. */
    const bool rest = conn->seg_head != conn->seg_tail;
    const uint64_t una = rest ? tcp_seg(conn, conn->seg_head)->seq : ack;
    conn->did.bytes_acked += una - conn->una;
    conn->una = una;
    const uint64_t data = una < conn->out.end ? una : conn->out.end;
    if (data > conn->out.begin)
        content_drop(&conn->out, data);
    if (!conn->sack && round->acked > 0) { /* duplicate ACKs stood for these */
        const uint32_t gone = round->acked - 1;
        conn->sacked_out -= gone < conn->sacked_out ? gone : conn->sacked_out;
        round->original = round->original && !round->retrans_acked;
    }
}

/* Karn's rule, unless timestamps say what an ACK is for; those count whole ms (RFC 7323 4.1). */
static void sample_rtt(struct tcp_conn *conn, const struct frame *frame,
                       const struct tcp_round *round, time_ps now)
{
    time_ps rtt = -1;
    if (round->first_sent >= 0)
        rtt = now - round->first_sent;
    else if (round->sack_sent >= 0)
        rtt = now - round->sack_sent;
    else if (round->acked > 0 && conn->timestamps && frame->ts_echo != 0) {
        const uint32_t ms = (uint32_t)(now / PS_PER_MS) - frame->ts_echo;
        rtt = (time_ps)(ms > 0 ? ms : 1) * PS_PER_MS;
    }
    if (rtt < 0)
        return;
    if (round->first_sent >= 0 || round->sack_sent >= 0)
        conn->min_rtt = time_earlier(conn->min_rtt, rtt);
    tcp_rtt_sample(conn, rtt);
    conn->cc.srtt = conn->srtt8 / 8;
    conn->cc.min_rtt = conn->min_rtt;
    const time_ps last = round->last_sent >= 0 ? round->last_sent : round->sack_sent;
    if (last >= 0 && conn->ops->on_rtt != NULL)
        conn->ops->on_rtt(&conn->cc, now - last, now);
}

/* ------------------------------------------------------------------ window and ECN */

static void update_window(struct tcp_conn *conn, const struct frame *frame, uint64_t ack,
                          time_ps now)
{
    const uint8_t shift = conn->send_scale == SEGMENT_NO_SCALE ? 0 : conn->send_scale;
    const uint64_t end = ack + ((uint64_t)frame->window << shift);
    if (end < conn->window_end && ack == conn->una && end < conn->nxt)
        return; /* an older segment: windows do not shrink */
    if (end > conn->window_end)
        conn->window_end = end;
    conn->send_window = conn->window_end - ack;
    if (conn->window_end > conn->nxt && conn->rtx.due != TIME_NEVER &&
        conn->rtx_kind == TCP_TIMER_WINDOW) {
        tcp_clear_rtx(conn);
        conn->backoff = 0;
        if (tcp_packets_out(conn) > 0)
            tcp_rearm_rto(conn, now);
    }
}

static void raise_cwnd(struct tcp_conn *conn, const struct tcp_round *round, time_ps now)
{
    struct tcp_cc_flow *cc = &conn->cc;
    if (conn->recovery == TCP_CWR || conn->recovery == TCP_RECOVERY) {
        tcp_cwnd_reduction(conn, round->acked_sacked, conn->lost_out > round->prior_lost,
                           conn->una > round->prior_una);
        return;
    }
    cc->cwnd_limited =
        conn->was_limited || (tcp_cc_in_slow_start(cc) && cc->cwnd < 2 * conn->max_flight);
    cc->in_flight = round->prior_flight;
    if (round->acked > 0 || (conn->reordered && round->acked_sacked > 0))
        conn->ops->cong_avoid(cc, round->acked_sacked, now);
}

static struct tcp_round begin_round(const struct tcp_conn *conn, const struct frame *frame)
{
    const bool stamped = conn->timestamps && frame->ts_echo != 0;
    return (struct tcp_round){
        .prior_una = conn->una,
        .prior_flight = tcp_in_flight(conn),
        .prior_lost = conn->lost_out,
        .prior_delivered = conn->cc.delivered,
        .first_sent = -1,
        .last_sent = -1,
        .sack_sent = -1,
        .stamp = stamped ? (int64_t)frame->ts_echo : -1,
    };
}

/* What the ACK says of marked segments: how many, or that what it acknowledges was marked. */
static void read_marks(struct tcp_conn *conn, const struct frame *frame, struct tcp_round *round)
{
    if (!conn->ecn)
        return;
    if (conn->accurate)
        round->marks = tcp_accecn_on_ack(conn, frame, round);
    else if ((frame->tcp_flags & SEGMENT_ECE) != 0)
        round->marks = round->acked_sacked;
    round->echo = conn->accurate ? round->marks > 0 : (frame->tcp_flags & SEGMENT_ECE) != 0;
}

static void count_delivered(struct tcp_conn *conn, const struct tcp_round *round)
{
    struct tcp_counters *counters = &conn->tcp->counters;
    counters->delivered += round->acked_sacked;
    conn->cc.delivered_ce += round->marks;
    counters->delivered_ce += round->marks;
}

static void note_progress(struct tcp_conn *conn)
{
    conn->timeouts_in_row = 0;
    conn->rack_moved = true;
    if (conn->blocked && 3 * tcp_send_room(conn) >= conn->send_limit) {
        conn->blocked = false;
        if (conn->user.on_writable != NULL)
            conn->user.on_writable(conn->user.self, tcp_stream(conn));
    }
}

/* New segments show whether the timeout was spurious.  False: none could be sent. */
static bool send_new(struct tcp_conn *conn, time_ps now)
{
    tcp_output(conn, now);
    conn->frto = conn->nxt > conn->high_seq;
    return conn->frto;
}

/* The acknowledgment of `seq`'s segment, which is valid. */
static void process(struct tcp_conn *conn, const struct frame *frame, uint64_t ack, time_ps now)
{
    struct tcp_round round = begin_round(conn, frame);
    const uint32_t out = tcp_packets_out(conn);
    const uint64_t window = conn->window_end;
    update_window(conn, frame, ack, now);
    if (out > 0) {
        read_sacks(conn, frame, ack, &round, now);
        clean_acked(conn, ack, &round, now);
    } else if (ack > conn->una) {
        conn->una = ack;
    }
    read_marks(conn, frame, &round);
    round.duplicate = ack == round.prior_una && out > 0 && frame->payload == 0 &&
                      window == conn->window_end &&
                      (frame->tcp_flags & (SEGMENT_FIN | SEGMENT_SYN)) == 0;
    count_delivered(conn, &round);
    conn->cc.una = conn->una;
    conn->cc.nxt = conn->nxt;
    conn->cc.in_flight = round.prior_flight;
    sample_rtt(conn, frame, &round, now);
    if (conn->ops->on_ack != NULL)
        conn->ops->on_ack(&conn->cc, now);
    if (out == 0)
        return;
    const enum tcp_resend resend = tcp_recovery_on_ack(conn, &round, now);
    if (conn->tlp_end != 0)
        tcp_tlp_on_ack(conn, &round, now);
    if (conn->una > round.prior_una && !round.timer_set)
        tcp_set_xmit_timer(conn, now);
    raise_cwnd(conn, &round, now);
    if (resend == TCP_RESEND_NEW && send_new(conn, now))
        return;
    if (resend != TCP_RESEND_NONE)
        tcp_retransmit_lost(conn, now);
}

void tcp_on_ack(struct tcp_conn *conn, const struct frame *frame, uint64_t ack, time_ps now)
{
    const uint64_t before = conn->una;
    if (ack < conn->una)
        return;
    process(conn, frame, ack, now);
    if (conn->una > before)
        note_progress(conn);
    if (conn->state != TCP_CLOSED)
        tcp_want_send(conn, now);
}

/* SPDX-License-Identifier: Apache-2.0
 * tcp_undo - retransmissions in vain: what says so, and how the window's reduction is undone.
 *   D-SACK      the peer got every retransmitted segment twice
 *   timestamps  the ACK echoes a segment sent before the first retransmission (Eifel)
 *   F-RTO       an ACK is for a segment that was sent once, before the timeout; to get one, new
 *               segments are sent before any other lost one
 * Source: RFC 2883, 3522, 4015, 5682; Linux net/ipv4/tcp_input.c (tcp_process_loss, tcp_may_undo,
 * tcp_try_undo_loss, tcp_try_undo_recovery, tcp_try_undo_partial, tcp_try_undo_dsack). */
#include "tcp/tcp_private.h"

bool tcp_echoes_before(const struct tcp_round *round, time_ps sent)
{
    const uint32_t before = (uint32_t)(sent / PS_PER_MS);
    return round->stamp >= 0 && (int32_t)((uint32_t)round->stamp - before) < 0;
}

bool tcp_any_retransmitted(const struct tcp_conn *conn)
{
    const bool out = tcp_packets_out(conn) > 0;
    return conn->retrans_out > 0 ||
           (out && (tcp_seg(conn, conn->seg_head)->flags & TCP_SEG_EVER) != 0);
}

static bool is_delayed(const struct tcp_conn *conn, const struct tcp_round *round)
{
    return conn->retrans_at != 0 && tcp_echoes_before(round, conn->retrans_at);
}

static bool may_undo(const struct tcp_conn *conn, const struct tcp_round *round)
{
    return conn->undo_marker != 0 && (conn->undo_retrans == 0 || is_delayed(conn, round));
}

void tcp_undo_begin(struct tcp_conn *conn)
{
    conn->undo_marker = conn->una;
    /* What is under way again already may be what a D-SACK reports. */
    conn->undo_retrans = conn->retrans_out > 0 ? (int64_t)conn->retrans_out : -1;
}

static void undo(struct tcp_conn *conn, uint64_t *counter)
{
    struct tcp_cc_flow *cc = &conn->cc;
    if (conn->prior_ssthresh != 0) {
        cc->cwnd = cc->cwnd > conn->prior_cwnd ? cc->cwnd : conn->prior_cwnd;
        if (conn->prior_ssthresh > cc->ssthresh) {
            cc->ssthresh = conn->prior_ssthresh;
            conn->cwr_due = false;
        }
    }
    conn->undo_marker = 0;
    conn->rack_moved = true;
    (*counter)++;
}

bool tcp_undo_at_end(struct tcp_conn *conn, const struct tcp_round *round)
{
    struct tcp_counters *counters = &conn->tcp->counters;
    if (!may_undo(conn, round))
        return false;
    undo(conn, conn->recovery == TCP_LOSS ? &counters->loss_undo : &counters->full_undo);
    return true;
}

bool tcp_undo_by_dsack(struct tcp_conn *conn)
{
    if (conn->undo_marker == 0 || conn->undo_retrans != 0)
        return false;
    undo(conn, &conn->tcp->counters.dsack_undo);
    return true;
}

bool tcp_undo_in_recovery(struct tcp_conn *conn, const struct tcp_round *round)
{
    struct tcp_counters *counters = &conn->tcp->counters;
    if (conn->una > round->prior_una && conn->undo_marker != 0 && is_delayed(conn, round)) {
        tcp_note_reordering(conn, round->prior_una, &counters->ts_reorder);
        if (conn->retrans_out > 0)
            return true;
        tcp_board_forgive(conn);
        undo(conn, &counters->partial_undo);
        tcp_set_recovery(conn, TCP_OPEN);
    } else if (tcp_undo_by_dsack(conn)) {
        tcp_set_recovery(conn, TCP_OPEN);
    }
    return false;
}

/* Nothing is lost: no segment is sent again any more. */
static void undo_loss(struct tcp_conn *conn)
{
    tcp_board_forgive(conn);
    undo(conn, &conn->tcp->counters.loss_undo);
    conn->timeouts_in_row = 0;
}

/* The ACK that follows the retransmission of a timeout, and the one after it. */
static enum tcp_resend decide(struct tcp_conn *conn, const struct tcp_round *round)
{
    if (round->original) {
        undo_loss(conn);
        conn->tcp->counters.spurious_rtos++;
        tcp_set_recovery(conn, TCP_OPEN);
        return TCP_RESEND_NONE;
    }
    if (conn->nxt > conn->high_seq) { /* new segments are under way */
        conn->frto = !round->sacked && !(round->duplicate && !round->dsack);
    } else if (conn->una > round->prior_una && conn->una < conn->high_seq) {
        conn->high_seq = conn->nxt;
        conn->frto = conn->out.end > conn->nxt && conn->window_end > conn->nxt;
        return conn->frto ? TCP_RESEND_NEW : TCP_RESEND_LOST;
    }
    return TCP_RESEND_LOST;
}

enum tcp_resend tcp_undo_after_timeout(struct tcp_conn *conn, const struct tcp_round *round)
{
    if (conn->una > round->prior_una && may_undo(conn, round)) {
        undo_loss(conn);
        if (conn->sack)
            tcp_set_recovery(conn, TCP_OPEN);
        return TCP_RESEND_NONE;
    }
    return conn->frto ? decide(conn, round) : TCP_RESEND_LOST;
}

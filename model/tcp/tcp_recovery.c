/* SPDX-License-Identifier: Apache-2.0
 * tcp_recovery - the state of loss recovery, proportional rate reduction.
 * Source: RFC 6937 (PRR with its slow-start reduction bound), RFC 6582 (without SACK), RFC 5681
 * 3.2; Linux net/ipv4/tcp_input.c (tcp_fastretrans_alert, tcp_cwnd_reduction, tcp_enter_loss). */
#include "tcp/tcp_private.h"

void tcp_set_recovery(struct tcp_conn *conn, enum tcp_recovery recovery)
{
    static const bool legal[TCP_RECOVERIES][TCP_RECOVERIES] = {
#define EDGE(from, to, when) [TCP_##from][TCP_##to] = true,
#include "tcp/tcp_recovery.def"
#undef EDGE
    };
    if (conn->recovery == recovery)
        return;
    CHECK(legal[conn->recovery][recovery]);
    conn->recovery = (uint8_t)recovery;
}

/* ------------------------------------------------------------------ window reduction */

static void begin_reduction(struct tcp_conn *conn, bool loss, time_ps now)
{
    conn->high_seq = conn->nxt;
    conn->tlp_end = 0;
    conn->cc.cwnd_cnt = 0;
    conn->prior_cwnd = conn->cc.cwnd;
    conn->prr_delivered = conn->prr_out = 0;
    conn->cc.ssthresh = conn->ops->ssthresh(&conn->cc, loss, now);
    if (conn->ecn && !conn->accurate)
        conn->cwr_due = true;
}

static void end_reduction(struct tcp_conn *conn)
{
    if (conn->cc.ssthresh < TCP_CC_INFINITE &&
        (conn->recovery == TCP_CWR || conn->undo_marker != 0))
        conn->cc.cwnd = conn->cc.ssthresh;
}

/* RFC 6675 5: (4.2), (4.3). */
static void reduce_at_once(struct tcp_conn *conn, int64_t flight)
{
    const bool resends = conn->recovery == TCP_RECOVERY && conn->prr_out == 0;
    const uint32_t least = resends ? (uint32_t)flight + 1 : 1;
    conn->cc.cwnd = conn->cc.ssthresh > least ? conn->cc.ssthresh : least;
}

void tcp_cwnd_reduction(struct tcp_conn *conn, uint32_t acked_sacked, bool newly_lost,
                        bool advanced)
{
    const int64_t flight = tcp_in_flight(conn), ssthresh = conn->cc.ssthresh;
    const int64_t gap = ssthresh - flight;
    if (acked_sacked == 0 || conn->prior_cwnd == 0)
        return;
    if (!conn->tcp->params.prr) {
        reduce_at_once(conn, flight);
        return;
    }
    conn->prr_delivered += acked_sacked;
    int64_t count;
    if (gap < 0) {
        const int64_t share = ssthresh * conn->prr_delivered + conn->prior_cwnd - 1;
        count = share / conn->prior_cwnd - conn->prr_out;
    } else {
        count = (int64_t)conn->prr_delivered - conn->prr_out;
        count = count > acked_sacked ? count : acked_sacked;
        if (advanced && !newly_lost)
            count++;
        count = count < gap ? count : gap;
    }
    const int64_t least = conn->prr_out > 0 ? 0 : 1; /* the fast retransmission itself */
    conn->cc.cwnd = (uint32_t)(flight + (count > least ? count : least));
    if (conn->cc.cwnd == 0)
        conn->cc.cwnd = 1;
}

void tcp_enter_cwr(struct tcp_conn *conn, time_ps now)
{
    conn->prior_ssthresh = 0;
    if (conn->recovery >= TCP_CWR)
        return;
    conn->undo_marker = 0;
    begin_reduction(conn, false, now);
    tcp_set_recovery(conn, TCP_CWR);
}

void tcp_end_cwr_at_once(struct tcp_conn *conn, time_ps now)
{
    if (conn->recovery >= TCP_CWR)
        return;
    tcp_enter_cwr(conn, now);
    end_reduction(conn);
    tcp_set_recovery(conn, TCP_OPEN);
}

/* ------------------------------------------------------------------ entering */

static uint32_t current_ssthresh(const struct tcp_conn *conn)
{
    const uint32_t part = conn->cc.cwnd - conn->cc.cwnd / 4;
    if (conn->recovery == TCP_CWR || conn->recovery == TCP_RECOVERY)
        return conn->cc.ssthresh;
    return conn->cc.ssthresh > part ? conn->cc.ssthresh : part;
}

static void enter_recovery(struct tcp_conn *conn, bool echo, time_ps now)
{
    struct tcp_counters *counters = &conn->tcp->counters;
    conn->prior_ssthresh = 0;
    tcp_undo_begin(conn);
    if (conn->recovery < TCP_CWR) {
        if (!echo)
            conn->prior_ssthresh = current_ssthresh(conn);
        begin_reduction(conn, true, now);
    } else { /* a reduction has begun already */
        conn->high_seq = conn->nxt;
    }
    tcp_set_recovery(conn, TCP_RECOVERY);
    if (conn->sack)
        counters->sack_recovery++;
    else
        counters->reno_recovery++;
}

void tcp_recovery_on_rto(struct tcp_conn *conn, time_ps now)
{
    const bool fresh = conn->recovery <= TCP_DISORDER || conn->una >= conn->high_seq ||
                       (conn->recovery == TCP_LOSS && conn->timeouts_in_row == 0);
    const bool suspect = conn->recovery < TCP_RECOVERY || conn->timeouts_in_row > 0;
    for (uint32_t number = conn->seg_head; number != conn->seg_tail; number++) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        const bool recent = conn->tcp->params.rack && conn->sack && number != conn->seg_head &&
                            tcp_rack_left(conn, seg, 0, now) > 0;
        if ((seg->flags & TCP_SEG_SACKED) == 0 && !recent)
            tcp_board_mark_lost(conn, number);
    }
    if (!conn->sack)
        conn->sacked_out = 0;
    conn->dup_acks = 0;
    if (fresh) {
        conn->prior_ssthresh = current_ssthresh(conn);
        conn->prior_cwnd = conn->cc.cwnd;
        conn->cc.ssthresh = conn->ops->ssthresh(&conn->cc, true, now);
        tcp_undo_begin(conn);
    }
    conn->cc.cwnd = tcp_in_flight(conn) + 1;
    conn->cc.cwnd_cnt = 0;
    conn->tlp_end = 0;
    if (conn->ops->on_timeout != NULL)
        conn->ops->on_timeout(&conn->cc);
    conn->high_seq = conn->nxt;
    conn->frto = suspect && conn->tcp->params.frto;
    if (conn->ecn && !conn->accurate)
        conn->cwr_due = true;
    tcp_set_recovery(conn, TCP_LOSS);
}

/* ------------------------------------------------------------------ without SACK */

/* Duplicate ACKs stand for SACKed segments; the third one says that the first segment is lost, and
 * so does an ACK for a part of what was outstanding. */
static void count_duplicates(struct tcp_conn *conn, const struct tcp_round *round)
{
    if (round->duplicate && conn->sacked_out + conn->lost_out < tcp_packets_out(conn)) {
        conn->sacked_out++;
        conn->dup_acks++;
        conn->cc.delivered++;
    } else if (round->acked > 0 && conn->recovery < TCP_RECOVERY) {
        conn->sacked_out = conn->dup_acks = 0;
    }
}

static void mark_first_lost(struct tcp_conn *conn)
{
    const struct tcp_seg *seg = tcp_seg(conn, conn->seg_head);
    if (tcp_packets_out(conn) > 0 && (seg->flags & (TCP_SEG_LOST | TCP_SEG_RETRANS)) == 0)
        tcp_board_mark_lost(conn, conn->seg_head);
}

static void detect(struct tcp_conn *conn, struct tcp_round *round, time_ps now)
{
    const uint32_t most = (uint32_t)conn->tcp->params.reordering;
    if (conn->sack) {
        round->timer_set = tcp_rack_detect(conn, now);
        return;
    }
    count_duplicates(conn, round);
    const bool partial = conn->recovery == TCP_RECOVERY && round->acked > 0;
    if (partial || (conn->recovery < TCP_RECOVERY && conn->dup_acks >= most))
        mark_first_lost(conn);
}

/* ------------------------------------------------------------------ each ACK */

/* All that was outstanding when the state began is acknowledged. */
static void leave(struct tcp_conn *conn, const struct tcp_round *round)
{
    if (conn->recovery == TCP_CWR) {
        end_reduction(conn);
    } else {
        if (!tcp_undo_at_end(conn, round) && conn->recovery == TCP_RECOVERY)
            end_reduction(conn);
        if (!conn->sack)
            conn->sacked_out = conn->dup_acks = 0;
    }
    tcp_set_recovery(conn, TCP_OPEN);
}

static void try_to_open(struct tcp_conn *conn, const struct tcp_round *round, time_ps now)
{
    if (conn->retrans_at != 0 && !tcp_any_retransmitted(conn))
        conn->retrans_at = 0;
    if (round->echo && (round->acked > 0 || conn->accurate))
        tcp_enter_cwr(conn, now);
    if (conn->recovery == TCP_CWR)
        return;
    const bool clean = conn->sacked_out + conn->lost_out == 0 && !tcp_any_retransmitted(conn);
    tcp_set_recovery(conn, clean ? TCP_OPEN : TCP_DISORDER);
}

/* Fast recovery, and what follows a timeout. */
static enum tcp_resend repair(struct tcp_conn *conn, const struct tcp_round *round)
{
    enum tcp_resend resend = TCP_RESEND_LOST;
    if (conn->recovery == TCP_LOSS)
        resend = tcp_undo_after_timeout(conn, round);
    else if (conn->una < conn->high_seq && tcp_undo_in_recovery(conn, round))
        resend = TCP_RESEND_NONE;
    if (resend == TCP_RESEND_LOST && conn->una >= conn->high_seq)
        leave(conn, round);
    return resend;
}

enum tcp_resend tcp_recovery_on_ack(struct tcp_conn *conn, struct tcp_round *round, time_ps now)
{
    enum tcp_resend resend = TCP_RESEND_NONE;
    if (round->echo)
        conn->prior_ssthresh = 0; /* the reduction is due in any case */
    if (conn->recovery == TCP_OPEN)
        conn->retrans_at = 0;
    else if (conn->recovery >= TCP_RECOVERY)
        resend = repair(conn, round);
    else if (conn->recovery == TCP_CWR &&
             (conn->una > conn->high_seq || tcp_packets_out(conn) == 0))
        leave(conn, round);
    if (round->dsack && conn->recovery <= TCP_DISORDER)
        tcp_undo_by_dsack(conn); /* also after the recovery */
    if (conn->recovery != TCP_RECOVERY || resend != TCP_RESEND_NONE)
        detect(conn, round, now);
    if (conn->recovery >= TCP_RECOVERY)
        return resend;
    if (conn->lost_out == 0) {
        try_to_open(conn, round, now);
        return TCP_RESEND_NONE;
    }
    enter_recovery(conn, round->echo, now);
    return TCP_RESEND_LOST;
}

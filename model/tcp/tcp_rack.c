/* SPDX-License-Identifier: Apache-2.0
 * tcp_rack - loss detection by time, and the tail loss probe.
 *   lost    sent before the newest delivered segment, and RACK.rtt + reo_wnd is over
 *   reo_wnd 0 until reordering was seen if 3 segments are SACKed or recovery has begun, else a
 *           quarter of the least round-trip time, more after D-SACKs, at most srtt
 *   PTO     2 srtt, + 200 ms (rto-min) with one segment in flight, else + timer-slack
 * Source: RFC 8985 6, 7; Linux net/ipv4/tcp_recovery.c, tcp_output.c (tcp_schedule_loss_probe).
 * With rack off: RFC 6675's rule, a segment with 3 SACKed ones behind it is lost. */
#include "tcp/tcp_private.h"

enum { REO_STEPS_MOST = 255, REO_ROUNDS = 16 };

static bool sent_after(time_ps a, uint64_t a_end, time_ps b, uint64_t b_end)
{
    return a > b || (a == b && a_end > b_end);
}

void tcp_rack_advance(struct tcp_conn *conn, const struct tcp_seg *seg, time_ps now)
{
    const time_ps rtt = now - seg->sent_at;
    const uint64_t end = seg->seq + seg->length;
    /* The ACK may be for the first transmission: RFC 8985 6.2 step 2. */
    if ((seg->flags & TCP_SEG_EVER) != 0 && rtt < conn->min_rtt)
        return;
    conn->rack_moved = true;
    conn->rack_rtt = rtt;
    if (sent_after(seg->sent_at, end, conn->rack_sent, conn->rack_end)) {
        conn->rack_sent = seg->sent_at;
        conn->rack_end = end;
    }
}

void tcp_rack_on_dsack(struct tcp_conn *conn)
{
    conn->reordered = true;
    if (conn->una < conn->reo_round)
        return;
    conn->reo_round = conn->nxt;
    if (conn->reo_steps < REO_STEPS_MOST)
        conn->reo_steps++;
}

static time_ps reo_window(const struct tcp_conn *conn)
{
    const bool enough = conn->sacked_out >= (uint32_t)conn->tcp->params.reordering;
    if (!conn->reordered && (conn->recovery >= TCP_RECOVERY || enough))
        return 0;
    const time_ps least = conn->min_rtt == TIME_NEVER ? 0 : conn->min_rtt / 4;
    return time_earlier(least * conn->reo_steps, conn->srtt8 / 8);
}

time_ps tcp_rack_left(const struct tcp_conn *conn, const struct tcp_seg *seg, time_ps window,
                      time_ps now)
{
    return seg->sent_at + conn->rack_rtt + window - now;
}

/* RFC 6675: segments with enough SACKed ones behind them. */
static void detect_by_count(struct tcp_conn *conn)
{
    uint32_t behind = conn->sacked_out;
    const uint32_t enough = (uint32_t)conn->tcp->params.reordering;
    const uint8_t settled = TCP_SEG_LOST | TCP_SEG_RETRANS;
    for (uint32_t number = conn->seg_head; behind >= enough; number++) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        if ((seg->flags & TCP_SEG_SACKED) != 0)
            behind--;
        else if ((seg->flags & settled) == 0)
            tcp_board_mark_lost(conn, number);
    }
}

/* Returns how long the last segment that may be lost has, at most; 0: none. */
static time_ps detect_by_time(struct tcp_conn *conn, time_ps now)
{
    const time_ps window = reo_window(conn);
    time_ps wait = 0;
    for (uint32_t number = conn->sorted_head; number != POOL_NONE;) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        const uint32_t next = seg->next;
        if (!sent_after(conn->rack_sent, conn->rack_end, seg->sent_at, seg->seq + seg->length))
            break;
        const time_ps left = tcp_rack_left(conn, seg, window, now);
        if (left <= 0)
            tcp_board_mark_lost(conn, number);
        else
            wait = time_later(wait, left);
        number = next;
    }
    return wait;
}

bool tcp_rack_detect(struct tcp_conn *conn, time_ps now)
{
    if (!conn->tcp->params.rack) {
        detect_by_count(conn);
        return false;
    }
    if (!conn->rack_moved)
        return false;
    conn->rack_moved = false;
    const time_ps wait = detect_by_time(conn, now);
    if (wait > 0)
        tcp_set_rtx(conn, TCP_TIMER_REORDER, now + wait + conn->tcp->params.timer_slack);
    return wait > 0;
}

void tcp_rack_on_timer(struct tcp_conn *conn, time_ps now)
{
    const uint32_t flight = tcp_in_flight(conn);
    struct tcp_round round = {.prior_una = conn->una,
                              .prior_flight = flight,
                              .prior_lost = conn->lost_out,
                              .first_sent = -1,
                              .last_sent = -1,
                              .sack_sent = -1,
                              .stamp = -1};
    conn->rack_moved = true;
    const enum tcp_resend resend = tcp_recovery_on_ack(conn, &round, now);
    if (resend != TCP_RESEND_NONE && tcp_in_flight(conn) < flight) {
        tcp_cwnd_reduction(conn, 1, true, false);
        tcp_retransmit_lost(conn, now);
    }
    if (conn->rtx.due == TIME_NEVER)
        tcp_rearm_rto(conn, now);
}

/* ------------------------------------------------------------------ tail loss probe */

bool tcp_tlp_schedule(struct tcp_conn *conn, bool advancing, time_ps now)
{
    const struct tcp_params *params = &conn->tcp->params;
    const bool calm = conn->recovery == TCP_OPEN || conn->recovery == TCP_CWR;
    if (!params->tlp || !conn->sack || tcp_packets_out(conn) == 0 || !calm)
        return false;
    time_ps wait = params->rto_initial;
    if (conn->srtt8 > 0)
        wait =
            conn->srtt8 / 4 + (tcp_packets_out(conn) == 1 ? params->rto_min : params->timer_slack);
    /* The probe must not delay the retransmission timer. */
    const time_ps since = advancing ? now : tcp_seg(conn, conn->seg_head)->sent_at;
    const time_ps left = since + conn->rto - now;
    if (left > 0)
        wait = time_earlier(wait, left);
    tcp_set_rtx(conn, TCP_TIMER_PROBE, now + wait);
    return true;
}

void tcp_tlp_send(struct tcp_conn *conn, time_ps now)
{
    if (conn->tlp_end == 0 && tcp_packets_out(conn) > 0) {
        const time_ps last_sent = tcp_seg(conn, conn->seg_tail - 1)->sent_at;
        conn->tcp->counters.loss_probe_wait_ns += (uint64_t)((now - last_sent) / PS_PER_NS);
        conn->tlp_again = !tcp_send_one(conn, now);
        if (conn->tlp_again) {
            const uint32_t last = conn->seg_tail - 1;
            if ((tcp_seg(conn, last)->flags & TCP_SEG_SACKED) == 0)
                tcp_retransmit(conn, last, true, now);
        }
        conn->tlp_end = conn->nxt;
        conn->did.probes++;
        conn->tcp->counters.loss_probes++;
        conn->rtx_kind = TCP_TIMER_RTO; /* which runs from now on */
    }
    tcp_rearm_rto(conn, now);
}

void tcp_tlp_on_ack(struct tcp_conn *conn, const struct tcp_round *round, time_ps now)
{
    if (conn->una < conn->tlp_end)
        return;
    if (!conn->tlp_again || round->dsack) {
        conn->tlp_end = 0; /* new data, or the original arrived too */
    } else if (conn->una > conn->tlp_end) {
        /* No D-SACK came for the probe: it repaired a loss. */
        conn->tlp_end = 0;
        tcp_end_cwr_at_once(conn, now);
        conn->tcp->counters.loss_probe_recovery++;
    } else if (round->duplicate && round->acked_sacked == 0) {
        conn->tlp_end = 0;
    }
}

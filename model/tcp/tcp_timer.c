/* SPDX-License-Identifier: Apache-2.0
 * tcp_timer - round-trip times, the retransmission timer and what else it is used for.
 * One timer serves as RTO, probe timeout, reordering timeout and zero-window probe timer, as in
 * Linux (icsk_retransmit_timer): one of them at a time.
 *   RTO = srtt + max(4 mdev, rto-min), doubled after each timeout
 * Source: RFC 6298; Linux net/ipv4/tcp_input.c (tcp_rtt_estimator), tcp_timer.c. */
#include "tcp/tcp_private.h"

#include <errno.h>

/* A variation that falls counts for an eighth of a quarter: else a shorter round-trip time would
 * raise the RTO (Eifel). */
static void smooth(struct tcp_conn *conn, time_ps rtt)
{
    time_ps error = rtt - conn->srtt8 / 8;
    conn->srtt8 += error;
    if (error < 0) {
        error = -error - conn->mdev / 4;
        if (error > 0)
            error /= 8;
    } else {
        error -= conn->mdev / 4;
    }
    conn->mdev += error;
    if (conn->mdev > conn->mdev_max) {
        conn->mdev_max = conn->mdev;
        conn->rttvar = time_later(conn->rttvar, conn->mdev_max);
    }
    if (conn->una > conn->rtt_seq) {
        if (conn->mdev_max < conn->rttvar)
            conn->rttvar -= (conn->rttvar - conn->mdev_max) / 4;
        conn->rtt_seq = conn->nxt;
        conn->mdev_max = conn->tcp->params.rto_min;
    }
}

void tcp_rtt_sample(struct tcp_conn *conn, time_ps rtt)
{
    const struct tcp_params *params = &conn->tcp->params;
    rtt = rtt > 0 ? rtt : 1;
    if (conn->srtt8 == 0) {
        conn->srtt8 = rtt * 8;
        conn->mdev = rtt * 2;
        conn->rttvar = conn->mdev_max = time_later(conn->mdev, params->rto_min);
        conn->rtt_seq = conn->nxt;
    } else {
        smooth(conn, rtt);
    }
    conn->rto = time_earlier(conn->srtt8 / 8 + conn->rttvar, params->rto_max);
    conn->backoff = 0;
}

void tcp_set_rtx(struct tcp_conn *conn, enum tcp_timer_kind kind, time_ps due)
{
    conn->rtx_kind = (uint8_t)kind;
    env_timer_set(conn->tcp->site.env, &conn->rtx, due);
}

void tcp_clear_rtx(struct tcp_conn *conn)
{
    env_timer_cancel(conn->tcp->site.env, &conn->rtx);
}

/* A probe or reordering timeout that was set since counts as if the RTO had run on. */
void tcp_rearm_rto(struct tcp_conn *conn, time_ps now)
{
    if (tcp_packets_out(conn) == 0) {
        tcp_clear_rtx(conn);
        return;
    }
    time_ps due = now + conn->rto;
    if (conn->rtx_kind == TCP_TIMER_PROBE || conn->rtx_kind == TCP_TIMER_REORDER) {
        const time_ps sent = tcp_seg(conn, conn->seg_head)->sent_at;
        due = time_later(sent + conn->rto, now + PS_PER_US);
    }
    tcp_set_rtx(conn, TCP_TIMER_RTO, due);
}

void tcp_set_xmit_timer(struct tcp_conn *conn, time_ps now)
{
    if (tcp_tlp_schedule(conn, true, now))
        return;
    conn->rtx_kind = TCP_TIMER_RTO;
    tcp_rearm_rto(conn, now);
}

/* RFC 9293 3.8.6.1: a closed window is probed, or an update that is lost would stop the stream.
 * What waits for the rest of a segment, or for a larger window, leaves after the same time (the
 * sender's override of silly window avoidance, 3.8.6.2.1). */
void tcp_check_window_probe(struct tcp_conn *conn, time_ps now)
{
    const bool waits = conn->out.end > conn->nxt;
    if (!waits || tcp_packets_out(conn) > 0 || conn->rtx.due != TIME_NEVER)
        return;
    tcp_set_rtx(conn, TCP_TIMER_WINDOW, now + conn->rto);
}

static time_ps backed_off(const struct tcp_conn *conn)
{
    const time_ps most = conn->tcp->params.rto_max;
    const uint8_t shift = conn->backoff < 30 ? conn->backoff : 30;
    return conn->rto < most >> shift ? conn->rto << shift : most;
}

static void on_window_probe(struct tcp_conn *conn, time_ps now)
{
    if (conn->window_end > conn->nxt) {
        tcp_output(conn, now);
        if (tcp_packets_out(conn) == 0)
            tcp_send_rest(conn, now);
        return;
    }
    conn->backoff++;
    tcp_send_window_probe(conn, now);
    tcp_set_rtx(conn, TCP_TIMER_WINDOW, now + backed_off(conn));
}

static void on_syn_timeout(struct tcp_conn *conn, time_ps now)
{
    if (conn->timeouts_in_row >= (uint32_t)conn->tcp->params.syn_retries) {
        tcp_conn_end(conn, ETIMEDOUT);
        return;
    }
    conn->timeouts_in_row++;
    conn->backoff++;
    conn->tcp->counters.timeouts++;
    conn->tcp->counters.retrans_segs++;
    conn->did.retrans++;
    tcp_send_syn(conn, now);
    tcp_set_rtx(conn, TCP_TIMER_RTO, now + backed_off(conn));
}

static void on_rto(struct tcp_conn *conn, time_ps now)
{
    if (tcp_packets_out(conn) == 0)
        return;
    if (conn->timeouts_in_row >= (uint32_t)conn->tcp->params.retries) {
        tcp_conn_end(conn, ETIMEDOUT);
        return;
    }
    conn->tcp->counters.timeouts++;
    conn->did.timeouts++;
    tcp_recovery_on_rto(conn, now);
    tcp_retransmit(conn, conn->seg_head, false, now);
    conn->timeouts_in_row++;
    conn->rto = time_earlier(2 * conn->rto, conn->tcp->params.rto_max);
    tcp_set_rtx(conn, TCP_TIMER_RTO, now + conn->rto);
}

void tcp_on_rtx(void *self, time_ps now)
{
    struct tcp_conn *conn = self;
    conn->holds++;
    switch ((enum tcp_state)conn->state) {
    case TCP_CLOSED:
        break;
    case TCP_SYN_SENT:
    case TCP_SYN_RECEIVED:
        on_syn_timeout(conn, now);
        break;
    case TCP_TIME_WAIT:
        tcp_conn_end(conn, 0);
        break;
    default:
        if (conn->rtx_kind == TCP_TIMER_WINDOW)
            on_window_probe(conn, now);
        else if (conn->rtx_kind == TCP_TIMER_PROBE)
            tcp_tlp_send(conn, now);
        else if (conn->rtx_kind == TCP_TIMER_REORDER)
            tcp_rack_on_timer(conn, now);
        else
            on_rto(conn, now);
    }
    conn->holds--;
    tcp_conn_release(conn);
}

/* SPDX-License-Identifier: Apache-2.0
 * recovery_selective_repeat - retransmits only what is missing.
 * Responder: a request ahead of the expected one is kept, within the window, and executed when
 * those before it have arrived; each such request is answered by a NAK with the expected PSN and
 * the PSN that arrived. Requester: a packet is lost if a later one is known to have arrived. A
 * recovery round retransmits each lost packet once, then sends new ones; it ends when everything
 * outstanding at its begin is done. A packet lost again waits for the timeout, after which
 * everything outstanding counts as lost. READ: the requester keeps responses ahead of sequence and
 * requests the missing ones by READs of just those; the responder answers these after the READs in
 * progress. A timeout counts as a retry at most once per `timeout`, however short rto-low is, so
 * giving up takes as long as with go-back-N. Differences from IRN: repeated READ requests replace
 * its read NACKs, and READ responses are not limited by the window; packets need not all have a
 * RETH, because early ones are kept as a whole.
 * Source: Mittal et al., Revisiting Network Support for RDMA (IRN), SIGCOMM 2018, 3 and 4. */
#include "base/memory.h"
#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_flight.h"
#include "rnic/qp/completer.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/recovery.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"
#include "rnic/qp/selective.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ bits */

static bool has_arrived(const struct selective *own, uint32_t psn)
{
    const uint32_t at = psn & (own->room - 1);
    return own->room != 0 && (own->bits[at / 64] >> at % 64 & 1) != 0;
}

static void set_arrived(struct selective *own, uint32_t psn, bool to)
{
    const uint32_t at = psn & (own->room - 1);
    own->bits[at / 64] &= ~(UINT64_C(1) << at % 64);
    own->bits[at / 64] |= (uint64_t)to << at % 64;
}

/* Grows the bit map to cover una_psn up to, but not including, high_psn. */
static void make_room(struct selective *own, const struct qp *qp)
{
    enum { ROOM_FIRST = 64 };
    const uint32_t wanted = (uint32_t)psn_diff(qp->high_psn, qp->una_psn);
    if (wanted <= own->room)
        return;
    struct selective grown = {.room = own->room == 0 ? ROOM_FIRST : own->room};
    while (grown.room < wanted)
        grown.room *= 2;
    grown.bits = memory_zeroed(grown.room / 64, sizeof *grown.bits);
    for (uint32_t i = 0; i < own->room; i++)
        set_arrived(&grown, psn_add(qp->una_psn, i), has_arrived(own, psn_add(qp->una_psn, i)));
    free(own->bits);
    own->bits = grown.bits;
    own->room = grown.room;
}

static uint32_t newer(uint32_t a, uint32_t b)
{
    return psn_diff(a, b) > 0 ? a : b;
}

static uint32_t end_of(const struct qp_wqe *wqe)
{
    return psn_add(wqe->first_psn, wqe->packets);
}

/* The work request with an outstanding PSN. */
static struct qp_wqe *wqe_of(const struct qp *qp, uint32_t psn)
{
    for (uint32_t i = qp->sq_head; i != qp->sq_visible && qp_wqe(qp, i)->started; i++)
        if (psn_diff(end_of(qp_wqe(qp, i)), psn) > 0)
            return qp_wqe(qp, i);
    return NULL;
}

/* ------------------------------------------------------------------ requester: window, timer */

/* Number of packets that the responder has not acknowledged in order; a READ counts as one. */
static uint32_t in_flight(const struct qp *qp, const struct selective *own)
{
    uint32_t packets = 0;
    for (uint32_t i = qp->sq_head; i != qp->sq_visible && qp_wqe(qp, i)->started; i++) {
        const struct qp_wqe *wqe = qp_wqe(qp, i);
        const uint32_t from = newer(wqe->first_psn, own->acked);
        const int32_t count =
            psn_diff(psn_diff(end_of(wqe), qp->high_psn) > 0 ? qp->high_psn : end_of(wqe), from);
        if (count > 0)
            packets += wqe->opcode == IBV_WR_RDMA_READ ? 1 : (uint32_t)count;
    }
    return packets;
}

bool selective_is_full(const struct rnic *rnic, const struct qp *qp)
{
    const struct selective *own = selective_of(rnic, qp);
    return qp->next_psn == qp->high_psn && in_flight(qp, own) >= own->window;
}

void selective_look(struct rnic *rnic, struct qp *qp)
{
    const bool flight = (qp->flags & QP_FLIGHT) != 0 && flight_is_full(qp->pacer.flight);
    qp->flags &= (uint16_t)~QP_FULL;
    if (flight || selective_is_full(rnic, qp))
        qp->flags |= QP_FULL;
}

void selective_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at)
{
    selective_of(rnic, qp)->event_at = at;
}

bool selective_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now)
{
    return !qp->timeout_pending || selective_of(rnic, qp)->event_at != now;
}

/* Sets the timer, started at `from`; its length depends on the number of packets in flight. */
static void set_timer(struct rnic *rnic, struct qp *qp, time_ps from)
{
    const struct rnic_params *params = &rnic->params;
    struct selective *own = selective_of(rnic, qp);
    const time_ps high = qp_ack_timeout(qp);
    if (high == 0)
        return;
    const bool low = in_flight(qp, own) <= (uint64_t)params->rto_low_packets;
    qp->timeout = low ? time_earlier(params->rto_low, high) : high;
    qp->timeout_due = time_later(from + qp->timeout, rnic_now(rnic));
    if (!qp_outstanding(qp) || (qp->timeout_pending && own->event_at <= qp->timeout_due))
        return;
    requester_post_timer(rnic, qp);
}

/* ------------------------------------------------------------------ requester: losses */

static bool is_lost(const struct qp_wqe *wqe, const struct selective *own, uint32_t psn)
{
    const bool asked = psn_diff(psn, own->acked) >= 0 && psn_diff(own->lost_below, psn) > 0;
    if (has_arrived(own, psn))
        return false;
    return asked || (wqe->opcode == IBV_WR_RDMA_READ && psn_diff(own->answers_below, psn) > 0);
}

/* Finds the oldest lost PSN not yet retransmitted in this round; false: none. */
static bool find_lost(const struct qp *qp, const struct selective *own, uint32_t *found)
{
    const uint32_t limit = newer(own->lost_below, own->answers_below);
    uint32_t psn = newer(own->cursor, qp->una_psn);
    const struct qp_wqe *wqe = NULL;
    for (; psn_diff(limit, psn) > 0 && psn_diff(qp->high_psn, psn) > 0; psn = psn_add(psn, 1)) {
        if (wqe == NULL || psn == end_of(wqe))
            wqe = wqe_of(qp, psn);
        if (is_lost(wqe, own, psn)) {
            *found = psn;
            return true;
        }
    }
    return false;
}

uint32_t selective_missing(const struct rnic *rnic, const struct qp *qp, uint32_t most)
{
    const struct selective *own = selective_of(rnic, qp);
    const struct qp_wqe *wqe = wqe_of(qp, qp->next_psn);
    uint32_t count = 1;
    while (count < most && is_lost(wqe, own, psn_add(qp->next_psn, count)))
        count++;
    return count;
}

/* Selects what is sent next: the next lost packet, or a new one. */
static void choose_next(struct rnic *rnic, struct qp *qp, bool anew)
{
    struct selective *own = selective_of(rnic, qp);
    uint32_t psn = qp->high_psn;
    const bool lost = own->recovering && find_lost(qp, own, &psn);
    if ((qp->flags & QP_RNR_WAIT) == 0 && (anew || psn != qp->next_psn)) {
        if (lost)
            requester_go_back(rnic, qp, psn);
        else
            requester_go_on(rnic, qp);
    }
    selective_look(rnic, qp);
}

static void begin_round(struct selective *own, const struct qp *qp)
{
    own->recovering = true;
    own->recovery_psn = qp->high_psn;
    own->cursor = qp->una_psn;
}

/* Something may be lost: starts a round unless one is in progress. */
static void begin_recovery(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    uint32_t psn;
    if (!own->recovering)
        own->cursor = qp->una_psn;
    if (own->recovering || !find_lost(qp, own, &psn)) {
        choose_next(rnic, qp, false);
    } else {
        begin_round(own, qp);
        if ((qp->flags & QP_FLIGHT) != 0)
            rnic_flight_refused(rnic, qp, CC_NAK_SEQUENCE, now);
        requester_retry(rnic, qp, psn, now);
        if (qp->state != IBV_QPS_RTS)
            return;
        selective_look(rnic, qp);
    }
    arbiter_schedule(rnic, qp, now);
}

static void all_is_lost(struct selective *own, const struct qp *qp)
{
    own->lost_below = own->answers_below = qp->high_psn;
    begin_round(own, qp);
}

/* ------------------------------------------------------------------ requester: hooks */

void selective_sent(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    const uint32_t end = qp->next_psn;
    if ((frame->flags & FRAME_RESENT) != 0) {
        own->cursor = end;
        choose_next(rnic, qp, true);
    } else {
        make_room(own, qp);
        for (uint32_t psn = frame->psn; psn != end; psn = psn_add(psn, 1))
            set_arrived(own, psn, false);
        if (frame->psn == qp->una_psn)
            own->since = now;
        selective_look(rnic, qp);
    }
    set_timer(rnic, qp, qp->timeout_due - qp->timeout);
}

/* PSN up to which the oldest work request is known to be done, starting at una_psn. */
static uint32_t done_to(const struct qp *qp, const struct selective *own, const struct qp_wqe *wqe)
{
    const uint32_t end = end_of(wqe);
    uint32_t psn = qp->una_psn;
    if (wqe->opcode != IBV_WR_RDMA_READ)
        return psn_diff(own->acked, end) > 0 ? end : newer(own->acked, psn);
    while (psn != end && psn != qp->high_psn && has_arrived(own, psn))
        psn = psn_add(psn, 1);
    return psn;
}

static void finish(struct rnic *rnic, struct qp *qp, const struct qp_wqe *wqe, time_ps now)
{
    if (wqe->opcode == IBV_WR_RDMA_READ) {
        mr_set_content(wqe->sges, wqe->sge_count, wqe->content);
        qp->conn->bulk_taken += mr_bulk_bytes(wqe->sges, wqe->sge_count, wqe->length);
    }
    completer_finish(rnic, qp, IBV_WC_SUCCESS, now);
}

void selective_landed(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    own->acked = newer(own->acked, qp->una_psn);
    while (qp_outstanding(qp)) {
        const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_head);
        if (wqe->opcode == IBV_WR_RDMA_READ && qp->una_psn != wqe->first_psn)
            own->acked = newer(own->acked, end_of(wqe)); /* its responses show that it has
                                                          * arrived */
        const uint32_t psn = done_to(qp, own, wqe);
        const bool moved = psn != qp->una_psn;
        qp->una_psn = psn;
        if (psn == end_of(wqe))
            finish(rnic, qp, wqe, now);
        else if (!moved)
            break;
    }
    qp->una_end = qp->una_psn;
    own->since = now;
    own->lost_below = newer(own->lost_below, qp->una_psn);
    own->answers_below = newer(own->answers_below, qp->una_psn);
    own->recovering &= psn_diff(own->recovery_psn, qp->una_psn) > 0;
    if (psn_diff(qp->una_psn, qp->next_psn) > 0)
        requester_skip(rnic, qp);
    choose_next(rnic, qp, false);
    set_timer(rnic, qp, now);
}

static void on_nak(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    const uint32_t came = frame->rkey & PSN_MASK;
    own->acked = newer(own->acked, frame->psn);
    if ((frame->flags & FRAME_SACK) == 0) {
        own->lost_below = qp->high_psn;
    } else if (psn_diff(came, qp->una_psn) > 0 && psn_diff(qp->high_psn, came) > 0) {
        if (wqe_of(qp, came)->opcode != IBV_WR_RDMA_READ)
            set_arrived(own, came, true);
        own->lost_below = newer(own->lost_below, came);
    }
    begin_recovery(rnic, qp, now);
}

/* The responder has received everything before `upto`, and has sent the answers before it. */
static void on_missing(struct rnic *rnic, struct qp *qp, uint32_t upto, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    const bool recovering = own->recovering;
    own->acked = newer(own->acked, upto);
    own->answers_below = newer(own->answers_below, upto);
    begin_recovery(rnic, qp, now);
    rnic->counters.implied_naks += !recovering && own->recovering;
}

static void on_late_response(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                             time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    struct qp_wqe *wqe = wqe_of(qp, frame->psn);
    if (wqe == NULL || wqe->opcode != IBV_WR_RDMA_READ || has_arrived(own, frame->psn))
        return;
    const uint32_t offset = (uint32_t)psn_diff(frame->psn, wqe->first_psn) * qp->mtu;
    const uint32_t left = wqe->length - offset;
    if (frame->payload != (left < qp->mtu ? left : qp->mtu)) {
        qp_fail_send(rnic, qp, IBV_WC_BAD_RESP_ERR, now);
        return;
    }
    if (frame->blob != POOL_NONE)
        mr_scatter(wqe->sges, wqe->sge_count, offset, frame_blob(rnic->port.frames, frame),
                   frame->payload);
    rnic->counters.received_bytes += frame->payload;
    completer_look(wqe, frame, offset);
    set_arrived(own, frame->psn, true);
    own->acked = newer(own->acked, end_of(wqe));
    choose_next(rnic, qp, false);
    arbiter_schedule(rnic, qp, now);
}

static bool on_timeout(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct selective *own = selective_of(rnic, qp);
    all_is_lost(own, qp);
    if (now - own->since >= qp_ack_timeout(qp)) {
        own->since = now;
        return true;
    }
    requester_go_back(rnic, qp, qp->una_psn);
    selective_look(rnic, qp);
    requester_start_timer(rnic, qp, true, now);
    arbiter_schedule(rnic, qp, now);
    return false;
}

static void on_rnr(struct rnic *rnic, struct qp *qp)
{
    all_is_lost(selective_of(rnic, qp), qp);
}

/* ------------------------------------------------------------------ responder */

/* Keeps a copy in PSN order; false: no space, or a duplicate. */
static bool hold_frame(struct rnic *rnic, struct selective *own, const struct frame *frame)
{
    uint32_t at = own->count;
    while (at > 0 && psn_diff(own->held[at - 1].psn, frame->psn) > 0)
        at--;
    if (at > 0 && own->held[at - 1].psn == frame->psn)
        return true;
    if (own->count >= own->window)
        return false;
    if (own->count == own->held_room) {
        const uint32_t room = own->held_room == 0 ? 8 : 2 * own->held_room;
        struct frame *grown = memory_zeroed(room, sizeof *grown);
        if (own->count > 0)
            memcpy(grown, own->held, own->count * sizeof *grown);
        free(own->held);
        own->held = grown;
        own->held_room = room;
    }
    memmove(&own->held[at + 1], &own->held[at], (own->count - at) * sizeof *own->held);
    struct frame *copy = &own->held[at];
    *copy = *frame;
    copy->flags &= (uint8_t)~FRAME_TELEMETRY; /* belongs to the received frame */
    copy->blob = POOL_NONE;
    if (frame->blob != POOL_NONE) {
        const uint32_t bytes = frame_blob_kept(frame);
        memcpy(frame_blob_take(rnic->port.frames, copy, bytes),
               frame_blob(rnic->port.frames, frame), bytes);
    }
    own->count++;
    return true;
}

static void on_early(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    (void)now;
    if ((qp->rx_flags & QP_RX_NAKED) != 0 || (qp->flags & QP_SELECTIVE) == 0)
        return; /* the receiver was not ready */
    const bool held = hold_frame(rnic, selective_of(rnic, qp), frame);
    if (held)
        qp->rx_flags |= QP_RX_HELD;
    responder_nak_gap(rnic, qp, held ? frame : NULL);
}

static bool next_early(struct rnic *rnic, struct qp *qp, struct frame *frame)
{
    struct selective *own = selective_of(rnic, qp);
    uint32_t old = 0;
    while (old < own->count && psn_diff(own->held[old].psn, qp->epsn) < 0)
        selective_forget(rnic, own, old++); /* a peer that ignores answers has reused its PSNs */
    const bool ready = (qp->rx_flags & QP_RX_NAKED) == 0; /* or its receive is missing */
    const bool found = ready && old < own->count && own->held[old].psn == qp->epsn;
    if (found)
        *frame = own->held[old];
    own->count -= old + found;
    if (own->count > 0) {
        memmove(own->held, &own->held[old + found], own->count * sizeof *own->held);
        qp->rx_flags |= QP_RX_HELD;
    }
    return found;
}

const struct recovery_ops recovery_selective_repeat = {
    .name = "selective-repeat",
    .selective = true,
    .on_early = on_early,
    .next_early = next_early,
    .on_nak = on_nak,
    .on_missing = on_missing,
    .on_late_response = on_late_response,
    .on_timeout = on_timeout,
    .on_rnr = on_rnr,
};

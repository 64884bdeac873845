/* SPDX-License-Identifier: Apache-2.0
 * requester - segmentation, limits, retransmission.
 *   sq_head          sq_cur                    sq_visible     sq_tail
 *   ...done|  sent, not acknowledged | current   |    not begun    | posted, doorbell in transit |
 *          una_psn                next_psn  (<= high_psn: packets below are retransmissions)
 * Going back moves sq_cur and next_psn; nothing else needs to be changed. A message restarted in
 * the middle computes its position from next_psn and its first PSN. Most packets, those in the
 * middle of a message, are sent by host/fast_path.h. */
#include "rnic/qp/requester.h"

#include "rnic/host/arbiter.h"
#include "rnic/host/rnic_flight.h"
#include "rnic/qp/completer.h"
#include "rnic/qp/packet.h"
#include "rnic/qp/reaction.h"
#include "rnic/qp/selective.h"
#include "rnic/soft/soft.h"

/* Indexed by kind of message, then first + 2 * last. */
static const uint8_t opcodes[QP_TX_KINDS][4] = {
    [QP_TX_SEND] = {FRAME_RC_SEND_MIDDLE, FRAME_RC_SEND_FIRST, FRAME_RC_SEND_LAST,
                    FRAME_RC_SEND_ONLY},
    [QP_TX_SEND_INV] = {FRAME_RC_SEND_MIDDLE, FRAME_RC_SEND_FIRST, FRAME_RC_SEND_LAST_INV,
                        FRAME_RC_SEND_ONLY_INV},
    [QP_TX_SEND_IMM] = {FRAME_RC_SEND_MIDDLE, FRAME_RC_SEND_FIRST, FRAME_RC_SEND_LAST_IMM,
                        FRAME_RC_SEND_ONLY_IMM},
    [QP_TX_WRITE_IMM] = {FRAME_RC_WRITE_MIDDLE, FRAME_RC_WRITE_FIRST, FRAME_RC_WRITE_LAST_IMM,
                         FRAME_RC_WRITE_ONLY_IMM},
    [QP_TX_WRITE] = {FRAME_RC_WRITE_MIDDLE, FRAME_RC_WRITE_FIRST, FRAME_RC_WRITE_LAST,
                     FRAME_RC_WRITE_ONLY},
};

static void post_timer_at(struct rnic *rnic, struct qp *qp, time_ps at)
{
    qp->timeout_pending = true;
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_timer_posted(rnic, qp, at);
    if ((qp->flags & QP_REACTS) != 0)
        reaction_timer_posted(rnic, qp, at);
    rnic_post(rnic, at, RNIC_EVENT_TIMEOUT, qp->qpn);
}

NOINLINE void requester_post_timer(struct rnic *rnic, struct qp *qp)
{
    post_timer_at(rnic, qp, qp->timeout_due);
}

static inline void mark_again(struct qp *qp)
{
    qp->flags &= (uint16_t)~QP_AGAIN;
    if (UNLIKELY(qp->next_psn != qp->high_psn))
        qp->flags |= QP_AGAIN;
}

/* rxe sets its timer only when none is running; during retransmission one is (Linux rxe_req.c
 * update_state). */
static bool timer_runs_on(const struct rnic *rnic, const struct qp *qp)
{
    return rnic->soft != NULL && (qp->flags & QP_SELECTIVE) == 0;
}

/* Accounts for a packet that takes `count` PSNs. */
static inline void account_sent(struct rnic *rnic, struct qp *qp, struct frame *frame,
                                uint32_t count, time_ps now)
{
    const uint32_t psn = qp->next_psn;
    const uint32_t after = psn_add(psn, count);
    bool oldest = psn == qp->una_psn;
    frame->psn = psn;
    qp->next_psn = after;
    if (UNLIKELY(psn != qp->high_psn)) {
        rnic->counters.retransmitted_packets++;
        frame->flags |= FRAME_RESENT;
        oldest = oldest && !timer_runs_on(rnic, qp);
    }
    if (psn_diff(after, qp->high_psn) > 0)
        qp->high_psn = after;
    mark_again(qp);
    requester_start_timer(rnic, qp, oldest, now);
}

/* A WQE gets the next PSNs when it is first started. */
static uint32_t start_wqe(struct qp *qp, struct qp_wqe *wqe)
{
    if (!wqe->started) {
        wqe->started = true;
        wqe->first_psn = qp->next_psn;
        wqe->packets = psn_count(wqe->length, qp->mtu);
    }
    const int32_t packets_before = psn_diff(qp->next_psn, wqe->first_psn);
    CHECK(packets_before >= 0 && (uint32_t)packets_before < wqe->packets);
    return (uint32_t)packets_before * qp->mtu;
}

static uint8_t kind_of(uint8_t opcode)
{
    switch ((enum ibv_wr_opcode)opcode) {
    case IBV_WR_RDMA_WRITE:
        return QP_TX_WRITE;
    case IBV_WR_RDMA_WRITE_WITH_IMM:
        return QP_TX_WRITE_IMM;
    case IBV_WR_SEND_WITH_INV:
        return QP_TX_SEND_INV;
    case IBV_WR_SEND_WITH_IMM:
        return QP_TX_SEND_IMM;
    default:
        return QP_TX_SEND;
    }
}

static void begin_message(struct qp *qp, struct qp_wqe *wqe)
{
    qp->tx_offset = start_wqe(qp, wqe);
    qp->tx_length = wqe->length;
    qp->tx_content = wqe->content;
    qp->tx_kind = kind_of(wqe->opcode);
    qp->data.opcode = opcodes[qp->tx_kind][0];
    qp->flags |= QP_TX_ACTIVE;
    qp->flags &= (uint16_t)~QP_TX_BYTES;
    if (wqe->real_bytes > qp->tx_offset)
        qp->flags |= QP_TX_BYTES;
}

/* Headers that only the first and the last packet of a message have. */
static void dress_edge(struct qp *qp, struct frame *frame, bool first, bool last)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_cur);
    frame->bytes = packet_bytes(qp, frame->opcode, frame->payload);
    if (first && qp->tx_kind >= QP_TX_WRITE) {
        frame->address = wqe->remote_address;
        frame->rkey = wqe->rkey;
        frame->length = wqe->length;
    }
    if (last && qp->tx_kind == QP_TX_SEND_INV)
        frame->rkey = wqe->rkey;
    if (last && frame_has_immediate(frame->opcode))
        frame->immediate = wqe->immediate;
    if (last && (wqe->send_flags & IBV_SEND_SOLICITED) != 0)
        frame->flags |= FRAME_SOLICITED;
}

/* Copies real bytes out of the region now, as DMA would. */
static void attach_bytes(struct rnic *rnic, struct qp *qp, struct frame *frame)
{
    const struct qp_wqe *wqe = qp_wqe(qp, qp->sq_cur);
    const uint32_t left = wqe->real_bytes - qp->tx_offset;
    const uint32_t real = left < frame->payload ? left : frame->payload;
    unsigned char *blob = frame_blob_take(rnic->port.frames, frame, real);
    mr_gather(wqe->sges, wqe->sge_count, qp->tx_offset, blob, real);
    if (qp->tx_kind < QP_TX_WRITE)
        frame->length = real;
    if (real == left)
        qp->flags &= (uint16_t)~QP_TX_BYTES;
}

static NOINLINE void track(struct rnic *rnic, struct qp *qp, struct frame *frame, time_ps now)
{
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_sent(rnic, qp, frame, now);
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_sent(rnic, qp, frame, now);
}

/* Whether the message that ends with the next packet requests an ACK. One behind which nothing
 * is posted has to, because no later packet would; a message sent again does as well, because what
 * follows may wait for it. */
static bool asks_at_end(const struct rnic *rnic, const struct qp *qp)
{
    const uint32_t next = qp->sq_cur + 1;
    if (LIKELY(rnic->ack_each_message) || next == qp->sq_tail || (qp->flags & QP_AGAIN) != 0)
        return true;
    const struct qp_wqe *wqe = qp_wqe(qp, next);
    return wqe->opcode == IBV_WR_RDMA_READ || wqe->opcode == IBV_WR_LOCAL_INV ||
           (wqe->send_flags & (IBV_SEND_FENCE | QP_WQE_DRAINS)) != 0;
}

static uint32_t data_packet(struct rnic *rnic, struct qp *qp, time_ps now)
{
    const uint32_t left = qp->tx_length - qp->tx_offset;
    const bool first = qp->tx_offset == 0, last = left <= qp->mtu;
    struct frame *frame;
    const uint32_t handle = packet_start(rnic, qp, opcodes[qp->tx_kind][first | last << 1],
                                         packet_data_class(qp), &frame);
    frame->payload = (uint16_t)(last ? left : qp->mtu);
    frame->bytes = (uint16_t)(qp->data.bytes - qp->mtu + frame->payload);
    frame->content = qp->tx_content;
    if (++qp->since_ack >= rnic->ack_interval || (last && asks_at_end(rnic, qp))) {
        frame->flags |= FRAME_ACK_REQUEST;
        qp->since_ack = 0;
    }
    if (UNLIKELY(first || last))
        dress_edge(qp, frame, first, last);
    if (UNLIKELY((qp->flags & QP_TX_BYTES) != 0))
        attach_bytes(rnic, qp, frame);
    qp->tx_offset += frame->payload;
    account_sent(rnic, qp, frame, 1, now);
    if (last) {
        qp->flags &= (uint16_t)~QP_TX_ACTIVE;
        qp->sq_cur++;
    }
    if (UNLIKELY((qp->flags & (QP_FLIGHT | QP_SELECTIVE)) != 0))
        track(rnic, qp, frame, now);
    return handle;
}

/* A restarted READ requests only the missing data. */
static uint32_t read_request(struct rnic *rnic, struct qp *qp, struct qp_wqe *wqe, time_ps now)
{
    const uint32_t offset = start_wqe(qp, wqe);
    struct frame *frame;
    const uint32_t handle =
        packet_start(rnic, qp, FRAME_RC_READ_REQUEST, packet_data_class(qp), &frame);
    frame->bytes = packet_bytes(qp, FRAME_RC_READ_REQUEST, 0);
    frame->address = wqe->remote_address + offset;
    frame->rkey = wqe->rkey;
    frame->length = wqe->length - offset;
    frame->flags |= FRAME_ACK_REQUEST;
    uint32_t count = psn_count(frame->length, qp->mtu);
    if (UNLIKELY((qp->flags & (QP_SELECTIVE | QP_AGAIN)) == (QP_SELECTIVE | QP_AGAIN))) {
        const uint32_t missing = selective_missing(rnic, qp, count);
        if (missing < count)
            frame->length = missing * qp->mtu;
        count = missing;
    }
    account_sent(rnic, qp, frame, count, now);
    qp->since_ack = 0;
    qp->reads_out++;
    qp->sq_cur++;
    if (UNLIKELY((qp->flags & QP_SELECTIVE) != 0))
        selective_sent(rnic, qp, frame, now);
    return handle;
}

static void local_invalidate(struct rnic *rnic, struct qp *qp, const struct qp_wqe *wqe,
                             time_ps now)
{
    qp->sq_cur++;
    if (mr_invalidate(rnic->mrs, wqe->rkey))
        completer_finish(rnic, qp, IBV_WC_SUCCESS, now);
    else
        qp_fail_send(rnic, qp, IBV_WC_LOC_QP_OP_ERR, now);
}

/* Fails a work request whose memory is no longer registered. Like LOCAL_INV it waits for everything
 * before it, so that its status is that of the oldest send. */
static bool fail_without_memory(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (qp->sq_head != qp->sq_cur)
        return false;
    qp->sq_cur++;
    qp_fail_send(rnic, qp, IBV_WC_LOC_PROT_ERR, now);
    return true;
}

/* All PSNs from the first of the oldest work request to the last of the newest started one must be
 * within PSN_WINDOW, so that psn_diff orders any two of them (IBTA Vol 1 9.7.1). A work request
 * that does not fit waits for the oldest one to complete. The largest message, 1 GiB at a path MTU
 * of 256 B, takes PSN_MESSAGE_MOST, so the wait ends. */
static bool fits_window(const struct qp *qp, const struct qp_wqe *wqe)
{
    if (wqe->started || qp->sq_head == qp->sq_cur)
        return true;
    const int32_t begun = psn_diff(qp->next_psn, qp_wqe(qp, qp->sq_head)->first_psn);
    if (LIKELY(begun <= PSN_WINDOW - PSN_MESSAGE_MOST))
        return true;
    return begun + (int32_t)psn_count(wqe->length, qp->mtu) <= PSN_WINDOW;
}

static bool must_wait(const struct qp *qp, const struct qp_wqe *wqe)
{
    if ((wqe->send_flags & IBV_SEND_FENCE) != 0 && qp->reads_out > 0)
        return true;
    if (qp_waits_for_all(qp, wqe))
        return true;
    if (wqe->opcode == IBV_WR_RDMA_READ && qp->reads_out >= qp->read_limit)
        return true;
    return !fits_window(qp, wqe);
}

/* The next WQE that sends something, or NULL. */
static struct qp_wqe *next_wqe(struct rnic *rnic, struct qp *qp, time_ps now)
{
    while (qp->sq_cur != qp->sq_visible) {
        struct qp_wqe *wqe = qp_wqe(qp, qp->sq_cur);
        if (must_wait(qp, wqe)) {
            qp->flags |= QP_BLOCKED;
            return NULL;
        }
        const bool gone = mr_gone(rnic->mrs, wqe->sges, wqe->sge_count);
        if (wqe->opcode != IBV_WR_LOCAL_INV && LIKELY(!gone))
            return wqe;
        if (!gone) {
            local_invalidate(rnic, qp, wqe, now);
        } else if (!fail_without_memory(rnic, qp, now)) {
            qp->flags |= QP_BLOCKED;
            return NULL;
        }
    }
    return NULL;
}

uint32_t requester_next(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if ((qp->flags & QP_TX_ACTIVE) == 0) {
        struct qp_wqe *wqe = next_wqe(rnic, qp, now);
        if (wqe == NULL)
            return POOL_NONE;
        if (wqe->opcode == IBV_WR_RDMA_READ)
            return read_request(rnic, qp, wqe, now);
        begin_message(qp, wqe);
    }
    return data_packet(rnic, qp, now);
}

static uint32_t reads_before(const struct qp *qp, uint32_t end)
{
    uint32_t reads = 0;
    for (uint32_t i = qp->sq_head; i != end; i++)
        reads += qp_wqe(qp, i)->opcode == IBV_WR_RDMA_READ;
    return reads;
}

/* Repositions after next_psn has changed. */
static void begin_there(struct rnic *rnic, struct qp *qp)
{
    qp->flags &= (uint16_t) ~(QP_TX_ACTIVE | QP_BLOCKED);
    mark_again(qp);
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_back(rnic, qp);
    if ((qp->flags & QP_SELECTIVE) != 0)
        selective_look(rnic, qp);
}

static void go_to(struct rnic *rnic, struct qp *qp, uint32_t index, uint32_t psn)
{
    qp->sq_cur = index;
    qp->next_psn = psn;
    qp->since_ack = 0;
    qp->reads_out = (uint16_t)reads_before(qp, index);
    begin_there(rnic, qp);
}

void requester_go_back(struct rnic *rnic, struct qp *qp, uint32_t psn)
{
    CHECK(psn_diff(psn, qp->una_psn) >= 0 && psn_diff(qp->high_psn, psn) > 0);
    uint32_t index = qp->sq_head;
    const struct qp_wqe *wqe = qp_wqe(qp, index);
    while (psn_diff(psn, wqe->first_psn) >= (int32_t)wqe->packets) {
        CHECK(wqe->started && index != qp->sq_visible);
        wqe = qp_wqe(qp, ++index);
    }
    if (rnic->recovery->go_back != NULL)
        psn = rnic->recovery->go_back(qp, wqe, psn);
    go_to(rnic, qp, index, psn);
}

void requester_go_on(struct rnic *rnic, struct qp *qp)
{
    uint32_t index = qp->sq_head;
    for (; index != qp->sq_visible; index++) {
        const struct qp_wqe *wqe = qp_wqe(qp, index);
        if (!wqe->started || psn_diff(qp->high_psn, wqe->first_psn) < (int32_t)wqe->packets)
            break;
    }
    go_to(rnic, qp, index, qp->high_psn);
}

void requester_skip(struct rnic *rnic, struct qp *qp)
{
    qp->sq_cur = qp->sq_head;
    qp->next_psn = qp->una_psn;
    qp->reads_out = 0;
    begin_there(rnic, qp);
}

enum { RETRY_COUNT_ALL = 7 /* the maximum of the 3-bit field, which rxe treats as unlimited */ };

void requester_again(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now)
{
    const bool waits = timer_runs_on(rnic, qp) && (qp->flags & QP_RNR_WAIT) != 0;
    requester_go_back(rnic, qp, psn);
    requester_start_timer(rnic, qp, true, waits ? time_later(now, qp->rnr_until) : now);
    arbiter_schedule(rnic, qp, now);
}

void requester_give_up(struct rnic *rnic, struct qp *qp, time_ps now)
{
    rnic->counters.retries_exceeded++;
    qp_fail_send(rnic, qp, IBV_WC_RETRY_EXC_ERR, now);
}

void requester_retry(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now)
{
    if (qp->retry_left == 0) {
        requester_give_up(rnic, qp, now);
        return;
    }
    if (!rnic->params.soft.software || qp->retry_count != RETRY_COUNT_ALL)
        qp->retry_left--;
    requester_again(rnic, qp, psn, now);
}

time_ps requester_latest(const struct rnic *rnic, const struct qp *qp)
{
    return (time_ps)((__int128)qp->timeout * rnic->params.timeout_spread / PPM);
}

/* When the timer expires. A pure function: its random lateness is the same whenever it is
 * computed. */
static time_ps timer_ends(const struct rnic *rnic, const struct qp *qp)
{
    const time_ps from = qp->timeout_due - qp->timeout;
    const time_ps due = soft_timer(&rnic->params.soft, from, qp->timeout);
    if (rnic->params.timeout_spread == 0)
        return due;
    struct rng late = {.key = rnic->timers.key,
                       .drawn = hash_mix((uint64_t)from) ^ hash_mix(qp->qpn)};
    return due + (time_ps)rng_below(&late, (uint64_t)requester_latest(rnic, qp) + 1);
}

void requester_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if ((qp->flags & QP_SELECTIVE) != 0 && selective_timer_is_stale(rnic, qp, now))
        return;
    if ((qp->flags & QP_REACTS) != 0 && reaction_timer_is_stale(rnic, qp, now))
        return;
    qp->timeout_pending = false;
    if (qp->state != IBV_QPS_RTS || !qp_outstanding(qp))
        return;
    const time_ps due = timer_ends(rnic, qp);
    if (now < due) { /* the timeout was moved, or expires only at a tick: wait again */
        post_timer_at(rnic, qp, due);
        return;
    }
    rnic->counters.timeouts++;
    qp->flags &= (uint16_t)~QP_READ_GAP;
    if ((qp->flags & QP_FLIGHT) != 0)
        rnic_flight_refused(rnic, qp, CC_NAK_TIMEOUT, now);
    if ((qp->flags & QP_REACTS) != 0 && reaction_on_timeout(rnic, qp, now))
        return;
    if (rnic->recovery->on_timeout == NULL || rnic->recovery->on_timeout(rnic, qp, now))
        requester_retry(rnic, qp, qp->una_psn, now);
}

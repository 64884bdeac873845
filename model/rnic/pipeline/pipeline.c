/* SPDX-License-Identifier: Apache-2.0
 * pipeline - the message engine, and the source of the port. */
#include "rnic/pipeline/pipeline_private.h"

#include "base/memory.h"
#include "rnic/host/arbiter.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic_watch.h"
#include "rnic/qp/packet.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ the message engine */

struct pipeline_qp *pipeline_place(struct rnic *rnic, const struct qp *qp)
{
    struct pipeline *pipeline = rnic->pipeline;
    const uint32_t index = pipeline_index(rnic, qp), room = pipeline->qp_room;
    if (index >= room) {
        while (index >= pipeline->qp_room)
            pipeline->qps = memory_grown(pipeline->qps, pipeline->qp_room, &pipeline->qp_room,
                                         sizeof *pipeline->qps);
        for (uint32_t i = room; i < pipeline->qp_room; i++)
            pipeline->qps[i] = (struct pipeline_qp){.next = POOL_NONE};
    }
    struct pipeline_qp *own = &pipeline->qps[index];
    if (own->qpn != qp->qpn) {
        const bool listed = own->listed;
        const uint32_t next = own->next;
        pipeline->answering -= own->answering;
        *own = (struct pipeline_qp){
            .qpn = qp->qpn,
            .rung = qp->sq_visible,
            .begun = qp->sq_visible,
            .listed = listed, /* as for the slot's previous queue pair: the list will skip the
                               * entry */
            .next = next,
        };
    }
    return own;
}

static void list(struct pipeline *pipeline, struct pipeline_qp *own)
{
    const uint32_t index = (uint32_t)(own - pipeline->qps);
    own->listed = true;
    own->next = POOL_NONE;
    if (pipeline->waiting.head == POOL_NONE)
        pipeline->waiting.head = index;
    else
        pipeline->qps[pipeline->waiting.tail].next = index;
    pipeline->waiting.tail = index;
}

/* Lists the queue pair, or waits until its own engine is free, if it has a work request to
 * begin. */
static void offer_queue_pair(struct rnic *rnic, struct pipeline_qp *own, time_ps now)
{
    if (own->begun == own->rung || own->listed || own->resting)
        return;
    if (own->rests_until <= now) {
        list(rnic->pipeline, own);
        return;
    }
    own->resting = true;
    rnic_post(rnic, own->rests_until, RNIC_EVENT_ENGINE, own->qpn);
}

static bool is_inline(const struct rnic *rnic, uint32_t length)
{
    return length <= (uint64_t)pipeline_costs(rnic)->inline_size;
}

/* When everything that the work request needs has been fetched; the message engine is done with it
 * at `done`. PCIe is used from now on, because a reservation for later would delay other
 * transfers. */
static time_ps fetched_at(struct rnic *rnic, const struct qp_wqe *wqe, bool alone, time_ps done,
                          time_ps now)
{
    struct pcie *pcie = &rnic->pipeline->pcie;
    const bool carries = wqe->opcode != IBV_WR_RDMA_READ && wqe->opcode != IBV_WR_LOCAL_INV;
    const bool is_short = is_inline(rnic, wqe->length);
    time_ps at = done;
    if (!pipeline_has_pcie(pipeline_costs(rnic)))
        return at;
    if (!alone) {
        const bool more = carries && is_short && wqe->length > 0;
        const time_ps read = more ? pcie_fetch(pcie, PCIE_ENTRY_BYTES + wqe->length, now)
                                  : pcie_read_at(pcie, &pcie->entry, now);
        at = pcie->latency + time_later(at, read);
    }
    if (carries && !is_short)
        at += pcie->payload_latency;
    return at;
}

static time_ps operation_cost(const struct rnic *rnic, const struct qp_wqe *wqe)
{
    if (wqe->opcode == IBV_WR_RDMA_READ)
        return pipeline_costs(rnic)->read;
    return pipeline_costs(rnic)->message +
           (is_inline(rnic, wqe->length) ? 0 : pipeline_costs(rnic)->gather);
}

/* How long the work request occupies the queue pair's own engine; the card's takes `cost`. */
static time_ps rest_after(const struct rnic *rnic, const struct qp *qp, const struct qp_wqe *wqe,
                          time_ps cost)
{
    const time_ps rest = time_later(cost, pipeline_costs(rnic)->qp_message);
    if (pipeline_costs(rnic)->qp_packet == 0 || wqe->opcode == IBV_WR_RDMA_READ)
        return rest;
    return time_later(rest, pipeline_costs(rnic)->qp_packet * psn_count(wqe->length, qp->mtu));
}

static void begin(struct rnic *rnic, struct qp *qp, struct pipeline_qp *own, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    const struct qp_wqe *wqe = qp_wqe(qp, own->begun);
    time_ps cost = operation_cost(rnic, wqe), context = 0;
    if (!context_cache_use(&pipeline->cache, qp->qpn)) {
        cost += pipeline_costs(rnic)->qp_cache_miss;
        context = pipeline->pcie.latency;
    }
    time_ps fetched =
        fetched_at(rnic, wqe, own->alone, now + cost + context, now) + rnic->params.tx_delay;
    if (wqe->opcode != IBV_WR_RDMA_READ)
        fetched += pipeline_copy_time(rnic, qp, wqe->length);
    own->alone = false;
    own->begun++;
    own->visible_at = time_later(own->visible_at, fetched);
    own->rests_until = now + rest_after(rnic, qp, wqe, cost);
    pipeline->engine_free = now + cost;
    pipeline->engine_busy += cost;
    rnic_post(rnic, own->visible_at, RNIC_EVENT_DOORBELL, (uint64_t)qp->qpn << 32 | own->begun);
    offer_queue_pair(rnic, own, now);
}

/* Begins the first waiting work request; a queue pair that has ended or is in error has none. */
static void begin_first(struct pipeline *pipeline, time_ps now)
{
    struct rnic *rnic = pipeline_side(pipeline, pipeline->waiting.head);
    struct pipeline_qp *own = &pipeline->qps[pipeline->waiting.head];
    struct qp *qp = rnic_find_qp(rnic, own->qpn);
    pipeline->waiting.head = own->next;
    own->listed = false;
    if (qp == NULL || qp->state != IBV_QPS_RTS)
        own->begun = own->rung;
    else if (own->begun != own->rung) {
        begin(rnic, qp, own, now);
        rnic_watch_hold(rnic, qp, now);
    }
}

static void work(struct rnic *rnic, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    while (pipeline->waiting.head != POOL_NONE && pipeline->engine_free <= now)
        begin_first(pipeline, now);
    if (pipeline->waiting.head == POOL_NONE || pipeline->engine_due)
        return;
    pipeline->engine_due = true;
    rnic_post(rnic, pipeline->engine_free, RNIC_EVENT_ENGINE, 0);
}

void pipeline_ring(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    struct pipeline_qp *own = pipeline_place(rnic, qp);
    const bool none = own->begun == own->rung;
    const bool is_free = pipeline->waiting.head == POOL_NONE && pipeline->engine_free <= now;
    own->alone = none && qp->sq_tail - own->rung == 1;
    own->rung = qp->sq_tail;
    if (none && is_free && !own->listed && !own->resting && own->rests_until <= now)
        begin(rnic, qp, own, now); /* equivalent to being the only one in the list */
    else
        offer_queue_pair(rnic, own, now);
    if (pipeline->waiting.head != POOL_NONE)
        work(rnic, now);
    rnic_watch_hold(rnic, qp, now);
}

void pipeline_on_engine(struct rnic *rnic, uint32_t qpn, time_ps now)
{
    const struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qpn == 0)
        rnic->pipeline->engine_due = false;
    if (qp != NULL) {
        pipeline_place(rnic, qp)->resting = false;
        offer_queue_pair(rnic, pipeline_place(rnic, qp), now);
    }
    work(rnic, now);
}

void pipeline_register(struct rnic *rnic, uint32_t bytes, time_ps now)
{
    enum { LIST_BYTES = 16, PAGE = 4096 }; /* Linux mlx5_klm */
    struct pipeline *pipeline = rnic->pipeline;
    const uint32_t list = (uint32_t)(((uint64_t)bytes + PAGE - 1) / PAGE * LIST_BYTES);
    if (pipeline_costs(rnic)->registration == 0)
        return;
    time_ps begin = time_later(pipeline->engine_free, now), end = begin;
    if (list > pipeline_costs(rnic)->register_inline && pipeline_has_pcie(pipeline_costs(rnic)))
        end = time_later(begin, pcie_fetch(&pipeline->pcie, list, now)) + pipeline->pcie.latency;
    pipeline->engine_free = end + pipeline_costs(rnic)->registration;
    pipeline->engine_busy += pipeline->engine_free - begin;
}

/* ------------------------------------------------------------------ departing frames */

/* Earliest departure of the next data packet. */
static time_ps data_from(const struct rnic *rnic)
{
    return time_later(rnic->pipeline->tx_free, rnic->pipeline->pcie.down.free_at);
}

/* Whether the payload must be read over PCIe: only a whole message can be inline. */
static inline bool is_read_for(const struct rnic *rnic, const struct frame *frame)
{
    if (frame->payload == 0 || !pipeline_has_pcie(pipeline_costs(rnic)))
        return false;
    if (!is_inline(rnic, frame->payload))
        return true;
    return frame->opcode != FRAME_RC_SEND_ONLY && frame->opcode != FRAME_RC_SEND_ONLY_IMM &&
           frame->opcode != FRAME_RC_SEND_ONLY_INV && frame->opcode != FRAME_RC_WRITE_ONLY &&
           frame->opcode != FRAME_RC_WRITE_ONLY_IMM;
}

/* An answer does not wait for an engine and so does not occupy one either; without obstacles it
 * even bypasses this function (fast_path.h). */
static bool takes_engine(const struct frame *frame)
{
    return (frame->payload > 0 ||
            (frame->opcode != FRAME_RC_ACKNOWLEDGE && frame->opcode != FRAME_CNP)) &&
           frame->opcode != FRAME_UD_SEND_ONLY;
}

static INLINE void charge(struct rnic *rnic, const struct frame *frame, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    if (!takes_engine(frame))
        return;
    if (pipeline_costs(rnic)->tx_packet > 0) {
        pipeline->tx_free = time_later(pipeline->tx_free, now) + pipeline_costs(rnic)->tx_packet;
        pipeline->tx_busy += pipeline_costs(rnic)->tx_packet;
    }
    if (is_read_for(rnic, frame))
        pcie_read(&pipeline->pcie, frame->payload, now);
}

/* Reports what holds the queue pairs that could send by the port. */
static NOINLINE void report_ready(const struct rnic *rnic, time_ps now)
{
    for (unsigned i = 0; i < PRIORITIES; i++)
        for (uint32_t at = rnic->classes[i].ready.head; at != POOL_NONE;
             at = rnic->qp_slots[at].next_ready)
            rnic_watch_hold(rnic, &rnic->qp_slots[at], now);
}

static void wait_for_data(struct rnic *rnic, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    if ((pipeline->tx_due & 1u << rnic->side) != 0)
        return;
    pipeline->tx_due = (uint8_t)(pipeline->tx_due | 1u << rnic->side);
    rnic_post(rnic, data_from(rnic), RNIC_EVENT_TX_ENGINE, 0);
    if (rnic_is_watched(rnic))
        report_ready(rnic, now);
}

/* The next frame that needs no data: the port's own queue, then answers; highest priority first. */
static uint32_t next_control(struct rnic *rnic, uint8_t allowed)
{
    struct port *port = &rnic->port;
    for (unsigned mask = port->ready & allowed; mask != 0;) {
        const uint8_t priority = (uint8_t)port_highest(mask);
        const uint32_t handle = port->prios[priority].head != POOL_NONE
                                    ? port_shift(port, priority)
                                    : arbiter_next_answer(rnic, priority);
        const unsigned bit = 1u << priority;
        port->ready =
            (uint8_t)((port->ready & ~bit) | (arbiter_has_more(rnic, priority) ? bit : 0));
        if (handle != POOL_NONE)
            return handle;
        mask &= ~bit;
    }
    return POOL_NONE;
}

/* The port's source. */
static INLINE uint32_t next_frame(struct port *port, uint8_t allowed, time_ps now)
{
    struct rnic *rnic = (struct rnic *)(void *)port; /* the port is the first member */
    const bool data = data_from(rnic) <= now;
    const uint32_t handle = data ? arbiter_next(port, allowed, now) : next_control(rnic, allowed);
    if (handle != POOL_NONE)
        charge(rnic, frame_at(port->frames, handle), now);
    else if (!data && port->ready != 0) /* otherwise the rest is paused or not due yet */
        wait_for_data(rnic, now);
    return handle;
}

static uint32_t next(struct port *port, uint8_t allowed, time_ps now)
{
    return next_frame(port, allowed, now);
}

void pipeline_serve(struct rnic *rnic, time_ps now)
{
    port_serve(&rnic->port, next_frame, port_dequeue_later, now);
}

void pipeline_on_tx(struct rnic *rnic, time_ps now)
{
    rnic->pipeline->tx_due = (uint8_t)(rnic->pipeline->tx_due & ~(1u << rnic->side));
    if (rnic_is_watched(rnic))
        report_ready(rnic, now);
    rnic_want_dequeue(rnic);
}

/* ------------------------------------------------------------------ creation and audit */

bool pipeline_waits(const struct rnic *rnic, const struct qp *qp)
{
    const struct pipeline_qp *own = pipeline_known(rnic, qp);
    return own != NULL && own->begun != own->rung;
}

enum pipeline_hold pipeline_holds(const struct rnic *rnic, time_ps now)
{
    const struct pipeline *pipeline = rnic->pipeline;
    if (data_from(rnic) <= time_later(now, rnic->port.busy_until))
        return PIPELINE_FREE;
    return pipeline->tx_free > pipeline->pcie.down.free_at ? PIPELINE_ENGINE : PIPELINE_PCIE;
}

static void add_side(struct pipeline *pipeline, struct rnic *rnic)
{
    CHECK(pipeline->side_count < PIPELINE_SIDES);
    rnic->pipeline = pipeline;
    rnic->side = pipeline->side_count;
    pipeline->sides[pipeline->side_count++] = rnic;
    rnic->port.source = next;
    rnic->arbitrates = false;
}

void pipeline_init(struct rnic *rnic)
{
    struct pipeline *pipeline = memory_new(sizeof *pipeline);
    *pipeline = (struct pipeline){
        .waiting = {POOL_NONE, POOL_NONE},
        .caches_wrs = pipeline_caches_wrs(pipeline_costs(rnic)),
    };
    if (pipeline_has_pcie(pipeline_costs(rnic)))
        pcie_init(&pipeline->pcie, pipeline_costs(rnic), (uint32_t)rnic->params.path_mtu);
    context_cache_init(&pipeline->cache, pipeline_costs(rnic)->qp_cache, CONTEXT_WAYS);
    add_side(pipeline, rnic);
}

void pipeline_join(struct rnic *rnic, struct rnic *owner)
{
    CHECK(owner->pipeline->qp_room == 0);
    owner->pipeline->side_bits = PIPELINE_SIDE_BITS;
    add_side(owner->pipeline, rnic);
}

void pipeline_fini(struct rnic *rnic)
{
    if (rnic->side != 0) {
        rnic->pipeline = NULL;
        return;
    }
    context_cache_fini(&rnic->pipeline->cache);
    pcie_fini(&rnic->pipeline->pcie);
    free(rnic->pipeline->qps);
    free(rnic->pipeline);
    rnic->pipeline = NULL;
}

static void audit_qp(const struct rnic *rnic, const struct pipeline_qp *own)
{
    const struct qp *qp = rnic_find_qp(rnic, own->qpn);
    CHECK((int32_t)(own->rung - own->begun) >= 0);
    CHECK(qp == NULL || own->answering == 0 || own->answering == qp->read_tail - qp->read_head);
    if (qp == NULL || qp->state != IBV_QPS_RTS)
        return;
    CHECK(own->rung == qp->sq_tail && (int32_t)(own->begun - qp->sq_visible) >= 0);
    CHECK(own->begun == own->rung || own->listed || own->resting);
    CHECK(own->begun == qp->sq_visible || own->visible_at >= rnic_now(rnic));
}

void pipeline_audit(const struct rnic *rnic)
{
    const struct pipeline *pipeline = rnic->pipeline;
    uint32_t listed = 0, answering = 0;
    if (rnic->side != 0)
        return; /* the owner audits the rest */
    for (uint32_t i = 0; i < pipeline->qp_room; i++) {
        listed += pipeline->qps[i].listed;
        answering += pipeline->qps[i].answering;
        if (pipeline->qps[i].qpn != 0)
            audit_qp(pipeline_side(pipeline, i), &pipeline->qps[i]);
    }
    for (uint32_t at = pipeline->waiting.head; at != POOL_NONE; at = pipeline->qps[at].next)
        CHECK(listed-- > 0 && pipeline->qps[at].listed);
    CHECK(listed == 0);
    CHECK(answering == pipeline->answering);
    CHECK(pipeline->waiting.head == POOL_NONE || pipeline->engine_due);
    CHECK(!pipeline->engine_due || pipeline->engine_free >= rnic_now(rnic));
}

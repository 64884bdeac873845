/* SPDX-License-Identifier: Apache-2.0
 * pipeline_rx - received packets, and the data of READs that they request. */
#include "rnic/pipeline/pipeline_private.h"

#include "rnic/host/lag.h"

/* ------------------------------------------------------------------ work requests of READs */

static inline bool ends_read(unsigned opcode)
{
    return opcode == FRAME_RC_READ_RESPONSE_LAST || opcode == FRAME_RC_READ_RESPONSE_ONLY;
}

/* Work requests posted and not completed, of all ports of the card. */
static uint64_t outstanding(const struct pipeline *pipeline)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < pipeline->side_count; i++) {
        const struct rnic_counters *counters = &pipeline->sides[i]->counters;
        count += counters->posted_sends - counters->finished_sends;
    }
    return count;
}

/* The end of a READ needs its work request. Of n outstanding ones the card holds wr-cache, so that
 * (n - wr-cache) / n of them miss. The share is accumulated instead of drawn, which keeps it exact.
 * The message engine fetches a missing one. */
static NOINLINE void find_work_request(struct rnic *rnic, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    const uint64_t all = outstanding(pipeline), held = (uint64_t)pipeline_costs(rnic)->wr_cache;
    if (all <= held)
        return;
    pipeline->wr_misses += all - held;
    if (pipeline->wr_misses < all)
        return;
    pipeline->wr_misses %= all;
    pipeline->engine_free =
        time_later(pipeline->engine_free, now) + pipeline_costs(rnic)->wr_cache_miss;
    pipeline->engine_busy += pipeline_costs(rnic)->wr_cache_miss;
}

/* ------------------------------------------------------------------ received packets */

static inline bool begins_send(unsigned opcode)
{
    return opcode == FRAME_RC_SEND_FIRST || opcode == FRAME_RC_SEND_ONLY ||
           opcode == FRAME_RC_SEND_ONLY_IMM || opcode == FRAME_RC_SEND_ONLY_INV;
}

/* Cost of a SEND that takes a receive of a shared queue. */
static NOINLINE time_ps shared_cost(struct rnic *by, uint32_t qpn)
{
    const struct rnic *rnic = UNLIKELY(by->lag != NULL) ? lag_owner(by, qpn) : by;
    const struct qp *qp = rnic_find_qp(rnic, qpn);
    return qp != NULL && qp->conn->user.srq != NULL ? pipeline_costs(rnic)->srq_receive : 0;
}

bool pipeline_passes(struct rnic *rnic, const struct frame *frame, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    const bool datagram = frame->opcode == FRAME_UD_SEND_ONLY || frame->opcode == FRAME_TCP;
    const bool asks =
        frame->opcode == FRAME_RC_READ_REQUEST && pipeline_slows_reads(pipeline_costs(rnic));
    const bool shares =
        UNLIKELY(pipeline_costs(rnic)->srq_receive > 0) && begins_send(frame->opcode);
    if (asks || shares || pipeline_costs(rnic)->rx_packet > 0 || pipeline->rx_free > now)
        return false;
    const bool known = datagram || context_cache_find(&pipeline->cache, frame->qpn);
    if (!known && pipeline_costs(rnic)->qp_cache_miss > 0)
        return false;
    if (!known || (frame->payload > 0 && !datagram))
        context_cache_use(&pipeline->cache, frame->qpn);
    if (UNLIKELY(pipeline->caches_wrs) && ends_read(frame->opcode))
        find_work_request(rnic, now);
    return true;
}

/* Cost of a READ request: it misses while all contexts are in use. */
static NOINLINE time_ps request_cost(struct rnic *by, uint32_t qpn)
{
    const struct rnic *rnic = UNLIKELY(by->lag != NULL) ? lag_owner(by, qpn) : by;
    const int64_t contexts = pipeline_costs(rnic)->read_contexts;
    if (rnic_find_qp(rnic, qpn) == NULL)
        return 0;
    return pipeline_costs(rnic)->read_response +
           (contexts > 0 && rnic->pipeline->answering >= contexts
                ? pipeline_costs(rnic)->read_context_miss
                : 0);
}

void pipeline_count_reads(struct rnic *rnic, const struct qp *qp)
{
    if (pipeline_costs(rnic)->read_contexts == 0)
        return;
    struct pipeline_qp *own = pipeline_place(rnic, qp);
    const uint32_t now = qp->read_tail - qp->read_head;
    rnic->pipeline->answering += now - own->answering;
    own->answering = now;
}

/* The latency of READ data in excess of read-delay. */
static time_ps far_latency(const struct rnic *rnic)
{
    const bool translated = pipeline_costs(rnic)->iotlb > 0;
    return pipeline_costs(rnic)->socket_latency + pipeline_costs(rnic)->peer_latency +
           (translated ? pipeline_costs(rnic)->iotlb_miss_latency : 0);
}

/* From the beginning of a READ's data to that of the queue pair's next one. */
static time_ps time_between_reads(const struct rnic *rnic, const struct qp *qp, uint32_t bytes)
{
    const struct pipeline_params *costs = pipeline_costs(rnic);
    time_ps apart = 0;
    if (bytes <= costs->read_overlap)
        return 0;
    if (costs->qp_read > 0)
        apart = costs->qp_read +
                (pipeline_has_pcie(costs) ? pcie_read_time(&rnic->pipeline->pcie, bytes) : 0);
    if (costs->qp_read_packet > 0)
        apart = time_later(apart, costs->qp_read_packet * psn_count(bytes, qp->mtu));
    return apart;
}

time_ps pipeline_gather(struct rnic *rnic, const struct qp *qp, uint32_t bytes, time_ps now)
{
    const bool pcie = pipeline_has_pcie(pipeline_costs(rnic));
    const time_ps latency = rnic->params.read_delay + (pcie ? far_latency(rnic) : 0) +
                            pipeline_copy_time(rnic, qp, bytes);
    const time_ps apart = time_between_reads(rnic, qp, bytes);
    if (apart == 0)
        return now + latency;
    struct pipeline_qp *own = pipeline_place(rnic, qp);
    const time_ps begin = time_later(own->gathered_at, now);
    own->gathered_at = begin + apart;
    return begin + latency;
}

bool pipeline_gathers(const struct rnic *rnic, const struct qp *qp, time_ps now)
{
    const struct pipeline_qp *own = pipeline_known(rnic, qp);
    return own != NULL && own->gathered_at > now;
}

time_ps pipeline_receive(struct rnic *rnic, const struct frame *frame, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    const unsigned opcode = frame->opcode;
    time_ps cost = pipeline_costs(rnic)->rx_packet;
    if (opcode != FRAME_UD_SEND_ONLY && opcode != FRAME_TCP &&
        !context_cache_use(&pipeline->cache, frame->qpn))
        cost += pipeline_costs(rnic)->qp_cache_miss;
    if (opcode == FRAME_RC_READ_REQUEST)
        cost += request_cost(rnic, frame->qpn);
    else if (UNLIKELY(pipeline_costs(rnic)->srq_receive > 0) && begins_send(opcode))
        cost += shared_cost(rnic, frame->qpn);
    else if (UNLIKELY(pipeline->caches_wrs) && ends_read(opcode))
        find_work_request(rnic, now);
    if (cost > 0) {
        pipeline->rx_free = time_later(pipeline->rx_free, now) + cost;
        pipeline->rx_busy += cost;
    }
    if (!pipeline_crosses(rnic, frame))
        return time_later(pipeline->rx_free, now);
    return time_later(pipeline->rx_free, pcie_write(&pipeline->pcie, frame->payload, now));
}

time_ps pipeline_event(struct rnic *rnic, time_ps now)
{
    if (!pipeline_has_pcie(pipeline_costs(rnic)) || pipeline_costs(rnic)->event == 0)
        return now;
    return pcie_event(&rnic->pipeline->pcie, pipeline_costs(rnic)->event, now);
}

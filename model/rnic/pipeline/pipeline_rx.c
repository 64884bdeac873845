/* SPDX-License-Identifier: Apache-2.0
 * pipeline_rx - received packets, and the data of READs that they request. */
#include "rnic/pipeline/pipeline_private.h"

#include "rnic/host/lag.h"

bool pipeline_passes(struct rnic *rnic, const struct frame *frame, time_ps now)
{
    struct pipeline *pipeline = rnic->pipeline;
    const bool datagram = frame->opcode == FRAME_UD_SEND_ONLY || frame->opcode == FRAME_TCP;
    const bool asks =
        frame->opcode == FRAME_RC_READ_REQUEST && pipeline_slows_reads(pipeline_costs(rnic));
    if (asks || pipeline_costs(rnic)->rx_packet > 0 || pipeline->rx_free > now)
        return false;
    const bool known = datagram || context_cache_find(&pipeline->cache, frame->qpn);
    if (!known && pipeline_costs(rnic)->qp_cache_miss > 0)
        return false;
    if (!known || (frame->payload > 0 && !datagram))
        context_cache_use(&pipeline->cache, frame->qpn);
    return true;
}

/* Cost of a READ request; the contexts of a queue pair are used in turn. */
static NOINLINE time_ps request_cost(struct rnic *by, uint32_t qpn)
{
    struct rnic *rnic = UNLIKELY(by->lag != NULL) ? lag_owner(by, qpn) : by;
    const struct qp *qp = rnic_find_qp(rnic, qpn);
    if (qp == NULL)
        return 0;
    if (pipeline_costs(rnic)->read_contexts == 0 || rnic->params.max_rd_atomic == 0)
        return pipeline_costs(rnic)->read_response;
    struct pipeline_qp *own = pipeline_place(rnic, qp);
    const bool held = own->reads++ % (uint32_t)rnic->params.max_rd_atomic < own->held;
    return pipeline_costs(rnic)->read_response +
           (held ? 0 : pipeline_costs(rnic)->read_context_miss);
}

/* The latency of READ data in excess of read-delay. */
static time_ps far_latency(const struct rnic *rnic)
{
    const bool translated = pipeline_costs(rnic)->iotlb > 0;
    return pipeline_costs(rnic)->socket_latency +
           (translated ? pipeline_costs(rnic)->iotlb_miss_latency : 0);
}

time_ps pipeline_gather(struct rnic *rnic, const struct qp *qp, uint32_t bytes, time_ps now)
{
    const bool pcie = pipeline_has_pcie(pipeline_costs(rnic));
    const time_ps latency = rnic->params.read_delay + (pcie ? far_latency(rnic) : 0);
    if (pipeline_costs(rnic)->qp_read == 0 || bytes <= pipeline_costs(rnic)->read_overlap)
        return now + latency;
    struct pipeline_qp *own = pipeline_place(rnic, qp);
    const time_ps begin = time_later(own->gathered_at, now);
    const time_ps data = pcie ? pcie_read_time(&rnic->pipeline->pcie, bytes) : 0;
    own->gathered_at = begin + pipeline_costs(rnic)->qp_read + data;
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

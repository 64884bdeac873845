/* SPDX-License-Identifier: Apache-2.0
 * pipeline_private - the pipeline's state per queue pair, for the files of the pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_PRIVATE_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_PRIVATE_H

#include "rnic/pipeline/pipeline.h"

static inline const struct pipeline_params *pipeline_costs(const struct rnic *rnic)
{
    return &rnic->params.pipeline;
}

/* Index of the queue pair's state; the side that owns an index. */
static inline uint32_t pipeline_index(const struct rnic *rnic, const struct qp *qp)
{
    return rnic_qp_index(rnic, qp) << rnic->pipeline->side_bits | rnic->side;
}

static inline struct rnic *pipeline_side(const struct pipeline *pipeline, uint32_t index)
{
    return pipeline->sides[index & ((1u << pipeline->side_bits) - 1)];
}

/* Time in which the first packet of a message or READ response is stored whole. */
static inline time_ps pipeline_copy_time(const struct rnic *rnic, const struct qp *qp,
                                         uint32_t bytes)
{
    const int64_t bps = pipeline_costs(rnic)->copy_bps;
    return bps == 0 ? 0 : (bytes < qp->mtu ? bytes : qp->mtu) * 8 * PS_PER_S / bps;
}

/* The queue pair's state; resets it when the slot belonged to another queue pair. */
struct pipeline_qp *pipeline_place(struct rnic *rnic, const struct qp *qp);

/* NULL: no state yet. */
static inline const struct pipeline_qp *pipeline_known(const struct rnic *rnic, const struct qp *qp)
{
    const uint32_t index = pipeline_index(rnic, qp);
    if (index >= rnic->pipeline->qp_room || rnic->pipeline->qps[index].qpn != qp->qpn)
        return NULL;
    return &rnic->pipeline->qps[index];
}

#endif

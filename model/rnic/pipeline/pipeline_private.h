/* SPDX-License-Identifier: Apache-2.0
 * pipeline_private - queue pairs' places, for the parts of the pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_PIPELINE_PRIVATE_H
#define STORMGLASS_RNIC_PIPELINE_PIPELINE_PRIVATE_H

#include "rnic/pipeline/pipeline.h"

static inline const struct pipeline_params *pipeline_costs(const struct rnic *rnic)
{
    return &rnic->params.pipeline;
}

/* Where the queue pair has its place, and which side has a place. */
static inline uint32_t pipeline_index(const struct rnic *rnic, const struct qp *qp)
{
    return rnic_qp_index(rnic, qp) << rnic->pipeline->side_bits | rnic->side;
}

static inline struct rnic *pipeline_side(const struct pipeline *pipeline, uint32_t index)
{
    return pipeline->sides[index & ((1u << pipeline->side_bits) - 1)];
}

/* The queue pair's place, which another may have had before. */
struct pipeline_qp *pipeline_place(struct rnic *rnic, const struct qp *qp);

/* NULL: it has none yet. */
static inline const struct pipeline_qp *pipeline_known(const struct rnic *rnic, const struct qp *qp)
{
    const uint32_t index = pipeline_index(rnic, qp);
    if (index >= rnic->pipeline->qp_room || rnic->pipeline->qps[index].qpn != qp->qpn)
        return NULL;
    return &rnic->pipeline->qps[index];
}

#endif

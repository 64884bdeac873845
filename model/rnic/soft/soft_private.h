/* SPDX-License-Identifier: Apache-2.0
 * soft_private - access to the processor and the costs, for the files of a software RNIC. */
#ifndef STORMGLASS_RNIC_SOFT_SOFT_PRIVATE_H
#define STORMGLASS_RNIC_SOFT_SOFT_PRIVATE_H

#include "rnic/soft/soft.h"

static inline struct processor *soft_processor(const struct rnic *rnic)
{
    return &rnic->soft->machine->processor;
}

static inline const struct soft_params *soft_costs(const struct rnic *rnic)
{
    return &rnic->params.soft;
}

#endif

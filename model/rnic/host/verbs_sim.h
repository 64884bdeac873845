/* SPDX-License-Identifier: Apache-2.0
 * verbs_sim - the verbs table on the simulated RNIC.
 * Work requests reach the RNIC tx-delay after posting, completions reach the protocol rx-delay
 * after the wire; no callback is made from within a call. At most two SGEs, byte regions before
 * bulk regions; RDMA_WRITE and RDMA_READ use regions of one kind. IBV_SEND_INLINE is accepted, but
 * data is still fetched when it is sent. */
#ifndef STORMGLASS_RNIC_HOST_VERBS_SIM_H
#define STORMGLASS_RNIC_HOST_VERBS_SIM_H

#include "rnic/verbs.h"

struct rnic;

extern const struct verbs_ops verbs_sim;

struct verbs_device *verbs_sim_device(struct rnic *rnic);

#endif

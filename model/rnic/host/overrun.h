/* SPDX-License-Identifier: Apache-2.0
 * overrun - a completion queue that is too small (`cq-size`) for what completes.
 * The completion that finds no entry is lost.  An RNIC then takes the queue for broken: whatever
 * completes later is lost too, and the queue pair goes to ERR.  A software RNIC (rxe) loses what
 * finds no entry and no more; only a receive's takes the queue pair to ERR.  The user hears of
 * either by IBV_EVENT_CQ_ERR, the peer of nothing: its retries run out.
 * What is in the queue already is still taken from it.
 * Source: IBTA Vol 1 11.6.3.1 (CQ errors) and 10.10.2.3; Linux rxe_cq.c rxe_cq_post, rxe_comp.c
 * do_complete, rxe_resp.c RESPST_ERR_CQ_OVERFLOW; mlx5 MLX5_EVENT_TYPE_CQ_ERROR.
 * Owner: the RNIC.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_HOST_OVERRUN_H
#define STORMGLASS_RNIC_HOST_OVERRUN_H

#include "rnic/host/rnic.h"

enum cq_overrun { CQ_WHOLE, CQ_LOST, CQ_BROKEN };

/* Whether the completion finds no entry, `count` being taken: then it is no more. */
bool overrun_by(struct rnic *rnic, uint32_t index, uint32_t count);

/* RNIC_EVENT_CQ_ERROR. */
void overrun_on_event(struct rnic *rnic, uint32_t slot, time_ps now);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * overrun - a completion queue (`cq-size`) that is too small.
 * A completion that finds no entry is lost. A hardware RNIC then considers the queue broken: all
 * later completions are lost too, and the queue pair goes to ERR. A software RNIC (rxe) loses only
 * the completions that find no entry, and the queue pair goes to ERR only for a receive. The user
 * gets IBV_EVENT_CQ_ERR; the peer gets no notice, and its retries are exhausted. Completions
 * already in the queue can still be polled.
 * Source: IBTA Vol 1 11.6.3.1 (CQ errors) and 10.10.2.3; Linux rxe_cq.c rxe_cq_post, rxe_comp.c
 * do_complete, rxe_resp.c RESPST_ERR_CQ_OVERFLOW; mlx5 MLX5_EVENT_TYPE_CQ_ERROR. Owner: the RNIC.
 * Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_HOST_OVERRUN_H
#define STORMGLASS_RNIC_HOST_OVERRUN_H

#include "rnic/host/rnic.h"

enum cq_overrun { CQ_WHOLE, CQ_LOST, CQ_BROKEN };

/* Whether the completion finds no entry, with `count` entries in use; if so it is removed. */
bool overrun_by(struct rnic *rnic, uint32_t index, uint32_t count);

/* Handles RNIC_EVENT_CQ_ERROR. */
void overrun_on_event(struct rnic *rnic, uint32_t slot, time_ps now);

#endif

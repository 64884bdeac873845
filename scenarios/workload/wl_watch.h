/* SPDX-License-Identifier: Apache-2.0
 * wl_watch - what workloads without NVMe tell who accounts for time. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_WATCH_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_WATCH_H

#include "base/probe.h"
#include "scenarios/workload/workload.h"

/* The message that was just posted is the workload's own, or an answer to one. */
static inline void wl_watch_posted(const struct env *env, enum probe_use_kind kind)
{
    const struct probe_use use = {.at = env_now(env), .kind = (uint8_t)kind};
    if (UNLIKELY(env->probe->use != NULL))
        env->probe->use(env->probe->self, &use);
}

/* The oldest of that connection is complete. */
static inline void wl_watch_completed(const struct workload_site *site,
                                      const struct verbs_conn *conn, enum ibv_wr_opcode opcode,
                                      bool answered, time_ps issued_at, bool good)
{
    const struct env *env = site->env;
    if (LIKELY(env->probe->message == NULL))
        return;
    const struct probe_message message = {
        .issued_at = issued_at,
        .completed_at = env_now(env),
        .host_ip = site->verbs->local_ip(site->device),
        .qpn = site->verbs->qp_num(conn),
        .workload = site->workload,
        .member = site->member,
        .operation = opcode == IBV_WR_RDMA_READ    ? PROBE_WORK_READ
                     : opcode == IBV_WR_RDMA_WRITE ? PROBE_WORK_WRITE
                                                   : PROBE_WORK_SEND,
        .good = good,
        .answered = answered,
    };
    env->probe->message(env->probe->self, &message);
}

#endif

/* SPDX-License-Identifier: Apache-2.0
 * wl_watch - events of workloads without NVMe for time accounting. */
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

static inline uint8_t wl_watch_operation(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_RDMA_READ                                            ? PROBE_WORK_READ
           : opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_WRITE_WITH_IMM ? PROBE_WORK_WRITE
                                                                                 : PROBE_WORK_SEND;
}

/* The oldest message of the connection is complete; `message` has the workload's information about
 * it. */
static inline void wl_watch_completed(const struct workload_site *site, struct verbs_device *device,
                                      const struct verbs_conn *conn, struct probe_message message)
{
    const struct env *env = site->env;
    if (LIKELY(env->probe->message == NULL))
        return;
    message.completed_at = env_now(env);
    message.host_ip = site->verbs->local_ip(device);
    message.qpn = site->verbs->qp_num(conn);
    message.workload = site->workload;
    message.member = site->member;
    env->probe->message(env->probe->self, &message);
}

#endif

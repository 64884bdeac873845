/* SPDX-License-Identifier: Apache-2.0
 * live_guard - which raw RDMA connections a target accepts.
 * A connection request contains the size of the buffer that the target must register, up to 1 GiB.
 * A target therefore accepts only the requests of its scenario's own workloads, and only as many as
 * these open. */
#include "bridge/run/live_private.h"

#include <string.h>

/* A restarted host needs room before the connections of its previous process time out. */
enum { GENERATIONS = 2 };

static uint32_t pairs_to(const struct scenario_workload *workload, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < workload->pair_count; p++)
        count += workload->pairs[p].to == node;
    return count;
}

static uint32_t room(void *self, uint32_t ip, const uint8_t *request)
{
    const struct live_target *target = self;
    const struct scenario *scenario = target->run->scenario;
    uint64_t most = 0;
    (void)ip;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        uint8_t expected[WORKLOAD_REQUEST_BYTES];
        if (workload->ops->request == NULL)
            continue;
        const uint32_t each = workload->ops->request(workload->params, expected);
        if (memcmp(expected, request, sizeof expected) == 0)
            most += (uint64_t)each * workload->copies * pairs_to(workload, target->node);
    }
    return most < UINT32_MAX / GENERATIONS ? (uint32_t)most * GENERATIONS : UINT32_MAX;
}

void live_guard_sinks(struct live_target *target)
{
    const struct rdma_sink_guard guard = {.room = room, .self = target};
    for (uint32_t i = 0; i < target->nics.count; i++)
        if (target->sinks[i] != NULL)
            rdma_sink_set_guard(target->sinks[i], &guard);
}

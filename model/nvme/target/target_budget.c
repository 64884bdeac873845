/* SPDX-License-Identifier: Apache-2.0
 * target_budget - the I/O queues shared by all controllers of a target.
 * A controller holds one from its first Connect on, and after Number of Queues as many as it
 * requests, as far as available; an admitted controller has at least one. They are released when
 * the controller ends.
 * Source: NVMe base 1.4, 5.21.1.7; Connect Controller Busy when a target has no controller left:
 * nvmet_alloc_ctrl of Linux 6.1. nvmet and SPDK have no such budget; without one each controller is
 * granted max-queues whatever it requests, as in both. */
#include "nvme/target/target_private.h"

bool nvme_target_budget_left(const struct nvme_target *target)
{
    const int64_t budget = target->params.queue_budget;
    return budget == 0 || target->granted < budget;
}

void nvme_target_budget_admit(struct target_controller *controller)
{
    struct nvme_target *target = controller->target;
    if (target->params.queue_budget == 0 || controller->discovery)
        return;
    controller->granted = 1;
    target->granted++;
}

uint32_t nvme_target_budget_of(const struct target_controller *controller)
{
    const struct nvme_target_params *params = &controller->target->params;
    return params->queue_budget == 0 ? (uint32_t)params->max_queues : controller->granted;
}

uint32_t nvme_target_budget_grant(struct target_controller *controller, uint32_t wanted)
{
    struct nvme_target *target = controller->target;
    const struct nvme_target_params *params = &target->params;
    if (params->queue_budget == 0)
        return (uint32_t)params->max_queues;
    CHECK(controller->granted > 0 && wanted > 0);
    target->granted -= controller->granted;
    int64_t most = params->queue_budget - target->granted;
    most = most < params->max_queues ? most : params->max_queues;
    controller->granted = wanted < most ? wanted : (uint32_t)most;
    target->granted += controller->granted;
    return controller->granted;
}

void nvme_target_budget_audit(const struct nvme_target *target)
{
    uint64_t granted = 0;
    for (const struct target_controller *at = target->controllers; at != NULL; at = at->next)
        granted += at->granted;
    CHECK(granted == target->granted);
    CHECK(target->granted <= (uint64_t)target->params.queue_budget);
}

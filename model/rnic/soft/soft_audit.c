/* SPDX-License-Identifier: Apache-2.0
 * soft_audit - invariants of a software RNIC between two events. */
#include "rnic/host/rnic.h"
#include "rnic/soft/soft.h"

static void audit_list(const struct rnic *rnic, const struct soft_list *list)
{
    uint32_t count = 0;
    for (uint32_t at = list->head; at != POOL_NONE; at = frame_at(rnic->port.frames, at)->next) {
        CHECK((frame_at(rnic->port.frames, at)->next == POOL_NONE) == (at == list->tail));
        count++;
    }
    CHECK(count == list->count);
}

/* Requests that wait for space in the send queue will be resumed when there is some. */
static void audit_send_queue(const struct rnic *rnic)
{
    const struct soft *soft = rnic->soft;
    uint32_t handed = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        for (uint32_t at = rnic->port.prios[i].head; at != POOL_NONE;
             at = frame_at(rnic->port.frames, at)->next)
            handed++;
    CHECK(handed == soft->handed);
    CHECK(!soft->full || handed + soft->leaving.count > rnic->params.soft.send_queue / 4);
    CHECK(soft->full || handed + soft->leaving.count < rnic->params.soft.send_queue);
}

void soft_audit(const struct rnic *rnic)
{
    const struct soft *soft = rnic->soft;
    audit_list(rnic, &soft->ring);
    audit_list(rnic, &soft->waiting);
    audit_list(rnic, &soft->overtaken);
    audit_list(rnic, &soft->controls);
    audit_list(rnic, &soft->leaving);
    audit_send_queue(rnic);
    CHECK(soft->ring.count == 0 || soft->receive.queued || soft->machine->processor.inside);
    CHECK(soft->controls.count == 0 || soft->control.queued || soft->machine->processor.inside);
    CHECK((soft->leaving.count > 0) == soft->transmitting);
    CHECK(soft->ring.count <= rnic->params.soft.receive_ring);
    CHECK(soft->waiting.count == 0 || soft->overtaken.count > 0);
    CHECK(soft->waiting.count + soft->overtaken.count <= rnic->params.soft.receive_backlog);
    CHECK(soft->overtaken.count == 0 || soft->ring.count > 0);
}

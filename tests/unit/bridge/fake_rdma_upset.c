/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma_upset - what tests ask the fabric to do wrong, and to tell. */
#include "tests/unit/bridge/fake_rdma_private.h"

#include <netinet/in.h>

void fake_rdma_fail(const char *call, unsigned skip, int error)
{
    fake_fabric.fail_call = call;
    fake_fabric.fail_skip = skip;
    fake_fabric.fail_error = error;
}

void fake_rdma_event(enum rdma_cm_event_type of, enum rdma_cm_event_type as, int status)
{
    fake_fabric.event_set = true;
    fake_fabric.event_of = of;
    fake_fabric.event_as = as;
    fake_fabric.event_status = status;
}

void fake_rdma_end_with(enum ibv_wc_status status, unsigned skip)
{
    fake_fabric.end_set = true;
    fake_fabric.end_status = status;
    fake_fabric.end_skip = skip;
}

void fake_rdma_poll_limit(int limit)
{
    fake_fabric.poll_limit = limit;
}

void fake_rdma_corrupt(void)
{
    fake_fabric.corrupt = true;
}

void fake_rdma_vanish(uint32_t ip)
{
    fake_rdma_node_at(ip)->silent = true;
}

void fake_rdma_return(uint32_t ip)
{
    fake_rdma_node_at(ip)->silent = false;
}

int fake_rdma_tos(void)
{
    return fake_fabric.tos;
}

uint32_t fake_rdma_listener(uint16_t port)
{
    for (struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next)
        if (id->state == FAKE_LISTENING && id->port == port)
            return id->ip;
    return UINT32_MAX;
}

unsigned fake_rdma_notified(void)
{
    return fake_fabric.notified;
}

bool fake_rdma_quiet(void)
{
    for (const struct fake_id *id = fake_fabric.ids; id != NULL; id = id->next) {
        const struct fake_channel *events = (const struct fake_channel *)(void *)id->id.channel;
        if (events->first != NULL)
            return false;
        if (id->qp == NULL)
            continue;
        const struct ibv_comp_channel *channel = id->qp->qp.send_cq->channel;
        if (((const struct fake_completions *)(const void *)channel)->first != NULL)
            return false;
    }
    return true;
}

void fake_rdma_behave(void)
{
    fake_rdma_time_out();
    fake_fabric.fail_call = NULL;
    fake_fabric.event_set = fake_fabric.end_set = fake_fabric.corrupt = false;
    fake_fabric.poll_limit = 0;
    for (unsigned i = 0; i < fake_fabric.node_count; i++) {
        fake_fabric.nodes[i]->silent = false;
        fake_fabric.nodes[i]->region_limit = 0;
    }
}

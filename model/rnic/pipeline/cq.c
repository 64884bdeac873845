/* SPDX-License-Identifier: Apache-2.0
 * cq - the steps of a completion queue. */
#include "rnic/pipeline/cq.h"

#include "base/memory.h"
#include "rnic/host/overrun.h"
#include "rnic/pipeline/pipeline.h"

#include <stdlib.h>

enum { BUDGET = 256 }; /* Linux cq.c, IB_POLL_BUDGET_IRQ: completions per poll */

static const struct pipeline_params *params_of(const struct rnic *rnic)
{
    return &rnic->params.pipeline;
}

static struct rnic_completion *completion_at(const struct rnic *rnic, uint32_t index)
{
    return slab_at(&rnic->completions, index);
}

static struct cq *queue_of(struct rnic *rnic, uint32_t slot)
{
    struct cqs *cqs = rnic->cqs;
    const uint32_t room = cqs->room;
    while (slot >= cqs->room)
        cqs->list = memory_grown(cqs->list, cqs->room, &cqs->room, sizeof *cqs->list);
    for (uint32_t i = room; i < cqs->room; i++)
        cqs->list[i] = (struct cq){.first = POOL_NONE, .last = POOL_NONE};
    return &cqs->list[slot];
}

/* Sets the next step; an earlier pending step is canceled. */
static void set_step(struct rnic *rnic, struct cq *cq, enum cq_state state, time_ps at)
{
    const uint32_t slot = (uint32_t)(cq - rnic->cqs->list);
    cq->state = (uint8_t)state;
    cq->step++;
    rnic_post(rnic, at, RNIC_EVENT_CQ, (uint64_t)cq->step << 32 | slot);
}

static void interrupt(struct rnic *rnic, struct cq *cq, time_ps now)
{
    const time_ps at = rnic->pipeline == NULL ? now : pipeline_event(rnic, now);
    rnic->cqs->interrupts++;
    set_step(rnic, cq, CQ_EVENT, at + params_of(rnic)->interrupt);
}

static void consider_event(struct rnic *rnic, struct cq *cq, time_ps now)
{
    const bool adaptive = params_of(rnic)->completions == RNIC_COMPLETIONS_ADAPTIVE;
    const int64_t count = adaptive ? dim_count(&cq->dim) : params_of(rnic)->cq_count;
    const time_ps wait = adaptive ? dim_time(&cq->dim) : params_of(rnic)->cq_time;
    if (cq->count >= count || wait == 0)
        interrupt(rnic, cq, now);
    else if (cq->state == CQ_ARMED)
        set_step(rnic, cq, CQ_HELD, now + wait);
}

void cq_add(struct rnic *rnic, uint32_t index, time_ps now)
{
    struct rnic_completion *completion = completion_at(rnic, index);
    struct cq *cq = queue_of(rnic, completion->conn->slot);
    if (UNLIKELY(overrun_by(rnic, index, cq->count)))
        return;
    completion->next = POOL_NONE;
    if (cq->count++ == 0)
        cq->first = index;
    else
        completion_at(rnic, cq->last)->next = index;
    cq->last = index;
    cq->last_at = now;
    if (cq->state != CQ_ARMED && cq->state != CQ_HELD)
        return;
    if (UNLIKELY(completion->conn->polled))
        set_step(rnic, cq, CQ_POLLED, now + params_of(rnic)->completion);
    else
        consider_event(rnic, cq, now);
}

/* The core has worked for the connection of the first completion. */
static void charge(const struct rnic *rnic, struct cq *cq, time_ps cost)
{
    const uint8_t generation = completion_at(rnic, cq->first)->conn->generation;
    if (cq->generation != generation)
        cq->cpu = 0;
    cq->generation = generation;
    cq->cpu += cost;
}

static void poll_over(const struct rnic *rnic, struct cq *cq, time_ps now)
{
    if (params_of(rnic)->completions == RNIC_COMPLETIONS_ADAPTIVE)
        dim_polled(&cq->dim, cq->polled, now);
    cq->polled = 0;
}

/* The user may do anything except make the list of queues move: completions arrive by events. */
static void deliver_first(struct rnic *rnic, struct cq *cq, time_ps now)
{
    const uint32_t index = cq->first;
    CHECK(cq->count > 0);
    cq->first = completion_at(rnic, index)->next;
    cq->count--;
    if (++cq->polled == BUDGET)
        poll_over(rnic, cq, now);
    rnic_deliver(rnic, index);
}

static void poll_queue(struct rnic *rnic, struct cq *cq, time_ps now)
{
    const time_ps cost = params_of(rnic)->completion;
    charge(rnic, cq, cost);
    deliver_first(rnic, cq, now);
    while (cost == 0 && cq->count > 0)
        deliver_first(rnic, cq, now);
    if (cq->count > 0) {
        set_step(rnic, cq, CQ_POLLED, now + cost);
        return;
    }
    if (cq->polled > 0)
        poll_over(rnic, cq, now);
    cq->state = CQ_ARMED;
    cq->step++;
}

void cq_on_event(struct rnic *rnic, uint64_t argument, time_ps now)
{
    const uint32_t slot = (uint32_t)argument;
    struct cq *cq = queue_of(rnic, slot);
    if (cq->step != (uint32_t)(argument >> 32))
        return;
    switch ((enum cq_state)cq->state) {
    case CQ_ARMED:
        break;
    case CQ_HELD:
        interrupt(rnic, cq, now);
        return;
    case CQ_EVENT:
        charge(rnic, cq, params_of(rnic)->interrupt);
        set_step(rnic, cq, CQ_POLLED, now + params_of(rnic)->completion);
        return;
    case CQ_POLLED:
        poll_queue(rnic, cq, now);
        return;
    }
    CHECK(false); /* an armed queue waits for a completion, not for a step */
}

uint32_t cq_working(const struct rnic *rnic)
{
    uint32_t working = 0;
    for (uint32_t i = 0; i < rnic->cqs->room; i++)
        working += rnic->cqs->list[i].state >= CQ_EVENT;
    return working;
}

uint32_t cq_used(const struct rnic *rnic, time_ps since)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < rnic->cqs->room; i++)
        used += rnic->cqs->list[i].step > 0 &&
                (rnic->cqs->list[i].last_at > since || rnic->cqs->list[i].state >= CQ_EVENT);
    return used;
}

time_ps cq_cpu(const struct verbs_conn *conn)
{
    const struct cqs *cqs = conn->rnic->cqs;
    if (conn->slot >= cqs->room || cqs->list[conn->slot].generation != conn->generation)
        return 0;
    return cqs->list[conn->slot].cpu;
}

void cq_init(struct rnic *rnic)
{
    rnic->cqs = memory_new(sizeof *rnic->cqs);
    *rnic->cqs = (struct cqs){0};
    rnic->completion_event = RNIC_EVENT_CQE;
}

void cq_fini(struct rnic *rnic)
{
    free(rnic->cqs->list);
    free(rnic->cqs);
    rnic->cqs = NULL;
}

void cq_audit(const struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->cqs->room; i++) {
        const struct cq *cq = &rnic->cqs->list[i];
        uint32_t count = 0;
        for (uint32_t at = cq->first; count < cq->count; at = completion_at(rnic, at)->next) {
            CHECK(completion_at(rnic, at)->conn->slot == i);
            CHECK((count + 1 == cq->count) == (at == cq->last));
            count++;
        }
        CHECK((cq->state == CQ_ARMED) == (cq->count == 0));
        CHECK(params_of(rnic)->cq_size == 0 || cq->count <= params_of(rnic)->cq_size);
        CHECK(cq->polled < BUDGET && cq->dim.level < DIM_LEVELS);
    }
}

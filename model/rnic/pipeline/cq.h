/* SPDX-License-Identifier: Apache-2.0
 * cq - completion queues that software hears of by interrupts, as a kernel does.
 *
 *   armed -> held back (moderation) -> event -> interrupt -> polled, one by one -> armed
 *
 * A connection has a completion queue, and that a core of its own.  The queue is armed: so many
 * completions (`cq-moderation-count`), or so much time after the first of them
 * (`cq-moderation-time`), make an event, which keeps PCIe busy for `event-cost`.  After
 * `interrupt-cost` the core polls: `completion-cost` for each, those that come meanwhile included;
 * when none is left the queue is armed again.  So the busier a core is, the fewer interrupts it
 * gets.  Adaptive: count and time are those of dim.h.
 * Without it (`completions: polling`) whoever is to hear of a completion does at once, and none of
 * this costs anything.
 * Source: Linux drivers/infiniband/core/cq.c (IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE: budget of 256).
 * Not modelled: interrupts that go to cores that do other work.
 * Owner: the RNIC.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_PIPELINE_CQ_H
#define STORMGLASS_RNIC_PIPELINE_CQ_H

#include "rnic/host/rnic.h"
#include "rnic/pipeline/dim.h"

enum cq_state { CQ_ARMED, CQ_HELD, CQ_EVENT, CQ_POLLED };

struct cq {
    uint32_t first, last; /* completions */
    uint32_t count;
    uint32_t polled; /* since the interrupt, or the last 256 */
    uint32_t step;   /* an event that is of another one comes too late */
    uint8_t state;
    time_ps last_at; /* when the last completion came */
    struct dim dim;
};

struct cqs {
    struct cq *list; /* by the slot of the connection */
    uint32_t room;
    uint64_t interrupts;
};

void cq_init(struct rnic *rnic);
void cq_fini(struct rnic *rnic);

/* RNIC_EVENT_CQE: a completion is in its queue.  RNIC_EVENT_CQ: a step of a queue. */
void cq_add(struct rnic *rnic, uint32_t index, time_ps now);
void cq_on_event(struct rnic *rnic, uint64_t argument, time_ps now);

/* Queues whose core is at work, and those that had anything since then. */
uint32_t cq_working(const struct rnic *rnic);
uint32_t cq_used(const struct rnic *rnic, time_ps since);

void cq_audit(const struct rnic *rnic);

#endif

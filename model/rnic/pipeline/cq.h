/* SPDX-License-Identifier: Apache-2.0
 * cq - completion queues that notify software by interrupts, as in a kernel.
 *   armed -> held back (moderation) -> event -> interrupt -> polled, one by one -> armed
 * Each connection has a completion queue with a core of its own. In an armed queue a number of
 * completions (`cq-moderation-count`), or a time after the first of them (`cq-moderation-time`),
 * triggers an event, which occupies PCIe for `event-cost`. After `interrupt-cost` the core polls:
 * `completion-cost` per completion, including those that arrive meanwhile; when none is left, the
 * queue is armed again. So the busier a core is, the fewer interrupts it gets. Adaptive: count and
 * time come from dim.h. A queue whose users poll it has no events. Without all this
 * (`completions: polling`) completions are delivered at once, at no cost.
 * Source: Linux drivers/infiniband/core/cq.c (IB_POLL_SOFTIRQ, IB_POLL_WORKQUEUE: budget of 256).
 * Not modeled: interrupts on cores with other work. Owner: the RNIC. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_PIPELINE_CQ_H
#define STORMGLASS_RNIC_PIPELINE_CQ_H

#include "rnic/host/rnic.h"
#include "rnic/pipeline/dim.h"

enum cq_state { CQ_ARMED, CQ_HELD, CQ_EVENT, CQ_POLLED };

struct cq {
    uint32_t first, last; /* queue of completions */
    uint32_t count;
    uint32_t polled; /* since the interrupt or the last 256 */
    uint32_t step;   /* number of the pending step: events of other steps are ignored */
    uint8_t state;
    uint8_t generation; /* of the connection that `cpu` belongs to: slots are reused */
    time_ps cpu;        /* time that its core worked for the connection */
    time_ps last_at;    /* arrival of the last completion */
    struct dim dim;
};

struct cqs {
    struct cq *list; /* by slot of the connection */
    uint32_t room;
    uint64_t interrupts;
};

void cq_init(struct rnic *rnic);
void cq_fini(struct rnic *rnic);

/* RNIC_EVENT_CQE: a completion has entered its queue. RNIC_EVENT_CQ: a step of a queue. */
void cq_add(struct rnic *rnic, uint32_t index, time_ps now);
void cq_on_event(struct rnic *rnic, uint64_t argument, time_ps now);

/* Number of queues whose core is busy; of queues with any activity since `since`. */
uint32_t cq_working(const struct rnic *rnic);
uint32_t cq_used(const struct rnic *rnic, time_ps since);

/* Time that the core of the connection's queue worked for it: interrupts and completions. */
time_ps cq_cpu(const struct verbs_conn *conn);

void cq_audit(const struct rnic *rnic);

#endif

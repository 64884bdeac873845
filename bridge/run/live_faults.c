/* SPDX-License-Identifier: Apache-2.0
 * live_faults - faults of targets' software, applied at the scenario's times by the process that
 * runs the target. */
#include "base/memory.h"
#include "bridge/run/live_private.h"

#include "scenarios/data/fault.h"

#include <stdlib.h>

/* The beginning or the end of a fault. */
struct live_edge {
    struct live_run *run;
    struct timer timer;
    uint32_t fault;
    bool begins, done;
};

bool live_faults_can(const struct live_run *run, const struct scenario_fault *fault)
{
    const unsigned breaks = fault->ops->breaks == NULL ? 0 : fault->ops->breaks(fault->params);
    const bool ours = run->options.role != LIVE_HOST || !run->options.foreign;
    const bool keeps = (breaks & FAULT_LOSES_DATA) == 0 || run->options.store_count == 0;
    return ours && keeps && fault_spares_rdma(fault);
}

static void happen(void *self, time_ps now)
{
    struct live_edge *edge = self;
    const struct live_run *run = edge->run;
    const struct scenario_fault *fault = &run->scenario->faults[edge->fault];
    (void)now;
    edge->done = true;
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        const struct live_target *target = live_target_of(run, spot->node);
        bool on;
        if (target == NULL || !target->here || target->nvme == NULL)
            continue;
        const struct scenario_fault *is =
            fault_in_force(run->scenario, &run->fault_order, edge->fault, spot, edge->begins, &on);
        is->ops->at_target(target->nvme, run->scenario->nodes[spot->node].host, is->params, on);
    }
}

static void add_edge(struct live_run *run, uint32_t fault, bool begins)
{
    struct live_edge *edge = &run->edges[run->edge_count++];
    *edge = (struct live_edge){
        .run = run, .fault = fault, .begins = begins, .timer = {.fire = happen, .self = edge}};
    edge->timer.due = edge->timer.wakeup = TIME_NEVER;
}

void live_faults_init(struct live_run *run)
{
    const uint32_t count = run->scenario->fault_count;
    run->fault_order = fault_order_new(run->scenario);
    run->edges = memory_zeroed(2 * (size_t)count, sizeof *run->edges);
    run->fault_env = live_env(run, "faults");
    for (uint32_t i = 0; (run->options.role & LIVE_TARGET) != 0 && i < count; i++) {
        if (!live_faults_can(run, &run->scenario->faults[i]) || run->options.faults_outside)
            continue;
        add_edge(run, i, true);
        if (run->scenario->faults[i].end != TIME_NEVER)
            add_edge(run, i, false);
    }
}

/* Past edges are due at once, in order. A target that agrees with hosts learns moment 0 from
 * them. */
void live_faults_set(struct live_run *run)
{
    const time_ps now = loop_now(run->loop);
    for (uint32_t i = 0; i < run->edge_count; i++) {
        struct live_edge *edge = &run->edges[i];
        const struct scenario_fault *fault = &run->scenario->faults[edge->fault];
        const time_ps due = run->zero + (edge->begins ? fault->at : fault->end);
        if (!edge->done)
            env_timer_set(&run->fault_env, &edge->timer, time_later(due, now));
    }
}

void live_faults_fini(struct live_run *run)
{
    for (uint32_t i = 0; i < run->edge_count; i++)
        env_timer_cancel(&run->fault_env, &run->edges[i].timer);
    free(run->edges);
    fault_order_free(&run->fault_order);
}

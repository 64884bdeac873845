/* SPDX-License-Identifier: Apache-2.0
 * play_faults - faults of targets' software, applied at the scenario's times by the process that
 * runs the target. */
#include "base/memory.h"
#include "bridge/play/play_private.h"

#include "scenarios/fault/fault.h"

#include <stdlib.h>

/* The beginning or the end of a fault. */
struct play_edge {
    struct play *play;
    struct timer timer;
    uint32_t fault;
    bool begins, done;
};

bool play_faults_can(const struct play *play, const struct scenario_fault *fault)
{
    const unsigned breaks = fault->ops->breaks == NULL ? 0 : fault->ops->breaks(fault->params);
    const bool ours = play->options.role != PLAY_HOST || !play->options.foreign;
    const bool keeps = (breaks & FAULT_LOSES_DATA) == 0 || play->options.store_count == 0;
    return ours && keeps && fault_spares_rdma(fault);
}

static void happen(void *self, time_ps now)
{
    struct play_edge *edge = self;
    const struct play *play = edge->play;
    const struct scenario_fault *fault = &play->scenario->faults[edge->fault];
    (void)now;
    edge->done = true;
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        const struct play_target *target = play_target_of(play, spot->node);
        bool on;
        if (target == NULL || !target->here || target->nvme == NULL)
            continue;
        const struct scenario_fault *is = fault_in_force(play->scenario, &play->fault_order,
                                                         edge->fault, spot, edge->begins, &on);
        is->ops->at_target(target->nvme, play->scenario->nodes[spot->node].host, is->params, on);
    }
}

static void add_edge(struct play *play, uint32_t fault, bool begins)
{
    struct play_edge *edge = &play->edges[play->edge_count++];
    *edge = (struct play_edge){
        .play = play, .fault = fault, .begins = begins, .timer = {.fire = happen, .self = edge}};
    edge->timer.due = edge->timer.wakeup = TIME_NEVER;
}

void play_faults_init(struct play *play)
{
    const uint32_t count = play->scenario->fault_count;
    play->fault_order = fault_order_new(play->scenario);
    play->edges = memory_zeroed(2 * (size_t)count, sizeof *play->edges);
    play->fault_env = play_env(play, "faults");
    for (uint32_t i = 0; (play->options.role & PLAY_TARGET) != 0 && i < count; i++) {
        if (!play_faults_can(play, &play->scenario->faults[i]) || play->options.faults_outside)
            continue;
        add_edge(play, i, true);
        if (play->scenario->faults[i].end != TIME_NEVER)
            add_edge(play, i, false);
    }
}

/* Past edges are due at once, in order. A target that agrees with hosts learns moment 0 from
 * them. */
void play_faults_set(struct play *play)
{
    const time_ps now = loop_now(play->loop);
    for (uint32_t i = 0; i < play->edge_count; i++) {
        struct play_edge *edge = &play->edges[i];
        const struct scenario_fault *fault = &play->scenario->faults[edge->fault];
        const time_ps due = play->zero + (edge->begins ? fault->at : fault->end);
        if (!edge->done)
            env_timer_set(&play->fault_env, &edge->timer, time_later(due, now));
    }
}

void play_faults_fini(struct play *play)
{
    for (uint32_t i = 0; i < play->edge_count; i++)
        env_timer_cancel(&play->fault_env, &play->edges[i].timer);
    free(play->edges);
    fault_order_free(&play->fault_order);
}

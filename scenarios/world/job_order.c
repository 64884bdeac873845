/* SPDX-License-Identifier: Apache-2.0
 * job_order - barriers and exit rules of fio. */
#include "scenarios/world/job_order.h"

#include "scenarios/fio/fio.h"

/* True if the jobs that it waits for have finished. */
static bool may_begin(const struct scenario *scenario, const struct job_state *states,
                      uint32_t index)
{
    const struct scenario_workload *workload = &scenario->workloads[index];
    const struct job_state *jobs = states + workload->first_job;
    if (workload->job == NULL)
        return true;
    for (uint32_t i = 0; i < workload->job->barrier; i++)
        if (!jobs[i].finished)
            return false;
    return workload->job->wait_for == FIO_NO_JOB || jobs[workload->job->wait_for].finished;
}

static bool ends(const struct fio_job *done, const struct fio_job *other)
{
    switch (done->exit) {
    case FIO_EXIT_NONE:
        return false;
    case FIO_EXIT_GROUP:
        return other->group == done->group;
    case FIO_EXIT_STONEWALL:
        return other->barrier == done->barrier;
    case FIO_EXIT_ALL:
        return true;
    }
    return false;
}

/* True if the end of job `finished` ends job `index` of the same file. */
static bool is_ended_by(const struct scenario *scenario, uint32_t index, uint32_t finished)
{
    const struct scenario_workload *done = &scenario->workloads[finished];
    const struct scenario_workload *other = &scenario->workloads[index];
    return index != finished && done->job != NULL && other->job != NULL &&
           other->first_job == done->first_job && ends(done->job, other->job);
}

static void end_others(const struct scenario *scenario, struct job_state *states, uint32_t finished,
                       const struct job_order_calls *calls)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        if (states[i].finished || !is_ended_by(scenario, i, finished))
            continue;
        if (states[i].begun)
            calls->stop(calls->self, i);
        else
            states[i].begun = states[i].finished = true; /* it never runs */
    }
}

void job_order_attend(const struct scenario *scenario, struct job_state *states, bool *attention,
                      const struct job_order_calls *calls)
{
    while (*attention) {
        *attention = false;
        for (uint32_t i = 0; i < scenario->workload_count; i++)
            if (states[i].finished)
                end_others(scenario, states, i, calls);
        for (uint32_t i = 0; i < scenario->workload_count; i++)
            if (!states[i].begun && may_begin(scenario, states, i)) {
                states[i].begun = true;
                calls->begin(calls->self, i);
            }
    }
}

/* A fio job whose start is delayed beyond the end issues nothing. */
struct job_order_span job_order_span(const struct scenario_workload *workload, time_ps zero,
                                     time_ps end, time_ps now)
{
    const struct fio_job *job = workload->job;
    const time_ps begin = zero + workload->start, delay = job != NULL ? job->start_delay : 0;
    time_ps stop = time_earlier(zero + workload->stop, end);
    const time_ps start = time_earlier((begin > now ? begin : now) + delay, stop);
    if (job != NULL && job->runtime < stop - start)
        stop = start + job->runtime;
    return (struct job_order_span){start, stop};
}

bool job_order_all_finished(const struct scenario *scenario, const struct job_state *states)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (!states[i].finished)
            return false;
    return scenario->workload_count > 0;
}

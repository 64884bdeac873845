/* SPDX-License-Identifier: Apache-2.0
 * turns - barriers and exit rules of fio. */
#include "scenarios/turns.h"

#include "scenarios/fio.h"

bool turns_may_begin(const struct scenario *scenario, const struct turn *turns, uint32_t index)
{
    const struct scenario_workload *workload = &scenario->workloads[index];
    const struct turn *jobs = turns + workload->first_job;
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

bool turns_is_ended_by(const struct scenario *scenario, uint32_t index, uint32_t finished)
{
    const struct scenario_workload *done = &scenario->workloads[finished];
    const struct scenario_workload *other = &scenario->workloads[index];
    return index != finished && done->job != NULL && other->job != NULL &&
           other->first_job == done->first_job && ends(done->job, other->job);
}

bool turns_all_finished(const struct scenario *scenario, const struct turn *turns)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (!turns[i].finished)
            return false;
    return scenario->workload_count > 0;
}

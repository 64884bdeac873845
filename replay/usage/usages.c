/* SPDX-License-Identifier: Apache-2.0
 * usages - the periods of the workloads. */
#include "replay/usage/usages.h"

#include "base/memory.h"
#include "scenarios/fio/fio.h"

#include <stdlib.h>

struct span {
    time_ps from, until;
};

/* A job that waits for others starts at an unknown time. */
static bool waits(const struct fio_job *job)
{
    return job != NULL && (job->barrier > 0 || job->wait_for != FIO_NO_JOB);
}

static struct span span_of(const struct scenario *scenario, uint32_t index)
{
    const struct scenario_workload *workload = &scenario->workloads[index];
    const time_ps delay = workload->job == NULL ? 0 : workload->job->start_delay;
    const time_ps until = time_earlier(workload->stop, scenario->duration);
    return (struct span){time_earlier(workload->start + delay, until), until};
}

/* From the first start to the last end. */
static struct span span_of_all(const struct scenario *scenario)
{
    struct span all = {scenario->duration, 0};
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct span span = span_of(scenario, i);
        all.from = time_earlier(all.from, span.from);
        all.until = time_later(all.until, span.until);
    }
    return all.from < all.until ? all : (struct span){0, scenario->duration};
}

static uint32_t find_usage(const struct usages *usages, struct span span)
{
    uint32_t i = 0;
    while (i < usages->count &&
           (usages->list[i].from != span.from || usages->list[i].until != span.until))
        i++;
    return i;
}

static void find_next(struct usages *usages)
{
    usages->next = TIME_NEVER;
    for (uint32_t i = 0; i < usages->count; i++)
        usages->next = time_earlier(usages->next, usages->list[i].next);
}

void usages_init(struct usages *usages, const struct world *world)
{
    const struct scenario *scenario = world->scenario;
    const struct span all = span_of_all(scenario);
    *usages = (struct usages){
        .of_workload = memory_zeroed(scenario->workload_count, sizeof *usages->of_workload)};
    usage_init(&usages->list[usages->count++], world, all.from, all.until);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct span span = span_of(scenario, i);
        const uint32_t at = find_usage(usages, span);
        if (waits(scenario->workloads[i].job) || span.from == span.until)
            continue;
        if (at == USAGES_MAX)
            continue;
        if (at == usages->count)
            usage_init(&usages->list[usages->count++], world, span.from, span.until);
        usages->of_workload[i] = at;
    }
    find_next(usages);
}

void usages_fini(struct usages *usages)
{
    for (uint32_t i = 0; i < usages->count; i++)
        usage_fini(&usages->list[i]);
    free(usages->of_workload);
}

void usages_take(struct usages *usages)
{
    const time_ps now = usages->next;
    for (uint32_t i = 0; i < usages->count; i++)
        if (usages->list[i].next == now)
            usage_take(&usages->list[i]);
    find_next(usages);
}

void usages_end(struct usages *usages, time_ps now, time_ps last)
{
    for (uint32_t i = 0; i < usages->count; i++)
        usage_end(&usages->list[i], now, last);
}

const struct usage *usages_of(const struct usages *usages, uint32_t workload)
{
    return &usages->list[usages->of_workload[workload]];
}

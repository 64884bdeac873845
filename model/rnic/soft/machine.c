/* SPDX-License-Identifier: Apache-2.0
 * machine - creation, and the work of its protocols. */
#include "rnic/soft/machine.h"

#include "rnic/host/host.h"

static struct machine *of_work(struct work *work)
{
    return (struct machine *)(void *)((char *)work - offsetof(struct machine, work));
}

static time_ps begin_first(struct work *work, time_ps now)
{
    const struct machine *machine = of_work(work);
    (void)now;
    return machine->first == NULL ? 0 : machine->first->cost;
}

static bool end_first(struct work *work, time_ps now)
{
    struct machine *machine = of_work(work);
    struct env_work *done = machine->first;
    (void)now;
    if (done == NULL)
        return false;
    machine->first = done->next;
    done->done(done->self);
    return machine->first != NULL;
}

void machine_work(struct machine *machine, struct env_work *work)
{
    work->next = NULL;
    if (machine->first == NULL)
        machine->first = work;
    else
        machine->last->next = work;
    machine->last = work;
    processor_add(&machine->processor, &machine->work, PROCESSOR_CALL);
}

void machine_work_cancel(struct machine *machine, struct env_work *work)
{
    struct env_work **link = &machine->first, *before = NULL;
    while (*link != NULL && *link != work) {
        before = *link;
        link = &before->next;
    }
    if (*link == NULL)
        return;
    *link = work->next;
    if (machine->last == work)
        machine->last = before;
}

void machine_init(struct machine *machine, struct host *home, const struct soft_params *costs)
{
    *machine = (struct machine){
        .costs = *costs,
        .work = {.node = &home->node, .begin = begin_first, .end = end_first},
    };
    const struct processor_costs own = {
        costs->idle,
        costs->tick,
        costs->tick_interval,
        {costs->softirq_limit, costs->process_slice, costs->wakeup_grain, costs->timer_tick}};
    processor_init(&machine->processor, &home->node, HOST_EVENT_PROCESSOR, &own);
    process_init(&machine->process, &machine->processor, &home->node, &machine->costs);
}

void machine_fini(struct machine *machine)
{
    process_fini(&machine->process);
}

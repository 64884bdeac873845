/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/world/arrivals.h"

#include "scenarios/workload/workload.h"

#include <string.h>

enum {
    SHIFT_FIRST = 17,         /* the first looks are 131 ns apart */
    CONNECTIONS_MOST = 16384, /* of an entry that is looked at: a look costs each of them */
    INSTANCES_FEW = 64        /* more are looked at half as often */
};

void arrivals_init(struct arrivals *arrivals, time_ps base)
{
    *arrivals = (struct arrivals){.look_at = TIME_NEVER};
    wl_history_init(&arrivals->history, base);
    arrivals->history.shift = SHIFT_FIRST;
}

void arrivals_fini(struct arrivals *arrivals)
{
    wl_history_fini(&arrivals->history);
}

/* Queue pairs of an instance. */
static uint64_t connections_of(const struct scenario_workload *workload)
{
    const struct opt *row = opt_find(workload->ops->opts, "qps");
    int64_t count = 1;
    if (row == NULL)
        row = opt_find(workload->ops->opts, "queues");
    if (row != NULL)
        memcpy(&count, (const char *)workload->params + row->offset, sizeof count);
    return (uint64_t)count;
}

void arrivals_begin(struct arrivals *arrivals, const struct scenario_workload *workload,
                    uint32_t instances, time_ps now)
{
    arrivals->looked = instances * connections_of(workload) <= CONNECTIONS_MOST;
    arrivals->intervals =
        instances > INSTANCES_FEW ? WL_HISTORY_INTERVALS / 2 : WL_HISTORY_INTERVALS;
    if (arrivals->looked)
        arrivals->look_at = wl_history_next(&arrivals->history, now);
}

void arrivals_look(struct arrivals *arrivals, time_ps now, uint64_t delivered, bool over)
{
    /* Less than before: a connection failed, and what it brought is void. */
    const uint64_t more = delivered > arrivals->delivered ? delivered - arrivals->delivered : 0;
    wl_history_deliver(&arrivals->history, now, more, arrivals->intervals);
    arrivals->delivered += more;
    arrivals->look_at = over ? TIME_NEVER : wl_history_next(&arrivals->history, now);
}

void arrivals_tell(const struct arrivals *arrivals, uint64_t delivered, time_ps last,
                   struct wl_history *history)
{
    if (!arrivals->looked)
        return;
    wl_history_forget_bytes(history);
    wl_history_fold(history, &arrivals->history);
    if (delivered > arrivals->delivered)
        wl_history_deliver(history, last, delivered - arrivals->delivered, WL_HISTORY_INTERVALS);
}

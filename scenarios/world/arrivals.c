/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/world/arrivals.h"

#include "base/memory.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHIFT_FIRST = 17,         /* initially, samples are 131 ns apart */
    CONNECTIONS_MOST = 16384, /* limit per sampled entry, because a sample visits each connection */
    INSTANCES_FEW = 64,       /* entries with more instances are sampled half as often */
    INSTANCES_MANY = 1024,    /* with more instances, their data are no longer cached when they
                               * are sampled */
    BYTES_MANY = 8 << 20      /* bytes per connection that justify the cost of sampling */
};

static const uint64_t bytes_most = UINT64_C(1) << 48; /* larger transfers are assumed to last as
                                                       * long as possible */

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

/* A parameter of the kind, or `otherwise` if the kind has no parameter of that name. */
static int64_t asked(const struct scenario_workload *workload, const char *name, int64_t otherwise)
{
    const struct opt *row = opt_find(workload->ops->opts, name);
    int64_t value = otherwise;
    if (row != NULL)
        memcpy(&value, (const char *)workload->params + row->offset, sizeof value);
    return value;
}

/* Queue pairs per instance. */
static uint64_t connections_of(const struct scenario_workload *workload)
{
    return (uint64_t)asked(workload, "qps", asked(workload, "queues", 1));
}

/* ---- minimum duration ---- */

static time_ps on_wires(const struct scenario_node *host, uint64_t bytes)
{
    uint64_t rate = 0;
    for (uint16_t i = 0; i < host->port_count; i++)
        rate += (uint64_t)host->ports[i].params->rate;
    return rate == 0 ? 0 : units_transfer_ps(bytes, rate);
}

/* Longest time that a host's links need for its messages. */
static time_ps carried(const struct scenario *scenario, const struct scenario_workload *workload,
                       uint64_t each)
{
    uint64_t *in = memory_zeroed(scenario->node_count, sizeof *in);
    uint64_t *out = memory_zeroed(scenario->node_count, sizeof *out);
    time_ps longest = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        out[workload->pairs[i].from] += each;
        in[workload->pairs[i].to] += each;
    }
    for (uint32_t i = 0; i < scenario->host_count; i++)
        longest =
            time_later(longest, on_wires(&scenario->nodes[i], in[i] > out[i] ? in[i] : out[i]));
    free(in);
    free(out);
    return longest;
}

/* 0: unknown. */
static time_ps lasts(const struct scenario *scenario, const struct scenario_workload *workload,
                     time_ps until)
{
    const int64_t count = asked(workload, "count", -1);
    const int64_t message = asked(workload, "message-size", 0);
    const time_ps most = time_earlier(workload->stop, until) - workload->start;
    if (workload->job != NULL || count < 0 || scenario_issues_nothing(workload) ||
        (count > 0 && message == 0) || most <= 0)
        return 0;
    const uint64_t each = (uint64_t)message * workload->copies;
    const uint64_t messages = (uint64_t)count * workload->pair_count;
    if (messages == 0 || messages > bytes_most / each)
        return most;
    return time_earlier(most, carried(scenario, workload, each * (uint64_t)count));
}

/* ---- samples ---- */

/* Sampling one of many connections costs a quarter of the time of simulating a packet. */
static bool is_worth_looks(const struct scenario_workload *workload, uint32_t instances)
{
    const int64_t count = asked(workload, "count", 0); /* 0: until the end */
    const int64_t message = asked(workload, "message-size", BYTES_MANY);
    return instances <= INSTANCES_MANY || count == 0 || count >= BYTES_MANY ||
           (uint64_t)(message * count) >= BYTES_MANY * connections_of(workload);
}

bool arrivals_may_look(const struct scenario_workload *workload, uint32_t instances)
{
    return instances * connections_of(workload) <= CONNECTIONS_MOST;
}

void arrivals_begin(struct arrivals *arrivals, const struct arrivals_of *of, time_ps now)
{
    struct wl_history *history = &arrivals->history;
    const time_ps least = lasts(of->scenario, of->workload, of->until);
    arrivals->looked = arrivals_may_look(of->workload, of->instances) &&
                       is_worth_looks(of->workload, of->instances);
    arrivals->intervals =
        of->instances > INSTANCES_FEW ? WL_HISTORY_INTERVALS / 2 : WL_HISTORY_INTERVALS;
    while (least >> history->shift >= arrivals->intervals)
        history->shift++; /* start with the interval length that would be reached anyway */
    if (arrivals->looked)
        arrivals->look_at = wl_history_next(history, now);
}

void arrivals_look(struct arrivals *arrivals, time_ps now, uint64_t delivered, bool over)
{
    /* Fewer bytes than before: a connection failed, and its bytes no longer count. */
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/world/arrivals.h"

#include "base/memory.h"
#include "scenarios/workload/workload.h"

#include <stdlib.h>
#include <string.h>

enum {
    SHIFT_FIRST = 17,         /* the first looks are 131 ns apart */
    CONNECTIONS_MOST = 16384, /* of an entry that is looked at: a look costs each of them */
    INSTANCES_FEW = 64,       /* more are looked at half as often */
    INSTANCES_MANY = 1024,    /* more are out of the caches when a look comes */
    BYTES_MANY = 8 << 20      /* of a connection of so many, for which looks are worth their cost */
};

static const uint64_t bytes_most = UINT64_C(1) << 48; /* more last as long as they may */

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

/* A parameter of the kind, or what stands for it where the kind has none of that name. */
static int64_t asked(const struct scenario_workload *workload, const char *name, int64_t otherwise)
{
    const struct opt *row = opt_find(workload->ops->opts, name);
    int64_t value = otherwise;
    if (row != NULL)
        memcpy(&value, (const char *)workload->params + row->offset, sizeof value);
    return value;
}

/* Queue pairs of an instance. */
static uint64_t connections_of(const struct scenario_workload *workload)
{
    return (uint64_t)asked(workload, "qps", asked(workload, "queues", 1));
}

/* ---- how long it lasts at least ---- */

static time_ps on_wires(const struct scenario_node *host, uint64_t bytes)
{
    uint64_t rate = 0;
    for (uint16_t i = 0; i < host->port_count; i++)
        rate += (uint64_t)host->ports[i].params->rate;
    return rate == 0 ? 0 : units_transfer_ps(bytes, rate);
}

/* The longest time in which a host's links carry its messages. */
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

/* 0: it is not known. */
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

/* ---- looks ---- */

/* A look at one of many connections takes a quarter of the time that a packet takes. */
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
        history->shift++; /* as long as they would become anyway */
    if (arrivals->looked)
        arrivals->look_at = wl_history_next(history, now);
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

/* SPDX-License-Identifier: Apache-2.0
 * limits_private - internal interface of limits: what one workload uses, and shares. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_PRIVATE_H

#include "base/numbers.h"
#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"
#include "replay/usage/usage.h"

/* Everything that a workload uses. */
struct limits_scope {
    const struct collect *collect;
    const struct usage *usage;
    const struct explain_fabric *fabric;
    struct bottleneck_input *input;
    uint32_t *ports;   /* by port: number of pairs whose path it is on */
    uint32_t *targets; /* by node: number of pairs with it as target */
    bool *from, *to;   /* by node */
    uint32_t pairs;
    int64_t on_cpu;    /* share of outstanding I/Os at the hosts' CPUs */
    const char *whose; /* name of the workload */
    bool by_tcp;       /* its connections are TCP's */
};

/* This share of outstanding I/Os is not waiting for links. Shares are sampled separately and may
 * overlap, so their sum is limited to all. */
static inline void limits_is_elsewhere(struct limits_scope *scope, int64_t share)
{
    int64_t *waiting = &scope->input->uses[BOTTLENECK_LINK].waiting;
    *waiting = *waiting > share ? *waiting - share : 0;
}

/* Whether the share is larger than that of any other place so far, whose place it then takes. */
static inline bool limits_is_busiest(struct bottleneck_use *use, int64_t used, int64_t covers)
{
    if (used <= use->used)
        return false;
    use->used = used;
    use->covers = covers;
    return true;
}

static inline void limits_place(struct bottleneck_use *use, uint32_t node, const char *station)
{
    use->node = node;
    use->station = station;
}

static inline int64_t limits_part(int64_t value, int64_t ppm)
{
    return (int64_t)((__int128)value * ppm / PPM);
}

/* limits_demand.c: depth, count and offered load of a workload, and whether it was completed;
 * whether it pauses between I/Os with none outstanding. */
void limits_demand(const struct collect *collect, uint32_t index, struct bottleneck_input *input);
bool limits_thinks(const struct scenario_workload *about);

/* limits_stations.c: CPUs of its hosts; software RNICs; stations of its targets; and how long a
 * target or controller was lost. */
void limits_host_cpus(struct limits_scope *scope, uint32_t index);
void limits_software(struct limits_scope *scope);
void limits_tcp_cores(struct limits_scope *scope);
/* Of the ports of those hosts, summed. */
int64_t limits_sum(const struct limits_scope *scope, const bool *nodes, unsigned what);
void limits_targets(struct limits_scope *scope);
void limits_recovery(struct limits_scope *scope, uint32_t index);
/* The busiest engine or PCIe link among the RNICs of the hosts in `nodes`, if busier than before;
 * and the share of their queue pairs that waits for their own engine. */
void limits_engines(struct limits_scope *scope, const bool *nodes);

#endif

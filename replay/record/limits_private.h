/* SPDX-License-Identifier: Apache-2.0
 * limits_private - between the files of limits: what one workload goes by, and shares. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_PRIVATE_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_PRIVATE_H

#include "base/numbers.h"
#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"
#include "replay/usage/usage.h"

/* What a workload goes by. */
struct limits_scope {
    const struct collect *collect;
    const struct usage *usage;
    const struct explain_fabric *fabric;
    struct bottleneck_input *input;
    uint32_t *ports;   /* by port: pairs that it is a transmitter on the path of */
    uint32_t *targets; /* by node: pairs to it */
    bool *from, *to;   /* by node */
    uint32_t pairs;
    int64_t on_cpu;    /* share of what is outstanding that is at the host's CPUs */
    const char *whose; /* its name */
};

/* So much of what is outstanding waits for something else than the links.  Shares are of different
 * looks and may overlap: together they are at most all. */
static inline void limits_is_elsewhere(struct limits_scope *scope, int64_t share)
{
    int64_t *waiting = &scope->input->uses[BOTTLENECK_LINK].waiting;
    *waiting = *waiting > share ? *waiting - share : 0;
}

static inline int64_t limits_part(int64_t value, int64_t ppm)
{
    return (int64_t)((__int128)value * ppm / PPM);
}

/* limits_stations.c: the CPUs of its hosts; those of software RNICs; what its targets are made of;
 * and for how long a target or a controller was away. */
void limits_host_cpus(struct limits_scope *scope, uint32_t index);
void limits_software(struct limits_scope *scope);
void limits_targets(struct limits_scope *scope);
void limits_recovery(struct limits_scope *scope, uint32_t index);
/* The engines and PCIe of RNICs: the busiest of the hosts among `nodes`, by node, if busier than
 * what there is; and of the queue pairs there the part that waits for its own engine. */
void limits_engines(struct limits_scope *scope, const bool *nodes);

#endif

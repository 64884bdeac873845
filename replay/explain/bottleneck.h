/* SPDX-License-Identifier: Apache-2.0
 * bottleneck - the resource of which more would help a run most.
 * A pure function of utilization and waiting time in the steady part, for a run or for one
 * workload's share of it. For each resource it estimates the gain from 10 % more of it, or, for
 * lost and throttled time, from eliminating that time; the resource with the largest gain is the
 * bottleneck.
 *   a station (link, CPU, media)  elasticity of throughput: near 1 if the station is almost always
 *                                 busy, otherwise the share of outstanding I/Os that wait there
 *   time lost (recovery, loss,    throughput of the remaining time, extrapolated to all of it, but
 *     pauses, credit, throttling) limited by the spare capacity of the busiest resource; repeated
 *                                 work and work for a lost controller is not useful work
 *   think time                    10 % less of it; no other resource gains during think time
 *   queue depth                   if outstanding I/Os do not wait anywhere: 10 % more, at least
 *                                 one; I/Os that already wait would wait longer
 * An open loop that completes its offered load is limited by it, and no resource gains more than
 * the offered load.
 * Shares are parts per million. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_H
#define STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_H

#include "base/opt_effect.h"
#include "base/units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bottleneck_resource {
#define RESOURCE(ID, word, about) BOTTLENECK_##ID,
#define PART(ID, about)
#include "base/opt_part.def"
#undef PART
#undef RESOURCE
    BOTTLENECK_RESOURCES,
    BOTTLENECK_UNKNOWN = BOTTLENECK_RESOURCES, /* utilization was not measured */
};

enum { BOTTLENECK_WHERE_BYTES = 160, BOTTLENECK_ACCOUNT_BYTES = 400 };

struct bottleneck_use {
    int64_t used;    /* share of the time in use; for lost time: share lost */
    int64_t waiting; /* share of outstanding I/Os waiting there; links: in the network */
    int64_t serving; /* share of outstanding I/Os in service there; 0: not counted */
    int64_t covers;  /* share of traffic through equally busy ones; pauses, recovery: share of
                     * host pairs */
    char where[BOTTLENECK_WHERE_BYTES]; /* a phrase: "leaf0:p3 to host4", "host0's cores" */
    uint32_t node;                      /* that has the station */
    const char *station; /* of limit_value.def; NULL: no device's, or nothing used it */
};

struct bottleneck_input {
    time_ps span;        /* ps; duration of the steady part */
    bool idle;           /* no I/O was ever issued */
    bool uncounted;      /* a measured run without data on links, CPUs and media */
    bool satisfied;      /* open loops that completed all offered load */
    bool slow_by_nature; /* receiver always slow; false: only during a fault */
    bool by_tcp;         /* its connections are TCP's */
    bool by_credits;     /* links have credits, not pauses */
    bool by_tcp_cores;   /* the busiest host CPUs are cores that execute TCP */
    bool few;            /* fewer operations than may be outstanding */
    int64_t depth;       /* outstanding I/Os per queue; 0: unknown */
    int64_t entries;     /* entries of a submission queue; 0: unknown */
    int64_t reads;       /* outstanding READs per queue pair; 0: unknown */
    int64_t window;      /* unacknowledged packets per queue pair; 0: unknown */
    int64_t weight;      /* with several workloads: its share of the bytes; 0: none */
    int64_t resent;      /* retransmitted share of the packets */
    int64_t thinking;    /* share of time in configured pauses, none outstanding */
    int64_t away;        /* share of the time in which controllers were lost */
    int64_t asked;       /* offered / completed load of open loops; 0: closed loops */
    struct bottleneck_use uses[BOTTLENECK_RESOURCES]; /* the busiest resource of each kind */
};

struct bottleneck {
    enum bottleneck_resource resource;
    int64_t gain; /* estimated gain, ppm */
    char text[BOTTLENECK_WHERE_BYTES + 480];
    char account[BOTTLENECK_ACCOUNT_BYTES]; /* share of operations' time; empty: unknown */
};

/* The part of a run affected by the parameters that relieve the resource. */
static inline enum opt_part bottleneck_part(enum bottleneck_resource resource)
{
    return (enum opt_part)(OPT_PART_LINK + (int)resource); /* same list, resources first */
}

/* Queue pairs or connections wait for it, and so do the operations of an open loop. */
static inline bool bottleneck_is_wait(enum bottleneck_resource resource)
{
    return resource >= BOTTLENECK_CREDIT && resource <= BOTTLENECK_STREAM &&
           resource != BOTTLENECK_RECOVERY;
}

/* As in JSON and databases: "link"; "unknown". */
const char *bottleneck_word(enum bottleneck_resource resource);

/* As in sentences and tables. */
const char *bottleneck_label(enum bottleneck_resource resource);

/* Writes a sentence that begins with the resource's name. */
void bottleneck_find(const struct bottleneck_input *input, struct bottleneck *found);

/* Combines several workloads, each with its weight. The sentence is that of the workload that gains
 * most from the resource. */
void bottleneck_of_all(const struct bottleneck_input *const *inputs, uint32_t count,
                       struct bottleneck *found);

#endif

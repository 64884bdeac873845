/* SPDX-License-Identifier: Apache-2.0
 * bottleneck - what kept a run from going faster: what it would gain most from if there were more
 * of it.
 * A pure function of what was used and waited for in the steady part, of a run or of what one
 * workload used of it.  For each resource it estimates what a tenth more of it would gain, of
 * what is lost or held altogether what its end would; the largest gain is named.
 *   a station (link, CPU, media)  elasticity of the throughput: near 1 where it is nearly always
 *                                 busy, else the part of what is outstanding that waits there
 *   time lost (recovery, loss,    what is done in the time that is left, done in all of it; but no
 *     pauses, credit, held back)  more than the busiest station has room for
 *                               beside useful work; repeats, and what is done for a lost
 *                               controller, are none
 *   think time                    what is left when it is a tenth less; nothing else gains in it
 *   queue depth                   what is outstanding waits for nothing: a tenth more, one at the
 *                                 least, is done; what waits already would wait longer
 * An open loop that got all that it asks for is limited by that, and none gains more than it asks.
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
    BOTTLENECK_UNKNOWN = BOTTLENECK_RESOURCES, /* nothing counted what was used */
};

enum { BOTTLENECK_WHERE_BYTES = 160, BOTTLENECK_ACCOUNT_BYTES = 400 };

struct bottleneck_use {
    int64_t used;    /* share of the time that it was busy; of lost time: the share lost */
    int64_t waiting; /* share of what is outstanding that waits there without being served; of
                        links: that is in the network */
    int64_t
        serving; /* share of what is outstanding that is served there; 0 where nobody counts it */
    int64_t covers; /* share of the traffic that goes by it, and by others of its kind as busy; of
                        pauses and recovery: of the pairs of hosts that they keep waiting */
    char where[BOTTLENECK_WHERE_BYTES]; /* a phrase: "leaf0:p3 to host4", "host0's cores" */
};

struct bottleneck_input {
    time_ps span;        /* the steady part */
    bool idle;           /* nothing was ever issued */
    bool uncounted;      /* of a measured run nobody knows what its links, CPUs and media did */
    bool satisfied;      /* open loops, and they got all that they ask for */
    bool slow_by_nature; /* the receiver: always; else while a fault lasts, which is time lost */
    bool few;            /* no more operations were asked for than may be outstanding */
    int64_t depth;       /* outstanding in each queue; 0: unknown */
    int64_t entries;     /* that a submission queue holds; 0: unknown */
    int64_t reads;       /* READs that a queue pair may have under way; 0: unknown */
    int64_t window;      /* packets that a queue pair may have unacknowledged; 0: unknown */
    int64_t weight;      /* in a run of several: its part of the bytes; 0: none of it */
    int64_t resent;      /* share of the packets */
    int64_t thinking;    /* share of the time that instances wait between I/Os as long as they are
                        asked to, with nothing outstanding */
    int64_t away;        /* share of the time that controllers were lost */
    int64_t asked;       /* by open loops, of what they got; 0: by closed ones */
    struct bottleneck_use uses[BOTTLENECK_RESOURCES]; /* the busiest of each kind */
};

struct bottleneck {
    enum bottleneck_resource resource;
    int64_t gain; /* estimated, parts per million */
    char text[BOTTLENECK_WHERE_BYTES + 480];
    char account[BOTTLENECK_ACCOUNT_BYTES]; /* which part of operations' time that is; empty: nobody
                                               accounted for time */
};

/* The part of a run on which the parameters act that relieve it. */
static inline enum opt_part bottleneck_part(enum bottleneck_resource resource)
{
    return (enum opt_part)(OPT_PART_LINK + (int)resource); /* one list, resources first */
}

/* "link"; "unknown" */
const char *bottleneck_word(enum bottleneck_resource resource);

/* A sentence that begins with the resource's word. */
void bottleneck_find(const struct bottleneck_input *input, struct bottleneck *found);

/* Of several workloads together: what they gain, each by its weight; the sentence is that of the
 * one that gains most of it. */
void bottleneck_of_all(const struct bottleneck_input *const *inputs, uint32_t count,
                       struct bottleneck *found);

#endif

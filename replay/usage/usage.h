/* SPDX-License-Identifier: Apache-2.0
 * usage - what a run used, and what its work waited for.
 * Looks at the world at a few equally spaced moments while there is work to do: counters are read,
 * and who waits for what is counted, which costs nothing between two moments (by Little's law, as
 * many as wait on average have waited their number times the time).  What is reported is of the
 * steady part: from a quarter of the time that was worked, or a little earlier, up to the end of
 * the work or the last completion.  What comes after that end, as a timeout in the drain, is not
 * in. Workloads may work at different times: usages.h.
 * Values are sums over time; the difference of two moments is reported.
 * Owner: usage_fini.  Clock: the caller plays the world up to usage->next and calls usage_take. */
#ifndef STORMGLASS_REPLAY_USAGE_USAGE_H
#define STORMGLASS_REPLAY_USAGE_USAGE_H

#include "scenarios/world/world.h"

enum { USAGE_MOMENTS = 64, USAGE_STATIONS = 48, USAGE_ALIKE = 8 };

/* Of every port of the fabric. */
enum usage_port { USAGE_PORT_BYTES, USAGE_PORT_BLOCKED, USAGE_PORT_VALUES };

/* Of every port of a host; a queue pair counts for one in each moment. */
enum usage_rnic {
    USAGE_QP_ACTIVE, /* something of it is posted or to be answered */
    USAGE_QP_HELD,   /* it could send, but congestion control does not let it */
    USAGE_QP_RNR,    /* waits because the receiver had no receive posted */
    USAGE_QP_WINDOW, /* all that a software RNIC may have unacknowledged is sent */
    USAGE_QP_READS,  /* its next request waits for READs under way */
    USAGE_QP_FENCED, /* its next request waits for all before it, behind a registration */
    USAGE_QP_RESENT, /* what it sends next was sent before */
    USAGE_QP_SILENT, /* nothing is left to send, and for long no ACK has come */
    USAGE_RNIC_SENT, /* packets */
    USAGE_RNIC_RESENT,
    USAGE_RNIC_DRAIN, /* ps in which its receive buffer was not empty */
    USAGE_RNIC_OVER,  /* times that the buffer was too full: pauses asked for, and frames dropped */
    USAGE_RNIC_CPU,   /* ps that the CPU of a software RNIC worked */
    /* of an RNIC with a pipeline: ps that its engines and PCIe worked, and queue pairs whose next
     * message waits for their own engine */
    USAGE_RNIC_MESSAGES,
    USAGE_RNIC_TX,
    USAGE_RNIC_RX,
    USAGE_RNIC_PCIE_DOWN,
    USAGE_RNIC_PCIE_UP,
    USAGE_QP_RESTS,
    USAGE_QP_GATHERS, /* queue pairs whose data for READs come one after the other */
    USAGE_CQ_WORKING, /* cores that an interrupt has woken */
    USAGE_CQ_ALL,     /* of so many */
    USAGE_RNIC_VALUES
};

/* Of every host that is a target: commands, at a moment. */
enum usage_target {
    USAGE_TARGET_ON_CORE,
    USAGE_TARGET_IN_MEDIA,
    USAGE_TARGET_FETCHES,
    USAGE_TARGET_UNBUFFERED,  /* commands that wait for data buffers */
    USAGE_TARGET_SHORT,       /* 1 while there are such */
    USAGE_TARGET_WITHOUT_WRS, /* commands that wait for data work requests */
    USAGE_TARGET_FEW_WRS,     /* 1 while there are such */
    USAGE_TARGET_LIMITED,     /* commands that wait for a limit of their namespace */
    USAGE_TARGET_BOUND,       /* 1 while there are such */
    USAGE_TARGET_STALLED,     /* 1 while it stands still or is dead */
    USAGE_TARGET_ASKED,       /* commands that hosts have outstanding there */
    USAGE_TARGET_STATION,     /* ps that each of its stations worked, summed over its servers */
    USAGE_TARGET_VALUES = USAGE_TARGET_STATION + USAGE_STATIONS
};

enum usage_workload {
    USAGE_WORK_OUT,       /* operations under way */
    USAGE_WORK_IDLE,      /* instances with none under way */
    USAGE_WORK_ALL,       /* instances */
    USAGE_WORK_LIMITED,   /* operations that wait for a limit of the workload */
    USAGE_WORK_BOUND,     /* instances that have such */
    USAGE_WORK_WAITS,     /* of them, for room in the submission queue */
    USAGE_WORK_ON_CPU,    /* ... for the host's CPU, or on it */
    USAGE_WORK_AWAY,      /* controllers that were lost and are not back */
    USAGE_WORK_INSTANCES, /* controllers */
    USAGE_WORK_CPU,       /* ps that their CPUs worked */
    USAGE_WORK_QUEUES,    /* of them, as many as there are */
    USAGE_WORK_VALUES
};

/* What a target is made of: each core, and of each namespace what its medium is made of.  Beyond
 * USAGE_ALIKE of a name they share their places in turn. */
struct usage_station {
    const char *name;
    uint32_t servers;
};

struct usage_moment {
    time_ps at;
    uint32_t looks;
    int64_t *values;
};

struct usage {
    const struct world *world;
    time_ps from, until;    /* there is work */
    time_ps interval, next; /* TIME_NEVER: no more */
    bool begun;             /* `from` was seen */
    struct usage_moment now, bases[2];
    uint32_t first_rnic, first_target, first_workload, value_count;
    uint32_t *rnic_of, *target_of;  /* by node: number among hosts' ports, and among targets */
    struct usage_station *stations; /* by target */
    uint32_t *first_port;           /* by node */
};

/* For how long pauses have held back a priority of a port, until now. */
time_ps usage_blocked_ps(const struct port *port, int priority, time_ps now);

/* Before the world plays. */
void usage_init(struct usage *usage, const struct world *world, time_ps from, time_ps until);
void usage_fini(struct usage *usage);

void usage_take(struct usage *usage);

/* The run is over at `now`; its last operation completed at `last`. */
void usage_end(struct usage *usage, time_ps now, time_ps last);

/* Of the steady part. */
time_ps usage_span(const struct usage *usage);
uint32_t usage_looks(const struct usage *usage);
int64_t usage_of_port(const struct usage *usage, uint32_t port, enum usage_port what);
int64_t usage_of_rnic(const struct usage *usage, uint32_t node, uint16_t port,
                      enum usage_rnic what);
/* Time in which its receive buffer was not empty, less what its own engines and PCIe took. */
time_ps usage_drained(const struct usage *usage, uint32_t node, uint16_t port);
int64_t usage_of_target(const struct usage *usage, uint32_t node, unsigned what);
int64_t usage_of_workload(const struct usage *usage, uint32_t workload, enum usage_workload what);

/* The stations of the target on a node, USAGE_STATIONS of them, the rest without servers; NULL: it
 * is none. */
const struct usage_station *usage_stations(const struct usage *usage, uint32_t node);

#endif

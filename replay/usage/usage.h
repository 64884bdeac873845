/* SPDX-License-Identifier: Apache-2.0
 * usage - what a run used, and what its work waited for.
 * Samples the world at a few equidistant times while there is work: it reads counters and counts
 * waiting items, which costs nothing between samples (by Little's law, the average number waiting
 * times the duration is the total waiting time). Results are for the steady part: from a quarter of
 * the working time, or slightly earlier, to the end of the work or the last completion. Later
 * events, such as a timeout while draining, are not included. Workloads may work at different
 * times: usages.h.
 * Values are sums over time; the difference of two samples is reported.
 * Owner: usage_fini. Clock: the caller simulates up to usage->next and calls usage_take. */
#ifndef STORMGLASS_REPLAY_USAGE_USAGE_H
#define STORMGLASS_REPLAY_USAGE_USAGE_H

#include "scenarios/world/world.h"
#include "tcp/tcp.h"

enum { USAGE_MOMENTS = 64, USAGE_STATIONS = 48, USAGE_ALIKE = 8 };

/* For every port of the fabric. */
enum usage_port { USAGE_PORT_BYTES, USAGE_PORT_BLOCKED, USAGE_PORT_VALUES };

/* For every port of a host; each queue pair counts once per sample. */
enum usage_rnic {
    USAGE_QP_ACTIVE, /* has posted work or responses to send */
    USAGE_QP_HELD,   /* could send, but is throttled by congestion control */
    USAGE_QP_RNR,    /* waits because the receiver had no receive posted */
    USAGE_QP_WINDOW, /* a software RNIC's limit of unacknowledged packets is reached */
    USAGE_QP_READS,  /* its next request waits for outstanding READs */
    USAGE_QP_FENCED, /* its next request waits for all earlier ones, after a registration */
    USAGE_QP_RESENT, /* its next packet is a retransmission */
    USAGE_QP_SILENT, /* nothing left to send, and no ACK for a long time */
    USAGE_RNIC_SENT, /* packets */
    USAGE_RNIC_RESENT,
    USAGE_RNIC_DRAIN, /* ps in which the receive buffer was not empty */
    USAGE_RNIC_OVER,  /* times that the buffer exceeded its limit: pauses sent and frames dropped */
    USAGE_RNIC_CPU,   /* ps in which the CPU of a software RNIC worked */
    /* RNICs with a pipeline: ps in which engines and PCIe worked, and queue pairs whose next
     * message waits for their own engine */
    USAGE_RNIC_MESSAGES,
    USAGE_RNIC_TX,
    USAGE_RNIC_RX,
    USAGE_RNIC_PCIE_DOWN,
    USAGE_RNIC_PCIE_UP,
    USAGE_QP_RESTS,
    USAGE_QP_GATHERS, /* queue pairs that gather READ data one after another */
    USAGE_CQ_WORKING, /* cores woken by an interrupt */
    USAGE_CQ_ALL,     /* total number of those cores */
    /* TCP: connections by what they wait for (tcp_look), each counted once per sample; segments;
     * cores that worked, and ps in which they did */
    USAGE_TCP_ACTIVE,
    USAGE_TCP_CORE,
    USAGE_TCP_WINDOW,
    USAGE_TCP_CONGESTION,
    USAGE_TCP_LOSS,
    USAGE_TCP_DELAYED,
    USAGE_TCP_BEHIND,
    USAGE_TCP_SENT,
    USAGE_TCP_RESENT,
    USAGE_TCP_CORES,
    USAGE_TCP_BUSY = USAGE_TCP_CORES + TCP_LOOK_CORES,
    USAGE_RNIC_VALUES = USAGE_TCP_BUSY + TCP_LOOK_CORES
};

/* For every host that is a target: commands at the time of a sample. */
enum usage_target {
    USAGE_TARGET_ON_CORE,
    USAGE_TARGET_IN_MEDIA,
    USAGE_TARGET_FETCHES,
    USAGE_TARGET_UNBUFFERED,  /* commands waiting for data buffers */
    USAGE_TARGET_SHORT,       /* 1 if there are any */
    USAGE_TARGET_WITHOUT_WRS, /* commands waiting for data work requests */
    USAGE_TARGET_FEW_WRS,     /* 1 if there are any */
    USAGE_TARGET_LIMITED,     /* commands waiting for a limit of their namespace */
    USAGE_TARGET_BOUND,       /* 1 if there are any */
    USAGE_TARGET_STALLED,     /* 1 while it is stalled or dead */
    USAGE_TARGET_ASKED,       /* commands that hosts have outstanding there */
    USAGE_TARGET_STATION,     /* ps that each of its stations worked, summed over its servers */
    USAGE_TARGET_VALUES = USAGE_TARGET_STATION + USAGE_STATIONS
};

enum usage_workload {
    USAGE_WORK_OUT,       /* outstanding operations */
    USAGE_WORK_IDLE,      /* instances without outstanding operations */
    USAGE_WORK_ALL,       /* instances */
    USAGE_WORK_LIMITED,   /* operations waiting for a limit of the workload */
    USAGE_WORK_BOUND,     /* instances with such operations */
    USAGE_WORK_WAITS,     /* outstanding operations waiting for a submission queue entry */
    USAGE_WORK_ON_CPU,    /* outstanding operations waiting for the host's CPU, or on it */
    USAGE_WORK_AWAY,      /* controllers that are lost and not reconnected */
    USAGE_WORK_INSTANCES, /* controllers */
    USAGE_WORK_CPU,       /* ps in which their CPUs worked */
    USAGE_WORK_QUEUES,    /* total number of those CPUs */
    USAGE_WORK_VALUES
};

/* The stations of a target: each core, and the parts of each namespace's medium. Beyond USAGE_ALIKE
 * stations of one name, they share entries in turn. */
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
    time_ps from, until;    /* period with work */
    time_ps interval, next; /* TIME_NEVER: no more */
    bool begun;             /* a sample at `from` was taken */
    struct usage_moment now, bases[2];
    uint32_t first_rnic, first_target, first_workload, value_count;
    uint32_t *rnic_of, *target_of;  /* by node: index among hosts' ports, and among targets */
    struct usage_station *stations; /* by target */
    uint32_t *first_port;           /* by node */
};

/* Total time up to `now` in which pauses held back a priority of a port. */
time_ps usage_blocked_ps(const struct port *port, int priority, time_ps now);

/* Call before the simulation starts. */
void usage_init(struct usage *usage, const struct world *world, time_ps from, time_ps until);
void usage_fini(struct usage *usage);

void usage_take(struct usage *usage);

/* The run is over at `now`; its last operation completed at `last`. */
void usage_end(struct usage *usage, time_ps now, time_ps last);

/* Of the steady part. */
time_ps usage_span(const struct usage *usage);
uint32_t usage_looks(const struct usage *usage);
int64_t usage_of_port(const struct usage *usage, uint32_t port, enum usage_port what);
int64_t usage_of_rnic(const struct usage *usage, uint32_t node, uint16_t port, unsigned what);
/* Time in which the receive buffer was not empty, less the time of the RNIC's own engines and
 * PCIe. */
time_ps usage_drained(const struct usage *usage, uint32_t node, uint16_t port);
int64_t usage_of_target(const struct usage *usage, uint32_t node, unsigned what);
int64_t usage_of_workload(const struct usage *usage, uint32_t workload, enum usage_workload what);

/* The stations of the target at a node: USAGE_STATIONS entries, unused ones without servers. NULL
 * if it is not a target. */
const struct usage_station *usage_stations(const struct usage *usage, uint32_t node);

#endif

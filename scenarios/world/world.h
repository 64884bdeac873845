/* SPDX-License-Identifier: Apache-2.0
 * world - a scenario as a running simulation.
 * Builds switches, hosts, links, targets and workloads from a loaded scenario and runs them.
 * Owner: the caller of world_build. Errors: parts of the scenario that the model does not support
 * are located messages. */
#ifndef STORMGLASS_SCENARIOS_WORLD_WORLD_H
#define STORMGLASS_SCENARIOS_WORLD_WORLD_H

#include "base/probe.h"
#include "engine/engine.h"
#include "net/deadlock/deadlock.h"
#include "net/frame/mail.h"
#include "net/frame/probe_journal.h"
#include "net/switch/switch.h"
#include "nvme/target/target.h"
#include "rnic/host/host.h"
#include "scenarios/data/scenario.h"
#include "scenarios/format/diag.h"
#include "scenarios/workload/workload.h"

struct world_faults;
struct world_play;

/* Data written by the nodes of one executor, apart from the nodes themselves. */
struct world_executor {
    alignas(128) struct frame_pool frames;
    struct probe_journal journal; /* events on their way to the observer */
    uint32_t mail_side;           /* side of the mailboxes to other executors */
    uint32_t spent; /* entries of `workloads:` in progress that have no busy instance on this
                     * executor */
};

/* Executor of each node. Hosts of one machine have the same executor. */
struct world_division {
    uint32_t executors;
    const uint32_t *executor_of; /* by index of the scenario's node */
};

struct world {
    struct engine engine;
    struct engine_window window;
    struct world_executor *executors; /* engine.executors entries */
    struct mail *mails;               /* by sender and receiver */
    struct probe_journal **journals;  /* of the executors */
    const struct scenario *scenario;
    struct swtch **switches; /* by scenario_node.index */
    uint32_t switch_count;
    struct host **hosts; /* by scenario_node.index */
    uint32_t host_count;
    struct machine **machines;    /* by host: its own or shared; NULL: no processor model */
    struct nvme_target **targets; /* by host; NULL: none */
    struct rdma_sink **sinks;     /* by endpoint; NULL: none */
    struct tcp_sink **tcp_sinks;  /* by endpoint; NULL: none */
    struct world_verbs *verbs;    /* by endpoint (world_verbs.c) */
    uint32_t *endpoint_of;        /* by host: endpoint of its first RNIC */
    struct rnic **rnics;          /* by endpoint */
    uint8_t *link_down;           /* by link of the scenario; 1: no carrier */
    struct workload_stats *stats; /* one per entry of `workloads:`, up to date at the end of
                                   * world_run */
    uint32_t workload_count;
    time_ps window_end; /* end of issuing for workloads */
    time_ps looks;      /* record data for world_history until this time; set before the run */
    struct deadlock_watch deadlocks;
    struct world_play *play;
    struct world_faults *faults;
};

/* NULL, with messages in diag, on failure. `probe` must outlive the world; events are reported to
 * it in order, one window of time at once. */
struct world *world_build(const struct scenario *scenario, const struct probe *probe,
                          struct diag *diag);
void world_free(struct world *world);

/* Builds a world for several executors. Only memory use depends on their number. */
struct world *world_build_divided(const struct scenario *scenario, const struct probe *probe,
                                  const struct world_division *division, struct diag *diag);

/* Runs until `until`; false when the run is over: every workload is idle, or the drain limit is
 * reached. After engine_pause it returns early, and the next call continues from there. */
bool world_run(struct world *world, time_ps until);

/* The run is over: states that still last, such as the loss of a controller, are counted up to now.
 * `end`: end of the measured part of the run. */
void world_close(struct world *world, time_ps end);

/* Pool of the frames in the node's events. */
const struct frame_pool *world_frames(const struct world *world, uint32_t node);

/* CHECKs every invariant of every node. */
void world_audit(const struct world *world);

/* Parts of the world by the scenario's index of their node. */
struct host *world_host(const struct world *world, uint32_t node);
struct swtch *world_switch(const struct world *world, uint32_t node);
struct port *world_port(const struct world *world, uint32_t node, uint16_t port);

/* Current route tables, by node. The caller frees the array; the tables belong to the world. */
struct route_table *world_routes(const struct world *world);

/* Workload instances that have begun and are not idle yet. */
uint32_t world_busy(const struct world *world);

/* Operations of a workload that were issued and are not complete, and what they wait for. */
uint64_t world_outstanding(const struct world *world, uint32_t workload);
/* Number of these that wait for a limit of the workload; `bound`: number of instances with such
 * operations. */
uint64_t world_limited(const struct world *world, uint32_t workload, uint32_t *bound);
/* Number of its instances with nothing outstanding. */
uint32_t world_idle(const struct world *world, uint32_t workload);
void world_describe(const struct world *world, uint32_t workload, char *text, size_t size);

/* Throughput and latency of a workload over time, for all instances together. Owner: the caller,
 * with wl_history_fini. */
void world_history(const struct world *world, uint32_t workload, struct wl_history *history);

/* Statistics of an instance, by pair and copy; NULL: it has not begun. */
const struct workload_member *world_member(const struct world *world, uint32_t workload,
                                           uint32_t instance);

/* Number of instances of a workload that have begun; bytes delivered by one of them in its measured
 * part; its NVMe host, NULL: none. */
uint32_t world_instances(const struct world *world, uint32_t workload);
struct workload_delivered world_delivered(const struct world *world, uint32_t workload,
                                          uint32_t instance);
/* Bytes that a workload has delivered so far, measured or not; for one with too many connections to
 * sample, bytes completed. */
struct workload_delivered world_arrived(const struct world *world, uint32_t workload);
const struct nvme_host *world_controller(const struct world *world, uint32_t workload,
                                         uint32_t instance, uint32_t path);

/* Core time until now of an instance without a controller. */
struct workload_cpu world_cpu(const struct world *world, uint32_t workload, uint32_t instance,
                              time_ps now);

/* Time that cores worked for the NVMe I/O of a workload until now: the software of hosts and
 * targets, and below it TCP or the completions of RNICs. Work for admin queues is not included, nor
 * the idle time of polling cores. */
struct world_cpu_use {
    time_ps host, target;
    bool known; /* false: no NVMe, or a software RNIC */
};
/* Of every workload. Call between events. */
void world_cpu_uses(const struct world *world, time_ps now, struct world_cpu_use *uses);

/* Name of a node, or of a port: "leaf0:p3" or "host2". */
const char *world_node_name(const struct world *world, uint32_t node);
void world_port_name(const struct world *world, uint32_t node, uint16_t port, char *text,
                     size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * world - a scenario made into a running model.
 * Builds switches, hosts, links, targets and workloads from a loaded scenario and plays them.
 * Owner: the caller of world_build.  Errors: what the scenario asks and the model cannot do is a
 * located message. */
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
#include "scenarios/format/diag.h"
#include "scenarios/load/scenario.h"
#include "scenarios/workload/workload.h"

struct world_faults;
struct world_play;

/* What the nodes of one executor write, beside themselves. */
struct world_executor {
    alignas(128) struct frame_pool frames;
    struct probe_journal journal; /* what they tell, on its way to the observer */
    uint32_t mail_side;           /* of the boxes for others */
    uint32_t spent; /* entries of workloads: under way that have no busy instance on it */
};

/* Who runs which node.  Hosts of a machine are on one executor. */
struct world_division {
    uint32_t executors;
    const uint32_t *executor_of; /* by index of the scenario's node */
};

struct world {
    struct engine engine;
    struct engine_window window;
    struct world_executor *executors; /* engine.executors of them */
    struct mail *mails;               /* by sender and receiver */
    struct probe_journal **journals;  /* of the executors */
    const struct scenario *scenario;
    struct swtch **switches; /* by scenario_node.index */
    uint32_t switch_count;
    struct host **hosts; /* by scenario_node.index */
    uint32_t host_count;
    struct machine **machines;    /* by host: its own or shared; NULL: its RNIC is hardware */
    struct nvme_target **targets; /* by host; NULL: none */
    struct rdma_sink **sinks;     /* by endpoint; NULL: none */
    uint32_t *endpoint_of;        /* by host: the endpoint of its first RNIC */
    struct rnic **rnics;          /* by endpoint */
    uint8_t *link_down;           /* by link of the scenario, 1: without carrier */
    struct workload_stats *stats; /* one per entry of workloads:, as of the end of world_run */
    uint32_t workload_count;
    time_ps window_end; /* workloads stop issuing here */
    time_ps looks;      /* keeps what world_history tells up to then; set before it plays */
    struct deadlock_watch deadlocks;
    struct world_play *play;
    struct world_faults *faults;
};

/* NULL and messages in diag on failure. `probe` outlives the world; what happens is reported to it
 * in the order of events, a window of time at once. */
struct world *world_build(const struct scenario *scenario, const struct probe *probe,
                          struct diag *diag);
void world_free(struct world *world);

/* Builds a world for several executors: nothing but the memory that is used depends on them. */
struct world *world_build_divided(const struct scenario *scenario, const struct probe *probe,
                                  const struct world_division *division, struct diag *diag);

/* Plays up to `until`; false when the run is over: every workload idle, or the drain limit
 * reached.  After engine_pause it returns early, and the next call goes on there. */
bool world_run(struct world *world, time_ps until);

/* Nothing more is played: what still holds, as the loss of a controller, counts up to now.  `end`:
 * of the measured part of the run. */
void world_close(struct world *world, time_ps end);

/* Where the frames are that are events of the node. */
const struct frame_pool *world_frames(const struct world *world, uint32_t node);

/* CHECKs every invariant of every node. */
void world_audit(const struct world *world);

/* The parts of the world by the scenario's index of their node. */
struct host *world_host(const struct world *world, uint32_t node);
struct swtch *world_switch(const struct world *world, uint32_t node);
struct port *world_port(const struct world *world, uint32_t node, uint16_t port);

/* The tables of the switches as they are, by node.  The array is the caller's (free), the tables
 * stay the world's. */
struct route_table *world_routes(const struct world *world);

/* Workload instances that have begun and are not idle yet. */
uint32_t world_busy(const struct world *world);

/* Operations of a workload that are issued and not complete, and what they wait for. */
uint64_t world_outstanding(const struct world *world, uint32_t workload);
/* Of those, what waits for a limit of the workload; `bound`: instances that have some. */
uint64_t world_limited(const struct world *world, uint32_t workload, uint32_t *bound);
/* Of its instances, those with nothing outstanding. */
uint32_t world_idle(const struct world *world, uint32_t workload);
void world_describe(const struct world *world, uint32_t workload, char *text, size_t size);

/* What a workload got over time, all its instances together.  The caller's: wl_history_fini. */
void world_history(const struct world *world, uint32_t workload, struct wl_history *history);

/* What an instance did, by pair and copy; NULL: it has not begun. */
const struct workload_member *world_member(const struct world *world, uint32_t workload,
                                           uint32_t instance);

/* Instances of a workload that have begun; what one has delivered in its measured part; its NVMe
 * host, NULL: it has none. */
uint32_t world_instances(const struct world *world, uint32_t workload);
struct workload_delivered world_delivered(const struct world *world, uint32_t workload,
                                          uint32_t instance);
/* What a workload has delivered so far, measured or not; of one with very many connections, which
 * cost too much to look at, what it has completed. */
struct workload_delivered world_arrived(const struct world *world, uint32_t workload);
const struct nvme_host *world_controller(const struct world *world, uint32_t workload,
                                         uint32_t instance, uint32_t path);

/* Of an instance without a controller, by now. */
struct workload_cpu world_cpu(const struct world *world, uint32_t workload, uint32_t instance,
                              time_ps now);

/* Name of a node or, with a port, "leaf0:p3" or "host2". */
const char *world_node_name(const struct world *world, uint32_t node);
void world_port_name(const struct world *world, uint32_t node, uint16_t port, char *text,
                     size_t size);

#endif

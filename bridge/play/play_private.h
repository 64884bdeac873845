/* SPDX-License-Identifier: Apache-2.0
 * play_private - interfaces between the files of play.
 *   play.c         devices, targets, sinks, time
 *   play_target.c  targets and their namespaces
 *   play_places.c  places, and the part that runs here
 *   play_survey.c  unsupported features of real devices
 *   play_faults.c  faults of targets' software
 *   play_access.c  which addresses may connect
 *   play_agree.c   agreement of hosts and targets
 *   play_hosts.c   workloads
 *   play_ways.c    NICs of the workloads
 *   play_record.c  the result and its database */
#ifndef STORMGLASS_BRIDGE_PLAY_PLAY_PRIVATE_H
#define STORMGLASS_BRIDGE_PLAY_PLAY_PRIVATE_H

#include "bridge/agree/agree.h"
#include "bridge/play/play.h"
#include "replay/record/observe.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/fault/fault.h"
#include "scenarios/workload/workload.h"
#include "scenarios/world/job_order.h"

struct play_instance {
    struct play *play;
    const struct workload_ops *ops;
    struct workload *workload;
    struct nvme_carrier_host nvme;
    struct env env;
    uint32_t entry, pair;
    bool idle;
};

/* An entry of `workloads:`; counts only the instances that run here. */
struct play_entry {
    struct play_instance *instances;
    uint32_t count, busy;
};

/* An open device at an address; a host and a target may share it. */
struct play_device {
    uint32_t ip;
    struct verbs_device *device;
};

/* A host that workloads go to; of those in other processes only the address is known. */
struct play_target {
    struct play *play;
    struct env env;
    struct nvme_target_namespace *namespaces; /* until the target takes them over */
    uint32_t namespace_count;
    struct nvme_target *nvme;          /* NULL: no namespace */
    struct rdma_sink *sinks[NICS_MAX]; /* by NIC; NULL: no raw RDMA workload */
    struct agree_target *listens;      /* for agreement, if the target runs here */
    struct agree_host *asked;          /* for agreement, if the target is elsewhere and the host
                                        * runs here */
    struct places_nics nics;
    uint32_t node;
    bool here;
};

struct play {
    struct play_options options;
    const struct scenario *scenario;
    struct loop *loop;
    struct explain_fabric fabric;
    struct observe observe;
    struct probe probe;           /* of the observer, according to the role */
    struct workload_stats *stats; /* by workload */
    struct record *record;
    struct result result;
    struct play_device *devices; /* those of the host first */
    uint32_t device_count;
    struct play_target *targets;
    struct play_entry *entries;
    struct job_state *jobs; /* by entry */
    uint32_t target_count, serial;
    struct nvme_store **stores; /* of all namespaces; the targets own them */
    uint32_t store_count;
    struct agree_plan plan;
    struct agree_state agreed; /* of the local targets */
    struct env agree_env, fault_env;
    struct play_edge *edges; /* beginnings and ends of faults */
    struct fault_order fault_order;
    uint32_t edge_count;
    time_ps zero; /* the scenario's moment 0, on the loop's clock */
    uint32_t refusals_said;
    bool raw;       /* a workload uses sinks */
    bool attention; /* an entry may have finished */
    bool cut_short, gone, refused;
    double wall_s, cpu_s;
    char error[STORE_ERROR_BYTES];
};

/* play.c */
struct env play_env(struct play *play, const char *owner);
/* True after a signal or the removal of a device. */
bool play_stopped(const struct play *play);
/* Sums over all devices; each device counts once. */
struct verbs_real_counters play_counters(const struct play *play);
/* NULL: not open, or not local. */
struct verbs_device *play_device_at(const struct play *play, uint32_t ip);

/* play_places.c */
void play_places_find(struct play *play, struct diag *diag);
bool play_here(const struct play *play, uint32_t node); /* the node runs in this process */
struct play_target *play_target_of(const struct play *play, uint32_t node);

/* play_survey.c */
void play_survey(const struct play *play, struct diag *diag);
/* Settings requested by the scenario that the open devices do not have. */
void play_survey_devices(const struct play *play, struct diag *diag);
/* Describes the scenario's faults; empty: none. */
void play_survey_faults(const struct play *play, char *text, size_t size);

/* play_faults.c */
/* True if the process that runs the target can apply the fault; false if it affects a component
 * outside the bridge, or something that a store keeps. */
bool play_faults_can(const struct play *play, const struct scenario_fault *fault);
void play_faults_init(struct play *play);
void play_faults_set(struct play *play); /* called when moment 0 becomes known or changes */
void play_faults_fini(struct play *play);

/* play_access.c */
void play_access_prepare(struct play *play); /* places must be known */
bool play_access_admits(void *self, uint16_t port, uint32_t ip);
void play_access_say(void *self, const char *text); /* prints only the first messages */

/* play_agree.c */
bool play_agree_listen(struct play *play);
/* Hosts contact every target; false: the run is impossible, see play->error and play->refused. */
bool play_agree_ask(struct play *play);
void play_agree_fini(struct play *play);
/* Description of the agreement, and the longest round trip; -1: not measured. */
void play_agree_words(const struct play *play, char *text, size_t size);
time_ps play_agree_round_trip(const struct play *play);

/* play_target.c */
/* Creates the namespaces of the local targets and their stores; failures are reported in diag. */
void play_target_prepare(struct play *play, struct diag *diag);
void play_target_keep(struct play *play);          /* keeps the created files */
bool play_target_make(struct play_target *target); /* starts listening; false: errno */
void play_target_drop(struct play_target *target);

/* play_guard.c */
/* The target's sinks accept only connections that workloads of the scenario open. */
void play_guard_sinks(struct play_target *target);

/* play_ways.c */
/* Sets the site's devices and addresses; NICs without an address use the others in turn. */
void play_ways_give(const struct play *play, struct workload_site *site);
/* Number of paths of one of its pairs that real devices have. */
uint32_t play_ways_paths(const struct play *play, uint32_t workload, uint32_t pair);

/* play_hosts.c */
void play_hosts_init(struct play *play);
void play_hosts_fini(struct play *play);
/* Processes finished entries, which may end and begin others; true: all have finished. */
bool play_hosts_attend(struct play *play);

/* play_record.c */
bool play_record_open(struct play *play);
void play_record_finish(struct play *play);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * live_private - interfaces between the files of live_run.
 *   live_run.c     targets, sinks, time
 *   live_devices.c devices: RDMA, or TCP
 *   live_capture.c the bytes of TCP connections as a capture
 *   live_target.c  targets and their namespaces
 *   live_targets.c the targets, and the part that runs here
 *   live_survey.c  unsupported features of real devices
 *   live_faults.c  faults of targets' software
 *   live_access.c  which addresses may connect
 *   live_agree.c   agreement of hosts and targets
 *   live_hosts.c   workloads
 *   live_nics.c    NICs of the workloads
 *   live_record.c  the result and its database */
#ifndef STORMGLASS_BRIDGE_RUN_LIVE_PRIVATE_H
#define STORMGLASS_BRIDGE_RUN_LIVE_PRIVATE_H

#include "bridge/agree/agree.h"
#include "bridge/run/live_run.h"
#include "bridge/streams/verbs_tcp.h"
#include "nvme/tcp/tcp.h"
#include "replay/record/observe.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/data/fault.h"
#include "scenarios/workload/workload.h"
#include "scenarios/world/job_order.h"

struct live_instance {
    struct live_run *run;
    const struct workload_ops *ops;
    struct workload *workload;
    struct nvme_carrier_host nvme;
    struct env env;
    uint32_t entry, pair;
    bool idle;
};

/* An entry of `workloads:`; counts only the instances that run here. */
struct live_entry {
    struct live_instance *instances;
    uint32_t count, busy;
};

/* An open device at an address; a host and a target may share it. */
struct live_device {
    uint32_t ip;
    struct verbs_device *device;
};

/* Hosts, counted by what a device reports of them: more than one each. */
struct live_counts {
    uint64_t had; /* so far */
    uint64_t has; /* now */
    uint64_t unsound;
};

/* A host that workloads go to; of those in other processes only the address is known. */
struct live_target {
    struct live_run *run;
    struct env env;
    struct nvme_target_namespace *namespaces; /* until the target takes them over */
    uint32_t namespace_count;
    struct nvme_target *nvme;          /* NULL: no namespace */
    struct rdma_sink *sinks[NICS_MAX]; /* by NIC; NULL: no raw RDMA workload */
    struct agree_target *listens;      /* for agreement, if the target runs here */
    struct agree_host *asked;          /* for agreement, if the target is elsewhere and the host
                                        * runs here */
    struct nic_addresses nics;
    uint32_t node;
    bool here;
};

struct live_run {
    struct live_options options;
    const struct scenario *scenario;
    const struct verbs_ops *verbs; /* of the devices */
    struct nvme_tcp_guard guard;   /* of the targets' TCP ports */
    struct loop *loop;
    struct explain_fabric fabric;
    struct observe observe;
    struct probe probe;           /* of the observer, according to the role */
    struct workload_stats *stats; /* by workload */
    struct record *record;
    struct result result;
    struct live_device *devices; /* those of the host first */
    uint32_t device_count;
    struct live_target *targets;
    struct live_entry *entries;
    struct job_state *jobs; /* by entry */
    uint32_t target_count, serial;
    struct nvme_store **stores; /* of all namespaces; the targets own them */
    uint32_t store_count;
    struct agree_plan plan;
    struct agree_state agreed; /* of the local targets */
    struct env agree_env, fault_env;
    struct live_edge *edges; /* beginnings and ends of faults */
    struct fault_order fault_order;
    uint32_t edge_count;
    time_ps zero; /* the scenario's moment 0, on the loop's clock */
    uint32_t refusals_said;
    bool by_tcp;    /* all workloads use TCP; otherwise RDMA */
    bool raw;       /* a workload uses sinks */
    bool attention; /* an entry may have finished */
    bool cut_short, gone, refused;
    double wall_s, cpu_s;
    char error[STORE_ERROR_BYTES];
};

/* live_run.c */
struct env live_env(struct live_run *run, const char *owner);
/* True after a signal or the removal of a device. */
bool live_stopped(const struct live_run *run);

/* live_devices.c */
/* Opens the devices of the hosts and targets that run here. All hosts are one device, with the
 * requested settings of the first host. False: with the reason. */
bool live_devices_open(struct live_run *run, char why[LIVE_WHY_BYTES]);
void live_devices_close(struct live_run *run);
/* NULL: not open, or not local. */
struct verbs_device *live_device_at(const struct live_run *run, uint32_t ip);
struct stream_device *live_stream_at(const struct live_run *run, uint32_t ip);
/* Sums over all devices and targets. */
struct live_counts live_counts(const struct live_run *run);
/* Writes what identifies the device, and all counters, to the table `measured`. */
void live_devices_describe(const struct live_run *run,
                           void (*text)(struct store *, const char *name, const char *value),
                           void (*number)(struct store *, const char *name, uint64_t value),
                           struct store *store);

/* live_capture.c */
void live_capture_begin(const struct live_run *run);
void live_capture_take(void *self, const struct stream_real_seen *seen);

/* live_targets.c */
void live_targets_find(struct live_run *run, struct diag *diag);
bool live_here(const struct live_run *run, uint32_t node); /* the node runs in this process */
struct live_target *live_target_of(const struct live_run *run, uint32_t node);

/* live_survey.c */
void live_survey(const struct live_run *run, struct diag *diag);
/* Settings requested by the scenario that the open devices do not have. */
void live_survey_devices(const struct live_run *run, struct diag *diag);
/* Describes the scenario's faults; empty: none. */
void live_survey_faults(const struct live_run *run, char *text, size_t size);

/* live_faults.c */
/* True if the process that runs the target can apply the fault; false if it affects a component
 * outside the bridge, or something that a store keeps. */
bool live_faults_can(const struct live_run *run, const struct scenario_fault *fault);
void live_faults_init(struct live_run *run);
void live_faults_set(struct live_run *run); /* called when moment 0 becomes known or changes */
void live_faults_fini(struct live_run *run);

/* live_access.c */
void live_access_prepare(struct live_run *run); /* places must be known */
bool live_access_admits(void *self, uint16_t port, uint32_t ip);
void live_access_report(void *self, const char *text); /* prints only the first messages */
/* Guards the targets' TCP ports. */
void live_access_guard(struct live_run *run);

/* live_agree.c */
bool live_agree_listen(struct live_run *run);
/* Hosts contact every target; false: the run is impossible, see run->error and run->refused. */
bool live_agree_ask(struct live_run *run);
void live_agree_fini(struct live_run *run);
/* Description of the agreement, and the longest round trip; -1: not measured. */
void live_agree_describe(const struct live_run *run, char *text, size_t size);
time_ps live_agree_round_trip(const struct live_run *run);

/* live_target.c */
/* Creates the namespaces of the local targets and their stores; failures are reported in diag. */
void live_target_prepare(struct live_run *run, struct diag *diag);
void live_target_keep(struct live_run *run);       /* keeps the created files */
bool live_target_make(struct live_target *target); /* starts listening; false: errno */
void live_target_free(struct live_target *target);

/* live_guard.c */
/* The target's sinks accept only connections that workloads of the scenario open. */
void live_guard_sinks(struct live_target *target);

/* live_ways.c */
/* Sets the site's devices and addresses; NICs without an address use the others in turn. */
void live_nics_give(const struct live_run *run, struct workload_site *site);
/* Number of paths of one of its pairs that real devices have. */
uint32_t live_nics_paths(const struct live_run *run, uint32_t workload, uint32_t pair);

/* live_hosts.c */
void live_hosts_init(struct live_run *run);
void live_hosts_fini(struct live_run *run);
/* Processes finished entries, which may end and begin others; true: all have finished. */
bool live_hosts_attend(struct live_run *run);

/* live_record.c */
bool live_record_open(struct live_run *run);
void live_record_finish(struct live_run *run);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * workload - traffic of a scenario's hosts.
 * One file per kind, one line in workload.def. A workload instance is one (from, to) pair of one
 * entry of `workloads:`. Instances of an entry share its statistics, which are sums, minima and
 * maxima, so they do not depend on the order in which instances report. Portable: an instance uses
 * only env, the verbs table and the NVMe host, so the bridge runs it unchanged.
 * A workload issues from `start` until `stop` or `count`, then lets operations in flight finish. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WORKLOAD_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WORKLOAD_H

#include "base/env.h"
#include "base/hist.h"
#include "base/opt.h"
#include "rnic/verbs.h"
#include "scenarios/format/tree.h"
#include "scenarios/workload/wl_history.h"

#include <stdbool.h>

enum { WORKLOAD_NAME_BYTES = 48 };

/* Every latency counted by the histogram, for users that need exact values; those beyond `room` are
 * dropped. */
struct workload_latencies {
    time_ps *list;
    uint64_t count, room;
};

/* Statistics of one entry of `workloads:`, summed over its instances. */
struct workload_stats {
    char name[WORKLOAD_NAME_BYTES];
    uint64_t issued, completed, failed;
    uint64_t bytes;                     /* payload of all completed operations */
    uint64_t completed_window;          /* completed in the measurement window: basis of IOPS */
    uint64_t bytes_read, bytes_written; /* of all completed operations */
    uint64_t corrupt;                   /* reads that returned other content than was written */
    uint64_t missed; /* open loop: due before stop, but queue-depth operations were in flight */
    /* Sums over its NVMe controllers; the same as in struct nvme_host_stats. */
    uint64_t losses, attempts, reconnects, given_up, requeued, retried;
    uint64_t admin, admin_failed; /* admin commands: completed, and failed */
    time_ps without_service;      /* longest time of a controller without service */
    /* Longest time from an issue or a completion of an instance to its next completion. */
    time_ps gap;
    /* NVMe over several paths: commands moved to another path; longest time from the loss of a path
     * to the next completion; longest time with fewer paths than at the start. */
    uint64_t failovers;
    time_ps recovery, degraded;
    time_ps first_issue, last_completion;
    /* Measurement window of rates: from the start of the measurement to stop, or to the last
     * completion if every instance finished its work before stop and nothing failed. window_to is 0
     * until an instance has issued its last operation. */
    time_ps window_from, window_to;
    uint32_t begun;                  /* number of connected instances */
    struct hist latency;             /* ps */
    struct workload_latencies *each; /* NULL: only the histogram; owned by the reader */
    struct wl_history *history;      /* NULL: not kept; owned by the reader */
};

/* A message whose size was drawn. */
struct workload_flow {
    int64_t bytes;
    time_ps time; /* from the time when it was due or issued to its completion */
};

struct workload_member {
    bool connected;       /* could issue from `ready` on */
    bool given_up;        /* its controller, or all its queue pairs, failed permanently */
    uint32_t pairs_lost;  /* queue pairs that failed permanently while it issued */
    time_ps began, ready; /* it began to connect; it was connected, or all attempts had ended */
    uint64_t issued, completed, failed, bytes;
    uint32_t paths_used; /* mask of the paths by which operations came back, if there are several */
    time_ps first_issue, last_completion;
    time_ps latency_sum, latency_max;  /* of all completed operations */
    const struct workload_flow *flows; /* completed messages, if sizes are drawn; owned by the
                                        * instance */
    uint64_t flow_count;
};

/* Payload that an instance delivers in its measured part, counted where it arrives: for reads at
 * `from`, for writes and SENDs at `to`. wl_goodput.h defines the rule. */
struct workload_delivered {
    uint64_t read, written;
};

struct nvme_carrier_host;
struct stream_device;
struct stream_ops;

/* NQNs; NULL: default of nvme_host_site. In addition, the store for each NSID of the subsystem,
 * independent of the path: the target's node, and the index of its namespace. */
struct workload_names {
    const char *subsystem, *host;
    uint32_t target, namespace_count;
    const uint32_t *namespaces; /* by NSID from 1; NULL: in order */
};

/* Total time that an instance's cores have been busy. */
struct workload_cpu {
    time_ps busy;
    uint32_t cores;
};

/* Everything an instance is created from. */
struct workload_site {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device; /* device of its first queue pair */
    uint32_t target_ip;
    uint32_t paths; /* for NVMe; 0: a controller without multipath */
    /* Returns the device of a queue pair, numbered from 0, and its destination address; NULL: the
     * same for all. */
    struct verbs_device *(*way)(const struct workload_site *site, uint32_t queue,
                                uint32_t *target_ip);
    const void *way_self;
    /* For several paths: returns the device of each path, its destination address and the number of
     * its NIC. */
    struct verbs_device *(*path)(const struct workload_site *site, uint32_t path,
                                 uint32_t *target_ip, uint32_t *nic);
    /* For kinds with needs_tcp: the stream operations, and the device of a connection, numbered
     * from 0, with its destination address. */
    const struct stream_ops *streams;
    struct stream_device *(*stream_way)(const struct workload_site *site, uint32_t conn,
                                        uint32_t *target_ip);
    /* For NVMe over TCP: the streams of the NIC with that device. */
    struct stream_device *(*stream_at)(const struct workload_site *site,
                                       const struct verbs_device *device);
    /* For NVMe over Fibre Channel: the N_Port of the NIC with that device. */
    struct fc *(*fc_at)(const struct workload_site *site, const struct verbs_device *device);
    uint8_t transport;           /* of NVMe: index in nvme_carriers */
    struct verbs_class class;    /* class of its connections */
    struct workload_names names; /* for NVMe */
    uint32_t workload;           /* index of the entry */
    uint32_t instance;           /* index of the pair within the entry, from 0 */
    uint32_t copy;               /* index of the copy for a fio job with numjobs, from 0;
                                  * otherwise 0 */
    uint32_t member;             /* index by pair and copy, from 0 */
    uint32_t serial;             /* number among all instances of the run, from 1; 0: reads are not
                         * compared */
    bool emptied;                /* some workload of the run zeroes or deallocates blocks */
    const void *params;          /* parameters of the kind */
    const struct nvme_carrier_host *nvme; /* for kinds that need it */
    time_ps start, stop;                  /* absolute times */
    time_ps late;                         /* delay of the member after start */
    time_ps nudge;                        /* delay of its first operation, whenever that is due */
    struct workload_stats *stats;
    void (*on_idle)(void *self); /* nothing is in flight and nothing more will be issued; called
                                  * once */
    void *on_idle_self;
};

/* Earliest time at which the member may issue. */
static inline time_ps workload_opens(const struct workload_site *site)
{
    return time_earlier(site->start + site->late, site->stop);
}

/* Time at which the member, connected at `ready`, begins to issue. */
static inline time_ps workload_begin(const struct workload_site *site, time_ps ready)
{
    return time_later(ready, workload_opens(site)) + site->nudge;
}

/* The file named in an entry, for kinds that have one. */
struct workload_file {
    struct arena *arena; /* arena of the scenario */
    const struct tree_file *file;
    struct diag *diag;
    const char *workload; /* name of the workload */
    uint32_t instances;   /* number of instances that will use it */
    int64_t room;         /* bytes of the largest namespace of its targets; 0: no namespaces */
    time_ps start, stop;
};

/* Key `admin` of an entry. */
struct workload_admin {
    struct arena *arena; /* arena of the scenario */
    const struct tree_node *written;
    struct diag *diag;
    time_ps lasts; /* time from its start to its stop */
};

/* A namespace that an instance will use, and why its I/Os do not fit. */
struct workload_space {
    uint32_t copy; /* copy of a fio job */
    int64_t block_bytes, bytes;
    const char *row; /* set with `why`: the parameter at fault; NULL: several */
    char why[160];
};

struct nvme_host;
struct workload; /* an instance; each kind embeds this struct */

/* Directions in which data flow between `from` and `to`. */
enum workload_data { WORKLOAD_DATA_BOTH_WAYS, WORKLOAD_DATA_OUT, WORKLOAD_DATA_BACK };

enum { WORKLOAD_REQUEST_BYTES = 16 }; /* private data of a connection request to a sink */

struct workload_ops {
    const char *name;  /* value of `kind:` */
    const char *also;  /* another value of `kind:` that means the same, or NULL */
    const char *about; /* one sentence */
    const struct opt *opts;
    size_t params_bytes;
    /* Service at the other end: NVMe target on port 4420, or a raw RDMA responder on
     * WORKLOAD_RDMA_PORT. */
    bool needs_nvme_target;
    bool needs_tcp; /* sends to a tcp_sink at the other end, by TCP and not by RDMA */
    /* NULL: the kind has no file. Otherwise an entry has the key `file`; this function reads the
     * file and sets the members of params that are not parameters. The parameters have already been
     * set. False, with messages, if the file is invalid. */
    bool (*read_file)(void *params, const struct workload_file *file);
    /* A key of an entry that may name another file, which read_more reads into params. NULL:
     * none. */
    const char *more_file;
    bool (*read_more)(void *params, const struct workload_file *file);
    /* Reads the admin commands of the entry's key `admin` into params. NULL: the kind has no admin
     * commands. */
    bool (*read_admin)(void *params, const struct workload_admin *admin);
    enum workload_data data;
    /* Sets the request of each connection of an instance to an rdma_sink, and returns the number of
     * connections per instance. NULL: the kind does not connect to an rdma_sink. */
    uint32_t (*request)(const void *params, uint8_t bytes[WORKLOAD_REQUEST_BYTES]);
    /* NSID that the instance uses, from 1; 0: instances take turns. NULL: the kind uses no
     * namespace. */
    uint32_t (*name_space)(const void *params);
    /* False, with the reason, if the I/Os do not fit the blocks or the size of the namespace. */
    bool (*fits)(const void *params, struct workload_space *space);
    /* True if some commands leave blocks without content. NULL: never. */
    bool (*empties)(const void *params);
    struct workload *(*create)(const struct workload_site *site);
    /* Starts connecting, so that the instance can issue at site->start. */
    void (*start)(struct workload *workload);
    /* Issues nothing more from now on; on_idle is still called. */
    void (*stop)(struct workload *workload);
    /* Called between events: records what has been delivered until now if the measured part begins
     * or ends now. Returns the time of the next call; TIME_NEVER: none. Optional if both ends of a
     * connection are not visible. */
    time_ps (*measure)(struct workload *workload, time_ps now);
    /* Called between events: bytes delivered so far in the measured part; and in total. */
    struct workload_delivered (*delivered)(const struct workload *workload);
    struct workload_delivered (*arrived)(const struct workload *workload);
    uint64_t (*outstanding)(const struct workload *workload);
    /* Number of outstanding operations that wait for a limit of the workload. NULL: no limits. */
    uint64_t (*limited)(const struct workload *workload);
    /* What the instance is waiting for, for the summary: "12 reads to host0, oldest since 3 ms". */
    void (*describe)(const struct workload *workload, char *text, size_t size);
    /* NVMe host of its controller, or of that path, for observers; NULL, or returns NULL: none. */
    const struct nvme_host *(*controller)(const struct workload *workload, uint32_t path);
    /* Core time of the instance. NULL: it uses none; for NVMe, the controller reports it. */
    struct workload_cpu (*cpu)(const struct workload *workload, time_ps now);
    /* The run is over: states that still last are counted up to now. `end`: end of the measured
     * part. NULL: it keeps no states. */
    void (*close)(struct workload *workload, time_ps now, time_ps end);
    /* Statistics of the instance so far. */
    const struct workload_member *(*member)(const struct workload *workload);
    void (*destroy)(struct workload *workload);
};

enum { WORKLOAD_RDMA_PORT = 18515 }; /* default port of rdma-core's examples and perftest */

/* The passive end of the rdma-* kinds: accepts connections, keeps receives posted, provides a
 * buffer. */
struct rdma_sink;

/* Connections that a sink accepts. `room` returns the maximum number of connections from `ip` with
 * this request (WORKLOAD_REQUEST_BYTES); 0 rejects the request. */
struct rdma_sink_guard {
    uint32_t (*room)(void *self, uint32_t ip, const uint8_t *request);
    void *self;
};
struct rdma_sink *rdma_sink_create(const struct env *env, const struct verbs_ops *verbs,
                                   struct verbs_device *device);
void rdma_sink_set_guard(struct rdma_sink *sink,
                         const struct rdma_sink_guard *guard); /* NULL: accepts all */
void rdma_sink_destroy(struct rdma_sink *sink);

/* The passive end of the kind tcp-stream: answers messages. */
struct tcp_sink;
struct tcp_sink *tcp_sink_create(const struct env *env, const struct stream_ops *streams,
                                 struct stream_device *device);
void tcp_sink_destroy(struct tcp_sink *sink);

/* Initializes the statistics of the entry with that name. */
void workload_name(struct workload_stats *stats, const char *name);

/* Resets the statistics; name and each are kept. */
void workload_reset(struct workload_stats *stats);

/* Adds the statistics of instances of the same entry that were collected separately. */
void workload_fold(struct workload_stats *into, const struct workload_stats *from);

/* Reports that an instance measures from then on. */
void workload_begins(struct workload_stats *stats, time_ps from);

/* Reports that an instance has issued its last operation, and when its measurement ends. */
void workload_ends(struct workload_stats *stats, time_ps to);

/* Reports that an instance is done. Its measurement ends with its last completion if nothing
 * failed; otherwise at stop, because the time without completions must lower its rates. */
void workload_done(struct workload_stats *stats, bool failed, time_ps last_completion,
                   time_ps stop);

void workload_issued(struct workload_stats *stats, time_ps at);

/* Record that an instance has issued or completed an operation. */
void workload_member_issued(struct workload_member *member, time_ps at);
void workload_member_completed(struct workload_member *member, time_ps issued_at, time_ps now,
                               uint64_t bytes);

/* A connection that could not be established counts as one operation issued and failed, so that
 * issued always equals completed + failed + in flight. The time until stop counts. */
void workload_barred(struct workload_stats *stats, time_ps at, time_ps stop);

/* Counts a successful completion: for IOPS if it is after `from`, the end of the warm-up, and no
 * later than `stop`; its latency if it was issued after `from`. */
struct workload_completion {
    time_ps issued_at, now, from, stop;
    uint64_t bytes;
    uint32_t member; /* member of the site */
    bool read;
};
void workload_completed(struct workload_stats *stats, const struct workload_completion *done);

extern const struct workload_ops *const workload_kinds[]; /* terminated by NULL; generated from
                                                           * workload.def */
const struct workload_ops *workload_find(const char *name);

#endif

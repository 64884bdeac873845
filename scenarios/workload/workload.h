/* SPDX-License-Identifier: Apache-2.0
 * workload - what a scenario's hosts do.
 * One file per kind, one line in workload.def.  A workload instance is one (from, to) pair of one
 * entry of `workloads:`; instances of an entry share its statistics, which are sums, least and
 * greatest values: the same in whatever order the instances tell of what they did.  Portable: it
 * reaches the world only through env, the verbs table and the NVMe host, so that the bridge plays
 * it unchanged.
 * A workload issues from `start` until `stop` or `count`, then lets what is under way finish. */
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

/* Every latency that the histogram counts, for whoever needs it exactly; those beyond `room` are
 * left out. */
struct workload_latencies {
    time_ps *list;
    uint64_t count, room;
};

/* Of one entry of `workloads:`, summed over its instances. */
struct workload_stats {
    char name[WORKLOAD_NAME_BYTES];
    uint64_t issued, completed, failed;
    uint64_t bytes;                     /* payload of all completed operations */
    uint64_t completed_window;          /* completed in the window: what IOPS counts */
    uint64_t bytes_read, bytes_written; /* of all completed operations */
    uint64_t corrupt;                   /* reads that returned another content than was written */
    uint64_t missed; /* open loop: due before stop, but all of queue-depth was under way */
    /* Of its NVMe controllers; struct nvme_host_stats has the same. */
    uint64_t losses, attempts, reconnects, given_up, requeued, retried;
    uint64_t admin, admin_failed; /* admin commands that it asked for: completed, and failed */
    time_ps without_service;      /* of the controller that was lost longest */
    /* The longest from an issue or a completion of an instance to its next completion. */
    time_ps gap;
    /* Of NVMe over several paths: commands that another path was to carry out; the longest from the
     * loss of a path to the next completion; the longest with fewer paths than at the start. */
    uint64_t failovers;
    time_ps recovery, degraded;
    time_ps first_issue, last_completion;
    /* What rates count: from the start of the measurement to stop, or to the last completion when
     * every instance had done before what it was asked for, and nothing failed.  window_to is 0
     * until an instance has issued its last. */
    time_ps window_from, window_to;
    uint32_t begun;                  /* instances that are connected */
    struct hist latency;             /* ps */
    struct workload_latencies *each; /* NULL: only the histogram; the reader's own */
    struct wl_history *history;      /* NULL: not kept; likewise */
};

/* What one instance did. */
/* A message whose size was drawn. */
struct workload_flow {
    int64_t bytes;
    time_ps time; /* from when it was due or issued to its completion */
};

struct workload_member {
    bool connected;       /* it could issue from `ready` on */
    bool given_up;        /* for good: its controller, or all its queue pairs, failed */
    uint32_t pairs_lost;  /* queue pairs that failed for good while it issued */
    time_ps began, ready; /* it began to connect; it was connected, or had tried all */
    uint64_t issued, completed, failed, bytes;
    uint32_t paths_used; /* of several: a bit for each that an operation came back by */
    time_ps first_issue, last_completion;
    time_ps latency_sum, latency_max;  /* of all completed operations */
    const struct workload_flow *flows; /* where sizes are drawn: completed messages; its own */
    uint64_t flow_count;
};

/* Payload that an instance delivers in its measured part, counted where it arrives: of reads at
 * `from`, of writes and SENDs at `to`.  wl_goodput.h has the rule. */
struct workload_delivered {
    uint64_t read, written;
};

struct nvme_carrier_host;

/* NQNs; NULL: as nvme_host_site has it then.  And which store an NSID of the subsystem stands for,
 * whatever the path: the target's node, and which of its namespaces. */
struct workload_names {
    const char *subsystem, *host;
    uint32_t target, namespace_count;
    const uint32_t *namespaces; /* by NSID from 1; none: in their order */
};

/* What an instance's cores have worked by a moment, in all. */
struct workload_cpu {
    time_ps busy;
    uint32_t cores;
};

/* Everything an instance is made from. */
struct workload_site {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device; /* of its first queue pair */
    uint32_t target_ip;
    uint32_t paths; /* of NVMe; 0: a controller without multipath */
    /* The device of a queue pair, numbered from 0, and the address that it goes to; NULL: all are
     * alike in this. */
    struct verbs_device *(*way)(const struct workload_site *site, uint32_t queue,
                                uint32_t *target_ip);
    const void *way_self;
    /* Of each of several paths its device, the address that it goes to and the number of its NIC.
     */
    struct verbs_device *(*path)(const struct workload_site *site, uint32_t path,
                                 uint32_t *target_ip, uint32_t *nic);
    struct verbs_class class;    /* of its connections */
    struct workload_names names; /* of NVMe */
    uint32_t workload;           /* index of the entry */
    uint32_t instance;           /* index of the pair within the entry, from 0 */
    uint32_t copy;               /* of a fio job with numjobs: which of them, from 0; otherwise 0 */
    uint32_t member;             /* by pair and copy, from 0 */
    uint32_t serial;    /* among all instances of the run, from 1; 0: no reads are compared */
    bool emptied;       /* some workload of the run zeroes or deallocates blocks */
    const void *params; /* the kind's own, filled by its rows */
    const struct nvme_carrier_host *nvme; /* for kinds that need it */
    time_ps start, stop;                  /* absolute */
    time_ps late;                         /* the member begins so much after start */
    struct workload_stats *stats;
    void (*on_idle)(void *self); /* nothing is under way and nothing will be issued: called once */
    void *on_idle_self;
};

/* When the member may issue first. */
static inline time_ps workload_begin(const struct workload_site *site)
{
    return time_earlier(site->start + site->late, site->stop);
}

/* The file that an entry names, for kinds that have one. */
struct workload_file {
    struct arena *arena; /* the scenario's */
    const struct tree_file *file;
    struct diag *diag;
    const char *workload; /* its name */
    uint32_t instances;   /* that will play it */
    int64_t room;         /* bytes of the greatest namespace of its targets; 0: they have none */
    time_ps start, stop;
};

/* The key `admin` of an entry. */
struct workload_admin {
    struct arena *arena; /* the scenario's */
    const struct tree_node *written;
    struct diag *diag;
    time_ps lasts; /* from its start to its stop */
};

/* A namespace that an instance will use, and why its I/Os cannot be served there. */
struct workload_space {
    uint32_t copy; /* of a fio job */
    int64_t block_bytes, bytes;
    const char *row; /* set with `why`: the row that is to blame; NULL: several */
    char why[160];
};

struct nvme_host;
struct workload; /* an instance; each kind embeds what it needs */

/* Which way data travel between `from` and `to`. */
enum workload_data { WORKLOAD_DATA_BOTH_WAYS, WORKLOAD_DATA_OUT, WORKLOAD_DATA_BACK };

enum { WORKLOAD_REQUEST_BYTES = 16 }; /* private data of a connection request to a sink */

struct workload_ops {
    const char *name;  /* the word after `kind:` */
    const char *about; /* one sentence */
    const struct opt *opts;
    size_t params_bytes;
    /* Sends requests to this kind of service at the other end: NVMe target on 4420, or a raw RDMA
     * responder on WORKLOAD_RDMA_PORT. */
    bool needs_nvme_target;
    /* NULL: the kind has no file.  Else an entry has the key `file`, and this makes of it what
     * params have beside the rows, which are filled in.  False, and messages, when it is wrong. */
    bool (*read_file)(void *params, const struct workload_file *file);
    /* NULL: none.  A key of an entry that may name a file, which read_more makes part of params. */
    const char *more_file;
    bool (*read_more)(void *params, const struct workload_file *file);
    /* NULL: it sends no admin commands of the entry's key `admin`, which this makes part of
     * params. */
    bool (*read_admin)(void *params, const struct workload_admin *admin);
    enum workload_data data;
    /* NULL: it connects to no rdma_sink.  Fills in what each connection of an instance requests
     * there, and returns how many connections an instance opens. */
    uint32_t (*request)(const void *params, uint8_t bytes[WORKLOAD_REQUEST_BYTES]);
    /* NULL: it uses none.  The number of the namespace that the instance asks for, from 1; 0: its
     * turn among all. */
    uint32_t (*name_space)(const void *params);
    /* False, and why, when the I/Os do not fit the blocks or the size of the namespace. */
    bool (*fits)(const void *params, struct workload_space *space);
    /* NULL: never.  Some of its commands leave blocks without content. */
    bool (*empties)(const void *params);
    struct workload *(*create)(const struct workload_site *site);
    /* Connects now, so that it can issue at site->start. */
    void (*start)(struct workload *workload);
    /* Issues nothing more from now on; on_idle still comes. */
    void (*stop)(struct workload *workload);
    /* Between events: sees what has been delivered by now, if its measured part begins or ends now.
     * Returns the next moment to be called at; TIME_NEVER: none.  Who plays it where nobody can see
     * both ends of a connection need not call it. */
    time_ps (*measure)(struct workload *workload, time_ps now);
    /* Between events: so far; and likewise of all that it does, measured or not. */
    struct workload_delivered (*delivered)(const struct workload *workload);
    struct workload_delivered (*arrived)(const struct workload *workload);
    uint64_t (*outstanding)(const struct workload *workload);
    /* Of those, what waits for a limit of the workload.  NULL: it has none. */
    uint64_t (*limited)(const struct workload *workload);
    /* What it is waiting for, in words for the summary ("12 reads to host0, oldest since 3 ms"). */
    void (*describe)(const struct workload *workload, char *text, size_t size);
    /* The host of its NVMe controller, or of that path, for somebody who looks on; NULL, or returns
     * NULL: none. */
    const struct nvme_host *(*controller)(const struct workload *workload, uint32_t path);
    /* NULL: what it does costs no time of its own; of NVMe the controller says. */
    struct workload_cpu (*cpu)(const struct workload *workload, time_ps now);
    /* The run is over, now: what still holds counts up to there.  `end`: of the measured part.
     * NULL: it keeps no account of states. */
    void (*close)(struct workload *workload, time_ps now, time_ps end);
    /* What it did so far. */
    const struct workload_member *(*member)(const struct workload *workload);
    void (*destroy)(struct workload *workload);
};

enum { WORKLOAD_RDMA_PORT = 18515 }; /* the port that rdma-core's examples and perftest use */

/* The other end of the rdma-* kinds: accepts connections, keeps receives posted, gives a buffer. */
struct rdma_sink;

/* Whom a sink accepts.  `room` returns how many connections from `ip` with this request
 * (WORKLOAD_REQUEST_BYTES) the sink may have at once; 0 refuses the request. */
struct rdma_sink_guard {
    uint32_t (*room)(void *self, uint32_t ip, const uint8_t *request);
    void *self;
};
struct rdma_sink *rdma_sink_create(const struct env *env, const struct verbs_ops *verbs,
                                   struct verbs_device *device);
void rdma_sink_set_guard(struct rdma_sink *sink,
                         const struct rdma_sink_guard *guard); /* none: all */
void rdma_sink_destroy(struct rdma_sink *sink);

/* Of the entry with that name: nothing has been reported yet. */
void workload_name(struct workload_stats *stats, const char *name);

/* Nothing has been reported yet; name and each stay. */
void workload_reset(struct workload_stats *stats);

/* Adds what instances have reported to another place of the same entry. */
void workload_fold(struct workload_stats *into, const struct workload_stats *from);

/* Tells the statistics that an instance measures from then on. */
void workload_begins(struct workload_stats *stats, time_ps from);

/* Tells them that it has issued its last, and when its measurement ends. */
void workload_ends(struct workload_stats *stats, time_ps to);

/* Tells them that it is done: its measurement ends with its last completion if nothing of it
 * failed, else at stop: in the rest of the time nothing came, and that is what the rates are to
 * say. */
void workload_done(struct workload_stats *stats, bool failed, time_ps last_completion,
                   time_ps stop);

void workload_issued(struct workload_stats *stats, time_ps at);

/* What one instance has issued and completed. */
void workload_member_issued(struct workload_member *member, time_ps at);
void workload_member_completed(struct workload_member *member, time_ps issued_at, time_ps now,
                               uint64_t bytes);

/* A connection that could not be made counts as one operation that was issued and failed, so that
 * what is issued is always what is completed, failed and under way.  The time until stop counts. */
void workload_barred(struct workload_stats *stats, time_ps at, time_ps stop);

/* A good completion: counts it, for IOPS if it comes after `from`, where the warm-up ends, and no
 * later than `stop`; its latency counts when it was issued from then on. */
struct workload_completion {
    time_ps issued_at, now, from, stop;
    uint64_t bytes;
    uint32_t member; /* of the site */
    bool read;
};
void workload_completed(struct workload_stats *stats, const struct workload_completion *done);

extern const struct workload_ops *const workload_kinds[]; /* NULL ends it; made from workload.def */
const struct workload_ops *workload_find(const char *name);

#endif

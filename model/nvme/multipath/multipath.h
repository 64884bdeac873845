/* SPDX-License-Identifier: Apache-2.0
 * multipath - one namespace of a subsystem by several controllers.
 * Each path is a controller of its own (host.h), over a port of the host and one of the target.
 * I/O goes to a path by its ANA state and the policy; what a path cannot carry out any more is sent
 * again by another, or waits while one may come back.
 * Source: drivers/nvme/host/multipath.c of Linux 6.1 (nvme_find_path, nvme_failover_req,
 * nvme_available_path, nvme_mpath_set_live); queue-depth of Linux 6.11; NVMe base 2.1, 9.6 (why a
 * command that is sent again should wait).
 * Owner: the caller of nvme_multipath_create.  Clock: env.  Errors: as host.h; I/O fails with
 * NVME_STATUS_TRANSPORT when no path can come back.  Not modelled: native NVMe reservations, paths
 * that are added while it runs, but for those that discovery finds later. */
#ifndef STORMGLASS_NVME_MULTIPATH_MULTIPATH_H
#define STORMGLASS_NVME_MULTIPATH_MULTIPATH_H

#include "nvme/fsm/fsm.h"
#include "nvme/host/host.h"

struct nvme_multipath;

enum { NVME_PATHS_MAX = 16, NVME_NUMA_NODES_MAX = 8 };

#define NVME_IO_POLICIES(X)                                                                        \
    X(NUMA, "numa")                                                                                \
    X(ROUND_ROBIN, "round-robin")                                                                  \
    X(QUEUE_DEPTH, "queue-depth")

#define X(name, word) NVME_IO_POLICY_##name,
enum nvme_io_policy { NVME_IO_POLICIES(X) };
#undef X

struct nvme_multipath_params {
    int64_t policy;     /* enum nvme_io_policy */
    int64_t numa_nodes; /* of the host: queues in blocks, NICs in turns */
    int64_t quiesce;    /* a write that was under way on a lost path is sent again so much later */
    int64_t discovery;  /* bool: a path is connected when its port's discovery log lists it */
};

extern const struct opt nvme_multipath_opts[];

struct nvme_multipath_path {
    struct nvme_transport *transport; /* the multipath's from now on */
    struct nvme_transport *finder; /* likewise, for its discovery controller; NULL: none wanted */
    uint32_t target_ip;
    uint32_t nic; /* of the host */
};

struct nvme_multipath_site {
    const struct env *env;
    const struct nvme_multipath_path *paths; /* copied */
    uint32_t path_count;
    const struct nvme_host_params *host;        /* copied */
    const struct nvme_multipath_params *params; /* copied */
    const char *subsystem_nqn, *host_nqn; /* as of nvme_host_site; they outlive the multipath */
    /* on_ready: each path is live or has failed, and one is live; or none is.  on_event is not
     * called. */
    struct nvme_host_user user;
};

struct nvme_multipath_stats {
    struct nvme_host_stats controllers; /* of all paths, summed */
    time_ps without_service;            /* of the path that was lost longest */
    uint64_t failovers;                 /* commands that another path was to carry out */
    time_ps recovery; /* the longest from the loss of a path, with I/O under way, to a completion */
    time_ps degraded; /* the longest with fewer usable paths than it began with */
};

struct nvme_multipath *nvme_multipath_create(const struct nvme_multipath_site *site);
void nvme_multipath_destroy(struct nvme_multipath *multipath);

/* The namespace that I/O is for; before the first I/O. */
void nvme_multipath_use(struct nvme_multipath *multipath, uint32_t nsid);

/* Takes the I/O; queue: any number.  on_io comes later. */
void nvme_multipath_submit(struct nvme_multipath *multipath, uint32_t queue, struct nvme_io *io);
void nvme_multipath_shutdown(struct nvme_multipath *multipath);
bool nvme_multipath_closed(const struct nvme_multipath *multipath);
/* No path is there, and I/O does not wait for one. */
bool nvme_multipath_lost(const struct nvme_multipath *multipath);

uint32_t nvme_multipath_paths(const struct nvme_multipath *multipath);
/* NULL: its controller has not been connected yet. */
const struct nvme_host *nvme_multipath_host(const struct nvme_multipath *multipath, uint32_t path);
enum nvme_path_state nvme_multipath_state(const struct nvme_multipath *multipath, uint32_t path);
/* The first that is live, or else the first that ever was; NULL: none was. */
struct nvme_host *nvme_multipath_first(const struct nvme_multipath *multipath);
/* By which path the I/O was completed. */
uint32_t nvme_multipath_of(const struct nvme_multipath *multipath, const struct nvme_io *io);
struct nvme_multipath_stats nvme_multipath_stats(const struct nvme_multipath *multipath,
                                                 time_ps now);
void nvme_multipath_describe(const struct nvme_multipath *multipath, char *text, size_t size);
void nvme_multipath_audit(const struct nvme_multipath *multipath);

#endif

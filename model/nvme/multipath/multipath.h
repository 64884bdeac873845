/* SPDX-License-Identifier: Apache-2.0
 * multipath - access to one namespace of a subsystem through several controllers.
 * Each path is a controller of its own (host.h), between a port of the host and one of the target.
 * Its ANA state and the policy select the path of an I/O; what a path can no longer execute is sent
 * again on another path, or waits while a path may come back.
 * Source: drivers/nvme/host/multipath.c of Linux 6.1 (nvme_find_path, nvme_failover_req,
 * nvme_available_path, nvme_mpath_set_live); queue-depth of Linux 6.11; NVMe base 2.1, 9.6 (why a
 * command that is sent again should wait). Owner: the caller of nvme_multipath_create. Clock: env.
 * Errors: as in host.h; I/O fails with NVME_STATUS_TRANSPORT when no path can come back. Not
 * modeled: NVMe reservations, paths added at run time other than those found later by discovery. */
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
    int64_t numa_nodes; /* of the host: queues are assigned in blocks, NICs round-robin */
    int64_t quiesce;    /* ps before a write that was outstanding on a lost path is sent again */
    int64_t discovery;  /* bool: connect a path when its port's discovery log lists it */
};

extern const struct opt nvme_multipath_opts[];

struct nvme_multipath_path {
    struct nvme_transport *transport; /* owned by the multipath from now on */
    struct nvme_transport *finder;    /* transport of its discovery controller, also owned; NULL: no
                                    * discovery */
    uint32_t target_ip;
    uint32_t nic; /* NIC index on the host */
};

struct nvme_multipath_site {
    const struct env *env;
    const struct nvme_multipath_path *paths; /* copied */
    uint32_t path_count;
    const struct nvme_host_params *host;        /* copied */
    const struct nvme_multipath_params *params; /* copied */
    const char *subsystem_nqn, *host_nqn; /* as in nvme_host_site; must outlive the multipath */
    /* on_ready: every path is live or has failed, and at least one is live; or none is. on_event is
     * not called. */
    struct nvme_host_user user;
};

struct nvme_multipath_stats {
    struct nvme_host_stats controllers; /* sum over all paths */
    time_ps without_service;            /* maximum over the paths, ps */
    uint64_t failovers;                 /* commands moved to another path */
    time_ps recovery; /* ps: longest time from the loss of a path with outstanding I/O to a
                       * completion */
    time_ps degraded; /* ps: longest time with fewer usable paths than at the beginning */
};

struct nvme_multipath *nvme_multipath_create(const struct nvme_multipath_site *site);
void nvme_multipath_destroy(struct nvme_multipath *multipath);

/* Selects the namespace; call before the first I/O. */
void nvme_multipath_use(struct nvme_multipath *multipath, uint32_t nsid);

/* Accepts the I/O; queue may be any number. on_io is called later. */
void nvme_multipath_submit(struct nvme_multipath *multipath, uint32_t queue, struct nvme_io *io);
void nvme_multipath_shutdown(struct nvme_multipath *multipath);
bool nvme_multipath_closed(const struct nvme_multipath *multipath);
/* No path is usable, and I/O does not wait for one. */
bool nvme_multipath_lost(const struct nvme_multipath *multipath);

uint32_t nvme_multipath_paths(const struct nvme_multipath *multipath);
/* NULL: its controller has not been connected yet. */
const struct nvme_host *nvme_multipath_host(const struct nvme_multipath *multipath, uint32_t path);
enum nvme_path_state nvme_multipath_state(const struct nvme_multipath *multipath, uint32_t path);
/* The first live controller, or else the first that was ever live; NULL: none. */
struct nvme_host *nvme_multipath_first(const struct nvme_multipath *multipath);
/* The path on which the I/O completed. */
uint32_t nvme_multipath_of(const struct nvme_multipath *multipath, const struct nvme_io *io);
struct nvme_multipath_stats nvme_multipath_stats(const struct nvme_multipath *multipath,
                                                 time_ps now);
void nvme_multipath_describe(const struct nvme_multipath *multipath, char *text, size_t size);
void nvme_multipath_audit(const struct nvme_multipath *multipath);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * multipath_private - declarations shared by the files of multipath.
 *   multipath.c         path life cycle: states, discovery, end
 *   multipath_io.c      I/O: splitting, path selection, failover, waiting
 *   multipath_policy.c  path selection
 *   multipath_look.c    queries about the paths */
#ifndef STORMGLASS_NVME_MULTIPATH_MULTIPATH_PRIVATE_H
#define STORMGLASS_NVME_MULTIPATH_MULTIPATH_PRIVATE_H

#include "base/state_time.h"
#include "nvme/multipath/multipath.h"

struct path;

/* A part of an I/O that fits into one command. */
struct part {
    struct nvme_io io; /* first member: the I/O submitted to a path */
    struct nvme_io *whole;
    struct path *path;  /* the path that has it; NULL: waiting for one */
    struct part *next;  /* next in its list */
    struct part *older; /* list of all allocated parts */
    uint32_t queue;     /* queue number given by the caller */
    time_ps not_before; /* earliest time to send it */
};

struct part_list {
    struct part *first, *last;
    uint32_t count;
};

struct path {
    struct nvme_multipath *multipath;
    struct nvme_host *host;   /* NULL: not connected yet */
    struct nvme_host *finder; /* its discovery controller, or NULL */
    struct nvme_multipath_path site;
    struct part_list waiting; /* parts waiting for queue space */
    uint32_t index, node;     /* node: NUMA node of its NIC */
    uint32_t active;          /* parts submitted to it or waiting for it */
    uint32_t number;          /* probe_state.number */
    uint8_t state;            /* enum nvme_path_state */
    bool settled;             /* it has been live, or has failed */
    bool pending;             /* the known ANA state is outdated */
};

struct nvme_multipath {
    struct nvme_multipath_site site;
    struct nvme_host_params host_params;
    struct nvme_multipath_params params;
    struct path *paths;
    uint32_t path_count;
    struct path *current[NVME_NUMA_NODES_MAX]; /* by NUMA node; NULL: to be selected */
    struct part_list requeued, free;
    struct part *made;    /* most recently allocated part */
    struct timer timer;   /* sends requeued parts */
    struct timer settler; /* completes work started in a path's callback */
    uint32_t nsid, most;  /* most: usable paths at the beginning */
    uint64_t outstanding, parts;
    uint64_t failovers;
    struct state_time recovering; /* from the loss of a path with outstanding I/O to a completion */
    struct state_time degraded;   /* fewer usable paths than at the beginning */
    bool ready, stopping;
};

/* multipath.c */
bool nvme_path_is_usable(const struct path *path);
uint32_t nvme_multipath_usable(const struct nvme_multipath *multipath); /* number of usable paths */
/* Updates the path's state from that of its controller. */
void nvme_path_update(struct path *path);

/* multipath_io.c */
void nvme_multipath_io_init(struct nvme_multipath *multipath);
void nvme_multipath_io_fini(struct nvme_multipath *multipath);
void nvme_multipath_io_done(void *path, struct nvme_io *io);
void nvme_multipath_io_kick(struct nvme_multipath *multipath); /* a path may be usable again */
/* Moves parts waiting for space at a path that is not live to other paths. */
void nvme_multipath_io_move(struct path *path);

/* multipath_policy.c */
struct path *nvme_multipath_find(struct nvme_multipath *multipath, uint32_t queue);
void nvme_multipath_set_live(struct path *path);
void nvme_multipath_clear(struct path *path);

#endif

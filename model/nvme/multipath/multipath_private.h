/* SPDX-License-Identifier: Apache-2.0
 * multipath_private - what the files of multipath share.
 * multipath.c         paths come and go: their states, the discovery of them, the end
 * multipath_io.c      I/O: parts, which path, another path, what waits
 * multipath_policy.c  which path is next
 * multipath_look.c    what is asked of the paths */
#ifndef STORMGLASS_NVME_MULTIPATH_MULTIPATH_PRIVATE_H
#define STORMGLASS_NVME_MULTIPATH_MULTIPATH_PRIVATE_H

#include "base/state_time.h"
#include "nvme/multipath/multipath.h"

struct path;

/* A part of an I/O that one command can carry. */
struct part {
    struct nvme_io io; /* first: what a path is given */
    struct nvme_io *whole;
    struct path *path;  /* that has it; NULL: it waits for one */
    struct part *next;  /* in the list that it is in */
    struct part *older; /* of all that were made */
    uint32_t queue;     /* as the caller counts them */
    time_ps not_before; /* it may be sent then */
};

struct part_list {
    struct part *first, *last;
    uint32_t count;
};

struct path {
    struct nvme_multipath *multipath;
    struct nvme_host *host;   /* NULL: not begun */
    struct nvme_host *finder; /* its discovery controller, or NULL */
    struct nvme_multipath_path site;
    struct part_list waiting; /* for room in a queue */
    uint32_t index, node;     /* node: NUMA, of its NIC */
    uint32_t active;          /* parts that it has or that wait for it */
    uint32_t number;          /* probe_state.number */
    uint8_t state;            /* enum nvme_path_state */
    bool settled;             /* it was live once, or has failed */
    bool pending;             /* what is known of its ANA state is old */
};

struct nvme_multipath {
    struct nvme_multipath_site site;
    struct nvme_host_params host_params;
    struct nvme_multipath_params params;
    struct path *paths;
    uint32_t path_count;
    struct path *current[NVME_NUMA_NODES_MAX]; /* by NUMA node; NULL: to be found */
    struct part_list requeued, free;
    struct part *made;    /* the youngest */
    struct timer timer;   /* sends what was requeued */
    struct timer settler; /* finishes what a path's callback has begun */
    uint32_t nsid, most;  /* most: usable paths at the beginning */
    uint64_t outstanding, parts;
    uint64_t failovers;
    struct state_time recovering; /* from the loss of a path with I/O under way to a completion */
    struct state_time degraded;   /* fewer usable paths than it began with */
    bool ready, stopping;
};

/* multipath.c */
bool nvme_path_is_usable(const struct path *path);
uint32_t nvme_multipath_usable(const struct nvme_multipath *multipath); /* how many are */
/* The path's state follows from its controller's. */
void nvme_path_update(struct path *path);

/* multipath_io.c */
void nvme_multipath_io_init(struct nvme_multipath *multipath);
void nvme_multipath_io_fini(struct nvme_multipath *multipath);
void nvme_multipath_io_done(void *path, struct nvme_io *io);
void nvme_multipath_io_kick(struct nvme_multipath *multipath); /* a path may be there */
/* What waits for room at a path that is not live goes to others. */
void nvme_multipath_io_move(struct path *path);

/* multipath_policy.c */
struct path *nvme_multipath_find(struct nvme_multipath *multipath, uint32_t queue);
void nvme_multipath_set_live(struct path *path);
void nvme_multipath_clear(struct path *path);

#endif

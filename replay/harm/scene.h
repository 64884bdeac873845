/* SPDX-License-Identifier: Apache-2.0
 * scene - the evidence for finding causes.
 * Counters of a run by port, and its members (pairs of hosts of a workload): the ports that their
 * queue pairs actually used, and the share of their time lost in each way.
 * Owner: scene_fini frees what scene_init allocated; everything else is the caller's. Use it after
 * the run. */
#ifndef STORMGLASS_REPLAY_HARM_SCENE_H
#define STORMGLASS_REPLAY_HARM_SCENE_H

#include "replay/explain/bottleneck.h"
#include "replay/explain/explain.h"
#include "replay/harm/drops.h"
#include "replay/harm/harm.h"
#include "replay/harm/loss.h"
#include "replay/harm/member_index.h"
#include "scenarios/deviation/deviation.h"
#include "scenarios/world/world.h"

/* Use of a port in the steady part, in ppm of the time; for a host's port also of its active queue
 * pairs. */
struct harm_use {
    int64_t busy, blocked;
    int64_t drained;                    /* its receive buffer was not empty */
    int64_t held, refused, reads, lost; /* throttled, RNR wait, outstanding READs, recovering */
};

/* The bottleneck of a workload. */
struct harm_limit {
    enum bottleneck_resource resource;
    int64_t used;
    int64_t unmet; /* share of the offered load of an open loop that was not completed, ppm */
    const char *text;
};

/* Kinds of loss. */
#define HARM_PARTS(X) X(FAILED) X(STOOD) X(LOSS) X(PAUSE) X(HELD) X(REFUSED) X(READS) X(BEHIND)

#define X(name) HARM_PART_##name,
enum harm_part { HARM_PARTS(X) HARM_PART_COUNT };
#undef X

#define HARM_BIT(part) (1u << HARM_PART_##part)

struct harm_member {
    uint32_t workload, number, from, to;
    uint32_t there, back; /* indices of its paths */
    uint8_t priorities;   /* set of priorities that any node maps its data to */
    uint64_t issued, completed, failed, bytes;
    bool connected;
    time_ps span; /* time with work to do */
    struct loss_work work;
    int64_t part[HARM_PART_COUNT];
};

/* From one host to another: the ports where frames left. */
struct harm_path {
    uint64_t key; /* from << 32 | to */
    bool seen;    /* found from queue pairs; otherwise from all routes */
    uint32_t *ports;
    uint32_t count, room; /* number of ports, which are ascending */
};

struct harm_scene {
    const struct scenario *scenario;
    const struct world *world; /* NULL: measured on devices */
    const struct explain *explain;
    const struct explain_fabric *fabric;
    const struct route_table *routes;
    const struct observe_drops *drops;
    uint32_t drop_count;
    const struct harm_use *uses; /* by port of the fabric; maximum over all workloads' periods */
    /* By workload, for the period in which it had work. NULL: same period for all. */
    const struct harm_use *const *uses_by;
    const struct harm_limit *limits; /* by workload; NULL: unknown */
    time_ps now, window_end;
    int64_t failed, unfinished;

    /* filled in by scene_init */
    struct harm_member *members;
    uint32_t member_count, member_room;
    struct harm_path *paths;
    uint32_t path_count;
    uint32_t port_bytes;                  /* bytes of a bit set of ports, whole words */
    struct member_index at_port, at_node; /* crossing a port; starting or ending at a node */
    uint8_t *roots;                       /* bit set of ports that are roots of pauses */
    uint8_t priorities_of_dscp[DSCPS];    /* set of priorities; 0: not computed yet */
    struct deviations deviations;
};

void scene_init(struct harm_scene *scene);
void scene_fini(struct harm_scene *scene);

/* way 0: from the member's first host to its second; 1: back. */
const struct harm_path *scene_path(const struct harm_scene *scene, const struct harm_member *member,
                                   int way);

/* Whether pauses have a root at the port. */
bool scene_is_root(const struct harm_scene *scene, uint32_t port);

/* Whether the member's frames, or the responses to them, left through the port. */
bool scene_crosses(const struct harm_scene *scene, const struct harm_member *member, uint32_t port);

/* Whether its data may have a priority that the root's pauses stop; global pause stops all. */
bool scene_has_priority(const struct harm_scene *scene, const struct harm_member *member,
                        const struct explain_root *root);

/* Whether its frames left through a port of the node. */
bool scene_passes(const struct harm_scene *scene, const struct harm_member *member, uint32_t node);

/* Whether its frames pass the object that deviates. */
bool scene_touches(const struct harm_scene *scene, const struct harm_member *member,
                   const struct deviation *deviation);

/* Members that start or end at the host. */
struct member_list scene_members_at(const struct harm_scene *scene, uint32_t host);
bool scene_is_used(const struct harm_scene *scene, uint32_t host);

/* Sums the uint64_t at this offset of struct rnic_counters over the host's RNICs. */
uint64_t scene_counter(const struct harm_scene *scene, uint32_t host, size_t offset);
#define SCENE_COUNTER(scene, host, counter)                                                        \
    scene_counter(scene, host, offsetof(struct rnic_counters, counter))

/* Convert between fabric ports and node and port. */
struct port *scene_port(const struct harm_scene *scene, uint32_t port);
uint32_t scene_port_of(const struct harm_scene *scene, uint32_t node, uint16_t port);

#endif

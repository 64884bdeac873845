/* SPDX-License-Identifier: Apache-2.0
 * scene - the evidence that causes are judged by.
 * What a run counted, by port; and its members (pairs of hosts of a workload): the ports that their
 * queue pairs really went by, and which part of their time each way of losing it took.
 * Owner: scene_fini frees what scene_init made; the rest is the caller's.  After the run. */
#ifndef STORMGLASS_REPLAY_HARM_SCENE_H
#define STORMGLASS_REPLAY_HARM_SCENE_H

#include "replay/explain/bottleneck.h"
#include "replay/explain/explain.h"
#include "replay/harm/drops.h"
#include "replay/harm/harm.h"
#include "replay/harm/member_index.h"
#include "replay/harm/overrides.h"
#include "scenarios/load/deviation.h"
#include "scenarios/world/world.h"

/* Of a port in the steady part, parts per million of the time; of a host's port also of its active
 * queue pairs. */
struct harm_use {
    int64_t busy, blocked;
    int64_t drained;                    /* its receive buffer was not empty */
    int64_t held, refused, reads, lost; /* by congestion control, RNR, ORD, sent again or silent */
};

/* What kept a workload from going faster. */
struct harm_limit {
    enum bottleneck_resource resource;
    int64_t used;
    const char *text;
};

/* Ways of losing time. */
#define HARM_PARTS(X)                                                                              \
    X(FAILED) X(STOOD) X(LOSS) X(PAUSE) X(HELD) X(REFUSED) X(READS) X(BEHIND) X(SLOW) X(CONNECTING)

#define X(name) HARM_PART_##name,
enum harm_part { HARM_PARTS(X) HARM_PART_COUNT };
#undef X

#define HARM_BIT(part) (1u << HARM_PART_##part)

struct harm_member {
    uint32_t workload, number, from, to;
    uint32_t there, back; /* paths */
    uint8_t priorities;   /* that any node gives to its data, a bit for each */
    uint64_t issued, completed, failed, bytes;
    uint64_t bytes_back; /* of bytes: what came from `to`, as far as its measured part tells */
    bool connected;
    time_ps span; /* that it had to work */
    time_ps mean; /* latency */
    int64_t part[HARM_PART_COUNT];
};

/* From one host to another: the ports that frames left by. */
struct harm_path {
    uint64_t key; /* from << 32 | to */
    bool seen;    /* by queue pairs; else by all routes */
    uint32_t *ports;
    uint32_t count, room; /* ports: in ascending order */
};

struct harm_scene {
    const struct scenario *scenario;
    const struct world *world; /* NULL: real devices */
    const struct explain *explain;
    const struct explain_fabric *fabric;
    const struct route_table *routes;
    const struct observe_drops *drops;
    uint32_t drop_count;
    const struct harm_use *uses; /* by port of the fabric; of all workloads' times the most */
    /* By workload: while it had work.  NULL: all had at once. */
    const struct harm_use *const *uses_by;
    const struct harm_limit *limits; /* by workload; NULL: unknown */
    time_ps now, window_end;
    int64_t failed, unfinished;

    /* scene_init */
    struct harm_member *members;
    uint32_t member_count, member_room;
    struct harm_path *paths;
    uint32_t path_count;
    uint32_t port_bytes;                  /* a bit for each port of the fabric, in whole words */
    struct member_index at_port, at_node; /* members that cross it; that begin or end there */
    uint8_t *roots;                       /* ports that are roots of pauses, a bit for each */
    uint8_t priorities_of_dscp[DSCPS]; /* a bit for each that any node gives it; 0: not known yet */
    struct deviations deviations;
    struct overrides overrides;
};

void scene_init(struct harm_scene *scene);
void scene_fini(struct harm_scene *scene);

/* way 0: from the member's first host to its second; 1: back. */
const struct harm_path *scene_path(const struct harm_scene *scene, const struct harm_member *member,
                                   int way);

/* Pauses begin at the port. */
bool scene_is_root(const struct harm_scene *scene, uint32_t port);

/* The member's frames, or those that answer them, left by the port. */
bool scene_crosses(const struct harm_scene *scene, const struct harm_member *member, uint32_t port);

/* Payload of the member that left by the port. */
uint64_t scene_bytes_by(const struct harm_scene *scene, const struct harm_member *member,
                        uint32_t port);

/* Its data may be of the priority that the root's pauses stop; one of a whole port stops all. */
bool scene_has_priority(const struct harm_scene *scene, const struct harm_member *member,
                        const struct explain_root *root);

/* Its frames went by a port of the node. */
bool scene_passes(const struct harm_scene *scene, const struct harm_member *member, uint32_t node);

/* ... by what deviates. */
bool scene_touches(const struct harm_scene *scene, const struct harm_member *member,
                   const struct deviation *deviation);

/* Members that begin or end at the host. */
struct member_list scene_members_at(const struct harm_scene *scene, uint32_t host);
bool scene_is_used(const struct harm_scene *scene, uint32_t host);

/* Of struct rnic_counters the uint64_t at this offset, summed over the host's RNICs. */
uint64_t scene_counter(const struct harm_scene *scene, uint32_t host, size_t offset);
#define SCENE_COUNTER(scene, host, counter)                                                        \
    scene_counter(scene, host, offsetof(struct rnic_counters, counter))

/* Ports of the fabric by node and port, and back. */
struct port *scene_port(const struct harm_scene *scene, uint32_t port);
uint32_t scene_port_of(const struct harm_scene *scene, uint32_t node, uint16_t port);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * path_time - how far apart the hosts of a workload are: round trip and switches of their longest
 * path.
 * The round trip is the time of one full frame and its acknowledgement on an empty fabric:
 * light in the cables, and the frame's bytes once on each link.  Delays of devices come on top, so
 * that the true one is longer.
 * Owner: the arena.  Units: ps; bits per second. */
#ifndef STORMGLASS_SCENARIOS_CHECK_PATH_TIME_H
#define STORMGLASS_SCENARIOS_CHECK_PATH_TIME_H

#include "scenarios/load/scenario.h"

struct path_time {
    time_ps round_trip;
    uint32_t switches; /* on the way */
    int64_t rate;      /* of the slowest link */
    int64_t mtu;       /* of the link that has the smallest */
    uint32_t peer;     /* the host at the other end; UINT32_MAX: no workload uses the host */
    bool is_nvme;      /* some workload of NVMe connects from here */
};

struct path_walk;
struct path_walk *path_walk_new(const struct scenario *scenario, struct arena *arena);

/* By host: the longest of its paths, in either role. */
struct path_time *path_times(const struct path_walk *walk, struct arena *arena);

/* Of one pair; false: there is no path. */
bool path_walk_of(const struct path_walk *walk, const struct scenario_workload *workload,
                  const struct scenario_pair *pair, struct path_time *found);
void path_walk_free(struct path_walk *walk);

#endif

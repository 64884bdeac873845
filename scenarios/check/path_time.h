/* SPDX-License-Identifier: Apache-2.0
 * path_time - distance between the hosts of a workload: round trip and number of switches on their
 * longest path.
 * The round trip is the time of one full frame and its acknowledgment in an empty fabric:
 * propagation in the cables, and serialization of the frame on each link. Delays inside devices are
 * not included, so the real time is longer.
 * Owner: the arena. Units: ps; bits per second. */
#ifndef STORMGLASS_SCENARIOS_CHECK_PATH_TIME_H
#define STORMGLASS_SCENARIOS_CHECK_PATH_TIME_H

#include "scenarios/data/scenario.h"

struct path_time {
    time_ps round_trip;
    uint32_t switches; /* on the path */
    int64_t rate;      /* rate of the slowest link */
    int64_t mtu;       /* smallest MTU of the links */
    uint32_t peer;     /* the host at the other end; UINT32_MAX: no workload uses the host */
    bool is_nvme;      /* an NVMe workload connects from this host */
};

struct path_walk;
struct path_walk *path_walk_new(const struct scenario *scenario, struct arena *arena);

/* By host: the longest of its paths, as initiator or target. */
struct path_time *path_times(const struct path_walk *walk, struct arena *arena);

/* Path of one pair; false: there is no path. */
bool path_walk_of(const struct path_walk *walk, const struct scenario_workload *workload,
                  const struct scenario_pair *pair, struct path_time *found);
void path_walk_free(struct path_walk *walk);

#endif

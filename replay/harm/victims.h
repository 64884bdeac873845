/* SPDX-License-Identifier: Apache-2.0
 * victims - members that lost time because of a cause, and their distance from it.
 * Members of a workload that start at the same host are one victim if the cause cost them at least
 * a hundredth of their time. The distance follows from the ports that their queue pairs actually
 * used:
 *   direct     frames pass the place of the cause: to or from the host, or through the port
 *   indirect   frames do not, but one of its hosts also communicates through that place
 *   same-path  neither, but frames share ports with delayed traffic
 * Source: the names come from the troubleshooting method for lossless Ethernet after Gupta and
 * Nalla, Detecting, Troubleshooting, and Preventing Congestion in Storage Networks (Cisco Press):
 * besthub.dev, part 5. The text available to us names the three without defining them; the
 * definitions above are ours (assumed). */
#ifndef STORMGLASS_REPLAY_HARM_VICTIMS_H
#define STORMGLASS_REPLAY_HARM_VICTIMS_H

#include "replay/harm/suspects.h"

/* Input: what is known about the victims of a cause. */
struct victims_search {
    const struct harm_scene *scene;
    const int64_t *lost; /* by member, ppm */
    struct suspects_place place;
    uint32_t root; /* root of pauses, or HARM_NONE */
};

/* Lists those with the largest loss in the cause, and adds all of them to `workloads` (one entry
 * per workload; NULL: do not count them). */
void victims_list(const struct victims_search *search, struct harm_cause *cause,
                  struct harm_workload *workloads);

#endif

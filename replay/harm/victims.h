/* SPDX-License-Identifier: Apache-2.0
 * victims - who lost because of a cause, and how far he is from it.
 * The members of a workload that begin at one host are one victim, when the cause cost them a
 * hundredth of their time or more.  By the ports that their queue pairs really went by:
 *   direct     its frames go by the place of the cause: to or from the host, through the port
 *   indirect   they do not, but one of its hosts talks through that place
 *   same-path  neither; its frames share ports with those that wait
 * Source: the names from the troubleshooting method for lossless Ethernet after Gupta and Nalla,
 *         Detecting, Troubleshooting, and Preventing Congestion in Storage Networks (Cisco Press):
 *         besthub.dev, part 5.  It names the three without defining them in what was at hand; the
 *         definitions above are ours (assumed). */
#ifndef STORMGLASS_REPLAY_HARM_VICTIMS_H
#define STORMGLASS_REPLAY_HARM_VICTIMS_H

#include "replay/harm/suspects.h"

/* What is known of a cause's victims. */
struct victims_search {
    const struct harm_scene *scene;
    const int64_t *lost; /* by member */
    struct suspects_place place;
    uint32_t root; /* of pauses, or HARM_NONE */
};

/* Lists in the cause those that lost most, and adds all to `workloads`, one for each;
 * NULL: they do not count. */
void victims_list(const struct victims_search *search, struct harm_cause *cause,
                  struct harm_workload *workloads);

#endif

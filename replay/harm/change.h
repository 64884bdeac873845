/* SPDX-License-Identifier: Apache-2.0
 * change - how much longer a workload's operations take since an event.
 * A run that continues, apart from one fault, shows the cost of the fault itself: in the period
 * around the fault in which nothing else in the scenario begins or ends, operations after the fault
 * are compared with those before it. */
#ifndef STORMGLASS_REPLAY_HARM_CHANGE_H
#define STORMGLASS_REPLAY_HARM_CHANGE_H

#include "replay/harm/scene.h"

struct change {
    bool known;            /* false: too few operations before or after it in that period */
    int64_t lost;          /* excess over the earlier mean, ppm of operation time */
    time_ps before, after; /* mean latency, ps */
};

struct change change_since(const struct harm_scene *scene, uint32_t workload, uint32_t fault);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * change - how much longer a workload's operations take since something happened.
 * A run that goes on as before but for one fault says itself what that cost: of the time around its
 * begin in which nothing else of the scenario begins or ends, operations after it are compared with
 * those before it. */
#ifndef STORMGLASS_REPLAY_HARM_CHANGE_H
#define STORMGLASS_REPLAY_HARM_CHANGE_H

#include "replay/harm/scene.h"

struct change {
    bool known;            /* else too few completed before or after it, with nothing in between */
    int64_t lost;          /* of the time that all operations took what was more than before, ppm */
    time_ps before, after; /* their means */
};

struct change change_since(const struct harm_scene *scene, uint32_t workload, uint32_t fault);

#endif

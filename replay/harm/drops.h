/* SPDX-License-Identifier: Apache-2.0
 * drops - dropped frames, summed by place and cause. */
#ifndef STORMGLASS_REPLAY_HARM_DROPS_H
#define STORMGLASS_REPLAY_HARM_DROPS_H

#include "base/units.h"

#include <stdbool.h>
#include <stdint.h>

/* Drops at one place with one cause. */
struct observe_drops {
    uint32_t node;
    uint16_t port; /* ingress port; for MTU drops: the egress whose MTU was exceeded */
    uint8_t priority, cause;
    bool lossless;
    uint64_t frames, controls, bytes; /* controls: of them, frames of link flow control */
    time_ps first, last;
};

#endif

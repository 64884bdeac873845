/* SPDX-License-Identifier: Apache-2.0
 * unused - settings of a host that nothing there makes use of: whatever is lost there, it is not
 * lost by them.  The digest of a run is the same without (tests/golden/innocent.sh). */
#ifndef STORMGLASS_REPLAY_HARM_UNUSED_H
#define STORMGLASS_REPLAY_HARM_UNUSED_H

#include "replay/harm/scene.h"

/* The row of a host's RNIC, NVMe host or target. */
bool unused_is(const struct harm_scene *scene, uint32_t host, const char *row);

#endif

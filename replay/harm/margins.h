/* SPDX-License-Identifier: Apache-2.0
 * margins - how close a run came to the limits of buffers. */
#ifndef STORMGLASS_REPLAY_HARM_MARGINS_H
#define STORMGLASS_REPLAY_HARM_MARGINS_H

#include "replay/harm/scene.h"

void margins_find(const struct harm_scene *scene, struct harm *harm);

/* ", headroom 12% used at leaf0, ..." */
void margins_words(const struct harm *harm, char *text, size_t size);

#endif

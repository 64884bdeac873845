/* SPDX-License-Identifier: Apache-2.0
 * severity - how bad it was, and the sentence of it: "severe: 5 pairs of hosts lost 2.51 ms". */
#ifndef STORMGLASS_REPLAY_HARM_SEVERITY_H
#define STORMGLASS_REPLAY_HARM_SEVERITY_H

#include "replay/harm/scene.h"

/* `blamed_ps`: what of the loss somebody is to blame for. */
enum harm_severity severity_of(const struct harm_scene *scene, const struct harm *harm,
                               int64_t blamed_ps);

/* The harm's sentence, when all else of it is known. */
void severity_words(struct harm *harm);

/* "confirmed" by runs without the cause, or "suspected". */
const char *severity_standing(bool confirmed);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * severity - rates the harm and describes it: "severe: 5 hosts lost 2.51 ms of I/O time in total".
 */
#ifndef STORMGLASS_REPLAY_HARM_SEVERITY_H
#define STORMGLASS_REPLAY_HARM_SEVERITY_H

#include "replay/harm/scene.h"

/* `blamed_ps`: loss with a cause other than load. */
enum harm_severity severity_of(const struct harm_scene *scene, const struct harm *harm,
                               int64_t blamed_ps);

/* Writes the summary sentence when the rest of the harm is known. */
void severity_words(struct harm *harm);

/* "confirmed by rerun" without the cause, or "suspected". */
const char *severity_standing(bool confirmed);

/* "of its I/O time": what the lost share of one or several hosts refers to. */
const char *severity_of_time(int64_t hosts);

#endif

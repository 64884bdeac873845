/* SPDX-License-Identifier: Apache-2.0
 * severity - rates the harm and describes it: "severe: I/O from 5 hosts was delayed by 2.51 ms in
 * total". */
#ifndef STORMGLASS_REPLAY_HARM_SEVERITY_H
#define STORMGLASS_REPLAY_HARM_SEVERITY_H

#include "replay/harm/scene.h"

#include <stdio.h>

/* By the lost part of the time of all. */
enum { SEVERE_PERCENT = 25, MODERATE_PERCENT = 5 };

/* `blamed_ps`: loss with a cause other than load. */
enum harm_severity severity_of(const struct harm_scene *scene, const struct harm *harm,
                               int64_t blamed_ps);

/* Writes the summary sentence when the rest of the harm is known. */
void severity_words(struct harm *harm);

/* "confirmed by rerun" without the cause, or "suspected". */
const char *severity_standing(bool confirmed);

/* Prints the sentence of a cause, and a newline: what follows a "; " outside parentheses has a line
 * of its own. */
void severity_print(FILE *out, const char *sentence, int indent);

/* How the traffic of a victim meets the cause: "the cause is on its path" for class "direct". */
const char *severity_class_words(const char *class, int64_t hosts);

#endif

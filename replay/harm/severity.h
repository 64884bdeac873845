/* SPDX-License-Identifier: Apache-2.0
 * severity - rates the harm and describes it: "severe: 5 hosts lost 2.51 ms of I/O time to
 * total". */
#ifndef STORMGLASS_REPLAY_HARM_SEVERITY_H
#define STORMGLASS_REPLAY_HARM_SEVERITY_H

#include "replay/harm/harm.h"

#include <stdio.h>

/* What the causes other than load cost: of the time of all, and of the host that lost most; ppm. */
struct severity_loss {
    int64_t of_all, of_one;
    bool inactive; /* connections never came up */
};

/* Failed operations count first, then lost time: severe from a quarter of the time of all, moderate
 * from a twentieth or from a quarter of one host's. Dropped frames of a lossless class break a
 * guarantee and count, too.  `least`: if none of this applies. */
enum harm_severity severity_of(const struct harm *harm, const struct severity_loss *loss,
                               enum harm_severity least);

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

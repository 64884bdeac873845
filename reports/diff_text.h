/* SPDX-License-Identifier: Apache-2.0
 * diff_text - what differs between two runs, for people and as JSON.
 * What was changed first, then the first event that differs, then what came of it. */
#ifndef STORMGLASS_REPORTS_DIFF_TEXT_H
#define STORMGLASS_REPORTS_DIFF_TEXT_H

#include "replay/diff.h"

#include <stdio.h>

/* `all`: every row, else the most important ones of each section.  False: it could not be written.
 */
bool diff_text(const struct diff *diff, bool all, FILE *out);

/* One object, always with every row. */
bool diff_json(const struct diff *diff, FILE *out);

#endif

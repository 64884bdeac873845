/* SPDX-License-Identifier: Apache-2.0
 * progress - a bar on a terminal while a run goes on.
 * At most ten times a second, on stderr, and only when that is a terminal; never in a log.  Reads
 * the wall clock, which decides nothing in the run. */
#ifndef STORMGLASS_REPLAY_RUN_PROGRESS_H
#define STORMGLASS_REPLAY_RUN_PROGRESS_H

#include "base/units.h"

#include <stdbool.h>

struct progress {
    bool on;
    double begun_s, shown_s;
};

/* Seconds of a clock that never goes back. */
double progress_clock_s(void);

void progress_begin(struct progress *progress, bool wanted);

/* `now` of `end`, virtual; beyond the end work under way is finishing. */
void progress_show(struct progress *progress, time_ps now, time_ps end);

/* Wipes the bar off the line. */
void progress_end(struct progress *progress);

#endif

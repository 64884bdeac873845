/* SPDX-License-Identifier: Apache-2.0
 * progress - shows the progress of a run on stderr.
 * On a terminal a bar, at most ten updates per second; in a pipe or file one line per minute, so
 * that a log of a long run shows progress. Reads the wall clock, which does not affect the run. */
#ifndef STORMGLASS_REPLAY_RUN_PROGRESS_H
#define STORMGLASS_REPLAY_RUN_PROGRESS_H

#include "base/units.h"

#include <stdbool.h>

struct progress {
    bool on;
    bool bar; /* stderr is a terminal */
    double begun_s, shown_s;
};

/* Seconds of a monotonic clock. */
double progress_clock_s(void);

/* Disables progress output of this process: its stderr is captured, or -q was given. */
void progress_disable(void);

void progress_begin(struct progress *progress, bool wanted);

/* Whether an update is due; the caller must then show it. */
bool progress_is_due(struct progress *progress);

/* Shows `now` of `end` in virtual time; after `end`, outstanding work is finishing. */
void progress_show(struct progress *progress, time_ps now, time_ps end);

/* Clears the bar. */
void progress_end(struct progress *progress);

#endif

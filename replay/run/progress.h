/* SPDX-License-Identifier: Apache-2.0
 * progress - how far a run is, on stderr.
 * On a terminal a bar, at most ten times a second; in a pipe or a file one line a minute, so that a
 * log of a long run shows that it goes on.  Reads the wall clock, which decides nothing in the
 * run. */
#ifndef STORMGLASS_REPLAY_RUN_PROGRESS_H
#define STORMGLASS_REPLAY_RUN_PROGRESS_H

#include "base/units.h"

#include <stdbool.h>

struct progress {
    bool on;
    bool bar; /* stderr is a terminal */
    double begun_s, shown_s;
};

/* Seconds of a clock that never goes back. */
double progress_clock_s(void);

/* From here on this process shows no progress: its stderr is kept for later, or -q was given. */
void progress_disable(void);

void progress_begin(struct progress *progress, bool wanted);

/* Whether it is time to show something again; the caller then does. */
bool progress_is_due(struct progress *progress);

/* `now` of `end`, virtual; beyond the end work under way is finishing. */
void progress_show(struct progress *progress, time_ps now, time_ps end);

/* Clears the bar. */
void progress_end(struct progress *progress);

#endif

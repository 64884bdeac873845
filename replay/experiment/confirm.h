/* SPDX-License-Identifier: Apache-2.0
 * confirm - tests the causes found from evidence by experiment.
 * Suspects are removed in additional runs (prove.h) within a budget of events.
 *   confirmed   without this cause the loss is gone; reported whether or not the evidence named it
 *   ruled out   its removal made no difference, so it is not a cause, whatever the evidence says
 *   suspected   named by the evidence but not tested, such as load; it explains at most what the
 *               confirmed causes leave
 * Severity is based on the loss compared with the run without the confirmed causes. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_H
#define STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_H

#include "replay/run/run.h"

#define CONFIRM_EVENTS 20000000 /* a few seconds on one processor */

/* Budget of events for all runs; if they would need more, the causes from evidence stand. */
struct confirm {
    uint64_t events;
    bool crashed; /* set when a run ended by an error of the program: the causes are untested */
};

/* The judge of run_options; `self` is a struct confirm. */
void confirm_judge(void *self, const struct scenario *scenario, time_ps until, uint64_t events,
                   struct result *result);

#endif

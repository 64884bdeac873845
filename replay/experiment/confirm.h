/* SPDX-License-Identifier: Apache-2.0
 * confirm - the account of a run proposes, the experiment decides.
 * Suspects are removed in runs of their own (prove.h), as long as their events are within a budget.
 *   confirmed   a cause without which the loss is gone; it is told whether the account named it or
 *               not
 *   ruled out   what was removed and made no difference: it is no cause, whatever the account says
 *   suspected   what the account names and no experiment tried, such as load: it can be to blame
 *               for no more than what the confirmed causes leave
 * The severity is that of what was lost beside the run without the confirmed causes. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_H
#define STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_H

#include "replay/run/run.h"

#define CONFIRM_EVENTS 20000000 /* some seconds of one processor */

/* The runs may take so many events together; where they would take more, the account stands. */
struct confirm {
    uint64_t events;
};

/* The judge of run_options; its self is a struct confirm. */
void confirm_judge(void *self, const struct scenario *scenario, time_ps until, uint64_t events,
                   struct result *result);

#endif

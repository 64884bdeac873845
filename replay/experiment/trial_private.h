/* SPDX-License-Identifier: Apache-2.0
 * trial_private - what the parts of a trial share. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_TRIAL_PRIVATE_H
#define STORMGLASS_REPLAY_EXPERIMENT_TRIAL_PRIVATE_H

#include "replay/experiment/trial.h"

/* The deviations of which the change restores some. */
const struct deviations *trial_deviations(const struct trial_change *change,
                                          const struct trial_base *base);

/* The deviation is one of those that the change restores. */
bool trial_covers(const struct trial_change *change, const struct deviations *deviations,
                  size_t index);

/* The value that all shares get which the change makes even: the largest of them. 0: this setting
 * gets its common value. */
int64_t trial_even_share(const struct trial_change *change, const struct deviations *deviations,
                         size_t index);

/* `even`: in place of the common value; 0: none. Nodes are the changed scenario's own, in its
 * arena. */
void trial_restore(struct tried *tried, const struct deviation *deviation, int64_t even,
                   const struct scenario *scenario);

/* Changes the scenario in place, parameters that things share once; returns how many values were
 * changed. */
uint32_t trial_relax(struct scenario *scenario, enum bottleneck_resource resource,
                     int64_t permille);
void trial_relax_words(const struct trial_change *change, const struct scenario *scenario,
                       char *text, size_t size);

/* "fabric.overrides[0].mtu"; the entry where the change restores several values of it. */
void trial_setting_name(const struct trial_change *change, const struct trial_base *base,
                        char *text, size_t size);
void trial_setting_words(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size);
void trial_setting_cause(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size);

#endif

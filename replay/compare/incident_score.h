/* SPDX-License-Identifier: Apache-2.0
 * incident_score - how well the counters of a run agree with those of an incident, as one number.
 * The score is the logarithm of the likelihood of the incident's counters under the run, relative
 * to a run with equal counters: 0 is the best, and each counter adds 0 or less. docs/model.md has
 * the error model. Counters of one flow depend on each other, so differences between scores rank
 * runs and are no probabilities. Scores of runs of the same fabric are comparable.
 * Owner: nothing is allocated. */
#ifndef STORMGLASS_REPLAY_COMPARE_INCIDENT_SCORE_H
#define STORMGLASS_REPLAY_COMPARE_INCIDENT_SCORE_H

#include "replay/compare/incident_diff.h"

/* One counter. `scale` is the duration of the run divided by that of the incident. */
double incident_score_counter(int64_t incident, int64_t replay, double scale);

/* The scale with the highest score, found by a bounded search; 1 without counters. */
double incident_score_fit(const struct incident_row *rows, size_t count);

/* Sets the score of each row but of maxima, which have none, and returns their sum. */
double incident_score(struct incident_row *rows, size_t count, double scale);

#endif

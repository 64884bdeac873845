/* SPDX-License-Identifier: Apache-2.0
 * prove_suspects - selects the suspects worth a run.
 * From the tables of the unchanged run: roots of pauses, and the transmitters that each workload
 * uses. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_PROVE_SUSPECTS_H
#define STORMGLASS_REPLAY_EXPERIMENT_PROVE_SUSPECTS_H

#include "replay/experiment/prove.h"
#include "replay/harm/harm.h"

/* Adds faults, slow hosts and settings; if there are more than `most`, those with the highest
 * priority. */
void prove_suspects(struct prove *prove, const struct trial_base *base, struct store *store,
                    const struct harm *harm, uint32_t most);

/* Adds the settings for all that are worse than their defaults, then the remedies of check's
 * warnings, one suspect for each rule: only an experiment shows whether they cost anything. */
void prove_unlike_default(struct prove *prove, const struct trial_base *base);

/* Adds traffic that converges at roots of pauses, the first root first. */
void prove_traffic(struct prove *prove, const struct trial_base *base, struct store *store);

/* Adds workloads unrelated to any suspect, innocents before bystanders. `victims` is by
 * workload. */
void prove_others(struct prove *prove, const struct trial_base *base, struct store *store,
                  const bool *victims);

/* The evidence names it as a cause. */
bool prove_is_accused(const struct harm *harm, const char *name);

#endif

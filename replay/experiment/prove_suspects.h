/* SPDX-License-Identifier: Apache-2.0
 * prove_suspects - whose repair is worth a run.
 * From the tables of the run as it was: the roots of pauses, and who uses which transmitter. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_PROVE_SUSPECTS_H
#define STORMGLASS_REPLAY_EXPERIMENT_PROVE_SUSPECTS_H

#include "replay/experiment/prove.h"
#include "replay/harm/harm.h"

/* What may be broken: faults, slow hosts, settings; of more than `most` those for which most
 * speaks. */
void prove_suspects(struct prove *prove, const struct trial_base *base, struct store *store,
                    const struct harm *harm, uint32_t most);

/* What the sections for all say otherwise than by itself: for harm that nothing odd explains. */
void prove_written(struct prove *prove, const struct trial_base *base);

/* Traffic that meets at the roots of pauses, from the first on. */
void prove_traffic(struct prove *prove, const struct trial_base *base, struct store *store);

/* Workloads that have nothing to do with a suspect, innocents before bystanders. `victims` is by
 * workload. */
void prove_others(struct prove *prove, const struct trial_base *base, struct store *store,
                  const bool *victims);

/* The account of the run names it as a cause. */
bool prove_is_accused(const struct harm *harm, const char *name);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * confirm_private - internal interface of confirm. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_PRIVATE_H
#define STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_PRIVATE_H

#include "replay/experiment/prove.h"
#include "replay/explain/paths.h"
#include "replay/harm/harm.h"

enum { CONFIRM_MEMBER_BYTES = 200 };

/* "oltp from host3 to host0" */
const char *confirm_member_words(const struct scenario *scenario, const struct prove_harm *harm,
                                 char text[CONFIRM_MEMBER_BYTES]);

/* For one cause, the gain of removing it; for one of several, the loss that it causes alone; for
 * causes that act together, what removing all of them gains. */
void confirm_effect_words(const struct prove *prove, const struct trial_base *base,
                          const struct prove_row *row, char *text, size_t size);

/* The bottlenecks of the result, of all and by workload, become those of the run without the
 * confirmed causes. `limits`: by workload. */
void confirm_replace_limits(const struct prove *prove, const struct bottleneck *limits,
                            struct result *result);

/* confirm_places.c. Set scenario and base; the rest is filled in when it is first needed. Owner:
 * confirm_places_free. */
struct confirm_places {
    const struct scenario *scenario;
    const struct trial_base *base;
    struct route_table *routes; /* by node; NULL: not needed yet */
    struct explain_fabric fabric;
    struct paths paths;
};

/* How the workload's I/O of the host meets what the repair changes: HARM_DIRECT or
 * HARM_SAME_PATH. */
enum harm_class confirm_class(struct confirm_places *places, const struct trial_change *repair,
                              uint32_t workload, uint32_t host);
void confirm_places_free(struct confirm_places *places);

#endif

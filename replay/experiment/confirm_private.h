/* SPDX-License-Identifier: Apache-2.0
 * confirm_private - internal interface of confirm. */
#ifndef STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_PRIVATE_H
#define STORMGLASS_REPLAY_EXPERIMENT_CONFIRM_PRIVATE_H

#include "replay/experiment/prove.h"

enum { CONFIRM_MEMBER_BYTES = 200 };

/* "oltp from host3 to host0" */
const char *confirm_member_words(const struct scenario *scenario, const struct prove_harm *harm,
                                 char text[CONFIRM_MEMBER_BYTES]);

/* The text of a repair as the text of a cause: "mtu 1500B -> 4200B at leaf1" becomes "mtu 1500B
 * instead of 4200B at leaf1"; "link-down at leaf1, removed" becomes "link-down at leaf1". */
void confirm_cause_words(const struct prove_row *row, char *text, size_t size);

/* For one cause, the gain of removing it; for one of several, the loss that it causes alone; for
 * causes that act together, what removing all of them gains. */
void confirm_effect_words(const struct prove *prove, const struct scenario *scenario,
                          const struct prove_row *row, char *text, size_t size);

#endif

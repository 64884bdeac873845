/* SPDX-License-Identifier: Apache-2.0
 * limits_account - what the account of time says of a verdict: which part of an operation's time
 * belongs to what is named, and where; and what is most of it when that is something else. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_ACCOUNT_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_ACCOUNT_H

#include "replay/record/collect.h"

/* Nothing where nobody accounted for time. */
void limits_account(const struct collect *collect, struct result *result);

#endif

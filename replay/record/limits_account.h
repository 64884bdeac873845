/* SPDX-License-Identifier: Apache-2.0
 * limits_account - relates a bottleneck to the time breakdown.
 * Which part of an operation's time the bottleneck causes, and where; and the largest part if that
 * has another cause. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_ACCOUNT_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_ACCOUNT_H

#include "replay/record/collect.h"

/* No-op without a time breakdown. */
void limits_account(const struct collect *collect, struct result *result);

#endif

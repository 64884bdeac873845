/* SPDX-License-Identifier: Apache-2.0
 * bottleneck_private - what the estimates and the sentence of a bottleneck share. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_PRIVATE_H
#define STORMGLASS_REPLAY_EXPLAIN_BOTTLENECK_PRIVATE_H

#include "base/numbers.h"
#include "replay/explain/bottleneck.h"

/* A lost target's share of time that makes other traffic count. */
enum { BOTTLENECK_AWAY_LEAST = PPM / 10 };

/* A station that is busy for this share of the time is saturated. */
enum { BOTTLENECK_FULL = 980000 };

/* Writes found->text about found->resource. */
void bottleneck_write(const struct bottleneck_input *input, struct bottleneck *found);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * limits_engines - what the RNICs' engines and their PCIe links did in the steady part. */
#ifndef STORMGLASS_REPLAY_RECORD_LIMITS_ENGINES_H
#define STORMGLASS_REPLAY_RECORD_LIMITS_ENGINES_H

#include "replay/explain/bottleneck.h"
#include "replay/record/collect.h"

/* The busiest of the hosts among `nodes`, by node, if busier than what the input has; and of the
 * queue pairs there the part that waits for its own engine. */
void limits_engines(const struct collect *collect, const bool *nodes,
                    struct bottleneck_input *input);

#endif

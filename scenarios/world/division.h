/* SPDX-License-Identifier: Apache-2.0
 * division - assigns the nodes of a scenario to executors.
 * A switch is assigned together with its hosts, and with the switches to which it has most links,
 * so that most frames stay within an executor. Each executor has about the same number of ports.
 * The assignment affects only the speed of a run.
 * Method: greedy graph growing; Karypis and Kumar, SIAM J. Sci. Comput. 20(1), 1998. */
#ifndef STORMGLASS_SCENARIOS_WORLD_DIVISION_H
#define STORMGLASS_SCENARIOS_WORLD_DIVISION_H

#include "scenarios/data/scenario.h"

/* Returns the executor of each node, by index; the caller frees the array. Hosts of one machine
 * have the same executor. */
uint32_t *division_make(const struct scenario *scenario, uint32_t executors);

/* Number of executors, 1 to `most`, for which each is expected to have enough work per window to
 * justify a thread. The estimate uses the shortest link and the link rates of the sending or the
 * receiving hosts. */
uint32_t division_worthwhile(const struct scenario *scenario, uint32_t most);

#endif

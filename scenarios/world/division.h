/* SPDX-License-Identifier: Apache-2.0
 * division - which executor runs which node of a scenario.
 * A switch goes with the hosts behind it, and with the switches that it shares most links with, so
 * that most frames stay with their executor; each has about as many ports to serve.  Nothing but
 * the time that a run takes depends on it.
 * Method: greedy graph growing; Karypis and Kumar, SIAM J. Sci. Comput. 20(1), 1998. */
#ifndef STORMGLASS_SCENARIOS_WORLD_DIVISION_H
#define STORMGLASS_SCENARIOS_WORLD_DIVISION_H

#include "scenarios/load/scenario.h"

/* The executor of each node, by its index; the caller frees it.  Hosts of a machine have the same.
 */
uint32_t *division_make(const struct scenario *scenario, uint32_t executors);

/* How many executors, 1 to `most`, are each expected to have enough to do in a window to pay for a
 * thread: an estimate, from the shortest link and from what the hosts that send, or those that are
 * sent to, can carry. */
uint32_t division_worthwhile(const struct scenario *scenario, uint32_t most);

#endif

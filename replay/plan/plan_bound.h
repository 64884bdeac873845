/* SPDX-License-Identifier: Apache-2.0
 * plan_bound - what a candidate can never hold, whatever is played: closed forms.
 * Each is a true bound: no exact run is on the other side (tests/laws/run/run_laws_bounds.c, over
 * cases, worked plans and the swarm).  Rates are those of the steady part.
 *   goodput, IOPS  what paced open loops of one size ask for; what the links of the workload's
 *                  hosts, and of their peers, carry with nothing else on them and without headers
 *   IOPS           where every operation has data: what the CPUs and the drives of the targets,
 *                  and the CPUs of the hosts' queues, do one after the other, and all that may be
 *                  under way when the steady part begins, which is a quarter of the workload's
 *                  time at least; goodput likewise
 *   latency        light in the cables at both ends and back, and the bytes of the operation on the
 *                  slower of the two links: the fabric between them comes on top
 * Headroom that does not fit into a switch's memory is refused by the scenario's own checks. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_BOUND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_BOUND_H

#include "scenarios/load/expect.h"

enum { PLAN_BOUND_BYTES = 240, PLAN_BOUND_STEADY_LEAST = 4 };

/* The least that the steady part may be for rates to be bounded: a quarter of the workload's time.
 * 0: of one that ends by itself nothing is known. */
time_ps plan_bound_span(const struct scenario_workload *workload);

/* The most (of what shall be above its limit) or the least that the quantity can be, in its base
 * unit, and why; -1: nothing is known. */
int64_t plan_bound(const struct scenario *scenario, const struct expectation *expectation,
                   char why[PLAN_BOUND_BYTES]);

/* Whether the bound says that it can never hold. */
bool plan_bound_refuses(const struct scenario *scenario, const struct expectation *expectation,
                        char why[PLAN_BOUND_BYTES]);

#endif

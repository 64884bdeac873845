/* SPDX-License-Identifier: Apache-2.0
 * plan_bound - closed-form limits that reject candidates without a run.
 * Each is a true bound: no simulation exceeds it (tests/laws/run/run_laws_bounds.c checks this over
 * cases, worked plans and the swarm). Rates are those of the steady part.
 *   goodput, IOPS  offered load of paced open loops of one size; capacity of the links of the
 *                  workload's hosts and of their peers, without other traffic and without headers
 *   IOPS           if every operation has data: the sequential work of the targets' CPUs and drives
 *                  and of the CPUs of the hosts' queues, plus all operations that may be
 *                  outstanding when the steady part begins, which lasts at least a quarter of the
 *                  workload's time; also applies to goodput
 *   latency        propagation in the cables at both ends, both ways, and serialization on the
 *                  slower of the two links; the fabric between them is not included
 * Headroom that does not fit into a switch's memory is rejected by the scenario's own checks. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_BOUND_H
#define STORMGLASS_REPLAY_PLAN_PLAN_BOUND_H

#include "scenarios/load/expect.h"

enum { PLAN_BOUND_BYTES = 240, PLAN_BOUND_STEADY_LEAST = 4 };

/* Minimum duration of the steady part for bounds on rates: a quarter of the workload's time. 0 if
 * unknown, because the workload ends by itself. */
time_ps plan_bound_span(const struct scenario_workload *workload);

/* The largest possible value (if the limit is a minimum) or the smallest, in the quantity's base
 * unit, and the reason; -1 if unknown. */
int64_t plan_bound(const struct scenario *scenario, const struct expectation *expectation,
                   char why[PLAN_BOUND_BYTES]);

/* Whether the bound shows that the expectation can never be met. */
bool plan_bound_refuses(const struct scenario *scenario, const struct expectation *expectation,
                        char why[PLAN_BOUND_BYTES]);

#endif

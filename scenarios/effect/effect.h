/* SPDX-License-Identifier: Apache-2.0
 * effect - whether a parameter can have an effect at a host or switch of a scenario.
 * The parameter's row names the conditions that it needs (OPT_NEEDS of base/opt_effect.h). They are
 * evaluated for the scenario's effective settings. A run without a parameter that has no effect has
 * the same digest (tests/golden/innocent.sh). Uncertain cases count as having an effect. */
#ifndef STORMGLASS_SCENARIOS_EFFECT_EFFECT_H
#define STORMGLASS_SCENARIOS_EFFECT_EFFECT_H

#include "base/opt.h"
#include "scenarios/data/scenario.h"

/* True if a parameter of the node's RNIC, NVMe host, target, or switch has no effect. False for
 * `row` NULL and for a node that the scenario does not have. */
bool effect_is_void(const struct scenario *scenario, uint32_t node, const struct opt *row);

/* True if the node is at one end of a pair of a workload of that kind; NULL: of any workload. */
bool effect_has_traffic(const struct scenario *scenario, uint32_t node,
                        bool (*is_kind)(const struct scenario_workload *workload));

/* True if the parameter is one of iSCSI, which no workload uses. */
bool effect_lacks_transport(const struct scenario *scenario, const struct opt *row);

bool effect_uses_iscsi(const struct scenario_workload *workload);
bool effect_uses_iwarp(const struct scenario_workload *workload);

/* The connections of the pair use TLS. */
bool effect_uses_tls(const struct scenario *scenario, const struct scenario_workload *workload,
                     const struct scenario_pair *pair);

#endif

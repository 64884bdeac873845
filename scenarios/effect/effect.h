/* SPDX-License-Identifier: Apache-2.0
 * effect - whether a parameter can have an effect at a host or switch of a scenario.
 * The row names what it needs (OPT_NEEDS of base/opt_effect.h); here that is looked up in the
 * scenario's effective settings.  A run without such a value has the same digest
 * (tests/golden/innocent.sh); what is not known for certain counts as an effect. */
#ifndef STORMGLASS_SCENARIOS_EFFECT_EFFECT_H
#define STORMGLASS_SCENARIOS_EFFECT_EFFECT_H

#include "base/opt.h"
#include "scenarios/load/scenario.h"

/* A parameter of the node's RNIC, NVMe host, target, or switch; `row` NULL, or a node that the
 * scenario does not have: false. */
bool effect_is_void(const struct scenario *scenario, uint32_t node, const struct opt *row);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * fault_kinds - declarations of the kinds in fault.def. */
#ifndef STORMGLASS_SCENARIOS_FAULT_FAULT_KINDS_H
#define STORMGLASS_SCENARIOS_FAULT_FAULT_KINDS_H

#include "scenarios/fault/fault.h"

#define FAULT(stem) extern const struct fault_ops fault_##stem;
#include "scenarios/fault/fault.def"
#undef FAULT

#endif

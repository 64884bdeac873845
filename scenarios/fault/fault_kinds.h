/* SPDX-License-Identifier: Apache-2.0
 * fault_kinds - the kinds of faults: one file per kind, one line in fault.def. */
#ifndef STORMGLASS_SCENARIOS_FAULT_FAULT_KINDS_H
#define STORMGLASS_SCENARIOS_FAULT_FAULT_KINDS_H

#include "scenarios/data/fault.h"

#define FAULT(stem) extern const struct fault_ops fault_##stem;
#include "scenarios/fault/fault.def"
#undef FAULT

extern const struct fault_ops *const fault_kinds[]; /* terminated by NULL; generated from
                                                     * fault.def */
const struct fault_ops *fault_find(const char *name);

#endif

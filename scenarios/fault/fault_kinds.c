/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/fault/fault_kinds.h"

#include <string.h>

const struct fault_ops *const fault_kinds[] = {
#define FAULT(stem) &fault_##stem,
#include "scenarios/fault/fault.def"
#undef FAULT
    NULL,
};

const struct fault_ops *fault_find(const char *name)
{
    for (unsigned i = 0; fault_kinds[i] != NULL; i++)
        if (strcmp(fault_kinds[i]->name, name) == 0)
            return fault_kinds[i];
    return NULL;
}

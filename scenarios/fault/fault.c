/* SPDX-License-Identifier: Apache-2.0
 * fault - the list of kinds. */
#include "scenarios/fault/fault_kinds.h"

#include "scenarios/load/scenario.h"

#include <string.h>

const struct opt fault_no_opts[] = {{0}};

bool fault_spares_rdma(const struct scenario_fault *fault)
{
    const struct fault_ops *ops = fault->ops;
    return ops->at_target != NULL && (ops->spares_rdma == NULL || ops->spares_rdma(fault->params));
}

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

bool fault_has_spot(const struct scenario_fault *fault, const struct scenario_spot *spot)
{
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == spot->node && fault->spots[i].port == spot->port)
            return true;
    return false;
}

static bool overlap(const struct scenario_fault *a, const struct scenario_fault *b)
{
    return a->ops == b->ops && (a->ops->overlap == NULL || a->ops->overlap(a->params, b->params));
}

/* The last begun of the others that do the same to the spot as one ends; NULL: none. */
static const struct scenario_fault *still_at(const struct scenario *scenario, uint32_t ended,
                                             const struct scenario_spot *spot)
{
    const struct scenario_fault *faults = scenario->faults, *found = NULL;
    const time_ps now = faults[ended].end;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *other = &faults[i];
        if (i != ended && overlap(other, &faults[ended]) && other->at <= now && now < other->end &&
            fault_has_spot(other, spot) && (found == NULL || found->at <= other->at))
            found = other;
    }
    return found;
}

const struct scenario_fault *fault_in_force(const struct scenario *scenario, uint32_t index,
                                            const struct scenario_spot *spot, bool begins, bool *on)
{
    const struct scenario_fault *other = begins ? NULL : still_at(scenario, index, spot);
    *on = begins || other != NULL;
    return other != NULL ? other : &scenario->faults[index];
}

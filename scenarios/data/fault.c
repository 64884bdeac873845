/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/data/fault.h"

#include "base/memory.h"
#include "scenarios/data/scenario.h"

#include <stdlib.h>

const struct opt fault_no_opts[] = {{0}};

bool fault_spares_rdma(const struct scenario_fault *fault)
{
    const struct fault_ops *ops = fault->ops;
    return ops->at_target != NULL && (ops->spares_rdma == NULL || ops->spares_rdma(fault->params));
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

static int by_begin(const void *a, const void *b)
{
    const struct fault_begin *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->fault < y->fault ? -1 : x->fault > y->fault;
}

struct fault_order fault_order_new(const struct scenario *scenario)
{
    struct fault_order order = {.count = scenario->fault_count};
    order.begins = memory_zeroed((size_t)order.count + 1, sizeof *order.begins);
    for (uint32_t i = 0; i < order.count; i++)
        order.begins[i] = (struct fault_begin){.at = scenario->faults[i].at, .fault = i};
    qsort(order.begins, order.count, sizeof *order.begins, by_begin);
    time_ps last = 0;
    for (uint32_t i = 0; i < order.count; i++) {
        last = time_later(last, scenario->faults[order.begins[i].fault].end);
        order.begins[i].last_end = last;
    }
    return order;
}

void fault_order_free(struct fault_order *order)
{
    free(order->begins);
    *order = (struct fault_order){0};
}

/* Number of faults that begin no later than `now`. */
static uint32_t begun_by(const struct fault_order *order, time_ps now)
{
    uint32_t low = 0, high = order->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (order->begins[middle].at <= now)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When a fault ends: another fault with the same effect at the spot that is still in force, the one
 * that began last; NULL: none. */
static const struct scenario_fault *still_at(const struct scenario *scenario,
                                             const struct fault_order *order, uint32_t ended,
                                             const struct scenario_spot *spot)
{
    const struct scenario_fault *faults = scenario->faults;
    const time_ps now = faults[ended].end;
    for (uint32_t i = begun_by(order, now); i-- > 0 && order->begins[i].last_end > now;) {
        const struct scenario_fault *other = &faults[order->begins[i].fault];
        if (other != &faults[ended] && overlap(other, &faults[ended]) && now < other->end &&
            fault_has_spot(other, spot))
            return other;
    }
    return NULL;
}

const struct scenario_fault *fault_in_force(const struct scenario *scenario,
                                            const struct fault_order *order, uint32_t index,
                                            const struct scenario_spot *spot, bool begins, bool *on)
{
    const struct scenario_fault *other = begins ? NULL : still_at(scenario, order, index, spot);
    *on = begins || other != NULL;
    return other != NULL ? other : &scenario->faults[index];
}

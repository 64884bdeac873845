/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/laws/run/run_laws_arrivals.h"

#include "rnic/psn.h"

static const struct run_laws_arrival *arrival_at(const struct run_laws_arrivals *arrivals,
                                                 uint32_t number)
{
    return &arrivals->list[number % RUN_LAWS_ARRIVALS];
}

/* What is expected after it, if it is not refused. */
static uint32_t expected_after(uint32_t epsn, const struct run_laws_arrival *arrival)
{
    const bool fits = psn_diff(arrival->psn, epsn) <= 0 && psn_diff(arrival->end, epsn) > 0;
    return fits ? arrival->end : epsn;
}

uint32_t run_laws_arrivals_add(struct run_laws_arrivals *arrivals, uint32_t psn, uint32_t end)
{
    const struct run_laws_arrival arrival = {psn, end};
    if (arrivals->tail - arrivals->head == RUN_LAWS_ARRIVALS) {
        arrivals->base = expected_after(arrivals->base, arrival_at(arrivals, arrivals->head++));
        arrivals->forgets = true;
    }
    arrivals->list[arrivals->tail++ % RUN_LAWS_ARRIVALS] = arrival;
    arrivals->epsn = expected_after(arrivals->epsn, &arrival);
    return arrivals->epsn;
}

bool run_laws_arrivals_refuse(struct run_laws_arrivals *arrivals, uint32_t psn, bool waits)
{
    uint32_t refused = waits ? arrivals->head : arrivals->tail, epsn = arrivals->base;
    for (; refused != arrivals->tail; refused++) {
        const struct run_laws_arrival *arrival = arrival_at(arrivals, refused);
        if (arrival->psn == psn && psn_diff(epsn, psn) >= 0)
            break;
        epsn = expected_after(epsn, arrival);
    }
    if (waits && refused == arrivals->tail)
        return arrivals->forgets;
    arrivals->head = waits ? refused + 1 : refused;
    arrivals->base = arrivals->epsn = psn;
    for (uint32_t i = arrivals->head; i != arrivals->tail; i++)
        arrivals->epsn = expected_after(arrivals->epsn, arrival_at(arrivals, i));
    return true;
}

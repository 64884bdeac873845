/* SPDX-License-Identifier: Apache-2.0
 * switch_mark - the probability of an ECN mark. */
#include "net/switch/switch_mark_private.h"

/* Marking probability: 0 up to kmin, rising linearly to pmax at kmax, 1 above (DCQCN paper, figure
 * 5). */
void switch_mark_perhaps(struct swtch *swtch, struct frame *frame, const struct port *egress)
{
    const struct switch_params *params = &swtch->params;
    const int64_t queue = egress->prios[frame->priority].bytes;
    CHECK(queue > params->ecn_kmin);
    const uint64_t over = (uint64_t)(queue - params->ecn_kmin);
    const uint64_t span = (uint64_t)(params->ecn_kmax - params->ecn_kmin);
    if (queue < params->ecn_kmax &&
        !rng_chance(&swtch->marking, over * (uint64_t)params->ecn_pmax, span * (uint64_t)PPM))
        return;
    frame->tos |= ECN_CE;
    swtch->counters.ecn_marked++;
    swtch->port_counters[egress->index].ecn_marked[frame->priority]++;
}

/* SPDX-License-Identifier: Apache-2.0
 * switch_mark - which frames of a long queue are marked. */
#include "net/port/credits.h"
#include "net/switch/switch_mark_private.h"

/* Marking probability: 0 up to kmin, rising linearly to pmax at kmax, 1 above (DCQCN paper, figure
 * 5). */
static bool ecn_marks(struct swtch *swtch, const struct frame *frame, const struct port *egress)
{
    const struct switch_params *params = &swtch->params;
    const int64_t queue = egress->prios[frame->priority].bytes;
    CHECK(queue > params->ecn_kmin);
    const uint64_t over = (uint64_t)(queue - params->ecn_kmin);
    const uint64_t span = (uint64_t)(params->ecn_kmax - params->ecn_kmin);
    return queue >= params->ecn_kmax ||
           rng_chance(&swtch->marking, over * (uint64_t)params->ecn_pmax, span * (uint64_t)PPM);
}

/* InfiniBand: the egress lane is congested. It is the root if it has credits, so that only its own
 * wire limits it; without credits it is a victim of congestion further on (IBTA Vol 1 annex
 * A10.2.1.1). */
static bool fecn_marks(struct swtch *swtch, const struct frame *frame, const struct port *egress)
{
    const struct switch_params *params = &swtch->params;
    const unsigned lane = frame->priority;
    const bool root = ((egress->credits->low | egress->held) & 1u << lane) == 0;
    if (frame->bytes < params->fecn_packet_size)
        return false;
    if (!root && params->fecn_victims != SWITCH_VICTIMS_ALL &&
        (params->fecn_victims == SWITCH_VICTIMS_NONE || !switch_leads_to_host(swtch, egress)))
        return false;
    uint64_t *eligible = &swtch->port_counters[egress->index].fecn_eligible[lane];
    return (*eligible)++ % ((uint64_t)params->fecn_marking_rate + 1) == 0;
}

void switch_mark_perhaps(struct swtch *swtch, struct frame *frame, const struct port *egress)
{
    if (swtch->fecn ? !fecn_marks(swtch, frame, egress) : !ecn_marks(swtch, frame, egress))
        return;
    frame->tos |= ECN_CE;
    swtch->counters.ecn_marked++;
    swtch->port_counters[egress->index].ecn_marked[frame->priority]++;
}

/* SPDX-License-Identifier: Apache-2.0
 * switch_audit - invariants of a switch between two events. */
#include "net/switch/lifetimes.h"
#include "net/switch/switch_private.h"
#include "net/switch/watchdog.h"

/* A group's cells are all in some queue, and a queue's cells all came from some port. */
static void audit_waiting(const struct swtch *swtch, uint16_t port, unsigned priority)
{
    const int64_t held = buffer_held(&swtch->buffer.groups[port * PRIORITIES + priority]);
    const int64_t queued = swtch->ports[port].prios[priority].cells;
    int64_t from = 0, to = 0;
    if (held == 0 && queued == 0)
        return;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        from += swtch->buffer.groups[port * PRIORITIES + priority].waiting[i];
        to += swtch->buffer.groups[i * PRIORITIES + priority].waiting[port];
    }
    CHECK(from == held && to == queued);
}

void switch_audit(const struct node *node)
{
    const struct swtch *swtch = (const struct swtch *)(const void *)node;
    buffer_audit(&swtch->buffer);
    uint64_t queued = 0, lossy = 0;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        port_audit(&swtch->ports[i]);
        for (unsigned p = 0; p < PRIORITIES; p++) {
            const struct port_prio *prio = &swtch->ports[i].prios[p];
            CHECK(swtch->turns[i].deficit[p] <
                  swtch->params.weight[p] * SWITCH_DWRR_QUANTUM + UINT16_MAX);
            audit_waiting(swtch, i, p);
            queued += prio->cells;
            if ((swtch->lossless & 1u << p) == 0)
                lossy += buffer_above(prio->cells, swtch->buffer.egress.reserved);
        }
    }
    CHECK(queued == swtch->buffer.used); /* the charged cells are the queued ones */
    CHECK(node->due == dequeue_timers_due(&swtch->dequeue_timers));
    CHECK(lossy == swtch->buffer.egress.used);
    watchdog_audit(swtch);
    lifetimes_audit(swtch);
}

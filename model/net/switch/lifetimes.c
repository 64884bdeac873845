/* SPDX-License-Identifier: Apache-2.0
 * lifetimes - the arrival times of the frames in each queue, and one event per queue.
 * The event is due when the first frame expires, if it is still there. A frame that leaves before
 * does not move the event: when it fires too early, it is posted again for the frame that is first
 * by then. So a queue has at most one event per lifetime, however many frames pass. It is quiet and
 * has a line of its own: as long as no frame expires, a run has the digest that it has without
 * lifetimes. */
#include "net/switch/lifetimes.h"

#include "base/memory.h"
#include "net/switch/switch_queue_private.h"

#include <stdlib.h>

enum {
    NO_LIMIT_ABOVE = 19, /* IBTA: larger values of HOQLife and LifeTimeValue are infinite */
    LINE = ORDER_OWN_LINE - 1,
};

/* A ring of the arrival times of the frames that wait. */
struct lifetime_queue {
    time_ps *arrivals;
    uint32_t first, count, room; /* room: 0, or a power of two */
    time_ps first_since;
    bool posted;
};

struct lifetimes {
    struct lifetime *ports;
    struct lifetime_queue *queues; /* by port and priority */
};

static time_ps infiniband_time(int64_t exponent)
{
    return exponent > NO_LIMIT_ABOVE ? TIME_NEVER : INT64_C(4096) * PS_PER_NS << exponent;
}

struct lifetime lifetime_of(const struct switch_params *params, enum port_kind kind, bool edge)
{
    struct lifetime lifetime = {TIME_NEVER, TIME_NEVER};
    const time_ps held = edge ? params->edge_hold_time : params->hold_time;
    if (kind == PORT_FIBRE_CHANNEL && held > 0)
        lifetime.in_switch = held;
    if (kind == PORT_INFINIBAND) {
        lifetime.in_switch = infiniband_time(params->packet_life);
        lifetime.as_first = infiniband_time(edge ? params->leaf_hoq_life : params->hoq_life);
    }
    return lifetime;
}

static struct swtch *switch_of(const struct port *port)
{
    return (struct swtch *)(void *)port->node;
}

static struct lifetime_queue *queue_of(const struct port *port, uint8_t priority)
{
    return &switch_of(port)->lifetimes->queues[port->index * PRIORITIES + priority];
}

/* With lifetimes, all queues are metered, so that each change of a queue is noted. */
void lifetimes_make(struct swtch *swtch)
{
    struct lifetime *limits = memory_new(swtch->port_count * sizeof *limits);
    time_ps least = TIME_NEVER;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        const struct port *port = &swtch->ports[i];
        limits[i] = lifetime_of(&swtch->params, (enum port_kind)port->params.kind,
                                switch_leads_to_host(swtch, port));
        least = time_earlier(least, lifetime_least(&limits[i]));
    }
    if (least == TIME_NEVER) {
        free(limits);
        return;
    }
    struct lifetimes *lifetimes = memory_new(sizeof *lifetimes);
    *lifetimes = (struct lifetimes){
        .ports = limits,
        .queues = memory_zeroed((size_t)swtch->port_count * PRIORITIES, sizeof *lifetimes->queues),
    };
    swtch->lifetimes = lifetimes;
    swtch->metered = UINT8_MAX;
}

void lifetimes_free(struct swtch *swtch)
{
    struct lifetimes *lifetimes = swtch->lifetimes;
    if (lifetimes == NULL)
        return;
    for (uint32_t i = 0; i < (uint32_t)swtch->port_count * PRIORITIES; i++)
        free(lifetimes->queues[i].arrivals);
    free(lifetimes->queues);
    free(lifetimes->ports);
    free(lifetimes);
}

/* ------------------------------------------------------------------ queues */

static time_ps *arrival_at(const struct lifetime_queue *queue, uint32_t position)
{
    return &queue->arrivals[(queue->first + position) % queue->room];
}

static void grow(struct lifetime_queue *queue)
{
    enum { LEAST = 16 };
    struct lifetime_queue larger = *queue;
    larger.room = queue->room == 0 ? (uint32_t)LEAST : 2 * queue->room;
    larger.first = 0;
    larger.arrivals = memory_zeroed(larger.room, sizeof *larger.arrivals);
    for (uint32_t i = 0; i < queue->count; i++)
        larger.arrivals[i] = *arrival_at(queue, i);
    free(queue->arrivals);
    *queue = larger;
}

/* When the first frame expires. */
static time_ps due_of(const struct port *port, const struct lifetime_queue *queue)
{
    const struct lifetime *limit = &switch_of(port)->lifetimes->ports[port->index];
    const time_ps arrival = *arrival_at(queue, 0);
    const time_ps stay = limit->in_switch == TIME_NEVER ? TIME_NEVER : arrival + limit->in_switch;
    return limit->as_first == TIME_NEVER ? stay
                                         : time_earlier(stay, queue->first_since + limit->as_first);
}

static void post(const struct port *port, uint8_t priority, struct lifetime_queue *queue)
{
    const time_ps at = due_of(port, queue);
    struct node *node = port->node;
    if (at == TIME_NEVER || queue->posted)
        return;
    queue->posted = true;
    node_post_ordered(node, node_order(node, LINE, port->index * (uint32_t)PRIORITIES + priority),
                      event_target(node->id, port->index, SWITCH_EVENT_LIFETIME), at, priority);
}

void lifetimes_note(struct port *port, uint8_t priority, bool joined, time_ps now)
{
    struct lifetime_queue *queue = queue_of(port, priority);
    if (!joined) {
        CHECK(queue->count > 0);
        queue->first = (queue->first + 1) % queue->room;
        queue->count--;
        queue->first_since = now;
        return;
    }
    if (queue->count == queue->room)
        grow(queue);
    *arrival_at(queue, queue->count++) = now;
    if (queue->count > 1)
        return;
    queue->first_since = now;
    post(port, priority, queue);
}

static void discard_first(struct swtch *swtch, struct port *port, uint8_t priority, time_ps now)
{
    const struct passage passage = passage_of(swtch, port_shift(port, priority), now);
    switch_unqueue(swtch, port, &passage);
    node_digest(&swtch->node, (uint64_t)now ^ ((uint64_t)port->index << 8 | priority));
    switch_expire(swtch, (uint32_t)passage.handle, port->index, now);
    if (port->prios[priority].head == POOL_NONE)
        swtch->turns[port->index].deficit[priority] = 0;
}

void lifetimes_expire(struct port *port, uint8_t priority, time_ps now)
{
    struct lifetime_queue *queue = queue_of(port, priority);
    CHECK(queue->posted);
    queue->posted = false;
    while (queue->count > 0 && due_of(port, queue) <= now)
        discard_first(switch_of(port), port, priority, now);
    if (queue->count > 0)
        post(port, priority, queue);
}

void lifetimes_audit(const struct swtch *swtch)
{
    for (uint16_t i = 0; swtch->lifetimes != NULL && i < swtch->port_count; i++)
        for (unsigned p = 0; p < PRIORITIES; p++) {
            const struct lifetime_queue *queue = &swtch->lifetimes->queues[i * PRIORITIES + p];
            const bool limited = lifetime_least(&swtch->lifetimes->ports[i]) != TIME_NEVER;
            CHECK((queue->count == 0) == (swtch->ports[i].prios[p].head == POOL_NONE));
            CHECK(queue->count == 0 || queue->posted || !limited);
        }
}

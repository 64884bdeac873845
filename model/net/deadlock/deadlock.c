/* SPDX-License-Identifier: Apache-2.0
 * deadlock - tracks present and past deadlocks.
 * A deadlock stays present as long as every queue of its cycle remains blocked without
 * interruption.
 * Schedule of the checks: every 10 us at first, later every 1/256 of the elapsed time. A check is
 * skipped until enough events have been executed since the last one to pay for it, but for at most
 * 4 intervals, because few events happen while everything is blocked. */
#include "net/deadlock/deadlock.h"

#include "base/memory.h"
#include "net/deadlock/deadlock_knots_private.h"

#include <stdlib.h>

enum {
    INTERVAL_SHARE = 256, /* check interval as a fraction of the elapsed time */
    INTERVALS_MAX = 4,    /* longest time without a check */
    /* Checking a port or frame takes about a sixth of the time of an event, and checks may take a
     * hundredth of the run time. */
    EVENTS_PER_COST = 16,
};
static const time_ps interval_min = 10 * PS_PER_US;

void deadlock_init(struct deadlock_watch *watch, struct swtch *const *switches, uint32_t count)
{
    *watch = (struct deadlock_watch){.next = interval_min};
    watch->waits = memory_zeroed(1, sizeof *watch->waits);
    deadlock_waits_init(watch->waits, switches, count);
}

void deadlock_fini(struct deadlock_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++)
        free(watch->found[i].queues);
    free(watch->found);
    if (watch->waits != NULL)
        deadlock_waits_fini(watch->waits);
    free(watch->waits);
    *watch = (struct deadlock_watch){0};
}

/* ------------------------------------------------------------------ the queues of a deadlock */

static void add_queue(struct deadlock *deadlock, const struct deadlock_queue *queue)
{
    deadlock->queues = memory_grown(deadlock->queues, deadlock->queue_count, &deadlock->room,
                                    sizeof *deadlock->queues);
    deadlock->queues[deadlock->queue_count++] = *queue;
}

static void add_wait(struct deadlock *deadlock, const struct deadlock_wait *wait,
                     enum deadlock_role role)
{
    const struct deadlock_queue queue = {
        .node = wait->at->node.id,
        .port = wait->port->index,
        .priority = wait->priority,
        .role = (uint8_t)role,
        .bytes = wait->port->prios[wait->priority].bytes,
        .since = wait->port->pauses[wait->priority].blocked_since,
    };
    add_queue(deadlock, &queue);
    deadlock->cycle += role == DEADLOCK_CYCLE;
    deadlock->knot += role == DEADLOCK_KNOT;
    deadlock->behind += role == DEADLOCK_BEHIND;
    if (role != DEADLOCK_BEHIND)
        deadlock->bytes += queue.bytes;
}

/* Marks every queue of S that the knot blocks, directly or indirectly. */
static bool *reached_from(struct deadlock_waits *waits, const struct deadlock_knots *knots,
                          uint32_t knot)
{
    bool *reached = memory_zeroed(waits->count, sizeof *reached);
    for (uint32_t i = 0; i < waits->count; i++)
        reached[i] = knots->knot_of[i] == knot;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < waits->count; i++) {
            if (!waits->waits[i].stuck || reached[i])
                continue;
            uint32_t next = deadlock_waits_next(waits, &waits->waits[i], 0);
            while (next != DEADLOCK_NONE && !reached[next])
                next = deadlock_waits_next(waits, &waits->waits[i], next + 1);
            reached[i] = next != DEADLOCK_NONE;
            again |= reached[i];
        }
    }
    return reached;
}

/* True when a queue before `wait` holds frames of the port too, so that the host has already been
 * reported. */
static bool is_reported(const struct deadlock_waits *waits, const bool *reached, uint32_t wait,
                        uint16_t in_port)
{
    const struct deadlock_wait *own = &waits->waits[wait];
    for (uint32_t i = waits->of_node[own->at->node.id].from; i < wait; i++)
        if (reached[i] && waits->waits[i].priority == own->priority &&
            deadlock_waits_held(waits, &waits->waits[i], in_port) > 0)
            return true;
    return false;
}

/* Adds the hosts whose frames wait in that queue and that the deadlock pauses permanently. A switch
 * does not know since when a host lacks credits: the queue's time is used. */
static void add_hosts(struct deadlock *deadlock, const struct deadlock_waits *waits,
                      const bool *reached, uint32_t place)
{
    const struct deadlock_wait *wait = &waits->waits[place];
    for (uint32_t h = 0; h < wait->hold_count; h++) {
        const uint16_t in_port = waits->holds[wait->first_hold + h].in_port;
        const struct port *port = &wait->at->ports[in_port];
        const struct deadlock_wait host = {
            .peer = wait->at, .peer_port = in_port, .causes = (uint8_t)(1u << wait->priority)};
        if ((port->credits == NULL && (port->asserted >> wait->priority & 1) == 0) ||
            deadlock_is_switch(wait->at->node.engine, port->peer_node) ||
            !deadlock_waits_is_held(waits, &host) || is_reported(waits, reached, place, in_port))
            continue;
        const struct deadlock_queue queue = {
            .node = port->peer_node,
            .port = port->peer_port,
            .priority = wait->priority,
            .role = DEADLOCK_BEHIND,
            .since = port->credits != NULL ? wait->port->pauses[wait->priority].blocked_since
                                           : port->pauses[wait->priority].asserted_since,
        };
        add_queue(deadlock, &queue);
        deadlock->behind++;
    }
}

static void list_behind(struct deadlock *deadlock, struct deadlock_waits *waits,
                        const struct deadlock_knots *knots, uint32_t number)
{
    bool *reached = reached_from(waits, knots, number);
    for (uint32_t i = 0; i < waits->count; i++)
        if (reached[i] && knots->knot_of[i] != number)
            add_wait(deadlock, &waits->waits[i], DEADLOCK_BEHIND);
    for (uint32_t i = 0; i < waits->count; i++)
        if (reached[i])
            add_hosts(deadlock, waits, reached, i);
    free(reached);
}

/* Index of the queue in S if it is still there and has not moved since, else DEADLOCK_NONE. */
static uint32_t place_of(const struct deadlock_waits *waits, const struct deadlock_queue *queue)
{
    const struct deadlock_range range = waits->of_node[queue->node];
    for (uint32_t i = range.from; i < range.until; i++) {
        const struct deadlock_wait *wait = &waits->waits[i];
        if (wait->stuck && wait->port->index == queue->port && wait->priority == queue->priority &&
            wait->port->pauses[wait->priority].blocked_since == queue->since)
            return i;
    }
    return DEADLOCK_NONE;
}

/* Lists the queues of the deadlock; keeps the cycle that already identifies it, if any. */
static void list_queues(struct deadlock *deadlock, struct deadlock_waits *waits,
                        const struct deadlock_knots *knots, uint32_t number)
{
    const struct deadlock_knot *knot = &knots->knots[number];
    const bool known = deadlock->cycle > 0;
    const uint32_t cycle = known ? deadlock->cycle : knot->cycle;
    bool *listed = memory_zeroed(waits->count, sizeof *listed);
    uint32_t *places = memory_zeroed(cycle, sizeof *places);
    for (uint32_t i = 0; i < cycle; i++) {
        places[i] = known ? place_of(waits, &deadlock->queues[i]) : knots->members[knot->first + i];
        listed[places[i]] = true;
    }
    deadlock->queue_count = deadlock->cycle = deadlock->knot = deadlock->behind = 0;
    deadlock->bytes = 0;
    for (uint32_t i = 0; i < cycle; i++)
        add_wait(deadlock, &waits->waits[places[i]], DEADLOCK_CYCLE);
    for (uint32_t i = 0; i < knot->count; i++)
        if (!listed[knots->members[knot->first + i]])
            add_wait(deadlock, &waits->waits[knots->members[knot->first + i]], DEADLOCK_KNOT);
    free(listed);
    free(places);
    list_behind(deadlock, waits, knots, number);
}

/* ------------------------------------------------------------------ history */

/* The knot that contains the deadlock's cycle, or DEADLOCK_NONE. */
static uint32_t knot_with(const struct deadlock_waits *waits, const struct deadlock_knots *knots,
                          const struct deadlock *deadlock)
{
    uint32_t knot = DEADLOCK_NONE;
    for (uint32_t i = 0; i < deadlock->cycle; i++) {
        const uint32_t place = place_of(waits, &deadlock->queues[i]);
        if (place == DEADLOCK_NONE || knots->knot_of[place] == DEADLOCK_NONE)
            return DEADLOCK_NONE;
        knot = knots->knot_of[place];
    }
    return knot;
}

static void add_deadlock(struct deadlock_watch *watch, const struct deadlock_knots *knots,
                         uint32_t number, time_ps now)
{
    watch->found = memory_grown(watch->found, watch->count, &watch->room, sizeof *watch->found);
    struct deadlock *deadlock = &watch->found[watch->count++];
    *deadlock = (struct deadlock){.found = now, .seen = now, .gone = TIME_NEVER};
    list_queues(deadlock, watch->waits, knots, number);
    deadlock->priority = deadlock->queues[0].priority;
    for (uint32_t i = 0; i < deadlock->cycle; i++)
        if (deadlock->queues[i].since > deadlock->since)
            deadlock->since = deadlock->queues[i].since;
}

static void end_all(struct deadlock_watch *watch, time_ps now)
{
    for (uint32_t i = 0; i < watch->count; i++)
        if (watch->found[i].gone == TIME_NEVER)
            watch->found[i].gone = now;
}

/* Known deadlocks continue or have ended; the remaining knots are new. */
static void note_knots(struct deadlock_watch *watch, const struct deadlock_knots *knots,
                       time_ps now)
{
    bool *known = memory_zeroed(knots->count, sizeof *known);
    const uint32_t before = watch->count;
    for (uint32_t i = 0; i < before; i++) {
        struct deadlock *deadlock = &watch->found[i];
        if (deadlock->gone != TIME_NEVER)
            continue;
        const uint32_t knot = knot_with(watch->waits, knots, deadlock);
        if (knot == DEADLOCK_NONE) {
            deadlock->gone = now;
            continue;
        }
        deadlock->seen = now;
        known[knot] = true;
        list_queues(deadlock, watch->waits, knots, knot);
    }
    for (uint32_t i = 0; i < knots->count; i++)
        if (!known[i])
            add_deadlock(watch, knots, i, now);
    free(known);
}

/* ------------------------------------------------------------------ checks */

void deadlock_look(struct deadlock_watch *watch, time_ps now)
{
    watch->looks++;
    watch->looked = now;
    if (!deadlock_waits_find(watch->waits, now)) {
        end_all(watch, now);
        return;
    }
    struct deadlock_knots knots;
    deadlock_knots_find(&knots, watch->waits);
    note_knots(watch, &knots, now);
    deadlock_knots_free(&knots);
}

void deadlock_tick(struct deadlock_watch *watch, time_ps now, uint64_t events)
{
    const time_ps share = now / INTERVAL_SHARE;
    const time_ps interval = share > interval_min ? share : interval_min;
    watch->next = now + interval;
    if (events - watch->looked_work < watch->waits->cost * EVENTS_PER_COST &&
        now - watch->looked < INTERVALS_MAX * interval)
        return;
    watch->looked_work = events;
    deadlock_look(watch, now);
}

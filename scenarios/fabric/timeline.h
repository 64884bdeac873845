/* SPDX-License-Identifier: Apache-2.0
 * timeline - what a scenario's faults do, moment by moment.
 * A clockwork of the scenario alone: which links have carrier, what switches know of it, and when
 * routes change.  The world that plays the scenario and checks without a run follow the same one.
 *
 *   carrier lost --detection--> known at both ends --convergence--> out of all computed routes
 *
 * and the same way back.  A change that does not last for the detection time is not noticed.  Links
 * to hosts are known to their switch only. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TIMELINE_H
#define STORMGLASS_SCENARIOS_FABRIC_TIMELINE_H

#include "scenarios/fabric/routing.h"

/* What a moment brings, in this order; each of a kind in the scenario's order. */
struct timeline_calls {
    void *self;
    void (*fault)(void *self, uint32_t fault, bool on); /* beside what it does to the fabric */
    void (*link)(void *self, uint32_t link, bool up);
    void (*lost)(void *self, uint32_t node); /* it lost its power and what it held: a switch, or a
                                                target, whose return is a fault's end */
    void (*routes)(void *self, const struct routing_view *view);
    /* the nodes at its ends know of it; or NULL */
    void (*known)(void *self, uint32_t link, bool up);
};

struct timeline;

struct timeline *timeline_new(const struct scenario *scenario);
void timeline_free(struct timeline *timeline); /* NULL is fine */

/* The next moment at which something happens; TIME_NEVER: nothing more does. */
time_ps timeline_due(const struct timeline *timeline);

/* Everything that happens at that moment. */
void timeline_step(struct timeline *timeline, const struct timeline_calls *calls);

/* What routes are made from after the last step; it changes with the next one. */
struct routing_view timeline_view(const struct timeline *timeline);

/* ---- what a fault does to the fabric, in its `edge` ---- */

/* The links at its places have one reason more to be without carrier, or one less. */
void timeline_carrier(struct timeline *timeline, uint32_t fault, bool down);

/* Its nodes lose their power, and their links the carrier; or one reason for it is gone. */
void timeline_power(struct timeline *timeline, uint32_t fault, bool off);

/* Its route goes before all others, or no longer. */
void timeline_misroute(struct timeline *timeline, uint32_t fault, bool on);

/* It begins or ends again at that time. */
void timeline_again(struct timeline *timeline, uint32_t fault, time_ps at, bool begins);

#endif

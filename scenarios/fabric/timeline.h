/* SPDX-License-Identifier: Apache-2.0
 * timeline - effects of a scenario's faults on the fabric over time.
 * It depends on the scenario alone and determines which links have carrier, what switches have
 * detected, and when routes change. Simulation and checks without a run share the same timeline.
 *   carrier lost --detection--> known at both ends --convergence--> out of all computed routes
 * and likewise when a link comes back. A change shorter than the detection time goes unnoticed.
 * Only its own switch detects the state of a link to a host. */
#ifndef STORMGLASS_SCENARIOS_FABRIC_TIMELINE_H
#define STORMGLASS_SCENARIOS_FABRIC_TIMELINE_H

#include "scenarios/fabric/routing.h"

/* Callbacks for the events of one moment, in this order; events of one kind are in the scenario's
 * order. */
struct timeline_calls {
    void *self;
    void (*fault)(void *self, uint32_t fault, bool on); /* the effects of the fault outside the
                                                         * fabric */
    void (*link)(void *self, uint32_t link, bool up);
    void (*lost)(void *self, uint32_t node); /* the node lost power and all its state: a switch,
                                              * or a target that comes back at the end of a fault */
    void (*routes)(void *self, const struct routing_view *view);
    /* the nodes at both ends have detected the change; may be NULL */
    void (*known)(void *self, uint32_t link, bool up);
};

struct timeline;

struct timeline *timeline_new(const struct scenario *scenario);
void timeline_free(struct timeline *timeline); /* accepts NULL */

/* Time of the next step; TIME_NEVER: none. */
time_ps timeline_due(const struct timeline *timeline);

/* Processes all steps of that time. */
void timeline_step(struct timeline *timeline, const struct timeline_calls *calls);

/* Input of the routes after the last step; valid until the next one. */
struct routing_view timeline_view(const struct timeline *timeline);

/* ---- effects of a fault on the fabric, called in its `edge` ---- */

/* Adds or removes one reason for the links at the fault's places to have no carrier. */
void timeline_carrier(struct timeline *timeline, uint32_t fault, bool down);

/* Adds or removes one reason for the fault's nodes to be powered off and for their links to have no
 * carrier. */
void timeline_power(struct timeline *timeline, uint32_t fault, bool off);

/* Gives the fault's route precedence over all others, or removes it. */
void timeline_misroute(struct timeline *timeline, uint32_t fault, bool on);

/* Schedules the next beginning or end of the fault. */
void timeline_again(struct timeline *timeline, uint32_t fault, time_ps at, bool begins);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * offered - which way the data of a workload's pairs flow, and how much of them is offered.
 * Data of reads flow from `to` to `from`.  A closed loop, a trace and a fio job offer as much as
 * the links take.
 * Units: bits per second on the wire. */
#ifndef STORMGLASS_SCENARIOS_CHECK_OFFERED_H
#define STORMGLASS_SCENARIOS_CHECK_OFFERED_H

#include "scenarios/load/scenario.h"

#define OFFERED_ALL INT64_MAX

/* What all pairs of a workload have in common, looked up once: there may be a million of them. */
struct offering {
    int64_t rate;  /* operations a second, in QUANTITY_DECIMAL_ONE; 0: a closed loop */
    int64_t share; /* of reads among the operations, ppm */
    int64_t mean;  /* bytes of an operation */
    bool out, back;
};
struct offering offered_all(const struct scenario_workload *workload);

/* Of one pair. */
struct offered {
    int64_t out, back; /* from `from` to `to`, and the other way; 0: no data */
};
struct offered offered_by(const struct scenario *scenario, const struct offering *offering,
                          const struct scenario_pair *pair);

/* Bytes of the largest operation: block-size, message-size, or of a fio job's plan; `otherwise` of
 * a kind that has none. */
int64_t offered_operation(const struct scenario_workload *workload, int64_t otherwise);

/* On average, where sizes are drawn; whether they are, or come from a trace or a plan. */
int64_t offered_mean(const struct scenario_workload *workload);
bool offered_varies(const struct scenario_workload *workload);

/* All links of a node together. */
int64_t offered_room(const struct scenario_node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * offered - direction and amount of the data that the pairs of a workload offer.
 * Data of reads flow from `to` to `from`. A closed loop, a trace and a fio job offer as much as the
 * links carry.
 * Units: bits per second on the wire. */
#ifndef STORMGLASS_SCENARIOS_CHECK_OFFERED_H
#define STORMGLASS_SCENARIOS_CHECK_OFFERED_H

#include "scenarios/data/scenario.h"

#define OFFERED_ALL INT64_MAX

/* Values common to all pairs of a workload, looked up only once because there may be a million
 * pairs. */
struct offering {
    int64_t rate;  /* operations per second, in QUANTITY_DECIMAL_ONE; 0: a closed loop */
    int64_t share; /* share of reads among the operations, ppm */
    int64_t mean;  /* bytes per operation */
    bool out, back;
};
struct offering offered_all(const struct scenario_workload *workload);

/* Load of one pair. */
struct offered {
    int64_t out, back; /* from `from` to `to`, and in reverse; 0: no data */
};
struct offered offered_by(const struct scenario *scenario, const struct offering *offering,
                          const struct scenario_pair *pair);

/* Bytes of the largest operation: block-size, message-size, or the largest of a fio job's plan;
 * `otherwise` for a kind without any of these. */
int64_t offered_operation(const struct scenario_workload *workload, int64_t otherwise);

/* Mean size of an operation; and whether sizes vary: drawn from a distribution, or taken from a
 * trace or a plan. */
int64_t offered_mean(const struct scenario_workload *workload);
bool offered_varies(const struct scenario_workload *workload);

/* Sum of the rates of all links of a node. */
int64_t offered_room(const struct scenario_node *node);

#endif

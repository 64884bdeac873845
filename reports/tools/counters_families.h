/* SPDX-License-Identifier: Apache-2.0
 * counters_families - the metrics of a run, under the names of Prometheus' exporters.
 * A metric family is one counter of all ports of hosts, or of all ports of switches; a counter with
 * the priority in its name is a family for each priority. */
#ifndef STORMGLASS_REPORTS_TOOLS_COUNTERS_FAMILIES_H
#define STORMGLASS_REPORTS_TOOLS_COUNTERS_FAMILIES_H

#include "replay/database/port_counters.h"

enum { COUNTERS_PRIORITIES = 8, COUNTERS_FAMILY_BYTES = 160 };

struct counters_family {
    bool of_switch;
    enum counter_id id;
    int priority;       /* -1: none in the name */
    const char *object; /* label of the priority that is not in the name; NULL: none */
    char name[COUNTERS_FAMILY_BYTES];
    char help[COUNTERS_FAMILY_BYTES];
};

/* The labels of a port's node and of the port. */
static inline const char *counters_family_node_label(bool of_switch)
{
    return of_switch ? "switch" : "instance";
}

static inline const char *counters_family_port_label(bool of_switch)
{
    return of_switch ? "port" : "device";
}

/* Whether a port has a sample of a counter. */
static inline bool counters_family_has(const struct port_counters_port *port, bool chosen,
                                       bool of_switch, enum counter_id id)
{
    return chosen && port->of_switch == of_switch && port_counters_has(port, id);
}

typedef void counters_family_fn(void *self, const struct counters_family *family);

/* Visits the families of hosts' or of switches' ports that a chosen port has. Families of one
 * counter follow each other. */
void counters_families(const struct port_counters *counters, const bool *chosen, bool of_switch,
                       counters_family_fn *call, void *self);

#endif

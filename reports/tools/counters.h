/* SPDX-License-Identifier: Apache-2.0
 * counters - a run's counters in the format of real equipment.
 * stormglass import counters can read this output. */
#ifndef STORMGLASS_REPORTS_TOOLS_COUNTERS_H
#define STORMGLASS_REPORTS_TOOLS_COUNTERS_H

#include "replay/database/port_counters.h"

#include <stdio.h>

enum counters_form {
    COUNTERS_ETHTOOL,
    COUNTERS_SONIC,
    COUNTERS_JSON,
    COUNTERS_OPENMETRICS,
    COUNTERS_GRAFANA_ETHTOOL,
    COUNTERS_GRAFANA_SONIC,
    COUNTERS_FOS,       /* of Fibre Channel: Brocade */
    COUNTERS_NX_OS,     /* Cisco */
    COUNTERS_PERFQUERY, /* of InfiniBand */
    COUNTERS_NSTAT,     /* TCP of hosts */
    COUNTERS_SS,        /* their connections */
    COUNTERS_CSV
};

/* `chosen` selects ports of the run. `ethtool -S` for several ports has the name of each before its
 * counters, like tail(1) for files. SONiC's tables for several switches have the switches' names,
 * and vendor's names of ports if known. JSON is the object that import counters writes.
 * nstat has the hosts with TCP. CSV has one
 * line for each counter. */
void counters_print(const struct port_counters *counters, const bool *chosen,
                    enum counters_form form, FILE *out);

/* COUNTERS_SS: the TCP connections of these ports at the end of the run, from its database. */
void counters_ss(struct store *store, const struct port_counters *counters, const bool *chosen,
                 FILE *out);

/* OpenMetrics text: hosts as node_exporter's ethtool collector names them, switches by SAI. */
void counters_openmetrics(const struct port_counters *counters, const bool *chosen, FILE *out);

/* COUNTERS_FOS, COUNTERS_NX_OS or COUNTERS_PERFQUERY. */
void counters_credits(const struct port_counters *counters, const bool *chosen,
                      enum counters_form form, FILE *out);

/* A Grafana dashboard that shows the OpenMetrics text of hosts, or of switches. */
void counters_grafana(const struct port_counters *counters, const bool *chosen, bool of_switch,
                      FILE *out);

#endif

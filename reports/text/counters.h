/* SPDX-License-Identifier: Apache-2.0
 * counters - the counters of a run as real equipment prints them.
 * What is printed here, stormglass import counters reads. */
#ifndef STORMGLASS_REPORTS_TEXT_COUNTERS_H
#define STORMGLASS_REPORTS_TEXT_COUNTERS_H

#include "replay/database/port_counters.h"

#include <stdio.h>

enum counters_form { COUNTERS_ETHTOOL, COUNTERS_SONIC, COUNTERS_JSON };

/* `chosen`: of each port of the run, whether it is printed.  `ethtool -S` of several ports has the
 * name of each before it, as tail(1) has those of files; SONiC's tables of several switches have
 * those of the switches, and the names of the equipment where it has any; JSON is the object that
 * import counters writes. */
void counters_print(const struct port_counters *counters, const bool *chosen,
                    enum counters_form form, FILE *out);

#endif

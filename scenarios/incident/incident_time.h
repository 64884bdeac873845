/* SPDX-License-Identifier: Apache-2.0
 * incident_time - dates as date(1), switches and logs print them.
 * A date is a month, a day and a time of day in any order, with or without a weekday, a year, AM or
 * PM and a zone; or RFC 3339.  Offsets such as +02:00 are taken into account, names of zones are
 * not.  Without a year, it is 1972, so that times of one log are in order. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_TIME_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct incident_time {
    int64_t seconds; /* since 1970 */
    const char *end; /* behind the date and its blanks */
};

/* False: no date begins there. */
bool incident_time_read(const char *text, struct incident_time *time);

/* "20261128T004612" or "20261128-004612" in a file's name. */
bool incident_time_stamp(const char *text, size_t length, int64_t *seconds);

#endif

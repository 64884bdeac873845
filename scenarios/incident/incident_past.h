/* SPDX-License-Identifier: Apache-2.0
 * incident_past - what an earlier look at the same files and devices saw, for readers that look
 * again and again: only samples and messages that are new count.
 * A file with the same size and time of change is not new.  A file that has grown and begins as
 * before is new from there on; any other change makes the whole file new.  A file whose last line
 * has no end may still be written: it is read as soon as two looks find it unchanged.
 * Where both samples have a date, an older one is left out.
 * Limits: INCIDENT_PAST_NUMBERS_MAX counters that a run has; the others are not kept. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PAST_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INCIDENT_PAST_NUMBERS_MAX = 500000 };

/* The last sample of one counter. */
struct incident_past_number {
    const char *host, *port;
    const char *key; /* the run's name and the equipment's: one counter may have several sources */
    int64_t value;
    int64_t seconds;  /* or INCIDENT_NO_TIME */
    const char *date; /* as it was written, or NULL */
};

struct incident_past_file {
    const char *name;
    int64_t size, modified; /* in bytes, in ns since 1970 */
    int64_t lines;
    const char *digest; /* of its bytes */
    bool is_closed;     /* nothing in it is read at every look, such as cables or logs */
    bool is_pending;    /* it was not read, since its last line has no end */
};

struct incident_past {
    const char *own; /* the file that keeps this state, which is not read, or NULL */
    bool is_empty;   /* there was no earlier look */
    struct incident_past_number *numbers; /* sorted by incident_past_sort */
    size_t number_count;
    struct incident_past_file *files;
    size_t file_count;
    const char **tables; /* that leave out rows of zeroes */
    size_t table_count;
};

/* Sorts a past that was read, so that its numbers and files can be found. */
void incident_past_sort(struct incident_past *past);

#endif

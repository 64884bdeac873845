/* SPDX-License-Identifier: Apache-2.0
 * incident_past - the result of the previous poll of the same files and devices, for readers that
 * poll repeatedly: only new samples and messages count.
 * The content of a file decides, not its modification time: a file that was only touched has no
 * new data, and neither has a copy, whose counters and dates equal those in another file.  If a
 * file has grown, only the added part is new; this includes a file that begins like the file from
 * which it was rotated.  Any other change makes the whole file new.  A file whose last line has no
 * newline may be incomplete: it is read when two polls in a row find it unchanged.
 * If both samples have a date, an older sample is left out, and so is a sample of the same second
 * with the same value.
 * Limits: INCIDENT_PAST_CONTENTS_MAX digests of files that were replaced or removed; older ones
 * are forgotten.  Only counters that a run has are kept. */
#ifndef STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PAST_H
#define STORMGLASS_SCENARIOS_INCIDENT_INCIDENT_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INCIDENT_PAST_CONTENTS_MAX = 20000 };

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
    int64_t size; /* in bytes */
    /* Times of the last changes of its bytes and of its inode, only to compare: the file is read
     * again where they differ. */
    const char *stamp;
    int64_t lines;
    const char *digest; /* of its bytes */
    const char *data;   /* digest of its counters and their dates; without counters, of its bytes */
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
    const char **contents; /* digests of files before they changed, latest first */
    size_t content_count;
    const char **tables; /* that leave out rows of zeroes */
    size_t table_count;
};

/* Sorts a past that was read, so that its numbers and files can be found. */
void incident_past_sort(struct incident_past *past);

#endif

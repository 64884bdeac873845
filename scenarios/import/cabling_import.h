/* SPDX-License-Identifier: Apache-2.0
 * cabling_import - a file of cables as a scenario that runs.
 * Such files know no switches' settings: those are the defaults.  The comments say how each node
 * was known to be a host or a switch, and what was left out.
 * Owner:   the result is the caller's, cabling_import_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_CABLING_IMPORT_H
#define STORMGLASS_SCENARIOS_IMPORT_CABLING_IMPORT_H

#include "scenarios/import/cabling.h"

struct cabling_input {
    const char *kind; /* for the comments: "dot" */
    cabling_reader *read;
    const char *name; /* in messages */
    const char *text; /* NULL: the file of that name is read */
    size_t length;
    const char *const *others; /* further files, read by their names or with `text` from memory */
    const char *const *other_texts;
    size_t other_count;
    const char *host_pattern;           /* see cabling.h */
    const char *host_rate, *other_rate; /* of links that say none; NULL: the default */
};

struct cabling_result {
    char *scenario; /* YAML; its comments repeat the notes */
    char *notes;    /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* False when the diag holds an error; then the result is empty. */
bool cabling_import(const struct cabling_input *input, struct cabling_result *result,
                    struct diag *diag);
void cabling_import_free(struct cabling_result *result);

#endif

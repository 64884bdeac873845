/* SPDX-License-Identifier: Apache-2.0
 * cabling_import - converts a file of cables to a scenario that runs.
 * Such files have no switch settings, so the scenario has the defaults. Its comments list why each
 * node is a host or a switch, and what was left out.
 * Owner: the result belongs to the caller, cabling_import_free. Errors: located messages in
 * diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_CABLING_IMPORT_H
#define STORMGLASS_SCENARIOS_IMPORT_CABLING_IMPORT_H

#include "scenarios/import/cabling.h"

struct cabling_input {
    const char *kind; /* name of the tool in comments: "dot" */
    cabling_reader *read;
    const char *name; /* name in messages */
    const char *text; /* NULL: read the file of that name */
    size_t length;
    const char *const *others; /* further files, by their names, or with `text` from memory */
    const char *const *other_texts;
    size_t other_count;
    const char *host_pattern;           /* see cabling.h */
    const char *host_rate, *other_rate; /* for links without a rate; NULL: the default */
};

struct cabling_result {
    char *scenario; /* YAML; its comments repeat the notes */
    char *notes;    /* lines "FILE:LINE:COLUMN: note: sentence"; may be empty */
};

/* False if the diag has an error; then the result is empty. */
bool cabling_import(const struct cabling_input *input, struct cabling_result *result,
                    struct diag *diag);
void cabling_import_free(struct cabling_result *result);

#endif

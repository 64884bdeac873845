/* SPDX-License-Identifier: Apache-2.0
 * page_several - runs, plans and incidents as one HTML page, in any number.
 * A table shows the answer of each input and the data that it lacks. Then follow the runs, the
 * plans and the incidents. One or two runs are shown as on a page of their own; the results of more
 * runs are compared in a table. */
#ifndef STORMGLASS_REPORTS_PAGE_SEVERAL_PAGE_SEVERAL_H
#define STORMGLASS_REPORTS_PAGE_SEVERAL_PAGE_SEVERAL_H

#include "replay/compare/diff.h"
#include "replay/database/store.h"
#include "replay/incident/triage.h"

#include <stdio.h>

enum page_input_kind { PAGE_INPUT_RUN, PAGE_INPUT_PLAN, PAGE_INPUT_INCIDENT, PAGE_INPUT_KINDS };

struct page_input {
    enum page_input_kind kind;
    const char *path;    /* as the user gave it */
    struct store *store; /* of a run or a plan */
    struct incident incident;
    struct triage triage; /* of an incident */
};

struct page_several {
    struct page_input *inputs; /* in the order of the user */
    size_t count;
    const struct diff *diff; /* of the runs, if there are two */
};

/* Returns false if a database could not be read or the output not written. */
bool page_several_write(const struct page_several *several, FILE *out);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * page_plan - the answer to a plan as one HTML page that opens without a network, and without a
 * script: tables, maps and charts are in the page as they are read from the database. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PLAN_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PLAN_H

#include "replay/database/store.h"

#include <stdio.h>

#include <stdbool.h>

/* `linked`: beside the page are those of runs, NAME.html of each candidate and point of a cliff
 * that was played.  False: the database could not be read, or the output not written. */
bool page_plan_write(struct store *store, bool linked, FILE *out);

#endif

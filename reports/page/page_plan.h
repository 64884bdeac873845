/* SPDX-License-Identifier: Apache-2.0
 * page_plan - a plan's answer as one HTML page that works without a network and without scripts:
 * tables, maps and charts are static. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PLAN_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PLAN_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdio.h>

struct page;

/* `linked`: pages of runs are next to this page, as NAME.html for each candidate or cliff point
 * that was run. Returns false if the database could not be read or the output not written. */
/* "Chosen: two spines", or that none is, and why. */
void page_plan_answer(struct store *store, char *text, size_t size);
void page_plan_sections(const struct page *page, bool linked);
bool page_plan_write(struct store *store, bool linked, FILE *out);

#endif

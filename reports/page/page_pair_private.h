/* SPDX-License-Identifier: Apache-2.0
 * page_pair_private - the sections of a page of two runs. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PAIR_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PAIR_PRIVATE_H

#include "replay/compare/diff.h"
#include "reports/page/page_private.h"

struct pair {
    struct page pages[2]; /* with one span, output and charts */
    const struct diff *diff;
};

/* "A" with A's colour, or B. */
void pair_mark(const struct pair *pair, int side);

/* page_pair_tables.c */
void pair_cards(const struct pair *pair);
void pair_workloads(const struct pair *pair);
void pair_stopped(const struct pair *pair);

/* page_pair_diff.c */
void pair_settings(const struct pair *pair);
void pair_events(const struct pair *pair);
void pair_all(const struct pair *pair);

#endif

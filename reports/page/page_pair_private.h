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

/* What both runs say of the same thing: A's rows in their order, then those that only B has; each
 * key has a row of A, one of B and what changed. */
struct pair_table {
    const char *head; /* of the key */
    const char *keys; /* SQL: a column `key` */
    const char *row;  /* SQL: the columns of the key ?1 */
    const struct page_column *columns;
};

enum { PAIR_SQL_BYTES = 2048 };

/* page_pair_tables.c */
void pair_table(const struct pair *pair, const struct pair_table *table);
void pair_cards(const struct pair *pair);
void pair_workloads(const struct pair *pair);
void pair_stopped(const struct pair *pair);

/* page_pair_account.c */
void pair_members(const struct pair *pair);
void pair_waits(const struct pair *pair);

/* page_pair_diff.c */
void pair_settings(const struct pair *pair);
void pair_events(const struct pair *pair);
void pair_all(const struct pair *pair);

#endif

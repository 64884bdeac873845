/* SPDX-License-Identifier: Apache-2.0
 * page_pair_private - the sections of a page of two runs. */
#ifndef STORMGLASS_REPORTS_PAGE_PAIR_PAGE_PAIR_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_PAIR_PAGE_PAIR_PRIVATE_H

#include "replay/compare/diff.h"
#include "reports/page/page_layout.h"

struct pair {
    struct page pages[2]; /* same time span, output and charts */
    const struct diff *diff;
};

/* Writes "A" in A's color, or "B". */
void pair_mark(const struct pair *pair, int side);

/* The same item in both runs: A's items in order, then those that only B has. Each key has a row
 * for A, one for B and one for the change; `flat`: one row, with A, B and the change of each
 * column. */
struct pair_table {
    const char *head; /* heading of the key */
    const char *keys; /* SQL with a column `key` */
    const char *row;  /* SQL for the columns of key ?1 */
    const struct page_column *columns;
    bool flat;
};

enum { PAIR_SQL_BYTES = 2048 };

/* page_pair_answer.c: head, changed settings, the answers of both runs, and why they differ */
void pair_answer(const struct pair *pair, const char *title);

/* A change in percent as an element of that tag; small changes are not emphasized. */
void pair_change(const struct pair *pair, const char *tag, double a, double b);

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

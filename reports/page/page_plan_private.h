/* SPDX-License-Identifier: Apache-2.0
 * page_plan_private - what the sections of a plan's page share. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PLAN_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PLAN_PRIVATE_H

#include "reports/page/page_private.h"

/* Whether a row of the table candidate is one of the plan, not a point of a cliff. */
#define PAGE_PLAN_OWN(row) " " row ".candidate NOT IN (SELECT candidate FROM cliff)"

/* The page of the run of a candidate or a point, of that column; empty: none was played. */
#define PAGE_PLAN_RUN(column)                                                                      \
    " coalesce((SELECT n.name||'.html' FROM candidate n WHERE n.candidate=" column                 \
    " AND n.verdict<>'died' AND n.candidate IN (SELECT candidate FROM run)), '') "

#define PAGE_PLAN_TOLERANCE "(SELECT value FROM plan WHERE key='tolerance')"
#define PAGE_PLAN_NEAR                                                                             \
    "'within the tolerance'||iif(" PAGE_PLAN_TOLERANCE                                             \
    " IS NULL, '', printf(' of %.3g %%', 100*" PAGE_PLAN_TOLERANCE "))"
/* The column headroom in words.  What passes beyond its limit does so within the tolerance. */
#define PAGE_PLAN_ROOM(passes)                                                                     \
    "CASE WHEN headroom IS NULL THEN '-' WHEN headroom<0 AND " passes " THEN " PAGE_PLAN_NEAR      \
    " WHEN headroom<0 AND headroom>=-" PAGE_PLAN_TOLERANCE                                         \
    " THEN printf('%.3g %%, ', 100*headroom)||" PAGE_PLAN_NEAR                                     \
    " ELSE printf('%.3g %%', 100*headroom) END"
#define PAGE_PLAN_PERCENT PAGE_PLAN_ROOM("verdict='holds'")

/* Price against headroom, with the front as a line. */
void page_plan_front(const struct page *page);
/* For each two axes what the best candidate of each pair of values comes to. */
void page_plan_map(const struct page *page);
/* How far what is chosen goes along each axis that was asked for. */
void page_plan_cliffs(const struct page *page, bool linked);
/* What each assumed value moves, the largest first. */
void page_plan_assumed(const struct page *page);

/* Two designs, where a plan was compared with another. */
void page_plan_versus(const struct page *page);

/* What each candidate did, whatever was asked. */
void page_plan_measures(const struct page *page);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * page_plan_private - internal interface of a plan's page. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PLAN_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PLAN_PRIVATE_H

#include "reports/page/page_layout.h"

/* SQL: whether a row of the table candidate is one of the plan, not a point of a cliff. */
#define PAGE_PLAN_OWN(row) " " row ".candidate NOT IN (SELECT candidate FROM cliff)"

/* SQL: the page of a candidate's or point's run, from that column; empty if there was no run. */
#define PAGE_PLAN_RUN(column)                                                                      \
    " coalesce((SELECT n.name||'.html' FROM candidate n WHERE n.candidate=" column                 \
    " AND n.verdict<>'died' AND n.candidate IN (SELECT candidate FROM run)), '') "

#define PAGE_PLAN_TOLERANCE "(SELECT value FROM plan WHERE key='tolerance')"
#define PAGE_PLAN_NEAR                                                                             \
    "'within the tolerance'||iif(" PAGE_PLAN_TOLERANCE                                             \
    " IS NULL, '', printf(' of %.3g%%', 100*" PAGE_PLAN_TOLERANCE "))"
/* SQL: the headroom column as text. A passing candidate beyond its limit is within the
 * tolerance. */
#define PAGE_PLAN_ROOM(passes)                                                                     \
    "CASE WHEN headroom IS NULL THEN '-' WHEN headroom<0 AND " passes " THEN " PAGE_PLAN_NEAR      \
    " WHEN headroom<0 AND headroom>=-" PAGE_PLAN_TOLERANCE                                         \
    " THEN printf('%.3g%%, ', 100*headroom)||" PAGE_PLAN_NEAR                                     \
    " ELSE printf('%.3g%%', 100*headroom) END"
#define PAGE_PLAN_PERCENT PAGE_PLAN_ROOM("verdict='holds'")

/* Price and headroom, with the Pareto front as a line. */
void page_plan_front(const struct page *page);
/* For each pair of axes, the best candidate of each pair of values. */
void page_plan_map(const struct page *page);
/* How far the chosen candidate can be pushed along each requested axis. */
void page_plan_cliffs(const struct page *page, bool linked);
/* The effect of each assumed value, the largest first. */
void page_plan_assumed(const struct page *page);

/* Comparison of two designs, if the plan was compared with another. */
void page_plan_versus(const struct page *page);

/* Measures of each candidate, whatever the objectives are. */
void page_plan_measures(const struct page *page);

#endif

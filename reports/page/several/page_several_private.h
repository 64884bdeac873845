/* SPDX-License-Identifier: Apache-2.0
 * page_several_private - the answer and the gaps of each input, and the table of many runs. */
#ifndef STORMGLASS_REPORTS_PAGE_SEVERAL_PAGE_SEVERAL_PRIVATE_H
#define STORMGLASS_REPORTS_PAGE_SEVERAL_PAGE_SEVERAL_PRIVATE_H

#include "reports/page/page_layout.h"
#include "reports/page/several/page_several.h"

/* One sentence each. */
void several_answer(const struct page *page, const struct page_input *input);
void several_missing(const struct page *page, const struct page_input *input);

/* A cell of the column `label` that has a text. */
void several_cell(const struct page *page, const char *label, const char *class, const char *text);

/* The results of all runs, one row each, as a section. */
void several_runs(const struct page *page, const struct page_several *several);

#endif

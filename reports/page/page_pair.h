/* SPDX-License-Identifier: Apache-2.0
 * page_pair - two runs as one HTML page: what was changed, and what came of it.
 * Charts, drawings and tables are those of a run's own page, A's and B's over or beside each other.
 * Figures are those of page.h: series have the run at the end of their names, and bands are a chart
 * for each run. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_PAIR_H
#define STORMGLASS_REPORTS_PAGE_PAGE_PAIR_H

#include "replay/compare/diff.h"
#include "reports/text/chart.h"

#include <stdio.h>

/* `diff` is of the two databases.  False: one could not be read, or the output not written. */
bool page_pair_write(struct store *stores[2], const struct diff *diff, FILE *out);
bool page_pair_figures(struct store *stores[2], FILE *out);
/* The charts, and difference.csv with every row that differs.  folder->file names what
 * failed. */
bool page_pair_csv(struct store *stores[2], const struct diff *diff, struct output_folder *folder);

#endif

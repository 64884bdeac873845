/* SPDX-License-Identifier: Apache-2.0
 * page_pair - two runs as one HTML page: changed settings, and their effects.
 * Charts, drawings and tables are those of a single run's page, with A's and B's overlaid or side
 * by side. Figures are as in page.h, with the run at the end of the names of series, and one chart
 * per run for bands. */
#ifndef STORMGLASS_REPORTS_PAGE_PAIR_PAGE_PAIR_H
#define STORMGLASS_REPORTS_PAGE_PAIR_PAGE_PAIR_H

#include "replay/compare/diff.h"
#include "reports/text/chart.h"

#include <stdio.h>

/* `diff` must be of the two databases. Returns false if one could not be read or the output not
 * written. */
bool page_pair_write(struct store *stores[2], const struct diff *diff, FILE *out);
/* The sections, and the links to them. */
void page_pair_sections(struct store *stores[2], const struct diff *diff, FILE *out,
                        FILE *contents);
bool page_pair_figures(struct store *stores[2], FILE *out);
/* Writes the charts, and difference.csv with every row that differs. On failure, folder->file is
 * the file that failed. */
bool page_pair_csv(struct store *stores[2], const struct diff *diff, struct output_folder *folder);

#endif

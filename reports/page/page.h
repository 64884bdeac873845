/* SPDX-License-Identifier: Apache-2.0
 * page - a run as one HTML page that works without a network.
 * Tables, topology and causes are static HTML, so the essential content is visible without scripts;
 * charts are drawn by the browser from embedded JSON. Everything comes from the database, and the
 * same database gives the same bytes. */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_H

#include "replay/database/store.h"
#include "replay/step/queued.h"
#include "reports/text/chart.h"

#include <stdio.h>

/* Content that is not in the database, one section each; NULL: none. */
struct page_extra {
    const char *comparison; /* text */
    const struct queued *queued;
};

/* Returns false if the database could not be read or the output not written. */
bool page_write(struct store *store, struct page_extra extra, FILE *out);

/* Only the figures of the charts, as one JSON object:
 *   scenario, digest, record, span_ps   the run, and the time that the charts show
 *   faults[]                            name, from_ps, until_ps: of the scenario
 *   charts[]   id, title, about, unit, kind; without data, `missing` is what to record
 *     bands    rows[] {name, blocked_ps, from_ps (first), cause (row of the queue that caused most
 *              of its pauses)}; bands[] [row, from_ps, until_ps, blocked_ps], where bands closer
 *              than a pixel are merged and blocked_ps is the blocked time within
 *     steps    step_ps; series[] {name, values[]}: sum in each bin, starting at 0; of latencies
 *              heat[] [bin, eighth, count]: operations with 10^(eighth/8) ps or more
 *     points   series[] {name, points[] [at_ps, value]}: minimum and maximum of each pixel
 *     lines    likewise, joined; `held`: a value stays until the next; null: no value from there on
 *     tail     series[] {name, points[] [latency_ps, share of the I/Os above it]} */
bool page_figures(struct store *store, FILE *out);

/* Writes the page's figures as tables, see chart.h. Returns false if the store has an error or
 * folder->file could not be written. */
bool page_csv(struct store *store, struct output_folder *folder);

#endif

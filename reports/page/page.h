/* SPDX-License-Identifier: Apache-2.0
 * page - a run as one HTML page that opens without a network.
 * Tables, the topology and the blame are in the page as they are read, so that it says all that
 * matters where no script runs; the charts are drawn by the browser from the figures that the page
 * carries as JSON.  Everything comes from the database, and the same database gives the same bytes.
 */
#ifndef STORMGLASS_REPORTS_PAGE_PAGE_H
#define STORMGLASS_REPORTS_PAGE_PAGE_H

#include "replay/database/store.h"
#include "replay/step/queued.h"
#include "reports/text/chart.h"

#include <stdio.h>

/* What is not in the database, each for a section of its own; NULL: there is none. */
struct page_extra {
    const char *comparison; /* text */
    const struct queued *queued;
};

/* False: the database could not be read, or the output not written. */
bool page_write(struct store *store, struct page_extra extra, FILE *out);

/* Only the figures of the charts, as one JSON object:
 *   scenario, digest, record, span_ps   of what, and the time that the charts show
 *   faults[]                            name, from_ps, until_ps: of the scenario
 *   charts[]   id, title, about, unit, kind; `missing` says what to record when there is no data
 *     bands    rows[] {name, blocked_ps}; bands[] [row, from_ps, until_ps, blocked_ps], where bands
 *              that are nearer than a pixel are one and blocked_ps says how much of it was stopped
 *     steps    step_ps; series[] {name, values[]}: what came together in each bin, from 0 on
 *     points   series[] {name, points[] [at_ps, value]}: least and most of each pixel
 *     lines    likewise, joined; `held`: a value stays until the next; null: none from there on
 *     tail     series[] {name, points[] [latency_ps, share of the I/Os above it]} */
bool page_figures(struct store *store, FILE *out);

/* Writes the page's figures as tables, see chart.h.  False: the store has an error, or folder->file
 * could not be written. */
bool page_csv(struct store *store, struct output_folder *folder);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * workloads_csv - the output of run --csv: the workloads of a run, or of several seeds, as a table.
 * Times of a run are in ps, as in its database; figures of seeds have the units of run --json. */
#ifndef STORMGLASS_REPORTS_SUMMARY_WORKLOADS_CSV_H
#define STORMGLASS_REPORTS_SUMMARY_WORKLOADS_CSV_H

#include "replay/database/store.h"
#include "replay/run/seeds.h"

#include <stdio.h>

/* False: the database could not be read, or the output could not be written. */
bool workloads_csv(struct store *store, FILE *out);

/* One line for each figure of a workload. */
bool seeds_csv(const struct seeds *seeds, FILE *out);

#endif

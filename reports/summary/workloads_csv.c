/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/summary/workloads_csv.h"

#include "reports/text/csv.h"

bool workloads_csv(struct store *store, FILE *out)
{
    struct store_statement *rows = store_prepare(
        store,
        "SELECT (SELECT scenario FROM meta) AS scenario, (SELECT seed FROM meta) AS seed,"
        " name AS workload, kind, issued, completed, failed, unfinished, bytes, iops, goodput_bps,"
        " latency_mean_ps, latency_p50_ps, latency_p99_ps, latency_p99_9_ps, latency_max_ps"
        " FROM workload ORDER BY workload.workload");
    if (rows == NULL)
        return false;
    csv_rows(out, rows);
    store_finish(rows);
    return store_error(store) == NULL && ferror(out) == 0;
}

bool seeds_csv(const struct seeds *seeds, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "scenario,seeds,workload,figure,mean,ci,worst,worst_seed");
    for (uint32_t i = 0; i < seeds->scenario->workload_count; i++)
        for (enum seeds_figure figure = 0; figure < SEEDS_FIGURE_COUNT; figure++) {
            const struct seeds_summary summary = seeds_summarise(seeds, i, figure);
            csv_text(&csv, seeds->scenario->name);
            csv_integer(&csv, seeds->count);
            csv_text(&csv, seeds->scenario->workloads[i].name);
            csv_text(&csv, seeds_figure_path(figure));
            csv_real(&csv, summary.mean);
            csv_real(&csv, summary.half);
            csv_real(&csv, summary.worst);
            csv_integer(&csv, (int64_t)summary.worst_seed);
            csv_end_row(&csv);
        }
    return ferror(out) == 0;
}

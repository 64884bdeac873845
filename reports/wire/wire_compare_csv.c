/* SPDX-License-Identifier: Apache-2.0
 * wire_compare_csv - the comparison as one line for each stream. */
#include "reports/text/csv.h"
#include "reports/wire/wire_compare.h"

void wire_compare_csv(const struct wire_comparison *c, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "connection,side,kind,equal,reordered,missing,extra,different");
    for (uint32_t i = 0; i < c->side[0]->connection_count * WIRE_STREAMS; i++) {
        const struct wire_counts *counts = &c->counts[i];
        const uint32_t numbers[] = {counts->equal, counts->reordered, counts->missing,
                                    counts->extra, counts->different};
        uint64_t all = 0;
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            all += numbers[k];
        if (c->partner[i / WIRE_STREAMS] == WIRE_ALONE || all == 0)
            continue;
        csv_integer(&csv, i / WIRE_STREAMS + 1);
        csv_text(&csv, wire_side_name(i % WIRE_STREAMS));
        csv_text(&csv, wire_kind_name(i % WIRE_STREAMS));
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            csv_integer(&csv, numbers[k]);
        csv_end_row(&csv);
    }
}

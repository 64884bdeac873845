/* SPDX-License-Identifier: Apache-2.0
 * wire_compare_csv - the comparison as one line for each stream. */
#include "reports/text/csv.h"
#include "reports/wire/wire_compare.h"

#include <inttypes.h>

/* Of the stream's side in one of the captures; the connection has a partner. */
static const struct wire_lost *lost_of(const struct wire_comparison *c, uint32_t stream,
                                       int capture)
{
    const uint32_t first = stream / WIRE_STREAMS;
    const uint32_t index = capture == 0 ? first : c->partner[first];
    return &c->side[capture]->connections[index].lost[stream % WIRE_STREAMS / WIRE_KINDS];
}

static bool is_lost(const struct wire_comparison *c, uint32_t stream)
{
    return lost_of(c, stream, 0)->why != NULL || lost_of(c, stream, 1)->why != NULL;
}

static void put_lost(struct csv *csv, const struct wire_lost *lost)
{
    char text[96] = "";
    if (lost->why != NULL)
        snprintf(text, sizeof text, "frame %" PRIu64 ": %s", lost->frame, lost->why);
    csv_text(csv, text);
}

void wire_compare_csv(const struct wire_comparison *c, FILE *out)
{
    struct csv csv;
    csv_table(
        &csv, out,
        "connection,side,kind,equal,reordered,missing,extra,different,lost_first,lost_second");
    for (uint32_t i = 0; i < c->side[0]->connection_count * WIRE_STREAMS; i++) {
        const struct wire_counts *counts = &c->counts[i];
        const uint32_t numbers[] = {counts->equal, counts->reordered, counts->missing,
                                    counts->extra, counts->different};
        uint64_t all = 0;
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            all += numbers[k];
        if (c->partner[i / WIRE_STREAMS] == WIRE_ALONE || (all == 0 && !is_lost(c, i)))
            continue;
        csv_integer(&csv, i / WIRE_STREAMS + 1);
        csv_text(&csv, wire_side_name(i % WIRE_STREAMS));
        csv_text(&csv, wire_kind_name(i % WIRE_STREAMS));
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            csv_integer(&csv, numbers[k]);
        for (int side = 0; side < 2; side++)
            put_lost(&csv, lost_of(c, i, side));
        csv_end_row(&csv);
    }
}

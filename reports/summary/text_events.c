/* SPDX-License-Identifier: Apache-2.0
 * text_events - one line for each event. */
#include "reports/summary/text_events.h"

#include "replay/database/words.h"

#include <inttypes.h>

/* NTH_MAX: number shown of repeated events of one kind at one place, such as attempts to
 * reconnect. */
enum { ROWS_MAX = 16, NTH_MAX = 2 };

void text_events(struct store *store, const struct paint *paint, FILE *out)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT at_ps, text FROM v_event WHERE nth<=? ORDER BY position LIMIT ?");
    int64_t shown = 0;
    store_bind(rows, 1, STORE_I(NTH_MAX));
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    for (; store_step(rows); shown++)
        fprintf(out, "%s%s%s%s%12s  %s\n", shown == 0 ? "\n" : "", shown == 0 ? paint->bold : "",
                shown == 0 ? "Events\n" : "", shown == 0 ? paint->off : "",
                words_time(store_int(rows, "at_ps")).text, store_text(rows, "text"));
    store_finish(rows);
    const int64_t all = store_ask_int(store, "SELECT count(*) FROM event", 0);
    if (all > shown)
        fprintf(out,
                "  %s... and %" PRId64
                " more: stormglass query RUN.db \"SELECT * FROM v_event\"%s\n",
                paint->dim, all - shown, paint->off);
}

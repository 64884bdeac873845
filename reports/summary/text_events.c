/* SPDX-License-Identifier: Apache-2.0
 * text_events - one line for each event. */
#include "reports/summary/text_part.h"

#include "replay/database/words.h"

/* NTH_MAX: number shown of repeated events of one kind at one place, such as attempts to
 * reconnect. */
enum { ROWS_MAX = 16, NTH_MAX = 2 };

void text_events(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store, "SELECT at_ps, text FROM v_event WHERE nth<=? ORDER BY position LIMIT ?");
    int64_t shown = 0;
    store_bind(rows, 1, STORE_I(NTH_MAX));
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    for (; store_step(rows); shown++)
        fprintf(text->out, "%s%s%s%s%12s  %s\n", shown == 0 ? "\n" : "",
                shown == 0 ? text->paint.bold : "", shown == 0 ? "Events\n" : "",
                shown == 0 ? text->paint.off : "", words_time(store_int(rows, "at_ps")).text,
                store_text(rows, "text"));
    store_finish(rows);
    text_rest(text, "SELECT count(*) FROM event", shown, "v_event");
}

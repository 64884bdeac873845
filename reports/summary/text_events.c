/* SPDX-License-Identifier: Apache-2.0
 * text_events - one line for each event. */
#include "reports/summary/text_part.h"

#include "replay/database/words.h"

/* NTH_MAX: number shown of repeated events of one kind at one place, such as attempts to
 * reconnect. */
enum { ROWS_MAX = 16, NTH_MAX = 2 };

/* A failed connection is an event of the host and, with the same reason, an event of the workload;
 * the summary shows only the latter. */
#define SHOWN                                                                                      \
    " FROM v_event e WHERE NOT (kind='connect-failed' AND EXISTS (SELECT 1 FROM event w WHERE"     \
    " w.kind='not-connected' AND w.at_ps=e.at_ps AND"                                              \
    " instr(w.text, ': '||e.place||' could not connect to ')>0))"

void text_events(const struct text *text)
{
    struct store_statement *rows = store_prepare(
        text->store, "SELECT at_ps, text" SHOWN " AND nth<=? ORDER BY position LIMIT ?");
    int64_t shown = 0;
    store_bind(rows, 1, STORE_I(NTH_MAX));
    store_bind(rows, 2, STORE_I(ROWS_MAX));
    for (; store_step(rows); shown++)
        fprintf(text->out, "%s%s%s%s%12s  %s\n", shown == 0 ? "\n" : "",
                shown == 0 ? text->paint.bold : "", shown == 0 ? "Events\n" : "",
                shown == 0 ? text->paint.off : "", words_time(store_int(rows, "at_ps")).text,
                store_text(rows, "text"));
    store_finish(rows);
    text_rest(text, "SELECT count(*)" SHOWN, shown, "v_event");
}

/* SPDX-License-Identifier: Apache-2.0
 * text_recovery - a line for each workload that lost controllers, and one for its paths. */
#include "reports/summary/text_recovery.h"

#include "base/plural.h"
#include "replay/database/words.h"

enum { ROWS_MAX = 8 };

enum {
    LOST = 1,
    ATTEMPTS,
    RECONNECTED,
    REQUEUED,
    WITHOUT_SERVICE,
    RETRIED,
    FAILOVERS,
    GAP,
    RECOVERY,
    DEGRADED,
    GIVEN_UP
};

static void write_controllers(const struct store_statement *row, FILE *out)
{
    char given_up[96] = "";
    if (store_int(row, GIVEN_UP) > 0)
        snprintf(given_up, sizeof given_up, "%s permanently lost (ctrl-loss-tmo); ",
                 words_count(store_int(row, GIVEN_UP)).text);
    fprintf(out,
            "  %-18.18s controllers lost %s, reconnected %s in %s %s; %s%s %s "
            "requeued; %s%s without service\n",
            store_text(row, 0), words_count(store_int(row, LOST)).text,
            words_count(store_int(row, RECONNECTED)).text,
            words_count(store_int(row, ATTEMPTS)).text,
            plural(store_int(row, ATTEMPTS), "attempt", "attempts"), given_up,
            words_count(store_int(row, REQUEUED)).text,
            plural(store_int(row, REQUEUED), "command", "commands"),
            store_int(row, LOST) > 1 ? "up to " : "",
            words_time(store_int(row, WITHOUT_SERVICE)).text);
}

static void write_paths(const struct store_statement *row, FILE *out)
{
    fprintf(out, "  %-18.18s %s %s failed over to other paths; longest gap in I/O %s",
            store_text(row, 0), words_count(store_int(row, FAILOVERS)).text,
            plural(store_int(row, FAILOVERS), "command", "commands"),
            words_time(store_int(row, GAP)).text);
    fprintf(out, ", recovery %s; fewer paths for %s\n", words_time(store_int(row, RECOVERY)).text,
            words_time(store_int(row, DEGRADED)).text);
}

void text_recovery(struct store *store, FILE *out)
{
    struct store_statement *row = store_prepare(
        store, "SELECT workload, lost, attempts, reconnected, requeued, without_service_ms * 1e9,"
               " retried, failovers, gap_ms * 1e9, recovery_ms * 1e9, degraded_ms * 1e9,"
               " given_up"
               " FROM v_recovery");
    for (int shown = 0; shown < ROWS_MAX && store_step(row); shown++) {
        if (store_int(row, LOST) > 0)
            write_controllers(row, out);
        if (store_int(row, RETRIED) > 0)
            fprintf(out, "  %-18.18s %s %s retried after an error status\n", store_text(row, 0),
                    words_count(store_int(row, RETRIED)).text,
                    plural(store_int(row, RETRIED), "command", "commands"));
        if (store_int(row, FAILOVERS) > 0)
            write_paths(row, out);
    }
    store_finish(row);
}

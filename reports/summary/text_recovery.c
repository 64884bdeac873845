/* SPDX-License-Identifier: Apache-2.0
 * text_recovery - one line for each workload that lost controllers, and one for its paths. */
#include "reports/summary/text_part.h"

#include "base/plural.h"
#include "replay/database/words.h"

enum { ROWS_MAX = 8 };

static void write_controllers(const struct store_statement *row, FILE *out)
{
    char given_up[96] = "";
    if (store_int(row, "given_up") > 0)
        snprintf(given_up, sizeof given_up, "%s permanently lost (ctrl-loss-tmo); ",
                 words_count(store_int(row, "given_up")).text);
    fprintf(out, "  %-18.18s %s %s lost%s %s, %s reconnected in %s %s; %s%s %s requeued\n",
            store_text(row, "workload"), words_count(store_int(row, "lost")).text,
            plural(store_int(row, "lost"), "controller", "controllers"),
            store_int(row, "lost") > 1 ? ", each for up to" : " for",
            words_time(store_int(row, "without_service_ps")).text,
            words_count(store_int(row, "reconnected")).text,
            words_count(store_int(row, "attempts")).text,
            plural(store_int(row, "attempts"), "attempt", "attempts"), given_up,
            words_count(store_int(row, "requeued")).text,
            plural(store_int(row, "requeued"), "command", "commands"));
}

static void write_paths(const struct store_statement *row, FILE *out)
{
    fprintf(out,
            "  %-18.18s %s %s failed over to other paths; longest time without a completed I/O: %s",
            store_text(row, "workload"), words_count(store_int(row, "failovers")).text,
            plural(store_int(row, "failovers"), "command", "commands"),
            words_time(store_int(row, "gap_ps")).text);
    fprintf(out, "; from detection of the loss to the next I/O: %s; a path was missing for %s\n",
            words_time(store_int(row, "recovery_ps")).text,
            words_time(store_int(row, "degraded_ps")).text);
}

void text_recovery(const struct text *text)
{
    struct store_statement *row = store_prepare(
        text->store,
        "SELECT workload, lost, attempts, reconnected, requeued, given_up, retried, failovers,"
        " without_service_ms * 1e9 AS without_service_ps, gap_ms * 1e9 AS gap_ps,"
        " recovery_ms * 1e9 AS recovery_ps, degraded_ms * 1e9 AS degraded_ps"
        " FROM v_recovery");
    for (int shown = 0; shown < ROWS_MAX && store_step(row); shown++) {
        if (store_int(row, "lost") > 0)
            write_controllers(row, text->out);
        if (store_int(row, "retried") > 0)
            fprintf(text->out, "  %-18.18s %s %s retried after an error status\n",
                    store_text(row, "workload"), words_count(store_int(row, "retried")).text,
                    plural(store_int(row, "retried"), "command", "commands"));
        if (store_int(row, "failovers") > 0)
            write_paths(row, text->out);
    }
    store_finish(row);
}

/* SPDX-License-Identifier: Apache-2.0
 * page_stages - where the time of operations went: stages of an I/O, and the time breakdown. */
#include "replay/breakdown/breakdown.h"
#include "replay/database/words.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>

/* A bar divided by stage, scaled to the mean latency; each bar has the full width. */
void page_stages_bars(const struct page *page)
{
    struct store_statement *rows = store_prepare(
        page->store, "SELECT w.name, s.operation, s.position, s.stage, s.sum_ps, s.count,"
                     " sum(s.sum_ps) OVER (PARTITION BY s.workload, s.operation) AS all_ps"
                     " FROM stage s"
                     " JOIN workload w USING(workload) WHERE CAST(s.count AS INTEGER)>0"
                     " ORDER BY s.workload, s.operation, s.position");
    bool open = false;
    while (store_step(rows)) {
        const int64_t sum = store_int(rows, "sum_ps"), count = store_int(rows, "count");
        const int64_t all = store_int(rows, "all_ps");
        if (store_int(rows, "position") == 0) {
            fputs(open ? "</div></div>\n" : "", page->out);
            fputs("<div class=\"io\"><span>", page->out);
            page_put(page->out, "'%s': %s, %s", store_text(rows, "name"),
                     store_text(rows, "operation"), words_time(all / count).text);
            fputs("</span><div class=\"stack\">", page->out);
            open = true;
        }
        if (sum == 0)
            continue;
        fprintf(page->out, "<i class=\"s%" PRId64 "\" style=\"width:%.3f%%\" title=\"",
                store_int(rows, "position"), 100.0 * (double)sum / (double)all);
        page_put(page->out, "%s: %s (%s)", store_text(rows, "stage"), words_time(sum / count).text,
                 words_percent((double)sum, (double)all).text);
        fputs("\"></i>", page->out);
    }
    fputs(open ? "</div></div>\n" : "", page->out);
    store_finish(rows);
}

/* The stages that took time in one of the runs. */
void page_stages_legend(const struct page *pages, size_t count)
{
    bool took[BREAKDOWN_STAGES] = {false};
    for (size_t i = 0; i < count; i++) {
        struct store_statement *rows =
            store_prepare(pages[i].store, "SELECT DISTINCT position FROM stage WHERE sum_ps>0");
        while (store_step(rows)) {
            const int64_t stage = store_int(rows, "position");
            if (stage >= 0 && stage < BREAKDOWN_STAGES)
                took[stage] = true;
        }
        store_finish(rows);
    }
    fputs("<p class=\"legend\">", pages->out);
    for (int i = 0; i < BREAKDOWN_STAGES; i++)
        if (took[i])
            fprintf(pages->out, "<span><i class=\"s%d\"></i>%s</span>", i,
                    breakdown_stage_name((enum breakdown_stage)i));
    fputs("</p>\n", pages->out);
}

void page_stages(const struct page *page)
{
    static const struct page_column columns[] = {{"workload", PAGE_TEXT},
                                                 {"operation", PAGE_TEXT},
                                                 {"stage", PAGE_TEXT},
                                                 {"commands", PAGE_COUNT},
                                                 {"mean", PAGE_TIME},
                                                 {"longest", PAGE_TIME},
                                                 {0}};
    if (store_ask_int(page->store, "SELECT count(*) FROM stage WHERE CAST(count AS INTEGER)>0",
                      0) == 0)
        return;
    page_section(
        page, "stages", "Anatomy of an I/O",
        "Mean time of each stage, by kind of command; the stages add up to the mean latency.");
    page_stages_legend(page, 1);
    page_stages_bars(page);
    fputs("<details><summary>The numbers</summary>\n", page->out);
    page_table(page,
               "SELECT w.name, operation, stage, count, sum_ps/count, max_ps FROM stage"
               " JOIN workload w USING(workload) WHERE CAST(count AS INTEGER)>0"
               " ORDER BY workload, operation, position",
               columns);
    fputs("</details>\n", page->out);
    page_section_end(page);
}

/* ------------------------------------------------------------------ the time breakdown */

static const char parts[] =
    "SELECT w.name, operation, CASE part"
#define PART(NAME, key, words, about) " WHEN '" key "' THEN '" words "'"
#include "replay/breakdown/breakdown_part.def"
    " END, sum(sum_ps)/count, printf('%.1f%%', 100.0*sum(sum_ps)/latency_ps),"
    " (SELECT s.sum_ps/slow_count FROM wait_slow s WHERE s.workload=a.workload"
    " AND s.operation=a.operation AND s.part=a.part)"
    " FROM wait a JOIN wait_total USING(workload, operation)"
    " JOIN workload w USING(workload) GROUP BY workload, operation, part"
    " HAVING sum(sum_ps)*100>=latency_ps"
    " ORDER BY workload, operation, sum(sum_ps) DESC, part";

static void write_parts(const struct page *page)
{
    static const struct page_column columns[] = {{"workload", PAGE_TEXT},
                                                 {"operation", PAGE_TEXT},
                                                 {"waited for", PAGE_TEXT},
                                                 {"mean", PAGE_TIME},
                                                 {"share", PAGE_TEXT},
                                                 {"slowest 1%", PAGE_TIME},
                                                 {0}};
    page_table(page, parts, columns);
}

static void write_places(const struct page *page)
{
    const bool credits = page->flow->credits;
    const struct page_column columns[] = {
        {"workload", PAGE_TEXT},
        {"operation", PAGE_TEXT},
        {"at", PAGE_TEXT},
        {"priority", PAGE_COUNT},
        {credits ? "mean wait for credits" : "mean paused", PAGE_TIME},
        {"mean queued", PAGE_TIME},
        {credits ? "credits of" : "paused by", PAGE_TEXT},
        {"because of", PAGE_TEXT},
        {0}};
    page_table(page,
               "SELECT p.workload, operation, port, priority, CAST(paused_us*1e6/count AS INTEGER),"
               " CAST(queued_us*1e6/count AS INTEGER), CASE WHEN paused_us>0 THEN paused_by END,"
               " because_of||CASE instr(because_of, ':') WHEN 0 THEN ''"
               " ELSE ' priority '||because_of_priority END"
               " FROM v_wait_place p JOIN workload w ON w.name=p.workload"
               " JOIN wait_total t USING(operation) WHERE t.workload=w.workload"
               " AND (paused_us+queued_us)*1e8>=t.latency_ps"
               " ORDER BY paused_us+queued_us DESC, p.workload, operation, port,"
               " priority LIMIT 24",
               columns);
}

void page_waits(const struct page *page)
{
    if (store_ask_int(page->store, "SELECT count(*) FROM wait_total", 0) == 0)
        return;
    page_fold(page, "waits", "Time breakdown of commands and messages",
              "Every moment of a command belongs to exactly one part, so the parts add up to "
              "its latency; parts below 1% are omitted.");
    write_parts(page);
    fprintf(page->out, "<details><summary>Ports where they %s or queued</summary>\n",
            page->flow->credits ? "waited for credits" : "were paused");
    write_places(page);
    fputs("</details>\n", page->out);
    page_fold_end(page);
}

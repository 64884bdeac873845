/* SPDX-License-Identifier: Apache-2.0
 * page_waits - the time breakdown: what commands and messages waited for, and where. */
#include "reports/page/page_private.h"

static const char parts[] =
    "SELECT w.name, operation, CASE part"
#define PART(NAME, key, words, about) " WHEN '" key "' THEN '" words "'"
#include "replay/breakdown/breakdown_part.def"
    " END, sum(sum_ps)/count, printf('%.1f %%', 100.0*sum(sum_ps)/latency_ps),"
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
                                                 {"slowest 1 %", PAGE_TIME},
                                                 {0}};
    page_table(page, parts, columns);
}

static void write_places(const struct page *page)
{
    static const struct page_column columns[] = {
        {"workload", PAGE_TEXT},  {"operation", PAGE_TEXT},   {"at", PAGE_TEXT},
        {"priority", PAGE_COUNT}, {"mean paused", PAGE_TIME}, {"mean queued", PAGE_TIME},
        {"paused by", PAGE_TEXT}, {"because of", PAGE_TEXT},  {0}};
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
    page_section(page, "waits", "Time breakdown of commands and messages",
                 "Every moment of a command belongs to exactly one part, so the parts add up to "
                 "its latency; parts below 1 % are omitted.");
    write_parts(page);
    fputs("<details><summary>Ports where they were paused or queued</summary>\n", page->out);
    write_places(page);
    fputs("</details>\n", page->out);
    page_section_end(page);
}

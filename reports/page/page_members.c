/* SPDX-License-Identifier: Apache-2.0
 * page_members - compares the members of workloads. */
#include "reports/page/page_layout.h"

static void write_fairness(const struct page *page)
{
    static const struct page_column columns[] = {
        {"workload", PAGE_TEXT},     {"pairs", PAGE_COUNT},       {"least rate", PAGE_RATE},
        {"largest rate", PAGE_RATE}, {"Jain's index", PAGE_TEXT}, {"flows", PAGE_COUNT},
        {"FCT p50", PAGE_TIME},      {"FCT p99", PAGE_TIME},      {"FCT max", PAGE_TIME},
        {"slowdown p50", PAGE_TEXT}, {"slowdown p99", PAGE_TEXT}, {0}};
    page_table(page,
               "SELECT name, max(value) FILTER (WHERE key='members') AS members,"
               " max(value) FILTER (WHERE key='fairness.least_bps'),"
               " max(value) FILTER (WHERE key='fairness.most_bps'),"
               " max(printf('%.3f', value)) FILTER (WHERE key='fairness.jain'),"
               " max(value) FILTER (WHERE key='flows' AND value>0),"
               " max(value*1000) FILTER (WHERE key='fct_ns.p50'),"
               " max(value*1000) FILTER (WHERE key='fct_ns.p99'),"
               " max(value*1000) FILTER (WHERE key='fct_ns.max'),"
               " max(printf('%.2f', value)) FILTER (WHERE key='slowdown.p50' AND value>0),"
               " max(printf('%.2f', value)) FILTER (WHERE key='slowdown.p99' AND value>0)"
               " FROM (SELECT workload, name, substr(path, instr(path, '].')+2) AS key, value"
               " FROM workload JOIN result ON path LIKE 'workloads['||workload||'].%')"
               " GROUP BY workload HAVING members>1 ORDER BY workload",
               columns);
}

/* Those with the lowest rate or the longest time. */
void page_members(const struct page *page)
{
    static const struct page_column columns[] = {{"host", PAGE_TEXT},
                                                 {"target", PAGE_TEXT},
                                                 {"workload", PAGE_TEXT},
                                                 {"done", PAGE_COUNT},
                                                 {"failed", PAGE_COUNT},
                                                 {"rate", PAGE_RATE},
                                                 {"time", PAGE_TIME},
                                                 {"mean", PAGE_TIME},
                                                 {"max", PAGE_TIME},
                                                 {"longest wait", PAGE_TEXT},
                                                 {0}};
    if (store_ask_int(page->store, "SELECT count(*) FROM member WHERE member>0", 0) == 0)
        return;
    page_fold(page, "members", "Host-target pairs",
                 "Results of each host-target pair.  The rate is the pair's payload divided "
                 "by the time from its first issue to its last completion; Jain's index is 1 if "
                 "all rates are equal.");
    write_fairness(page);
    fputs("<details><summary>The slowest 16 of each workload</summary>\n", page->out);
    page_table(page,
               "SELECT host, target, name, done, failures, CAST(rate_bps AS INTEGER),"
               " CAST(time_us*1e6 AS INTEGER), CAST(mean_us*1e6 AS INTEGER),"
               " CAST(max_us*1e6 AS INTEGER), waits FROM (SELECT m.workload AS name, m.host,"
               " m.target, m.completed AS done, m.failed AS failures, rate_bps, time_us, "
               "m.mean_us, max_us,"
               " replace(part, '_', ' ')||printf(' %.0f%%', share*100) AS waits,"
               " row_number() OVER (PARTITION BY m.workload ORDER BY rate_bps, m.member) AS place"
               " FROM v_member m LEFT JOIN v_wait_member a USING(workload, member))"
               " JOIN workload USING(name) WHERE place<=16 ORDER BY workload, place",
               columns);
    fputs("</details>\n", page->out);
    page_fold_end(page);
}

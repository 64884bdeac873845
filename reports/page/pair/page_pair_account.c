/* SPDX-License-Identifier: Apache-2.0
 * page_pair_account - results of workloads' members in two runs, and their waits. */
#include "reports/page/pair/page_pair_private.h"

static int64_t in_both(const struct pair *pair, const char *sql)
{
    return store_ask_int(pair->pages[0].store, sql, 0) +
           store_ask_int(pair->pages[1].store, sql, 0);
}

/* ------------------------------------------------------------------ members */

static void fairness(const struct pair *pair)
{
    static const struct page_column columns[] = {
        {"pairs", PAGE_COUNT},       {"least rate", PAGE_RATE},
        {"largest rate", PAGE_RATE}, {"Jain's index", PAGE_TEXT},
        {"FCT p50", PAGE_TIME},      {"FCT p99", PAGE_TIME},
        {"FCT max", PAGE_TIME},      {0}};
    pair_table(pair,
               &(struct pair_table){
                   .head = "workload",
                   .keys =
                       "SELECT name AS key FROM workload WHERE EXISTS (SELECT 1 FROM member m WHERE"
                       " m.workload=workload.workload AND member>0) ORDER BY workload",
                   .row = "SELECT max(value) FILTER (WHERE key='members'),"
                          " max(value) FILTER (WHERE key='fairness.least_bps'),"
                          " max(value) FILTER (WHERE key='fairness.most_bps'),"
                          " max(printf('%.3f', value)) FILTER (WHERE key='fairness.jain'),"
                          " max(value*1000) FILTER (WHERE key='fct_ns.p50'),"
                          " max(value*1000) FILTER (WHERE key='fct_ns.p99'),"
                          " max(value*1000) FILTER (WHERE key='fct_ns.max')"
                          " FROM (SELECT name, substr(path, instr(path, '].')+2) AS key, value"
                          " FROM workload JOIN result ON path LIKE 'workloads['||workload||'].%')"
                          " WHERE name=?1 GROUP BY name",
                   .columns = columns,
               });
}

#define MEMBER_KEY "m.workload||' '||m.member||': '||m.host||' to '||m.target"

/* Those with the lowest rate in either run. */
static void slowest(const struct pair *pair)
{
    static const struct page_column columns[] = {{"done", PAGE_COUNT},
                                                 {"failed", PAGE_COUNT},
                                                 {"rate", PAGE_RATE},
                                                 {"mean", PAGE_TIME},
                                                 {"max", PAGE_TIME},
                                                 {"longest wait", PAGE_TEXT},
                                                 {0}};
    pair_table(pair,
               &(struct pair_table){
                   .head = "member",
                   .keys = "SELECT key FROM (SELECT " MEMBER_KEY
                           " AS key, w.workload AS number, row_number()"
                           " OVER (PARTITION BY m.workload ORDER BY rate_bps, m.member) AS place"
                           " FROM v_member m JOIN workload w ON w.name=m.workload)"
                           " WHERE place<=8 ORDER BY number, place",
                   .row = "SELECT m.completed, m.failed, CAST(rate_bps AS INTEGER),"
                          " CAST(m.mean_us*1e6 AS INTEGER), CAST(max_us*1e6 AS INTEGER),"
                          " replace(part, '_', ' ')||printf(' %.0f%%', share*100)"
                          " FROM v_member m LEFT JOIN v_wait_member a USING(workload, member)"
                          " WHERE " MEMBER_KEY "=?1",
                   .columns = columns,
               });
}

void pair_members(const struct pair *pair)
{
    if (in_both(pair, "SELECT count(*) FROM member WHERE member>0") == 0)
        return;
    page_fold(pair->pages, "members", "Host-target pairs",
              "Results of each host-target pair.  The rate is the pair's payload divided "
              "by the time from its first issue to its last completion; Jain's index is 1 if "
              "all rates are equal.");
    fairness(pair);
    fputs("<details><summary>The slowest 8 of each workload, in either run</summary>\n",
          pair->pages[0].out);
    slowest(pair);
    fputs("</details>\n", pair->pages[0].out);
    page_fold_end(pair->pages);
}

/* ------------------------------------------------------------------ waits */

#define WAIT_FROM                                                                                  \
    " FROM wait a JOIN wait_total USING(workload, operation) JOIN workload w USING(workload)"

/* "oltp read, paused" */
#define PART(NAME, key, words, about) " WHEN '" key "' THEN '" words "'"

static const char wait_keys[] = "SELECT w.name||' '||operation||', '||CASE part"
#include "replay/breakdown/breakdown_part.def"
                                " END AS key" WAIT_FROM " GROUP BY workload, operation, part"
                                " HAVING sum(sum_ps)*100>=latency_ps"
                                " ORDER BY workload, operation, sum(sum_ps) DESC, part";

#define PART(NAME, key, words, about) " WHEN '" key "' THEN '" words "'"

static const char wait_row[] =
    "SELECT sum(sum_ps)/count,"
    " printf('%.1f%%', 100.0*sum(sum_ps)/latency_ps),"
    " (SELECT s.sum_ps/slow_count FROM wait_slow s"
    " WHERE s.workload=a.workload AND s.operation=a.operation"
    " AND s.part=a.part)" WAIT_FROM " WHERE w.name||' '||operation||', '||CASE part"
#include "replay/breakdown/breakdown_part.def"
    " END=?1 GROUP BY workload, operation, part";

void pair_waits(const struct pair *pair)
{
    static const struct page_column columns[] = {
        {"mean", PAGE_TIME}, {"share", PAGE_TEXT}, {"slowest 1%", PAGE_TIME}, {0}};
    if (in_both(pair, "SELECT count(*) FROM wait_total") == 0)
        return;
    page_fold(pair->pages, "waits", "Time breakdown of commands and messages",
              "Every moment of a command belongs to exactly one part, so the parts add up to "
              "its latency; parts below a hundredth in both runs are omitted.");
    pair_table(pair, &(struct pair_table){
                         .head = "waited for",
                         .keys = wait_keys,
                         .row = wait_row,
                         .columns = columns,
                         .flat = true,
                     });
    page_fold_end(pair->pages);
}

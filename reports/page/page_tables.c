/* SPDX-License-Identifier: Apache-2.0
 * page_tables - the results of the run, and how to repeat it. */
#include "base/plural.h"
#include "replay/database/figure.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <string.h>

void page_workloads(const struct page *page)
{
    static const struct page_column columns[] = {
        {"workload", PAGE_TEXT}, {"kind", PAGE_TEXT}, PAGE_WORK_COLUMNS, {0}};
    page_section(page, "workloads", "Workloads",
                 "Goodput counts payload; latency is from issue to completion.");
    if (!page_table(page, "SELECT name, kind, " PAGE_WORK " FROM workload ORDER BY workload",
                    columns))
        fputs("<p>None.</p>\n", page->out);
    struct store_statement *rows = store_prepare(
        page->store, "SELECT name, latency_note FROM workload WHERE latency_note NOTNULL");
    while (store_step(rows)) {
        fputs("<p>", page->out);
        page_text(page->out, store_text(rows, "name"));
        fputs(": ", page->out);
        page_text(page->out, store_text(rows, "latency_note"));
        fputs(".</p>\n", page->out);
    }
    store_finish(rows);
    page_section_end(page);
}

/* The time that cores worked for each I/O. */
void page_cpu(const struct page *page)
{
    static const struct page_column columns[] = {{"workload", PAGE_TEXT},
                                                 {"hosts", PAGE_TIME},
                                                 {"targets", PAGE_TIME},
                                                 {"sum", PAGE_TIME},
                                                 {0}};
#define KNOWN "FROM workload WHERE cpu_host_ps NOTNULL AND completed>0"
    if (store_ask_int(page->store, "SELECT count(*) " KNOWN, 0) == 0)
        return;
    page_fold(page, "cpu", "CPU per I/O",
              "Time that cores worked for each I/O: software, TCP, interrupts and completions.");
    page_table(page,
               "SELECT name, cpu_host_ps/completed, cpu_target_ps/completed,"
               " (cpu_host_ps+cpu_target_ps)/completed " KNOWN " ORDER BY workload",
               columns);
#undef KNOWN
    page_fold_end(page);
}

/* NVMe workloads over several transports in one run. Wire efficiency is known of hosts that no
 * other workload uses: payload divided by all bytes on their links, with preambles and gaps. */
void page_transports(const struct page *page)
{
    static const struct page_column columns[] = {{"workload", PAGE_TEXT},
                                                 {"transport", PAGE_TEXT},
                                                 {"link layer", PAGE_TEXT},
                                                 {"IOPS", PAGE_SHORT},
                                                 {"goodput", PAGE_RATE},
                                                 {"p50", PAGE_TIME},
                                                 {"p99", PAGE_TIME},
                                                 {"p99.9", PAGE_TIME},
                                                 {"CPU per I/O, hosts", PAGE_TIME},
                                                 {"CPU per I/O, targets", PAGE_TIME},
                                                 {"wire efficiency", PAGE_TEXT},
                                                 {0}};
#define LAYER                                                                                      \
    "(SELECT link_layer FROM node JOIN workload_pair p ON node=p.from_node"                        \
    " WHERE p.workload=w.workload)"
#define OF "FROM workload w JOIN setting s ON s.path='workloads.'||w.name||'.transport'"
#define WIRE                                                                                       \
    "(SELECT sum(value*CASE WHEN c.name LIKE '%bytes%' THEN 1 WHEN n.link_layer='infiniband'"      \
    " THEN 0 WHEN n.link_layer='ethernet' THEN 20 ELSE 24 END) FROM counter c JOIN node n"         \
    " USING(node)"                                                                                 \
    " WHERE c.name IN ('tx_bytes_phy','rx_bytes_phy','tx_packets_phy','rx_packets_phy')"           \
    " AND c.node IN (SELECT from_node FROM workload_pair p WHERE p.workload=w.workload))"
#define SHARED                                                                                     \
    "EXISTS (SELECT 1 FROM workload_pair o JOIN workload_pair p ON p.workload=w.workload"          \
    " WHERE o.workload<>w.workload AND p.from_node IN (o.from_node, o.to_node))"
    if (store_ask_int(page->store, "SELECT count(DISTINCT s.value||" LAYER ") " OF, 0) < 2)
        return;
    page_section(page, "transports", "Transports",
                 "Wire efficiency is payload divided by all bytes on the links of the hosts in "
                 "both directions, with headers, ACKs, preambles and gaps.");
    page_table(page,
               "SELECT w.name, s.value, " LAYER
               ", iops, goodput_bps, latency_p50_ps, latency_p99_ps, "
               "latency_p99_9_ps,"
               " cpu_host_ps/nullif(completed, 0), cpu_target_ps/nullif(completed, 0),"
               " CASE WHEN " SHARED " THEN NULL ELSE printf('%.1f%%', 100.0*w.bytes/" WIRE
               ") END " OF " ORDER BY w.workload",
               columns);
#undef OF
#undef LAYER
#undef WIRE
#undef SHARED
    page_section_end(page);
}

/* Egress queues, the longest first. */
void page_queues(const struct page *page)
{
    static const struct page_column columns[] = {{"port", PAGE_TEXT},
                                                 {"priority", PAGE_COUNT},
                                                 {"mean", PAGE_BYTES},
                                                 {"p50", PAGE_BYTES},
                                                 {"p99", PAGE_BYTES},
                                                 {"peak", PAGE_BYTES},
                                                 {0}};
    page_fold(page, "queue-table", "Queues",
              page->flow->credits
                  ? "Bytes queued at the egress ports of switches, weighted by time."
                  : "Bytes queued at the egress ports of switches, weighted by time; "
                    "ECN marks and pauses depend on these queues.");
    if (!page_table(page,
                    "SELECT port, priority, CAST(mean_bytes AS INTEGER), p50_bytes, p99_bytes,"
                    " peak_bytes FROM v_queue ORDER BY mean_bytes DESC, peak_bytes DESC, port,"
                    " priority LIMIT 32",
                    columns))
        fputs("<p>No frame waited at a switch.</p>\n", page->out);
    page_fold_end(page);
}

void page_drops(const struct page *page)
{
    static const struct page_column columns[] = {
        {"port", PAGE_TEXT},  {"priority", PAGE_COUNT}, {"cause", PAGE_TEXT},
        {"class", PAGE_TEXT}, {"frames", PAGE_COUNT},   {"data", PAGE_BYTES},
        {"first", PAGE_TIME}, {"last", PAGE_TIME},      {0}};
    page_fold(page, "drops", "Drops", NULL);
    if (!page_table(page,
                    "SELECT p.name, priority, cause, CASE lossless WHEN 1 THEN 'LOSSLESS' ELSE"
                    " 'lossy' END, frames, bytes, first_ps, last_ps FROM dropped d"
                    " JOIN port p USING(node, port) ORDER BY lossless DESC, frames DESC,"
                    " d.node, d.port, priority, cause LIMIT 100",
                    columns))
        fputs("<p>No frame was dropped.</p>\n", page->out);
    page_fold_end(page);
}

/* Results of workloads in the steady part. */
void page_steady(const struct page *page)
{
    static const struct page_column columns[] = {
        {"workload", PAGE_TEXT}, {"settled", PAGE_SENTENCE}, {"warm-up", PAGE_TIME},
        {"goodput", PAGE_RATE},  {"mean", PAGE_TIME},        {"+-", PAGE_TIME},
        {"p50", PAGE_TIME},      {"+-", PAGE_TIME},          {"p99", PAGE_TIME},
        {"+-", PAGE_TIME},       {"needs", PAGE_TIME},       {0}};
    if (store_ask_int(page->store, "SELECT count(*) FROM steady", 0) == 0)
        return;
    page_fold(page, "steady", "Steady part",
              "After the warm-up (MSER-5); +- is half of the 95% confidence interval.");
    page_table(page,
               "SELECT w.name, CASE settled WHEN 1 THEN 'yes' ELSE 'no: '||s.reason END,"
               " from_ps-w.start_ps,"
               " CAST(s.goodput_bps AS INTEGER), mean_ps, mean_half, p50_ps, p50_half,"
               " p99_ps, p99_half, coalesce(needs_ps, needs_at_least_ps) FROM steady s JOIN "
               "workload w USING(workload)"
               " ORDER BY workload",
               columns);
    page_fold_end(page);
}

/* Differences between the configured and the actual run. */
void page_warnings(const struct page *page)
{
    static const struct page_column columns[] = {{"rule", PAGE_CODE}, {"what", PAGE_SENTENCE}, {0}};
    if (store_ask_int(page->store, "SELECT count(*) FROM warning", 0) == 0)
        return;
    page_fold(page, "warnings", "Warnings", "Differences between the scenario and the simulation.");
    page_table(page, "SELECT rule, text FROM warning ORDER BY position", columns);
    page_fold_end(page);
}

void page_events(const struct page *page)
{
    enum { ROWS_MAX = 200 };
    static const struct page_column columns[] = {
        {"at", PAGE_TIME}, {"kind", PAGE_TEXT}, {"what", PAGE_SENTENCE}, {"took", PAGE_TIME}, {0}};
    const int64_t all = store_ask_int(page->store, "SELECT count(*) FROM event", 0);
    if (all == 0)
        return;
    page_fold(page, "events", "Events", NULL);
    page_table(page,
               "SELECT at_ps, kind, text, CAST(took_us*1e6 AS INTEGER) FROM v_event"
               " ORDER BY position LIMIT 200",
               columns);
    if (all > ROWS_MAX)
        fprintf(page->out, "<p>... and %" PRId64 " more, in v_event of the database.</p>\n",
                all - ROWS_MAX);
    page_fold_end(page);
}

void page_settings(const struct page *page)
{
    static const struct page_column changed[] = {{"setting", PAGE_CODE},
                                                 {"value", PAGE_CODE},
                                                 {"default", PAGE_CODE},
                                                 {"set by", PAGE_TEXT},
                                                 {"evidence", PAGE_TEXT},
                                                 {"source", PAGE_SENTENCE},
                                                 {0}};
    page_fold(page, "settings", "Settings",
              "Non-default settings, where each was set, and the source of its value.");
    page_table(page,
               "SELECT path, value, preset, set_by, evidence, source FROM setting"
               " WHERE value<>preset ORDER BY rowid",
               changed);
    fputs("<details><summary>All settings</summary>\n", page->out);
    page_table(page,
               "SELECT path, value, preset, set_by, evidence, source FROM setting ORDER BY rowid",
               changed);
    fputs("</details>\n", page->out);
    page_fold_end(page);
}

void page_command(const struct page *page)
{
    struct store_statement *sets =
        store_prepare(page->store, "SELECT text FROM set_option ORDER BY position");
    char name[PAGE_SENTENCE_BYTES], digest[64];
    store_ask_text(page->store, "SELECT name FROM source WHERE position=0", name, sizeof name);
    store_ask_text(page->store, "SELECT digest FROM meta", digest, sizeof digest);
    page_put(page->out, "stormglass replay RUN.db\n\nstormglass run %s", name);
    while (store_step(sets))
        page_put(page->out, " --set '%s'", store_text(sets, "text"));
    store_finish(sets);
    page_put(page->out, "\n# digest %s", digest);
}

void page_reproduce(const struct page *page)
{
    struct store_statement *rows =
        store_prepare(page->store, "SELECT name, text FROM source ORDER BY position");
    char version[64];
    store_ask_text(page->store, "SELECT version FROM meta", version, sizeof version);
    page_fold(page, "reproduce", "Reproduce", NULL);
    fputs("<p>The run is deterministic: stormglass ", page->out);
    page_text(page->out, version);
    fputs(" gives the same digest from the database, or from the files below.</p>\n<pre>",
          page->out);
    page_command(page);
    fputs("</pre>\n", page->out);
    while (store_step(rows)) {
        fputs("<details><summary>", page->out);
        page_text(page->out, store_text(rows, "name"));
        fputs("</summary><pre>", page->out);
        page_text(page->out, store_raw_text(rows, "text"));
        fputs("</pre></details>\n", page->out);
    }
    store_finish(rows);
    page_fold_end(page);
}

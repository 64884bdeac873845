/* SPDX-License-Identifier: Apache-2.0
 * page_blame - the root of pauses, how they spread, and the victims. */
#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/explain/account.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>

/* A line of the tree: a port, its pause time because of the root, and a bar. */
static void held_line(const struct page *page, const struct store_statement *row, int64_t longest)
{
    const time_ps held = store_int(row, "held_ps");
    char class[8];
    fputs("<li><span class=\"port\">", page->out);
    page_text(page->out, store_text(row, "name"));
    snprintf(class, sizeof class, "h%d", page_heat(held, page->span));
    fputs("</span> ", page->out);
    page_bar(page, class, held, longest);
    fprintf(page->out, " <span class=\"n\" title=\"%" PRId64 " ps\">", held);
    page_put(page->out, "%s, by %s", words_time(held).text, store_text(row, "paused_by"));
    fputs("</span></li>\n", page->out);
}

/* In a cyclic dependency a port has several distances; it is listed at the smallest, with its total
 * time. */
#define STOPPED                                                                                    \
    "(SELECT node, port, min(hops) AS hops, sum(held_ps) AS held_ps FROM pause_path WHERE root=?1" \
    " GROUP BY node, port)"

static void spread(const struct page *page, int64_t root)
{
    struct store_statement *rows =
        store_prepare(page->store, "SELECT hops, p.name, held_ps, q.name AS paused_by,"
                                   " max(held_ps) OVER () AS longest FROM " STOPPED
                                   " JOIN port p USING(node, port)"
                                   " JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port"
                                   " ORDER BY hops, held_ps DESC, p.node, p.port LIMIT 60");
    int64_t hops = -1;
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(root));
    while (store_step(rows)) {
        if (store_int(rows, "hops") != hops) {
            fprintf(page->out, "%s<div class=\"hop\"><h3>%s%" PRId64 " hop%s from root</h3><ul>\n",
                    hops < 0 ? "" : "</ul></div>\n",
                    hops < 0 ? "paused: " : "then: ", store_int(rows, "hops"),
                    plural(store_int(rows, "hops"), "", "s"));
            hops = store_int(rows, "hops");
        }
        held_line(page, rows, store_int(rows, "longest"));
    }
    fputs(hops < 0 ? "" : "</ul></div>\n", page->out);
    store_finish(rows);
}

static void causes(const struct page *page)
{
    struct store_statement *rows = store_prepare(
        page->store, "SELECT position, text FROM pause_root ORDER BY position LIMIT ?1");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(account_causes(page->store)));
    while (store_step(rows)) {
        fputs("<p class=\"finding\"><b>Root</b> ", page->out);
        page_text(page->out, store_text(rows, "text"));
        fputs("</p>\n<div class=\"tree\">\n", page->out);
        spread(page, store_int(rows, "position"));
        fputs("</div>\n", page->out);
    }
    store_finish(rows);
}

static void roots(const struct page *page)
{
    static const struct page_column all[] = {
        {"root", PAGE_SENTENCE},          {"kind", PAGE_TEXT},
        {"priority", PAGE_COUNT},         {"total pause time", PAGE_TIME},
        {"direct pause time", PAGE_TIME}, {0}};
    causes(page);
    page_draw_pauses(page);
    fputs("<details><summary>All roots</summary>\n", page->out);
    page_table(page,
               "SELECT text, kind, priority, held_ps, direct_ps FROM pause_root"
               " ORDER BY position LIMIT 20",
               all);
    fputs("</details>\n", page->out);
}

/* The same rows as in `explain` and in causes[] of the JSON output. */
static void victims(const struct page *page)
{
    const struct flow_words *flow = page->flow;
    const struct page_column columns[] = {
        {"host", PAGE_TEXT},
        {"workload", PAGE_TEXT},
        {"class", PAGE_TEXT},
        {"delayed", PAGE_TEXT},
        {"failed", PAGE_COUNT},
        {flow->credits ? "wait for credits on its path" : "pause time on its path", PAGE_TIME},
        {"victim of", PAGE_TEXT},
        {0}};
    const int64_t all = store_ask_int(page->store, "SELECT count(*) FROM victim", 0);
    if (all == 0)
        return;
    fprintf(page->out, "<details><summary>Victims: %" PRId64 " %s of a workload</summary>\n", all,
            plural(all, "host", "hosts"));
    page_table(page,
               "SELECT n.name, w.name, class, printf('%.1f%%', lost_ppm / 1e4), v.failed, held_ps,"
               " (SELECT value FROM result WHERE path='causes['||cause||'].name') FROM victim v"
               " JOIN workload w USING(workload) JOIN node n USING(node)"
               " ORDER BY cause, lost_ppm DESC, workload, v.node LIMIT 40",
               columns);
    fputs("</details>\n", page->out);
}

void page_blame(const struct page *page)
{
    static const struct page_column deadlocks[] = {
        {"deadlock", PAGE_SENTENCE}, {"since", PAGE_TIME}, {"waiting", PAGE_BYTES}, {0}};
    const struct flow_words *flow = page->flow;
    page_section(page, "blame", flow->credits ? "Waits for credits" : "Pause propagation",
                 flow->credits ? "Ports that waited for credits of their peers."
                               : "Each pause is traced to the queue or host that caused it.");
    if (store_ask_int(page->store, "SELECT count(*) FROM pause_root", 0) == 0)
        fprintf(page->out, "<p>%s.</p>\n",
                flow->credits
                    ? "The table of credits in the summary has the ports that waited for credits"
                    : "No port was paused");
    else
        roots(page);
    victims(page);
    page_draw_waits(page);
    page_table(page, "SELECT text, since_ps, bytes FROM deadlock ORDER BY deadlock LIMIT 20",
               deadlocks);
    page_section_end(page);
}

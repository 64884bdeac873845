/* SPDX-License-Identifier: Apache-2.0
 * page_plan - a plan's answer as a page: the chosen candidate, why not the others, the bill of
 * materials. */
#include "reports/page/page_plan.h"

#include "base/memory.h"
#include "replay/database/words.h"
#include "reports/page/page_plan_private.h"

#include <stdlib.h>
#include <string.h>

enum { SENTENCE_BYTES = 1024 };

#define SAID(key) "(SELECT value FROM plan WHERE key='" key "')"
/* The chosen candidate; no row if there is none. */
#define CHOSEN SAID("chosen")

/* Writes the text returned by a query, escaped; false if there is none. */
static bool put_query(const struct page *page, const char *before, const char *sql,
                      const char *after)
{
    char text[SENTENCE_BYTES];
    store_ask_text(page->store, sql, text, sizeof text);
    if (*text == '\0')
        return false;
    fputs(before, page->out);
    page_text(page->out, text);
    fputs(after, page->out);
    return true;
}

static void write_card(const struct page *page, const char *sql, const char *label)
{
    if (put_query(page, "<div class=\"card\"><b>", sql, "</b>"))
        fprintf(page->out, "<span>%s</span></div>\n", label);
}

static void write_cards(const struct page *page)
{
    fputs("<div class=\"cards\">\n", page->out);
    if (put_query(page, "<div class=\"card\"><b>",
                  "SELECT printf('%,d', price) FROM candidate WHERE candidate=" CHOSEN
                  " AND price IS NOT NULL",
                  "</b><span>"))
        put_query(page, "", "SELECT " SAID("currency"),
                  ": price of the chosen candidate</span></div>\n");
    write_card(
        page, "SELECT printf('%,d W', watts) FROM candidate WHERE candidate=" CHOSEN " AND watts>0",
        "power");
    write_card(page, "SELECT rack_units FROM candidate WHERE candidate=" CHOSEN " AND rack_units>0",
               "rack units");
    write_card(page,
               "SELECT " PAGE_PLAN_PERCENT " FROM candidate WHERE candidate=" CHOSEN
               " AND headroom IS NOT NULL",
               "smallest headroom of any objective");
    write_card(page, "SELECT printf('%,d', count(*)) FROM candidate c WHERE" PAGE_PLAN_OWN("c"),
               "candidates");
    write_card(page, "SELECT printf('%,d', " SAID("runs") ")", "runs");
    write_card(page, "SELECT printf('%,d', " SAID("packet_hops") ")", "packet-hops");
    fputs("</div>\n", page->out);
}

/* "fail" only if every candidate fails; undecided is neither. */
void page_plan_answer(struct store *store, char *text, size_t size)
{
    store_ask_text(store,
                   "SELECT coalesce((SELECT 'Chosen: '||coalesce(label, name) FROM candidate WHERE"
                   " candidate=" CHOSEN
                   "), iif(" SAID("result") "='fail', 'Every candidate fails',"
                                            " 'Undecided: no candidate passes yet'))",
                   text, size);
}

static void write_verdict(const struct page *page)
{
    char result[16], text[SENTENCE_BYTES];
    store_ask_text(page->store, "SELECT " SAID("result"), result, sizeof result);
    page_plan_answer(page->store, text, sizeof text);
    fprintf(page->out, "<p class=\"verdict%s\">",
            store_ask_int(page->store, "SELECT " CHOSEN " NOTNULL", 0) != 0 ? " good"
            : strcmp(result, "fail") == 0                                   ? " bad"
                                                                            : " unsure");
    page_text(page->out, text);
    fputs("</p>\n", page->out);
    if (store_ask_int(page->store, "SELECT " SAID("proven") "=0 AND " CHOSEN " IS NOT NULL", 0))
        fputs("<p class=\"finding\">The best candidate so far: others are undecided.</p>\n",
              page->out);
    put_query(
        page, "<p class=\"facts\">",
        "SELECT count(*)||' candidates: '||sum(result='pass')||' pass, '||sum(result='fail')||"
        "' fail, '||sum(result='undecided')||' undecided, '||sum(result='not needed')||"
        "' not needed; probability of a wrong answer at most '||printf('%.3g%%', 100*" SAID(
            "error_probability") ") FROM candidate c WHERE" PAGE_PLAN_OWN("c"),
        "</p>\n");
}

static void write_head(const struct page *page)
{
    fputs("<header>", page->out);
    put_query(page, "<h1>", "SELECT " SAID("name"), "</h1>");
    put_query(page, "<p class=\"lead\">", "SELECT " SAID("about"), "</p>\n");
    put_query(page, "<p class=\"facts\">scenario ",
              "SELECT " SAID("scenario") "||', simulated by version '||" SAID("version"), "</p>\n");
    write_verdict(page);
    fputs("</header>\n", page->out);
    write_cards(page);
}

/* Databases of versions before 0.2.0 have no picture. */
static void write_picture(const struct page *page)
{
    struct store_statement *row = store_prepare(page->store, "SELECT " SAID("picture") " AS svg");
    if (store_step(row) && !store_is_null(row, "svg"))
        page_drawing_write(page->out, store_text(row, "svg"));
    store_finish(row);
}

static void write_chosen(const struct page *page)
{
    static const struct page_column settings[] = {{"set to", PAGE_CODE}, {0}};
    static const struct page_column objectives[] = {{"objective", PAGE_CODE},
                                                    {"value in the hardest case", PAGE_TEXT},
                                                    {"headroom", PAGE_TEXT},
                                                    {"failure", PAGE_TEXT},
                                                    {0}};
    if (store_ask_int(page->store, "SELECT " CHOSEN " IS NULL", 1) != 0)
        return;
    page_section(page, "chosen", "Chosen fabric",
                 "Means of the runs with 95% confidence intervals, each in the case with the least "
                 "headroom.");
    write_picture(page);
    page_table(page, "SELECT text FROM setting WHERE candidate=" CHOSEN " ORDER BY position",
               settings);
    put_query(
        page, "<p>",
        "SELECT iif(oversubscription IS NULL, '', printf('Oversubscription %.4g:1; ',"
        " oversubscription))||switches||iif(switches=1, ' switch with ', ' switches with "
        "')||ports_used||"
        "iif(ports_used=1, ' port', ' ports')||' in use, at most '||ports_most||' on one switch; "
        "'||"
        "host_cables||iif(host_cables=1, ' cable', ' cables')||' to hosts, '||fabric_cables||"
        "' between switches.' FROM candidate WHERE candidate=" CHOSEN,
        "</p>\n");
    page_table(page,
               "SELECT text, coalesce(found, 'met in every run'),"
               " iif(headroom IS NULL, '', " PAGE_PLAN_ROOM(
                   "1") "), failure"
                        " FROM objective WHERE candidate=" CHOSEN " ORDER BY slo",
               objectives);
    put_query(page, "<details><summary>Command that runs this candidate</summary><pre>",
              "SELECT command FROM trial WHERE candidate=" CHOSEN " AND trial=0",
              "</pre></details>\n");
    page_section_end(page);
}

/* Candidates that fail or are undecided, cheapest first; each reason once. */
static void write_why(const struct page *page)
{
    static const struct page_column columns[] = {{"candidate", PAGE_CODE},
                                                 {"price", PAGE_COUNT},
                                                 {"result", PAGE_TEXT},
                                                 {"reason", PAGE_SENTENCE},
                                                 {"others with this reason", PAGE_COUNT},
                                                 {0}};
    page_section(page, "why",
                 store_ask_int(page->store, "SELECT " CHOSEN " IS NULL", 1) != 0
                     ? "Why no candidate was chosen"
                     : "Why the others were not chosen",
                 "Cheapest first; candidates that fail for the same reason share one row.");
    if (!page_table(page,
                    "SELECT coalesce(label, name), min(price), result,"
                    " why||CASE WHEN bottleneck<>'' THEN '. Bottleneck: '||bottleneck ELSE '' END, "
                    "count(*)-1"
                    " FROM candidate c WHERE" PAGE_PLAN_OWN(
                        "c") " AND result IN ('fail', 'undecided')"
                             " GROUP BY verdict, why ORDER BY min(price), min(candidate)",
                    columns))
        fputs("<p>No candidate fails or is undecided.</p>\n", page->out);
    page_section_end(page);
}

static void write_bill(const struct page *page)
{
    static const struct page_column columns[] = {{"", PAGE_COUNT},
                                                 {"part", PAGE_TEXT},
                                                 {"each", PAGE_COUNT},
                                                 {"price", PAGE_COUNT},
                                                 {"W each", PAGE_COUNT},
                                                 {"W", PAGE_COUNT},
                                                 {0}};
    page_section(page, "bill", "Bill of materials", NULL);
    if (!page_table(
            page,
            "WITH p AS (SELECT * FROM part WHERE candidate=" CHOSEN ")"
            " SELECT count, part, price, cost, watts, all_watts FROM (SELECT 0 AS last, count,"
            " part, price, count*price AS cost, watts, count*watts AS all_watts FROM p UNION ALL"
            " SELECT 1, sum(count), 'total', NULL, sum(count*price), NULL, sum(count*watts)"
            " FROM p HAVING count(*)>0) ORDER BY last, part",
            columns))
        fputs("<p>No bill: no candidate is chosen, or the plan has no prices.</p>\n", page->out);
    page_section_end(page);
}

static void write_unmodelled(const struct page *page)
{
    page_fold(
        page, "unmodelled", "Not modeled",
        "The answer does not account for these effects; docs/model.md has the complete list.");
    fputs("<ul>\n", page->out);
    struct store_statement *row =
        store_prepare(page->store, "SELECT text FROM unmodelled ORDER BY position");
    while (store_step(row)) {
        fputs("<li>", page->out);
        page_text(page->out, store_text(row, "text"));
        fputs("</li>\n", page->out);
    }
    store_finish(row);
    fputs("</ul>\n", page->out);
    page_fold_end(page);
}

static void write_candidates(const struct page *page, bool linked)
{
    const struct page_column columns[] = {{"candidate", PAGE_CODE},
                                          {"price", PAGE_COUNT},
                                          {"W", PAGE_COUNT},
                                          {"rack units", PAGE_COUNT},
                                          {"headroom", PAGE_TEXT},
                                          {"result", PAGE_TEXT},
                                          {"command", PAGE_COMMAND},
                                          {linked ? "page of the run" : NULL, PAGE_LINK},
                                          {0}};
    page_section(
        page, "candidates", "Candidates",
        "Each command repeats a run of the case that decided the result, or of the first case.");
    page_table(page,
               "SELECT coalesce(label, name), price, watts, rack_units, " PAGE_PLAN_PERCENT
               ", result,"
               " coalesce((SELECT command FROM trial t WHERE t.candidate=c.candidate AND command IS"
               " NOT NULL ORDER BY verdict IN ('holds', 'open'), trial LIMIT 1), "
               "'')," PAGE_PLAN_RUN("c.candidate") " FROM candidate c WHERE" PAGE_PLAN_OWN(
                   "c") " ORDER BY price, candidate",
               columns);
    page_section_end(page);
}

void page_plan_sections(const struct page *page, bool linked)
{
    write_head(page);
    page_plan_versus(page);
    write_chosen(page);
    write_why(page);
    page_plan_front(page);
    page_plan_map(page);
    page_plan_cliffs(page, linked);
    page_plan_assumed(page);
    page_plan_measures(page);
    write_bill(page);
    write_candidates(page, linked);
    write_unmodelled(page);
}

bool page_plan_write(struct store *store, bool linked, FILE *out)
{
    char name[SENTENCE_BYTES], *links = NULL, *sections = NULL;
    size_t links_length = 0, length = 0;
    const struct page page = {.store = store,
                              .out = memory_stream(&sections, &length),
                              .contents = memory_stream(&links, &links_length),
                              .span = 1,
                              .stacks = true};
    page_plan_sections(&page, linked);
    memory_stream_end(page.out);
    memory_stream_end(page.contents);
    store_ask_text(store, "SELECT " SAID("name"), name, sizeof name);
    page_begin(out, name);
    page_contents(out, links, links_length);
    fwrite(sections, 1, length, out);
    free(links);
    free(sections);
    page_foot(out, "");
    fputs("</body>\n</html>\n", out);
    return ferror(out) == 0 && store_error(store) == NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * page_pair - the order of sections. */
#include "reports/page/pair/page_pair.h"

#include "base/memory.h"
#include "reports/page/pair/page_pair_private.h"
#include "reports/text/diff_text.h"
#include "reports/text/json.h"

#include <stdlib.h>
#include <string.h>

void pair_mark(const struct pair *pair, int side)
{
    fprintf(pair->pages[0].out, "<i class=\"mark m%c\">%c</i>", "ab"[side], "AB"[side]);
}

static struct pair make_pair(struct store *stores[2], const struct diff *diff, FILE *out,
                             struct charts *charts)
{
    struct pair pair = {.diff = diff};
    for (int i = 0; i < 2; i++)
        pair.pages[i] = (struct page){.store = stores[i],
                                      .flow = flow_words(stores[i]),
                                      .out = out,
                                      .span = page_span(stores[i]),
                                      .charts = charts,
                                      .side = i + 1};
    /* both use the time span of the longer run and the same bins */
    const time_ps a = pair.pages[0].span, b = pair.pages[1].span;
    pair.pages[0].span = pair.pages[1].span = a > b ? a : b;
    pair.pages[0].by_io = pair.pages[1].by_io =
        page_has_commands(stores[0]) && page_has_commands(stores[1]);
    return pair;
}

/* Charts that can be overlaid; buffers at their thresholds are on each run's own page. */
static void pair_charts(const struct pair *pair)
{
    static void (*const charts[])(const struct page *page) = {
        page_chart_tail,   page_charts_latency, page_chart_goodput,
        page_chart_pauses, page_chart_spread,   page_chart_underway};
    for (size_t i = 0; i < sizeof charts / sizeof charts[0]; i++)
        for (int side = 0; side < 2; side++)
            charts[i](&pair->pages[side]);
}

/* ------------------------------------------------------------------ comparison */

static void both(const struct pair *pair, void (*draw)(const struct page *page))
{
    FILE *out = pair->pages[0].out;
    fputs("<div class=\"two\">", out);
    for (int side = 0; side < 2; side++) {
        fputs("<div>", out);
        pair_mark(pair, side);
        draw(&pair->pages[side]);
        fputs("</div>", out);
    }
    fputs("</div>\n", out);
}

/* Each run's pauses over time have their place below its fabric. */
static void drawings(const struct page *page)
{
    page_topology_drawing(page);
    fprintf(page->out, "<div class=\"storm-chart\" data-chart=\"pauses-%c\"></div>\n",
            "ab"[page->side - 1]);
}

static void topology(const struct pair *pair)
{
    page_section(pair->pages, "topology",
                 pair->pages->flow->credits ? "Topology and credits" : "Topology and pauses",
                 pair->pages->flow->credits
                     ? "Color: share of time for which an end of a link waited for credits."
                     : "Color: share of time for which the more paused end of a link was paused.");
    both(pair, drawings);
    page_topology_legend(pair->pages);
    page_section_end(pair->pages);
}

static void stages(const struct pair *pair)
{
    static const char ask[] = "SELECT count(*) FROM stage WHERE CAST(count AS INTEGER)>0";
    if (store_ask_int(pair->pages[0].store, ask, 0) + store_ask_int(pair->pages[1].store, ask, 0) ==
        0)
        return;
    page_fold(pair->pages, "stages", "Anatomy of an I/O",
              "Mean time of each stage, by kind of command.");
    page_stages_legend(pair->pages, 2);
    both(pair, page_stages_bars);
    page_fold_end(pair->pages);
}

static void facts(const struct pair *pair)
{
    static const struct {
        const char *word, *sql;
        bool code;
    } rows[] = {{"scenario", "SELECT scenario FROM meta", false},
                {"seed", "SELECT seed FROM meta", false},
                {"version", "SELECT version FROM meta", false},
                {"recorded at level", "SELECT record FROM meta", false},
                {"status", "SELECT status FROM meta", false},
                {"digest", "SELECT digest FROM meta", true}};
    FILE *out = pair->pages[0].out;
    char text[512];
    fputs("<div class=\"wide\"><table class=\"pair\"><thead><tr><th></th>", out);
    for (int side = 0; side < 2; side++) {
        fputs("<th>", out);
        pair_mark(pair, side);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n<tr><td>file</td>", out);
    for (int side = 0; side < 2; side++) {
        fputs("<td class=\"code\">", out);
        page_text(out, pair->diff->sides[side].path);
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(out, "<tr><td>%s</td>", rows[i].word);
        for (int side = 0; side < 2; side++) {
            store_ask_text(pair->pages[side].store, rows[i].sql, text, sizeof text);
            fputs(rows[i].code ? "<td class=\"code\">" : "<td>", out);
            page_text(out, text);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void reproduce(const struct pair *pair)
{
    FILE *out = pair->pages[0].out;
    page_fold(pair->pages, "reproduce", "Reproduce",
              "Each run is deterministic: replay needs only its database.");
    facts(pair);
    for (int side = 0; side < 2; side++) {
        pair_mark(pair, side);
        fputs("<pre>", out);
        page_command(&pair->pages[side]);
        fputs("</pre>\n", out);
    }
    page_fold_end(pair->pages);
}

/* ------------------------------------------------------------------ entry points */

static bool is_well(const struct pair *pair)
{
    return store_error(pair->pages[0].store) == NULL && store_error(pair->pages[1].store) == NULL;
}

bool page_pair_figures(struct store *stores[2], FILE *out)
{
    struct charts charts = {0};
    const struct pair pair = make_pair(stores, NULL, out, &charts);
    char name[256];
    pair_charts(&pair);
    for (int side = 0; side < 2; side++) {
        store_ask_text(stores[side], "SELECT scenario FROM meta", name, sizeof name);
        fputs(side == 0 ? "{\"scenario\":" : ",\"against\":", out);
        json_string(out, name);
    }
    page_figures_end(pair.pages, 2, out);
    charts_free(&charts);
    return is_well(&pair) && ferror(out) == 0;
}

static bool own_figures(const void *self, FILE *out)
{
    const struct pair *pair = self;
    struct store *stores[] = {pair->pages[0].store, pair->pages[1].store};
    return page_pair_figures(stores, out);
}

static void write_sections(const struct pair *pair, const char *title)
{
    pair_answer(pair, title);
    topology(pair);
    pair_cards(pair);
    pair_workloads(pair);
    pair_stopped(pair);
    page_over_time(pair->pages);
    pair_waits(pair);
    stages(pair);
    pair_members(pair);
    pair_settings(pair);
    pair_events(pair);
    pair_all(pair);
    reproduce(pair);
}

enum { TITLE_BYTES = 600 };

static void put_title(const struct diff *diff, char title[TITLE_BYTES])
{
    const char *a = diff->sides[0].scenario, *b = diff->sides[1].scenario;
    if (strcmp(a, b) == 0)
        snprintf(title, TITLE_BYTES, "%.250s, twice", a);
    else
        snprintf(title, TITLE_BYTES, "%.250s and %.250s", a, b);
}

void page_pair_sections(struct store *stores[2], const struct diff *diff, FILE *out, FILE *contents)
{
    char title[TITLE_BYTES];
    struct pair pair = make_pair(stores, diff, out, NULL);
    pair.pages[0].contents = contents;
    put_title(diff, title);
    write_sections(&pair, title);
}

bool page_pair_write(struct store *stores[2], const struct diff *diff, FILE *out)
{
    char *links = NULL, *sections = NULL, title[TITLE_BYTES];
    size_t links_length = 0, length = 0;
    FILE *body = memory_stream(&sections, &length),
         *contents = memory_stream(&links, &links_length);
    const struct pair pair = make_pair(stores, diff, NULL, NULL);
    page_pair_sections(stores, diff, body, contents);
    memory_stream_end(body);
    memory_stream_end(contents);
    put_title(diff, title);
    page_begin(out, title);
    page_contents(out, links, links_length);
    fwrite(sections, 1, length, out);
    free(links);
    free(sections);
    return page_end(out, own_figures, &pair) && is_well(&pair);
}

bool page_pair_csv(struct store *stores[2], const struct diff *diff, struct output_folder *folder)
{
    struct charts charts = {0};
    const struct pair pair = make_pair(stores, diff, NULL, &charts);
    struct output output;
    pair_charts(&pair);
    const bool well = is_well(&pair) && charts_write_csv(&charts, folder);
    charts_free(&charts);
    if (!well || !chart_table_open(folder, "difference", &output))
        return false;
    diff_csv(diff, output.out);
    return output_end(&output, true);
}

/* SPDX-License-Identifier: Apache-2.0
 * page_answer - the first screen: the harm and its causes, what limits the results, topology and
 * pauses. */
#include "base/plural.h"
#include "replay/database/figure.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <string.h>

/* Nothing if the sentence of a cause contains it. */
static void sentence(const struct page *page, const char *words, const char *path)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT value FROM result WHERE path=? AND value<>''"
                                   " AND NOT EXISTS(SELECT 1 FROM result c WHERE"
                                   " c.path GLOB 'causes*.sentence'"
                                   " AND instr(c.value, result.value))");
    store_bind(row, 1, STORE_T(path));
    if (store_step(row)) {
        fprintf(page->out, "<p class=\"finding\"><b>%s</b> ", words);
        page_text(page->out, store_text(row, "value"));
        fputs("</p>\n", page->out);
    }
    store_finish(row);
}

#define RESULT(path) "SELECT value FROM result WHERE path='" path "'"

const struct page_card page_cards[] = {
    {"completed", "SELECT sum(completed) FROM workload", PAGE_COUNT, " warn",
     "SELECT count(*) FROM warning WHERE rule='members'"},
    {"failed or unfinished", "SELECT sum(unfinished+failed) FROM workload", PAGE_COUNT, " warn",
     "SELECT sum(unfinished+failed) FROM workload"},
    /* a workload without completions has no p99, so the worst one is unknown */
    {"worst workload's p99",
     "SELECT CASE WHEN count(latency_p99_ps)=count(*) THEN max(latency_p99_ps) END FROM workload",
     PAGE_TIME, " mild", "SELECT count(*) FROM steady WHERE NOT settled"},
    {"XOFF frames", RESULT("pfc.pause_frames"), PAGE_COUNT, NULL, NULL, ""},
    {"total pause time", RESULT("pfc.paused_ps"), PAGE_TIME, " mild", RESULT("pfc.paused_ps"),
     "total wait for credits"},
    {"frames dropped", "SELECT coalesce(sum(frames), 0) FROM dropped", PAGE_COUNT, " warn",
     "SELECT sum(frames) FROM dropped WHERE lossless"},
    {"ECN-marked frames", RESULT("ecn.marked"), PAGE_COUNT, NULL, NULL, ""},
    {"retransmits", RESULT("rnic.retransmitted_packets"), PAGE_COUNT, NULL, NULL},
    {0}};

const char *page_card_label(const struct page_card *card, const struct flow_words *flow)
{
    if (!flow->credits || card->credits == NULL)
        return card->label;
    return card->credits[0] != 0 ? card->credits : NULL;
}

bool page_card_read(const struct page_card *card, struct store *store, int64_t *value,
                    struct words *words)
{
    struct store_statement *row = store_prepare(store, card->sql);
    const bool known = store_step(row) && store_column_type(row, 0) != STORE_NULL;
    *value = known ? store_column_int(row, 0) : 0;
    *words = !known                    ? figure_undefined()
             : card->kind == PAGE_TIME ? page_time(*value)
                                       : words_count(*value);
    store_finish(row);
    return known;
}

static void cards(const struct page *page)
{
    fputs("<div class=\"cards\">\n", page->out);
    for (const struct page_card *card = page_cards; card->label != NULL; card++) {
        const char *label = page_card_label(card, page->flow);
        if (label == NULL)
            continue;
        const bool loud = card->tone != NULL && store_ask_int(page->store, card->when, 0) > 0;
        fprintf(page->out, "<div class=\"card%s\"><b>", loud ? card->tone : "");
        int64_t value;
        struct words words;
        page_card_read(card, page->store, &value, &words);
        page_text(page->out, words.text);
        fprintf(page->out, "</b><span>%s</span></div>\n", label);
    }
    fputs("</div>\n", page->out);
}

static void facts(const struct page *page)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT seed, simulated_ps, drain_ps, version, digest, status,"
                                   " (SELECT count(*) FROM node WHERE kind='host') AS hosts,"
                                   " (SELECT count(*) FROM node WHERE kind='switch') AS switches,"
                                   " (SELECT count(*) FROM link) AS links, record"
                                   " FROM meta");
    if (store_step(row)) {
        fputs("<p class=\"facts\">", page->out);
        page_put(
            page->out, "%s host%s, %s switch%s, %s link%s; seed %s; simulated %s",
            words_count(store_int(row, "hosts")).text, plural(store_int(row, "hosts"), "", "s"),
            words_count(store_int(row, "switches")).text,
            plural(store_int(row, "switches"), "", "es"), words_count(store_int(row, "links")).text,
            plural(store_int(row, "links"), "", "s"), store_text(row, "seed"),
            words_time(store_int(row, "simulated_ps")).text);
        if (store_int(row, "drain_ps") > 0)
            page_put(page->out, " + %s for outstanding I/O",
                     words_time(store_int(row, "drain_ps")).text);
        page_put(page->out, "; stormglass %s; record level %s; %s; digest ",
                 store_text(row, "version"), store_text(row, "record"), store_text(row, "status"));
        fputs("<code>", page->out);
        page_text(page->out, store_text(row, "digest"));
        fputs("</code></p>\n", page->out);
    }
    store_finish(row);
}

/* The harm is known of complete runs only. */
static void harm_text(const struct page *page, char *text, size_t size)
{
    store_ask_text(page->store, RESULT("harm.severity"), text, size);
}

/* Who lost: the workloads with the most victims. */
static void victims(const struct page *page)
{
    enum { NAMED = 3 };
    int64_t rest = 0, named = 0;
    struct store_statement *rows =
        store_prepare(page->store, "SELECT name, count(*) AS hosts FROM victim JOIN workload"
                                   " USING(workload) GROUP BY workload ORDER BY 2 DESC, workload");
    for (; store_step(rows); named++) {
        if (named >= NAMED) {
            rest++;
            continue;
        }
        const int64_t hosts = store_int(rows, "hosts");
        fputs(named == 0 ? "<span class=\"who\">Victims: " : ", ", page->out);
        page_put(page->out, "'%s' (%" PRId64 " %s)", store_text(rows, "name"), hosts,
                 plural(hosts, "host", "hosts"));
    }
    store_finish(rows);
    if (rest > 0)
        fprintf(page->out, ", and %" PRId64 " more %s", rest,
                plural(rest, "workload", "workloads"));
    fputs(named > 0 ? "</span>\n" : "", page->out);
}

static void harm(const struct page *page)
{
    char severity[32];
    harm_text(page, severity, sizeof severity);
    if (severity[0] == '\0')
        return;
    fprintf(page->out, "<p class=\"verdict %s\">",
            strcmp(severity, "none") == 0     ? "good"
            : strcmp(severity, "slight") == 0 ? "mild"
                                              : "bad");
    char text[PAGE_SENTENCE_BYTES];
    store_ask_text(page->store, RESULT("harm.sentence"), text, sizeof text);
    page_put(page->out, "Harm %s", text);
    fputs("</p>\n", page->out);
    victims(page);
}

/* Failed checks in the color of a failure; passed ones in green only if the run did no harm. */
static void verdict(const struct page *page, int64_t all, int64_t broken)
{
    const int64_t judged = store_ask_int(page->store, "SELECT count(held) FROM expectation", 0);
    char severity[32];
    harm_text(page, severity, sizeof severity);
    const bool harmless = severity[0] == '\0' || strcmp(severity, "none") == 0;
    const char *color = harmless ? " class=\"good\"" : "";
    if (broken > 0)
        fprintf(page->out, "<span class=\"bad\">%" PRId64 " %s failed</span>", broken,
                plural(broken, "check", "checks"));
    else if (judged < all)
        fprintf(page->out,
                "%" PRId64 " of %" PRId64
                " %s passed; the run was cut before the others were evaluated",
                judged, all, plural(all, "expectation", "expectations"));
    else if (all == 1)
        fprintf(page->out, "<span%s>The expectation passed</span>", color);
    else
        fprintf(page->out, "<span%s>All %" PRId64 " %s passed</span>", color, all,
                plural(all, "expectation", "expectations"));
}

static void expectations(const struct page *page)
{
    static const struct page_column columns[] = {
        {"", PAGE_VERDICT}, {"expectation", PAGE_CODE}, {"found", PAGE_TEXT}, {0}};
    static const struct page_column failures[] = {{"the run failed", PAGE_TEXT}, {0}};
    const int64_t all = store_ask_int(page->store, "SELECT count(*) FROM expectation", 0);
    const int64_t broken = store_ask_int(page->store,
                                         "SELECT (SELECT count(*) FROM expectation WHERE NOT held)"
                                         "+(SELECT count(*) FROM failure)",
                                         0);
    if (all == 0 && broken == 0)
        return;
    fprintf(page->out, "<details id=\"%sexpectations\"%s><summary>", page_prefix(page),
            broken > 0 ? " open" : "");
    verdict(page, all, broken);
    fputs("</summary>\n", page->out);
    page_table(page, "SELECT held, text, actual FROM expectation ORDER BY position", columns);
    page_table(page, "SELECT text FROM failure ORDER BY rowid", failures);
    fputs("</details>\n", page->out);
}

enum { CAUTIONS_MAX = 3 }; /* the section of all warnings follows */

/* What limits the validity of the results. */
static void cautions(const struct page *page)
{
    struct store_statement *rows = store_prepare(
        page->store,
        "SELECT 'This run is '||status||'.' AS text FROM meta WHERE status<>'complete'"
        " UNION ALL SELECT 'Not steady: '||group_concat(''''||name||'''', ', ')||'. Means and "
        "percentiles may"
        " change with the duration of the run.' FROM (SELECT w.name FROM steady s"
        " JOIN workload w USING(workload) WHERE NOT settled ORDER BY workload) HAVING count(*)>0"
        " UNION ALL SELECT text FROM (SELECT text FROM warning ORDER BY position LIMIT ?1)");
    bool any = false;
    store_bind(rows, 1, STORE_I(CAUTIONS_MAX));
    for (; store_step(rows); any = true) {
        fputs(any ? "<li>" : "<ul class=\"cautions\"><li>", page->out);
        page_text(page->out, store_text(rows, "text"));
        fputs("</li>\n", page->out);
    }
    store_finish(rows);
    const int64_t warnings = store_ask_int(page->store, "SELECT count(*) FROM warning", 0);
    if (warnings > CAUTIONS_MAX)
        fprintf(page->out, "<li><a href=\"#%swarnings\">%" PRId64 " more %s</a></li>\n",
                page_prefix(page), warnings - CAUTIONS_MAX,
                plural(warnings - CAUTIONS_MAX, "warning", "warnings"));
    fputs(any ? "</ul>\n" : "", page->out);
}

static void causes(const struct page *page)
{
    static const struct page_column columns[] = {
        {"cause", PAGE_SENTENCE}, {"share", PAGE_TEXT}, {"", PAGE_TEXT}, {0}};
    struct page narrow = *page;
    narrow.stacks = true;
    page_table(&narrow,
               "SELECT s.value, printf('%.0f%%', 100*p.value),"
               " CASE WHEN c.value=1 THEN 'confirmed' ELSE 'suspected' END"
               " FROM result s JOIN result p ON p.path=replace(s.path, '.sentence', '.share')"
               " LEFT JOIN result c ON c.path=replace(s.path, '.sentence', '.confirmed')"
               " WHERE s.path GLOB 'causes*.sentence' ORDER BY s.position LIMIT 6",
               columns);
}

void page_answer(const struct page *page)
{
    char text[PAGE_SENTENCE_BYTES];
    fputs("<header><h1>", page->out);
    store_ask_text(page->store, "SELECT scenario FROM meta", text, sizeof text);
    page_text(page->out, text);
    fputs("</h1><p class=\"lead\">", page->out);
    store_ask_text(page->store, "SELECT about FROM meta", text, sizeof text);
    page_text(page->out, text);
    fputs("</p>\n", page->out);
    facts(page);
    harm(page);
    fputs("</header>\n", page->out);
    causes(page);
    char head[64];
    snprintf(head, sizeof head, "Root cause of %s", page->flow->many);
    sentence(page, head, "root_cause");
    sentence(page, "Bottleneck", "bottleneck");
    sentence(page, "Time of an operation", "bottleneck_account");
    cautions(page);
    expectations(page);
}

void page_first_drawings(const struct page *page)
{
    const bool paused =
        page->prefix == NULL && store_ask_int(page->store, "SELECT count(*) FROM blocked", 0) > 0;
    fputs("<div class=\"two first\">\n", page->out);
    page_topology(page);
    if (paused) {
        char title[64];
        snprintf(title, sizeof title, "%s over time", page->flow->title);
        page_section(page, "storm", title, NULL);
        fputs("<div class=\"storm-chart\" data-chart=\"pauses\"></div>\n"
              "<noscript><p>The chart needs JavaScript.</p></noscript>\n",
              page->out);
    } else {
        page_section(page, "key-figures", "Key figures", NULL);
        cards(page);
    }
    page_section_end(page);
    fputs("</div>\n", page->out);
    if (paused)
        cards(page);
}

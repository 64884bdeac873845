/* SPDX-License-Identifier: Apache-2.0
 * page_pair_answer - the first screen of two runs: what was changed, the answers of both, and which
 * part of the time of an operation changed most. */
#include "base/plural.h"
#include "reports/page/pair/page_pair_private.h"
#include "reports/text/diff_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS_MAX = 8, OPERATIONS_READ = 64, SETTINGS_MAX = 4, NAME_BYTES = 128 };

static void verdict(const struct pair *pair)
{
    const struct diff *diff = pair->diff;
    size_t different = 0;
    for (int i = DIFF_FABRIC + 1; i < DIFF_SECTION_COUNT; i++)
        different += diff->sections[i].count;
    const size_t changed = diff->sections[DIFF_SETTINGS].count;
    FILE *out = pair->pages[0].out;
    if (diff_is_equal(diff))
        fputs("<p class=\"verdict good\">The runs are equal.</p>\n", out);
    else
        fprintf(out, "<p class=\"verdict\">%zu setting%s %s, and %s result%s.</p>\n", changed,
                plural(changed, "", "s"), plural(changed, "differs", "differ"),
                words_count((int64_t)different).text, plural(different, "", "s"));
}

static void setting(const struct pair *pair, const struct diff_row *row)
{
    FILE *out = pair->pages[0].out;
    fputs("<span class=\"changed\"><code>", out);
    page_text(out, row->what);
    fputs("</code> ", out);
    for (int side = 0; side < 2; side++) {
        pair_mark(pair, side);
        page_put(out, "%s ", row->texts[side] == NULL ? "-" : row->texts[side]);
    }
    fputs("</span>", out);
}

static void settings(const struct pair *pair)
{
    const struct diff_section *section = &pair->diff->sections[DIFF_SETTINGS];
    FILE *out = pair->pages[0].out;
    fputs("<p class=\"finding\"><b>Changed</b> ", out);
    for (size_t i = 0; i < section->count && i < SETTINGS_MAX; i++)
        setting(pair, &section->rows[i]);
    if (section->count > SETTINGS_MAX)
        fprintf(out, "<a href=\"#settings\">%zu more</a>", section->count - SETTINGS_MAX);
    fputs(section->count == 0 ? "no setting</p>\n" : "</p>\n", out);
}

/* ------------------------------------------------------------------ the answers of both */

static const struct {
    const char *words, *path;
    const char *needs,
        *without; /* a table that the result comes from, and the text if it is empty */
} answers[] = {{"Harm", "harm.sentence", NULL, NULL},
               {"Root cause of pauses", "root_cause", NULL, NULL},
               {"Bottleneck", "bottleneck", NULL, NULL},
               {"Time of an operation", "bottleneck_account", "SELECT count(*) FROM wait_total",
                "not recorded: run with --waits"}};

/* What a run without the result of the other has in its place. */
static const char *absent(const struct page *page, size_t which)
{
    return answers[which].needs != NULL && store_ask_int(page->store, answers[which].needs, 0) == 0
               ? answers[which].without
               : "-";
}

static void answer(const struct pair *pair, size_t which)
{
    FILE *out = pair->pages[0].out;
    char texts[2][PAGE_SENTENCE_BYTES];
    for (int side = 0; side < 2; side++) {
        struct store_statement *row =
            store_prepare(pair->pages[side].store, "SELECT value FROM result WHERE path=?1");
        store_bind(row, 1, STORE_T(answers[which].path));
        snprintf(texts[side], sizeof texts[side], "%s",
                 store_step(row) ? store_text(row, "value") : "");
        store_finish(row);
    }
    if (texts[0][0] == '\0' && texts[1][0] == '\0')
        return;
    fprintf(out, "<tr><td>%s</td>", answers[which].words);
    for (int side = 0; side < 2; side++) {
        const bool same = strcmp(texts[0], texts[1]) == 0;
        fprintf(out, "<td class=\"long\"%s data-is=\"%s\">", same ? " colspan=\"2\"" : "",
                same        ? "A and B"
                : side == 0 ? "A"
                            : "B");
        page_text(out, texts[side][0] == '\0' ? absent(&pair->pages[side], which) : texts[side]);
        fputs("</td>", out);
        side += same;
    }
    fputs("</tr>\n", out);
}

static void write_answers(const struct pair *pair)
{
    FILE *out = pair->pages[0].out;
    fputs("<div class=\"wide\"><table class=\"stacked answers\"><thead><tr><th></th>", out);
    for (int side = 0; side < 2; side++) {
        fputs("<th>", out);
        pair_mark(pair, side);
        page_text(out, pair->diff->sides[side].path);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        answer(pair, i);
    fputs("</tbody></table></div>\n", out);
}

/* ------------------------------------------------------------------ why */

struct operation {
    char workload[NAME_BYTES], name[NAME_BYTES];
    time_ps mean[2];
    const char *part; /* that changed most */
    time_ps part_mean[2];
};

static const struct {
    const char *key, *words;
} parts[] = {
#define PART(NAME, key, words, about) {key, words},
#include "replay/breakdown/breakdown_part.def"
};

static time_ps asked(const struct pair *pair, int side, const struct operation *operation,
                     const char *sql, const char *part)
{
    struct store_statement *row = store_prepare(pair->pages[side].store, sql);
    store_bind(row, 1, STORE_T(operation->workload));
    store_bind(row, 2, STORE_T(operation->name));
    if (part != NULL)
        store_bind(row, 3, STORE_T(part));
    const time_ps value = store_step(row) ? store_column_int(row, 0) : 0;
    store_finish(row);
    return value;
}

#define OF_OPERATION                                                                               \
    " FROM wait_total t JOIN workload w USING(workload) WHERE w.name=?1 AND operation=?2"

/* The part whose mean changed most in the direction in which the latency changed. */
static void find_part(const struct pair *pair, struct operation *operation)
{
    static const char sql[] = "SELECT (SELECT sum(sum_ps) FROM wait a WHERE a.workload=t.workload"
                              " AND a.operation=t.operation AND a.part=?3)/count" OF_OPERATION;
    double most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const time_ps a = asked(pair, 0, operation, sql, parts[i].key),
                      b = asked(pair, 1, operation, sql, parts[i].key);
        const double more = (double)b - (double)a;
        const double change = operation->mean[1] < operation->mean[0] ? -more : more;
        if (change <= most)
            continue;
        most = change;
        operation->part = parts[i].words;
        operation->part_mean[0] = a;
        operation->part_mean[1] = b;
    }
}

static int by_change(const void *left, const void *right)
{
    const struct operation *a = left, *b = right;
    const double x = (double)a->mean[1] / (double)a->mean[0],
                 y = (double)b->mean[1] / (double)b->mean[0];
    const double more = x < 1 ? 1 / x : x, other = y < 1 ? 1 / y : y;
    if (more > other || more < other)
        return more > other ? -1 : 1;
    const int order = strcmp(a->workload, b->workload);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int read_operations(const struct pair *pair, struct operation *operations)
{
    struct store_statement *rows =
        store_prepare(pair->pages[0].store, "SELECT w.name, operation FROM wait_total t JOIN"
                                            " workload w USING(workload) ORDER BY workload,"
                                            " operation");
    int count = 0;
    while (count < OPERATIONS_READ && store_step(rows)) {
        struct operation *next = &operations[count];
        *next = (struct operation){0};
        snprintf(next->workload, sizeof next->workload, "%s", store_text(rows, "name"));
        snprintf(next->name, sizeof next->name, "%s", store_text(rows, "operation"));
        for (int side = 0; side < 2; side++)
            next->mean[side] =
                asked(pair, side, next, "SELECT latency_ps/count" OF_OPERATION, NULL);
        count += next->mean[0] > 0 && next->mean[1] > 0;
    }
    store_finish(rows);
    qsort(operations, (size_t)count, sizeof *operations, by_change);
    return count < OPERATIONS_MAX ? count : OPERATIONS_MAX;
}

static void time_cell(FILE *out, time_ps ps)
{
    fprintf(out, "<td class=\"n\" title=\"%" PRId64 " ps\">", ps);
    page_text(out, words_time(ps).text);
    fputs("</td>", out);
}

static void write_operation(const struct pair *pair, const struct operation *operation)
{
    FILE *out = pair->pages[0].out;
    fputs("<tr><td>", out);
    page_put(out, "%s %s", operation->workload, operation->name);
    fputs("</td>", out);
    time_cell(out, operation->mean[0]);
    time_cell(out, operation->mean[1]);
    pair_change(pair, "td", (double)operation->mean[0], (double)operation->mean[1]);
    fprintf(out, "<td>%s</td>", operation->part == NULL ? "-" : operation->part);
    if (operation->part == NULL) {
        fputs("<td></td><td></td></tr>\n", out);
        return;
    }
    time_cell(out, operation->part_mean[0]);
    time_cell(out, operation->part_mean[1]);
    fputs("</tr>\n", out);
}

static void write_why(const struct pair *pair)
{
    struct operation operations[OPERATIONS_READ];
    const int count = read_operations(pair, operations);
    FILE *out = pair->pages[0].out;
    page_section(pair->pages, "why", "Why the latencies differ",
                 "Mean latency of each operation, and the part of its time that changed most.");
    if (count == 0) {
        fputs("<p class=\"about\">The time breakdown of both runs is needed: run them with "
              "<code>--waits</code> or <code>--record packets</code>.</p>\n",
              out);
        page_section_end(pair->pages);
        return;
    }
    fputs("<div class=\"wide\"><table><thead><tr><th>operation</th><th class=\"n\">mean, A</th>"
          "<th class=\"n\">B</th><th class=\"n\">change</th><th>mostly</th><th class=\"n\">A</th>"
          "<th class=\"n\">B</th></tr></thead><tbody>\n",
          out);
    for (int i = 0; i < count; i++) {
        find_part(pair, &operations[i]);
        write_operation(pair, &operations[i]);
    }
    fputs("</tbody></table></div>\n", out);
    page_section_end(pair->pages);
}

void pair_answer(const struct pair *pair, const char *title)
{
    FILE *out = pair->pages[0].out;
    fputs("<header><h1>", out);
    page_text(out, title);
    fputs("</h1><p class=\"lead\">Two runs side by side: the changed settings and their "
          "effect.</p>\n",
          out);
    verdict(pair);
    fputs("</header>\n", out);
    settings(pair);
    write_answers(pair);
    write_why(pair);
}

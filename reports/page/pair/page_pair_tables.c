/* SPDX-License-Identifier: Apache-2.0
 * page_pair_tables - results of two runs side by side. */
#include "replay/database/figure.h"
#include "reports/page/pair/page_pair_private.h"
#include "reports/text/diff_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STOPPED_MAX = 24, NAME_BYTES = 256 };

void pair_change(const struct pair *pair, const char *tag, double a, double b)
{
    FILE *out = pair->pages[0].out;
    const double most = a > b ? a : b, least = a > b ? b : a;
    /* changes below 1 % of the larger value are not emphasized */
    fprintf(out, "<%s class=\"n change%s\">", tag, most - least < 0.01 * most ? " small" : "");
    page_text(out, diff_change_words(a, b).text);
    fprintf(out, "</%s>", tag);
}

void pair_cards(const struct pair *pair)
{
    FILE *out = pair->pages[0].out;
    fputs("<div class=\"cards pair\">\n", out);
    for (const struct page_card *card = page_cards; card->label != NULL; card++) {
        int64_t values[2];
        struct words words;
        bool known = true;
        const char *label = page_card_label(card, pair->pages->flow);
        if (label == NULL)
            continue;
        fprintf(out, "<div class=\"card\"><span>%s</span>", label);
        for (int side = 0; side < 2; side++) {
            known &= page_card_read(card, pair->pages[side].store, &values[side], &words);
            fputs("<b>", out);
            pair_mark(pair, side);
            page_text(out, words.text);
            fputs("</b>", out);
        }
        if (known)
            pair_change(pair, "em", (double)values[0], (double)values[1]);
        fputs("</div>\n", out);
    }
    fputs("</div>\n", out);
}

/* ------------------------------------------------------------------ workloads */

static struct store_statement *asked(const struct page *page, const char *sql, const char *key)
{
    struct store_statement *row = store_prepare(page->store, sql);
    if (row != NULL)
        store_bind(row, 1, STORE_T(key));
    return row;
}

static bool is_number(enum page_kind kind)
{
    return kind == PAGE_COUNT || kind == PAGE_TIME || kind == PAGE_RATE || kind == PAGE_SHORT;
}

static void change_cell(const struct pair *pair, struct store_statement *rows[2],
                        const bool there[2], int column)
{
    if (there[0] && there[1] && store_column_type(rows[0], column) != STORE_NULL &&
        store_column_type(rows[1], column) != STORE_NULL)
        pair_change(pair, "td", store_column_real(rows[0], column),
                    store_column_real(rows[1], column));
    else
        fputs("<td></td>", pair->pages[0].out);
}

/* A dash where the side has no row. */
static void side_cell(const struct page *page, const struct store_statement *row,
                      enum page_kind kind, int column)
{
    if (row != NULL)
        page_cell(page, kind, row, column);
    else
        fputs("<td class=\"n\">-</td>", page->out);
}

static void one_row(const struct pair *pair, const struct pair_table *table, const char *key)
{
    const struct page_column *columns = table->columns;
    struct store_statement *rows[2];
    bool there[2];
    FILE *out = pair->pages[0].out;
    for (int side = 0; side < 2; side++) {
        rows[side] = asked(&pair->pages[side], table->row, key);
        there[side] = store_step(rows[side]);
    }
    fputs("<tr><td>", out);
    page_text(out, key);
    fputs("</td>", out);
    for (int i = 0; columns[i].head != NULL; i++) {
        for (int side = 0; side < 2; side++)
            side_cell(&pair->pages[side], there[side] ? rows[side] : NULL, columns[i].kind, i);
        if (is_number(columns[i].kind))
            change_cell(pair, rows, there, i);
    }
    fputs("</tr>\n", out);
    store_finish(rows[0]);
    store_finish(rows[1]);
}

/* A's row, B's row, and the change. */
static void three_rows(const struct pair *pair, const struct pair_table *table, const char *key)
{
    const struct page_column *columns = table->columns;
    struct store_statement *rows[2];
    bool there[2];
    FILE *out = pair->pages[0].out;
    for (int side = 0; side < 2; side++) {
        rows[side] = asked(&pair->pages[side], table->row, key);
        there[side] = store_step(rows[side]);
        fputs(side == 0 ? "<tr class=\"first\"><td>" : "<tr><td>", out);
        page_text(out, side == 0 ? key : "");
        fputs("</td><td>", out);
        pair_mark(pair, side);
        fputs("</td>", out);
        for (int i = 0; columns[i].head != NULL; i++)
            side_cell(&pair->pages[side], there[side] ? rows[side] : NULL, columns[i].kind, i);
        fputs("</tr>\n", out);
    }
    fputs("<tr class=\"last\"><td></td><td></td>", out);
    for (int i = 0; columns[i].head != NULL; i++)
        if (is_number(columns[i].kind))
            change_cell(pair, rows, there, i);
        else
            fputs("<td></td>", out);
    fputs("</tr>\n", out);
    store_finish(rows[0]);
    store_finish(rows[1]);
}

static bool has_key(const struct page *page, const struct pair_table *table, const char *key)
{
    char sql[PAIR_SQL_BYTES];
    snprintf(sql, sizeof sql, "SELECT 1 FROM (%.2000s) WHERE key=?1", table->keys);
    struct store_statement *row = asked(page, sql, key);
    const bool found = store_step(row);
    store_finish(row);
    return found;
}

static void table_head(const struct pair *pair, const struct pair_table *table)
{
    FILE *out = pair->pages[0].out;
    fprintf(out, "<div class=\"wide\"><table class=\"%s\"><thead><tr><th>%s</th>%s",
            table->flat ? "flat" : "pair", table->head, table->flat ? "" : "<th></th>");
    for (int i = 0; table->columns[i].head != NULL; i++) {
        const bool number = is_number(table->columns[i].kind);
        const char *class = number ? " class=\"n\"" : "";
        fprintf(out, "<th%s>%s%s</th>", class, table->columns[i].head, table->flat ? ", A" : "");
        if (table->flat)
            fprintf(out, "<th%s>B</th>%s", class, number ? "<th class=\"n\">change</th>" : "");
    }
    fputs("</tr></thead><tbody>\n", out);
}

void pair_table(const struct pair *pair, const struct pair_table *table)
{
    FILE *out = pair->pages[0].out;
    table_head(pair, table);
    for (int side = 0; side < 2; side++) {
        struct store_statement *keys = store_prepare(pair->pages[side].store, table->keys);
        while (store_step(keys))
            if (side == 0 || !has_key(&pair->pages[0], table, store_text(keys, "key")))
                (table->flat ? one_row : three_rows)(pair, table, store_text(keys, "key"));
        store_finish(keys);
    }
    fputs("</tbody></table></div>\n", out);
}

void pair_workloads(const struct pair *pair)
{
    static const struct page_column columns[] = {PAGE_WORK_COLUMNS, {0}};
    page_section(pair->pages, "workloads", "Workloads",
                 "Results by workload; workloads of the same name are paired.");
    pair_table(pair, &(struct pair_table){
                         .head = "workload",
                         .keys = "SELECT name AS key FROM workload ORDER BY workload",
                         .row = "SELECT " PAGE_WORK " FROM workload WHERE name=?1",
                         .columns = columns,
                     });
    page_section_end(pair->pages);
}

/* ------------------------------------------------------------------ paused ports */

struct stopped {
    char name[NAME_BYTES];
    time_ps held[2], most;
};

#define STOPPED                                                                                    \
    "(SELECT p.name||' by '||q.name||', priority '||b.priority AS name, value FROM " PAGE_BLOCKED  \
    " b JOIN port p USING(node, port) JOIN port q ON q.node=p.peer_node AND q.port=p.peer_port)"

static time_ps held_of(const struct page *page, const char *name)
{
    struct store_statement *row =
        store_prepare(page->store, "SELECT sum(value) AS held FROM " STOPPED " WHERE name=?1");
    store_bind(row, 1, STORE_T(name));
    const time_ps held = store_step(row) ? store_int(row, "held") : 0;
    store_finish(row);
    return held;
}

static int by_most(const void *left, const void *right)
{
    const struct stopped *a = left, *b = right;
    if (a->most != b->most)
        return a->most > b->most ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Ports paused longest in either run. */
static int find_stopped(const struct pair *pair, struct stopped *stopped)
{
    int count = 0;
    for (int side = 0; side < 2; side++) {
        struct store_statement *rows =
            store_prepare(pair->pages[side].store,
                          "SELECT name FROM " STOPPED " ORDER BY value DESC, name LIMIT ?1");
        store_bind(rows, 1, STORE_I(STOPPED_MAX));
        while (store_step(rows)) {
            struct stopped *port = &stopped[count];
            int same = 0;
            snprintf(port->name, sizeof port->name, "%s", store_text(rows, "name"));
            while (strcmp(stopped[same].name, port->name) != 0) /* ends at `port` itself */
                same++;
            if (same < count)
                continue;
            for (int i = 0; i < 2; i++)
                port->held[i] = held_of(&pair->pages[i], port->name);
            port->most = port->held[port->held[1] > port->held[0]];
            count++;
        }
        store_finish(rows);
    }
    qsort(stopped, (size_t)count, sizeof *stopped, by_most);
    return count < STOPPED_MAX ? count : STOPPED_MAX;
}

static void stopped_port(const struct pair *pair, const struct stopped *port, time_ps longest)
{
    FILE *out = pair->pages[0].out;
    fputs("<li><span class=\"port\">", out);
    page_text(out, port->name);
    fputs("</span><div>", out);
    for (int side = 0; side < 2; side++) {
        fputs("<p>", out);
        page_bar(pair->pages, side == 0 ? "ma" : "mb", port->held[side], longest);
        fprintf(out, "<span class=\"n\" title=\"%" PRId64 " ps\">", port->held[side]);
        page_text(out, page_time(port->held[side]).text);
        fputs("</span></p>", out);
    }
    fputs("</div>", out);
    pair_change(pair, "span", (double)port->held[0], (double)port->held[1]);
    fputs("</li>\n", out);
}

void pair_stopped(const struct pair *pair)
{
    static struct stopped stopped[2 * STOPPED_MAX + 1];
    FILE *out = pair->pages[0].out;
    page_section(pair->pages, "stopped",
                 pair->pages->flow->credits ? "Ports without credits" : "Paused ports",
                 pair->pages->flow->credits
                     ? "How long each port waited for credits, and of which peer; longest first."
                     : "How long each port was paused, and by which peer; longest first.");
    const int count = find_stopped(pair, stopped);
    if (count == 0)
        fputs(pair->pages->flow->credits ? "<p>No port waited for credits in either run.</p>\n"
                                         : "<p>No port was paused in either run.</p>\n",
              out);
    fputs("<ul class=\"stopped rows\">\n", out);
    for (int i = 0; i < count; i++)
        stopped_port(pair, &stopped[i], stopped[0].most);
    fputs("</ul>\n", out);
    page_section_end(pair->pages);
}

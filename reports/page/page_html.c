/* SPDX-License-Identifier: Apache-2.0
 * page_html - text, tables and sections of a page. */
#include "base/check.h"
#include "base/memory.h"
#include "base/printable.h"
#include "replay/database/figure.h"
#include "reports/draw/picture_style.h"
#include "reports/page/page_layout.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void page_text(FILE *out, const char *text)
{
    for (const char *at = text;;) {
        uint32_t code;
        const size_t plain = printable_plain(at, "<>&\"'");
        fwrite(at, 1, plain, out);
        at += plain;
        if (*at == '\0')
            return;
        const size_t length = printable_utf8(at, &code);
        if (length == 0 || (!printable_is_shown(code) && code != '\n' && code != '\t'))
            fputs("&#xfffd;", out);
        else if (*at == '<')
            fputs("&lt;", out);
        else if (*at == '>')
            fputs("&gt;", out);
        else if (*at == '&')
            fputs("&amp;", out);
        else if (*at == '"' || *at == '\'')
            fprintf(out, "&#%d;", *at);
        else
            fwrite(at, 1, length, out);
        at += length == 0 ? 1 : length;
    }
}

void page_put(FILE *out, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    CHECK(length >= 0);
    char *text = memory_new((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    page_text(out, text);
    free(text);
    va_end(again);
    va_end(list);
}

const char *page_prefix(const struct page *page)
{
    return page->prefix == NULL ? "" : page->prefix;
}

static void add_link(const struct page *page, const char *id, const char *title)
{
    if (page->contents != NULL)
        fprintf(page->contents, "<a href=\"#%s%s\">%s</a>\n", page_prefix(page), id, title);
}

void page_section(const struct page *page, const char *id, const char *title, const char *about)
{
    fprintf(page->out, "<section id=\"%s%s\"><h2>%s</h2>\n", page_prefix(page), id, title);
    add_link(page, id, title);
    if (about != NULL)
        fprintf(page->out, "<p class=\"about\">%s</p>\n", about);
}

void page_section_end(const struct page *page)
{
    fputs("</section>\n", page->out);
}

void page_fold(const struct page *page, const char *id, const char *title, const char *about)
{
    fprintf(page->out,
            "<section id=\"%s%s\" class=\"folded\"><details><summary><h2>%s</h2>%s%s%s</summary>\n",
            page_prefix(page), id, title, about == NULL ? "" : " <span class=\"about\">",
            about == NULL ? "" : about, about == NULL ? "" : "</span>");
    add_link(page, id, title);
}

void page_fold_end(const struct page *page)
{
    fputs("</details></section>\n", page->out);
}

/* As on the axes of the charts: 0 has no unit. */
struct words page_time(time_ps time)
{
    return time == 0 ? words_count(0) : words_time(time);
}

static struct words number_words(enum page_kind kind, const struct store_statement *row, int column)
{
    switch (kind) {
    case PAGE_TIME:
        return page_time(store_column_int(row, column));
    case PAGE_BYTES:
        return words_bytes(store_column_int(row, column));
    case PAGE_RATE:
        return words_rate(store_column_real(row, column));
    case PAGE_SHORT:
        return words_short(store_column_real(row, column));
    default:
        return words_count(store_column_int(row, column));
    }
}

static void begin_table(const struct page *page, const char *box, const char *class)
{
    fprintf(page->out, "<div class=\"%s\"><table", box);
    if (page->stacks)
        fprintf(page->out, " class=\"stacked%s%s\"", *class == '\0' ? "" : " ", class);
    else if (*class != '\0')
        fprintf(page->out, " class=\"%s\"", class);
}

void page_begin_table(const struct page *page, const char *class)
{
    begin_table(page, "wide", class);
}

void page_begin_cell(const struct page *page, const char *class)
{
    fputs("<td", page->out);
    if (class != NULL)
        fprintf(page->out, " class=\"%s\"", class);
    if (!page->stacks || page->label == NULL || *page->label == '\0')
        return;
    fputs(" data-is=\"", page->out);
    page_text(page->out, page->label);
    fputs("\"", page->out);
}

static void number_cell(const struct page *page, enum page_kind kind,
                        const struct store_statement *row, int column)
{
    const char *unit = kind == PAGE_TIME    ? " ps"
                       : kind == PAGE_RATE  ? " bit/s"
                       : kind == PAGE_BYTES ? " B"
                                            : "";
    if (store_column_type(row, column) == STORE_NULL) {
        page_begin_cell(page, "n");
        fputs(">-</td>", page->out);
        return;
    }
    page_begin_cell(page, "n");
    fputs(" title=\"", page->out);
    page_put(page->out, "%s%s", store_column_text(row, column), unit);
    fputs("\">", page->out);
    page_text(page->out, number_words(kind, row, column).text);
    fputs("</td>", page->out);
}

static void command_cell(const struct page *page, const char *command)
{
    page_begin_cell(page, "command");
    fputs(">", page->out);
    if (*command != '\0') {
        fputs("<details><summary>show</summary><code>", page->out);
        page_text(page->out, command);
        fputs("</code></details>", page->out);
    }
    fputs("</td>", page->out);
}

static void link_cell(const struct page *page, const char *name)
{
    page_begin_cell(page, NULL);
    fputs(">", page->out);
    if (*name != '\0') {
        fputs("<a href=\"", page->out);
        page_text(page->out, name);
        fputs("\">its page</a>", page->out);
    }
    fputs("</td>", page->out);
}

void page_cell(const struct page *page, enum page_kind kind, const struct store_statement *row,
               int column)
{
    switch (kind) {
    case PAGE_TEXT:
    case PAGE_SENTENCE:
    case PAGE_CODE:
        page_begin_cell(page, kind == PAGE_TEXT ? NULL : kind == PAGE_SENTENCE ? "long" : "code");
        fputs(">", page->out);
        page_text(page->out, store_column_text(row, column));
        fputs("</td>", page->out);
        break;
    case PAGE_COMMAND:
        command_cell(page, store_column_text(row, column));
        break;
    case PAGE_LINK:
        link_cell(page, store_column_text(row, column));
        break;
    case PAGE_VERDICT:
        fputs(store_column_int(row, column) != 0             ? "<td class=\"good\">pass</td>"
              : store_column_type(row, column) == STORE_NULL ? "<td>undecided</td>"
                                                             : "<td class=\"bad\">FAIL</td>",
              page->out);
        break;
    default:
        number_cell(page, kind, row, column);
    }
}

static void table_head(const struct page *page, const struct page_column *columns)
{
    begin_table(page, "wide rows", "");
    fputs("><thead><tr>", page->out);
    for (int i = 0; columns[i].head != NULL; i++) {
        const bool number = columns[i].kind >= PAGE_COUNT && columns[i].kind != PAGE_VERDICT;
        fprintf(page->out, "<th%s>%s</th>", number ? " class=\"n\"" : "", columns[i].head);
    }
    fputs("</tr></thead><tbody>\n", page->out);
}

bool page_table(const struct page *page, const char *sql, const struct page_column *columns)
{
    struct store_statement *rows = store_prepare(page->store, sql);
    struct page cell = *page;
    bool any = false;
    for (; rows != NULL && store_step(rows); any = true) {
        if (!any)
            table_head(page, columns);
        fputs("<tr>", page->out);
        for (int i = 0; columns[i].head != NULL; i++) {
            cell.label = columns[i].head;
            page_cell(&cell, columns[i].kind, rows, i);
        }
        fputs("</tr>\n", page->out);
    }
    store_finish(rows);
    if (any)
        fputs("</tbody></table></div>\n", page->out);
    return any;
}

void page_bar(const struct page *page, const char *class, time_ps value, time_ps longest)
{
    fprintf(page->out, "<span class=\"bar\"><i class=\"%s\" style=\"width:%.2f%%\"></i></span>",
            class, longest > 0 ? 100.0 * (double)value / (double)longest : 0);
}

int page_heat(time_ps blocked, time_ps span)
{
    const char *class = picture_heat((double)blocked / (double)span);
    return class[strlen(class) - 1] - '0';
}

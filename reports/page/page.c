/* SPDX-License-Identifier: Apache-2.0
 * page - the order of sections, and embedded files. */
#include "reports/page/page.h"

#include "base/memory.h"
#include "reports/page/page_layout.h"
#include "scenarios/embedded.h"

#include <stdlib.h>
#include <string.h>

void page_asset(FILE *out, const char *name)
{
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        if (strcmp(file->name, name) != 0)
            continue;
        const char *text = (const char *)file->bytes;
        const char *map = strstr(text, "# sourceMappingURL=");
        const size_t length = map == NULL ? file->length : (size_t)(map - text) - strlen("//");
        fwrite(text, 1, length, out);
        fputc('\n', out);
    }
}

/* Within a script element, '<' is the only character of JSON that could end it. */
bool page_data(FILE *out, const char *id, bool (*write)(const void *self, FILE *out),
               const void *self)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = memory_stream(&text, &length);
    const bool well = write(self, memory);
    memory_stream_end(memory);
    fprintf(out, "<script type=\"application/json\" id=\"%s\">", id);
    for (const char *at = text; well && at < text + length;) {
        const char *less = memchr(at, '<', length - (size_t)(at - text));
        fwrite(at, 1, (size_t)((less == NULL ? text + length : less) - at), out);
        if (less == NULL)
            break;
        fputs("\\u003c", out);
        at = less + 1;
    }
    fputs("</script>\n", out);
    free(text);
    return well;
}

void page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    page_put(out, "%s - stormglass", title);
    fputs("</title>\n<style>\n", out);
    page_asset(out, "page/dygraph.min.css");
    page_asset(out, "page/page.css");
    fputs("</style>\n", out);
    page_drawing_style(out);
    fputs("</head>\n<body>\n<main>\n", out);
}

void page_foot(FILE *out, const char *credit)
{
    fprintf(out, "</main>\n<footer>Made by stormglass.%s</footer>\n<script>\n", credit);
    page_asset(out, "page/reader.js");
    fputs("</script>\n", out);
}

bool page_end(FILE *out, bool (*figures)(const void *self, FILE *out), const void *self)
{
    page_foot(out, " Charts are drawn by dygraphs, MIT license.");
    const bool well = page_data(out, "figures", figures, self);
    fputs("<script>\n", out);
    page_asset(out, "page/dygraph.min.js");
    fputs("</script>\n<script>\n", out);
    page_asset(out, "page/page.js");
    page_asset(out, "page/fabric.js");
    fputs("</script>\n</body>\n</html>\n", out);
    return well && ferror(out) == 0;
}

void page_contents(FILE *out, const char *links, size_t length)
{
    fputs("<nav class=\"contents\"><b class=\"brand\">stormglass</b>\n"
          "<details open><summary>Sections</summary>\n",
          out);
    fwrite(links, 1, length, out);
    fputs("</details></nav>\n", out);
}

void page_over_time(const struct page *page)
{
    if (page->prefix != NULL) {
        fputs("<p class=\"about\">Charts over time are on the page of this run alone: "
              "<code>stormglass report RUN.db</code>.</p>\n",
              page->out);
        return;
    }
    page_section(page, "charts", "Over time",
                 "Drag, or pinch with two fingers, to zoom all charts at once; double-click to "
                 "reset. Shift-drag to pan. Keys: arrows, plus, minus, Home.");
    fputs("<div id=\"drawn\"></div>\n<noscript><p>The charts need JavaScript; the rest of the page "
          "does not.</p></noscript>\n",
          page->out);
    page_section_end(page);
}

static void write_comparison(const struct page *page, const char *comparison)
{
    if (comparison == NULL)
        return;
    page_section(page, "comparison", "Model and measurement",
                 "Each error is the deviation of the model in percent of the measured value.");
    fputs("<pre>", page->out);
    page_text(page->out, comparison);
    fputs("</pre>\n", page->out);
    page_section_end(page);
}

static bool own_figures(const void *self, FILE *out)
{
    const struct page *page = self;
    return page_figures(page->store, out);
}

void page_run_sections(const struct page *page, struct page_extra extra)
{
    page_answer(page);
    page_first_drawings(page);
    page_workloads(page);
    page_steady(page);
    page_warnings(page);
    page_members(page);
    page_blame(page);
    page_queue(page, extra.queued);
    page_over_time(page);
    page_stages(page);
    page_waits(page);
    page_waterfall(page);
    page_transports(page);
    page_cpu(page);
    page_wire(page);
    write_comparison(page, extra.comparison);
    page_events(page);
    page_queues(page);
    page_drops(page);
    page_settings(page);
    page_reproduce(page);
}

/* The links to the sections precede them, and are known after them. */
bool page_write(struct store *store, struct page_extra extra, FILE *out)
{
    char name[256], *links = NULL, *sections = NULL;
    size_t links_length = 0, length = 0;
    struct page page = {.store = store,
                        .flow = flow_words(store),
                        .out = memory_stream(&sections, &length),
                        .contents = memory_stream(&links, &links_length),
                        .span = page_span(store)};
    page_run_sections(&page, extra);
    memory_stream_end(page.out);
    memory_stream_end(page.contents);
    store_ask_text(store, "SELECT scenario FROM meta", name, sizeof name);
    page_begin(out, name);
    page_contents(out, links, links_length);
    fwrite(sections, 1, length, out);
    free(links);
    free(sections);
    return page_end(out, own_figures, &page) && store_error(store) == NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 * page - the sections in their order, and what the page carries along. */
#include "reports/page.h"

#include "base/check.h"
#include "reports/page_private.h"
#include "scenarios/embedded.h"

#include <stdlib.h>
#include <string.h>

/* A file that travels in the program, without the name of its map, which the page does not have. */
static void write_asset(FILE *out, const char *name)
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

/* In a script element only '<' could end what is JSON. */
static bool write_figures(struct store *store, FILE *out)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    CHECK(memory != NULL);
    bool well = page_figures(store, memory);
    well = fclose(memory) == 0 && well;
    fputs("<script type=\"application/json\" id=\"figures\">", out);
    for (size_t i = 0; well && i < length; i++)
        if (text[i] == '<')
            fputs("\\u003c", out);
        else
            fputc(text[i], out);
    fputs("</script>\n", out);
    free(text);
    return well;
}

static void write_head(const struct page *page)
{
    char name[256];
    store_ask_text(page->store, "SELECT scenario FROM meta", name, sizeof name);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          page->out);
    page_put(page->out, "%s - stormglass", name);
    fputs("</title>\n<style>\n", page->out);
    write_asset(page->out, "page/dygraph.min.css");
    write_asset(page->out, "page/page.css");
    fputs("</style>\n</head>\n<body>\n<main>\n", page->out);
}

static void write_charts(const struct page *page)
{
    page_section(page, "charts", "Over time",
                 "Drag to zoom, all charts together; double-click to see all again. Shift and drag "
                 "to move.");
    fputs("<div id=\"drawn\"></div>\n<noscript><p>The charts need a script; all else is as it "
          "stands.</p></noscript>\n",
          page->out);
    page_section_end(page);
}

static void write_comparison(const struct page *page, const char *comparison)
{
    if (comparison == NULL)
        return;
    page_section(page, "comparison", "Model and measurement",
                 "Errors are those of the model, in percent of what was measured.");
    fputs("<pre>", page->out);
    page_text(page->out, comparison);
    fputs("</pre>\n", page->out);
    page_section_end(page);
}

bool page_write(struct store *store, const char *comparison, FILE *out)
{
    const struct page page = {.store = store, .out = out, .span = page_span(store)};
    write_head(&page);
    page_summary(&page);
    page_workloads(&page);
    page_topology(&page);
    page_blame(&page);
    write_charts(&page);
    page_stages(&page);
    write_comparison(&page, comparison);
    page_notes(&page);
    page_drops(&page);
    page_settings(&page);
    page_reproduce(&page);
    fputs("</main>\n<footer>Made by stormglass. Charts are drawn by dygraphs, which is under the "
          "MIT licence.</footer>\n",
          out);
    const bool well = write_figures(store, out);
    fputs("<script>\n", out);
    write_asset(out, "page/dygraph.min.js");
    fputs("</script>\n<script>\n", out);
    write_asset(out, "page/page.js");
    fputs("</script>\n</body>\n</html>\n", out);
    return well && store_error(store) == NULL && ferror(out) == 0;
}

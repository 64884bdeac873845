/* SPDX-License-Identifier: Apache-2.0
 * playground - the page's files in one HTML file.
 * Scripts, the module and the scenarios are in script elements that no browser runs;
 * playground.js reads them. */
#include "reports/playground/playground.h"

#include "reports/page/page_parts.h"
#include "reports/text/json.h"
#include "scenarios/embedded.h"

#include <string.h>

/* ---- base64 (RFC 4648) ---- */

static void write_base64(FILE *out, const unsigned char *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { GROUP = 3, DIGITS = 4, LINE_GROUPS = 4096 };
    for (size_t at = 0, groups = 1; at < length; at += GROUP, groups++) {
        const size_t left = length - at;
        const uint32_t word = (uint32_t)bytes[at] << 16 |
                              (left > 1 ? (uint32_t)bytes[at + 1] << 8 : 0) |
                              (left > 2 ? (uint32_t)bytes[at + 2] : 0);
        char text[DIGITS] = {digits[word >> 18], digits[word >> 12 & 63],
                             left > 1 ? digits[word >> 6 & 63] : '=',
                             left > 2 ? digits[word & 63] : '='};
        fwrite(text, 1, DIGITS, out);
        if (groups % LINE_GROUPS == 0)
            fputc('\n', out);
    }
}

/* ---- files ---- */

/* Writes a list of {"name", "text"}; the name has its folder: "cases/pause-storm.yaml". */
static void write_file(FILE *out, struct playground_file file, bool first)
{
    fputs(first ? "\n{\"name\": " : ",\n{\"name\": ", out);
    json_string(out, file.name);
    fputs(", \"text\": ", out);
    json_string(out, file.text);
    fputc('}', out);
}

static bool is_shown(const char *name)
{
    return strncmp(name, "cases/", strlen("cases/")) == 0 ||
           strncmp(name, "lessons/", strlen("lessons/")) == 0;
}

/* {"version", "own": the files of the first scenario, "library": cases and lessons} */
static bool write_files(const void *self, FILE *out)
{
    const struct playground_scenario *scenario = self;
    bool first = true;
    fputs("{\"version\": ", out);
    json_string(out, stormglass_version);
    fputs(", \"own\": [", out);
    for (uint32_t i = 0; i < scenario->count; i++)
        write_file(out, scenario->files[i], i == 0);
    fputs("], \"library\": [", out);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (is_shown(file->name)) {
            write_file(out, (struct playground_file){file->name, (const char *)file->bytes}, first);
            first = false;
        }
    fputs("]}", out);
    return ferror(out) == 0;
}

/* ---- the page ---- */

static bool write_script(const void *self, FILE *out)
{
    const struct playground_engine *engine = self;
    json_string(out, engine->script);
    return ferror(out) == 0;
}

static bool write_worker(const void *self, FILE *out)
{
    (void)self;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (strcmp(file->name, "playground/worker.js") == 0)
            json_string(out, (const char *)file->bytes);
    return ferror(out) == 0;
}

bool playground_write(const struct playground_engine *engine,
                      const struct playground_scenario *scenario, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" "
          "href=\"data:,\">\n"
          "<title>stormglass playground</title>\n<style>\n",
          out);
    page_asset(out, "page/page.css");
    page_asset(out, "playground/playground.css");
    fputs("</style>\n</head>\n<body>\n", out);
    page_asset(out, "playground/playground.html");
    bool well = page_data(out, "files", write_files, scenario) &&
                page_data(out, "loader", write_script, engine) &&
                page_data(out, "worker", write_worker, NULL);
    fputs("<script type=\"text/plain\" id=\"module\">", out);
    write_base64(out, engine->module, engine->module_length);
    fputs("</script>\n<script>\n", out);
    page_asset(out, "playground/engine.js");
    page_asset(out, "playground/playground.js");
    fputs("</script>\n</body>\n</html>\n", out);
    return well && ferror(out) == 0;
}

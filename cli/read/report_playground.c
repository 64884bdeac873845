/* SPDX-License-Identifier: Apache-2.0
 * report_playground - finds the engine's WebAssembly files and writes the page.
 * `make playground` builds them in build/playground, `make install` copies them to
 * share/stormglass/playground. Both are found from the directory of the program. */
#include "cli/read/report_playground.h"

#include "base/memory.h"
#include "reports/playground/playground.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_BYTES_MAX = 64 << 20 }; /* an engine is about 1 MB */

struct content {
    char *bytes; /* NUL-terminated, owned */
    size_t length;
};

/* Reads a file in a folder relative to the program's. */
static bool read_content(const char *folder, const char *name, struct content *content)
{
    char relative[PATH_MAX], path[PATH_MAX];
    snprintf(relative, sizeof relative, "%s/%s", folder, name);
    FILE *file = cli_beside(relative, path) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return false;
    bool well = fseek(file, 0, SEEK_END) == 0;
    const long length = ftell(file);
    well = well && length > 0 && length <= FILE_BYTES_MAX && fseek(file, 0, SEEK_SET) == 0;
    if (well) {
        free(content->bytes); /* of another folder, which lacks the other file */
        content->length = (size_t)length;
        content->bytes = memory_zeroed(content->length + 1, 1);
        well = fread(content->bytes, 1, content->length, file) == content->length;
    }
    fclose(file);
    return well;
}

static bool read_engine(const char *folder, struct content *script, struct content *module)
{
    return read_content(folder, "engine.js", script) &&
           read_content(folder, "engine.wasm.gz", module);
}

static int write_page(const struct cli_args *args, const struct scenario *scenario,
                      const struct playground_engine *engine)
{
    const char *path = cli_value(args, "output");
    const struct output_inputs inputs = {scenario->paths, scenario->path_count};
    struct playground_file *files = memory_zeroed(scenario->source_count, sizeof *files);
    const struct playground_scenario first = {files, scenario->source_count};
    for (uint32_t i = 0; i < first.count; i++)
        files[i] = (struct playground_file){scenario->sources[i].name, scenario->sources[i].text};
    struct output output;
    const bool well = output_open(&output, path, &inputs) &&
                      output_end(&output, playground_write(engine, &first, output.out));
    const int why = errno;
    free(files);
    return well ? CLI_DONE : cli_output_failed(path, &inputs, why);
}

static bool is_allowed(const struct cli_args *args)
{
    static const char *const others[] = {"measured", "queue", "text", "figures", "csv"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (cli_given(args, others[i])) {
            cli_error("report: --playground works without --%s", others[i]);
            return false;
        }
    if (args->operand_count > 1)
        cli_error("report: --playground shows one scenario first: expected at most one");
    else if (args->operand_count == 1 && cli_is_database(args->operands[0]))
        cli_error("report: --playground runs scenarios: expected a scenario, not a database");
    else if (cli_value(args, "output") == NULL && isatty(STDOUT_FILENO))
        cli_error("no page is written to a terminal: use -o OUT.html, or redirect the output");
    else
        return true;
    return false;
}

int report_playground(const struct cli_args *args)
{
    struct content script = {0}, module = {0};
    int code = CLI_USAGE;
    if (!is_allowed(args))
        return code;
    if (!read_engine("../share/stormglass/playground", &script, &module) &&
        !read_engine("../playground", &script, &module)) {
        cli_error("report --playground: this program was built without the engine for browsers; "
                  "'make playground' builds it (it installs emscripten)");
    } else {
        struct scenario *scenario =
            cli_load(args->operand_count == 1 ? args->operands[0] : "pause-storm", NULL, 0);
        const struct playground_engine engine = {script.bytes, (const unsigned char *)module.bytes,
                                                 module.length};
        if (scenario != NULL)
            code = write_page(args, scenario, &engine);
        scenario_free(scenario);
    }
    free(script.bytes);
    free(module.bytes);
    return code;
}

/* SPDX-License-Identifier: Apache-2.0
 * cmd_report - stormglass report. */
#include "cli/cli.h"
#include "replay/store.h"
#include "reports/page.h"
#include "reports/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef bool writer(struct store *store, FILE *out);

static const struct cli_option options[] = {
    {"output", 'o', "OUT.html", "write there instead of to standard output"},
    {"text", 0, NULL, "the summary of stormglass run instead of a page"},
    {"figures", 0, NULL, "the numbers of the charts as one JSON object instead of a page"},
    {0},
};

static bool choose(const struct cli_args *args, writer **write)
{
    *write = cli_given(args, "text")      ? text_run
             : cli_given(args, "figures") ? page_figures
                                          : page_write;
    if (cli_given(args, "text") && cli_given(args, "figures")) {
        cli_error("report: --text and --figures: expected one of them");
        return false;
    }
    if (*write == page_write && cli_value(args, "output") == NULL && isatty(STDOUT_FILENO)) {
        cli_error("a page is for a browser: use -o OUT.html, or redirect the output");
        return false;
    }
    return true;
}

static bool write_to(struct store *store, writer *write, FILE *out)
{
    const bool written = write(store, out);
    return fflush(out) == 0 && written;
}

/* Beside the file, and renamed when all is well. */
static bool write_file(struct store *store, writer *write, const char *path)
{
    char *beside = malloc(strlen(path) + sizeof ".new");
    if (beside == NULL)
        return false;
    sprintf(beside, "%s.new", path);
    FILE *out = fopen(beside, "wb");
    bool well = out != NULL && write_to(store, write, out);
    well = out != NULL && fclose(out) == 0 && well;
    well = well && rename(beside, path) == 0;
    const int why = errno;
    if (out != NULL && !well)
        unlink(beside);
    free(beside);
    errno = why;
    return well;
}

static int run(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES];
    writer *write;
    const char *path = cli_value(args, "output");
    if (!choose(args, &write))
        return CLI_USAGE;
    struct store *store = store_open(args->operands[0], error);
    if (store == NULL) {
        cli_error("%s: %s", args->operands[0], error);
        return CLI_USAGE;
    }
    const bool well =
        path == NULL ? write_to(store, write, stdout) : write_file(store, write, path);
    int code = CLI_DONE;
    if (!well && store_error(store) != NULL) {
        cli_error("%s: %s", args->operands[0], store_error(store));
        code = CLI_USAGE;
    } else if (!well) {
        cli_error("%s: %s", path == NULL ? "standard output" : path, strerror(errno));
        code = CLI_FAILED;
    }
    store_close(store);
    return code;
}

const struct cli_command cmd_report = {
    .name = "report",
    .operands = "RUN.db",
    .about = "makes one HTML page of a run: charts, topology, causes, settings",
    .details = "The page carries all it needs and opens without a network.\n"
               "--record counters shows pauses over time, --record ios rates and latency too.",
    .options = options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run,
};

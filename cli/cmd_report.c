/* SPDX-License-Identifier: Apache-2.0
 * cmd_report - stormglass report. */
#include "cli/cli.h"
#include "replay/store.h"
#include "reports/beside.h"
#include "reports/compare_text.h"
#include "reports/page.h"
#include "reports/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum form { PAGE, TEXT, FIGURES };

/* What to write of a run. */
struct order {
    struct store *store;
    enum form form;
    char *comparison; /* owned; NULL: none */
};

static const struct cli_option options[] = {
    {"output", 'o', "OUT.html", "write there instead of to standard output"},
    {"measured", 0, "MEASURED.db", "compares the run with what was measured, in the page"},
    {"text", 0, NULL, "the summary of stormglass run instead of a page"},
    {"figures", 0, NULL, "the numbers of the charts as one JSON object instead of a page"},
    {0},
};

static bool choose(const struct cli_args *args, struct order *order)
{
    const bool text = cli_given(args, "text"), figures = cli_given(args, "figures");
    order->form = text ? TEXT : figures ? FIGURES : PAGE;
    if (text + figures + cli_given(args, "measured") > 1)
        cli_error("report: --text, --figures, --measured: expected one of them");
    else if (order->form == PAGE && cli_value(args, "output") == NULL && isatty(STDOUT_FILENO))
        cli_error("a page is for a browser: use -o OUT.html, or redirect the output");
    else
        return true;
    return false;
}

/* What stormglass compare says of the two. */
static bool compare_with(struct order *order, const char *path, const char *measured)
{
    const struct compare_options with = {.judged = COMPARE_JUDGED_PRESET, .tolerance = 0.15};
    struct compare compare;
    size_t length = 0;
    const bool comparable = compare_runs(&compare, path, measured, &with) == COMPARE_DONE;
    if (comparable) {
        FILE *memory = open_memstream(&order->comparison, &length);
        if (memory != NULL) {
            compare_text(&compare, memory);
            fclose(memory);
        }
    } else {
        cli_error("%s", compare.why);
    }
    compare_free(&compare);
    return comparable;
}

static bool write_to(const struct order *order, FILE *out)
{
    const bool written = order->form == TEXT ? text_run(order->store, out)
                         : order->form == FIGURES
                             ? page_figures(order->store, out)
                             : page_write(order->store, order->comparison, out);
    return fflush(out) == 0 && written;
}

static bool write_file(const struct order *order, const char *path)
{
    struct beside beside;
    return beside_open(&beside, path) && beside_end(&beside, write_to(order, beside.out));
}

static int make(const struct order *order, const char *from, const char *path)
{
    const bool well = path == NULL ? write_to(order, stdout) : write_file(order, path);
    const char *error = store_error(order->store);
    if (well)
        return CLI_DONE;
    if (error == NULL)
        cli_error("%s: %s", path == NULL ? "standard output" : path, strerror(errno));
    else
        cli_error("%s: %s", from, error);
    return error == NULL ? CLI_FAILED : CLI_USAGE;
}

static int run(const struct cli_args *args)
{
    const char *from = args->operands[0], *measured = cli_value(args, "measured");
    char error[STORE_ERROR_BYTES];
    struct order order = {0};
    if (!choose(args, &order))
        return CLI_USAGE;
    order.store = store_open(from, error);
    if (order.store == NULL) {
        cli_error("%s: %s", from, error);
        return CLI_USAGE;
    }
    int code = CLI_USAGE;
    if (measured == NULL || compare_with(&order, from, measured))
        code = make(&order, from, cli_value(args, "output"));
    store_close(order.store);
    free(order.comparison);
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

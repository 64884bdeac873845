/* SPDX-License-Identifier: Apache-2.0
 * cmd_diff - stormglass diff. */
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/read/diff_incident.h"
#include "reports/text/diff_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct cli_option diff_options[] = {
    {"all", 0, NULL, "list every row that differs, not only the most important rows"},
    {"json", 0, NULL, "one JSON object instead of the text"},
    {"csv", 0, NULL, "one CSV row for each difference, or for each counter of an incident"},
    {"map", 0, "PORT=NODE:pN", "map a port of the incident to a port of the run; repeatable"},
    {"lasted", 0, "TIME", "duration of the incident, to scale its counts to the run"},
    CLI_OPTION_COLOR,
    CLI_OPTION_QUIET,
    {0},
};

static int print_diff(const struct cli_args *args, const struct diff *diff)
{
    const bool written = cli_given(args, "json")  ? diff_json(diff, stdout)
                         : cli_given(args, "csv") ? diff_csv(diff, stdout)
                                                  : diff_text(diff, cli_given(args, "all"), stdout);
    if (written)
        return diff_is_equal(diff) ? CLI_DONE : CLI_BROKEN;
    cli_error("the difference could not be written: %s", strerror(errno));
    return CLI_FAILED;
}

static int run_diff(const struct cli_args *args)
{
    if (diff_is_incident(args->operands[0]))
        return diff_incident(args);
    if (cli_given(args, "map") || cli_given(args, "lasted")) {
        cli_error("diff: --map and --lasted require the counters of an incident, but %s has none",
                  args->operands[0]);
        return CLI_USAGE;
    }
    struct diff diff;
    struct diag *diag = memory_new(sizeof *diag);
    int code = CLI_USAGE;
    if (diff_runs(&diff, args->operands[0], args->operands[1], true, diag) == DIFF_DONE)
        code = print_diff(args, &diff);
    else
        cli_error("%s", diff.why);
    diag_print(diag, stderr);
    diff_free(&diff);
    free(diag);
    return code;
}

const struct cli_command cmd_diff = {
    .name = "diff",
    .operands = "A.db B.db, or INCIDENT.json RUN.db",
    .about = "show the differences between two runs, and the first event that differs",
    .details = "If the digests differ, both runs are replayed side by side up to that "
               "event.\nINCIDENT.json is from stormglass import counters: its counters are "
               "compared with those of the run.",
    .examples =
        (const struct cli_example[]){
            {"The effect of a switch threshold on the pause storm",
             "stormglass run pause-storm -o a.db && stormglass run pause-storm -o b.db --set "
             "fabric.switch.alpha=25% && stormglass diff a.db b.db"},
            {"A switch's counters before and after an incident, compared with a run",
             "stormglass import counters before.txt after.txt > incident.json && stormglass diff "
             "incident.json b.db --lasted 10ms"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "equal; for an incident: within an order of magnitude"},
            {1, "different, or nothing could be compared"},
            {2, "the command line is wrong, or a file is not the database of a finished run"},
            {3, "the output could not be written"},
            {0}},
    .options = diff_options,
    .operands_min = 2,
    .operands_max = 2,
    .run = run_diff,
};

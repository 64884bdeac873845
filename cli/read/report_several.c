/* SPDX-License-Identifier: Apache-2.0
 * report_several - opens the inputs and writes the page. */
#include "cli/read/report_several.h"

#include "base/memory.h"
#include "replay/database/stored.h"
#include "replay/files/output.h"
#include "replay/plan/plan_store.h"
#include "reports/page/several/page_several.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INPUTS_MAX = 64 };

bool report_is_several(const struct cli_args *args)
{
    int plans = 0, others = 0;
    for (int i = 0; i < args->operand_count; i++) {
        const char *path = args->operands[i];
        const bool exists = access(path, F_OK) == 0, database = cli_is_database(path);
        plans += database && plan_store_is(path);
        others += exists && !database;
    }
    return args->operand_count > 2 || others > 0 || (plans > 0 && args->operand_count > 1);
}

static bool is_allowed(const struct cli_args *args)
{
    static const char *const alone[] = {"measured", "queue", "text", "figures", "csv"};
    for (size_t i = 0; i < sizeof alone / sizeof alone[0]; i++)
        if (cli_given(args, alone[i])) {
            cli_error("report: --%s works with one or two runs, not with plans, incidents or more "
                      "runs",
                      alone[i]);
            return false;
        }
    if (args->operand_count > INPUTS_MAX)
        cli_error("report: expected at most %d inputs, but found %d", INPUTS_MAX,
                  args->operand_count);
    else if (cli_value(args, "output") == NULL && isatty(STDOUT_FILENO))
        cli_error("no page is written to a terminal: use -o OUT.html, or redirect the output");
    else
        return true;
    return false;
}

/* ------------------------------------------------------------------ inputs */

static bool open_database(struct page_input *input)
{
    char error[STORE_ERROR_BYTES];
    const bool plan = plan_store_is(input->path);
    input->kind = plan ? PAGE_INPUT_PLAN : PAGE_INPUT_RUN;
    input->store = plan ? store_open(input->path, error) : stored_open(input->path, error);
    const bool well = input->store != NULL && (plan ? plan_store_is_readable(input->store, error)
                                                    : stored_is_of_today(input->store, error));
    if (!well)
        cli_error("%s: %s", input->path, error);
    return well;
}

/* A file that is neither: its error says what it is. */
static void report_unknown(const char *path)
{
    char error[STORE_ERROR_BYTES];
    struct stat about;
    struct store *store = NULL;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        cli_error("%s: expected counters or logs of an incident in the folder", path);
    else if ((store = stored_open(path, error)) == NULL)
        cli_error("%s: %s, and has no counters or logs of an incident", path, error);
    else
        store_close(store);
}

static bool read_incident(struct page_input *input)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const struct incident_ask ask = {.paths = &input->path, .path_count = 1};
    struct incident *incident = &input->incident;
    input->kind = PAGE_INPUT_INCIDENT;
    bool well = incident_read(incident, &ask, diag);
    diag_print(diag, stderr);
    free(diag);
    if (incident->count_count == 0 && incident->event_count == 0) {
        report_unknown(input->path);
        well = false;
    }
    if (well)
        triage_make(&input->triage, incident);
    return well;
}

static bool open_input(struct page_input *input)
{
    if (cli_is_database(input->path))
        return open_database(input);
    if (access(input->path, R_OK) == 0)
        return read_incident(input);
    cli_error("%s: %s", input->path, strerror(errno));
    return false;
}

static void close_input(struct page_input *input)
{
    if (input->store != NULL)
        store_close(input->store);
    if (input->kind == PAGE_INPUT_INCIDENT) {
        triage_free(&input->triage);
        incident_free(&input->incident);
    }
}

/* The differences of the runs, if there are two. */
static bool compare_runs_of(struct page_several *several, struct diff *diff)
{
    const char *paths[2];
    size_t runs = 0;
    for (size_t i = 0; i < several->count; i++)
        if (several->inputs[i].kind == PAGE_INPUT_RUN && runs++ < 2)
            paths[runs - 1] = several->inputs[i].path;
    if (runs != 2)
        return true;
    struct diag *diag = memory_new(sizeof *diag);
    const bool well = diff_runs(diff, paths[0], paths[1], true, diag) == DIFF_DONE;
    if (!well)
        cli_error("%s", diff->why);
    diag_print(diag, stderr);
    free(diag);
    several->diff = diff;
    return well;
}

/* ------------------------------------------------------------------ the page */

static int write_page(const struct cli_args *args, const struct page_several *several)
{
    const char *path = cli_value(args, "output");
    const struct output_inputs inputs = {(const char *const *)args->operands,
                                         (size_t)args->operand_count};
    struct output output;
    if (output_open(&output, path, &inputs) &&
        output_end(&output, page_several_write(several, output.out)))
        return CLI_DONE;
    const int why = errno;
    for (size_t i = 0; i < several->count; i++)
        if (several->inputs[i].store != NULL && store_error(several->inputs[i].store) != NULL) {
            cli_error("%s: %s", several->inputs[i].path, store_error(several->inputs[i].store));
            return CLI_USAGE;
        }
    return cli_output_failed(path, &inputs, why);
}

int report_several(const struct cli_args *args)
{
    const struct output_inputs inputs = {(const char *const *)args->operands,
                                         (size_t)args->operand_count};
    if (!is_allowed(args) || !cli_output_allowed(cli_value(args, "output"), &inputs))
        return CLI_USAGE;
    struct page_several several = {
        .inputs = memory_zeroed((size_t)args->operand_count, sizeof *several.inputs),
        .count = (size_t)args->operand_count};
    struct diff diff = {0};
    bool well = true;
    for (size_t i = 0; i < several.count; i++) {
        several.inputs[i].path = args->operands[i];
        well = open_input(&several.inputs[i]) && well; /* all errors at once */
    }
    const int code =
        well && compare_runs_of(&several, &diff) ? write_page(args, &several) : CLI_USAGE;
    for (size_t i = 0; i < several.count; i++)
        close_input(&several.inputs[i]);
    diff_free(&diff);
    free(several.inputs);
    return code;
}

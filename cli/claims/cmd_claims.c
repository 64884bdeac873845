/* SPDX-License-Identifier: Apache-2.0
 * cmd_claims - stormglass claims. */
#include "base/memory.h"
#include "base/nearest.h"
#include "cli/claims/claims_output.h"
#include "cli/cli.h"
#include "reports/text/csv.h"
#include "reports/text/json_members.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option claims_options[] = {
    {"list", 0, NULL, "list the claims without running them"},
    {"json", 0, NULL, "one JSON object"},
    {"csv", 0, NULL, "comma-separated values: one line for each figure"},
    {"markdown", 0, NULL,
     "print Markdown: the sections of the IDs in docs/claims.md, or the whole "
     "page"},
    {"svg", 0, NULL, "a bar chart of the figures of one claim"},
    {"jobs", 'j', "N", "number of parallel runs (default: processors)"},
    CLI_OPTION_COLOR,
    {0},
};

/* The chosen claims. Claims of files are in `own`, to be freed. */
struct choice {
    struct claim **all, **own, **chosen;
    uint32_t all_count, own_count, count;
};

static bool is_chosen(const struct choice *choice, const struct claim *claim)
{
    for (uint32_t i = 0; i < choice->count; i++)
        if (choice->chosen[i] == claim)
            return true;
    return false;
}

static bool choose_file(struct choice *choice, const char *path)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct claim *claim = claim_load_file(path, diag);
    diag_print(diag, stderr);
    free(diag);
    if (claim == NULL)
        return false;
    choice->own[choice->own_count++] = claim;
    choice->chosen[choice->count++] = claim;
    return true;
}

/* A row may have several claims. */
static bool choose(struct choice *choice, const char *id)
{
    struct nearest nearest = nearest_to(id);
    bool found = false;
    if (strstr(id, ".yaml") != NULL || strchr(id, '/') != NULL)
        return choose_file(choice, id);
    for (uint32_t i = 0; i < choice->all_count; i++) {
        struct claim *claim = choice->all[i];
        nearest_offer(&nearest, claim->name);
        if (!claim_is_named(claim, id))
            continue;
        found = true;
        if (!is_chosen(choice, claim))
            choice->chosen[choice->count++] = claim;
    }
    if (!found)
        cli_error("claims: unknown claim '%s'%s; claims --list lists them", id,
                  nearest_hint(&nearest).text);
    return found;
}

static bool choose_all(const struct cli_args *args, struct choice *choice)
{
    bool well = true;
    choice->all = claim_load_all(&choice->all_count);
    const size_t most = choice->all_count + (size_t)args->operand_count;
    choice->chosen = memory_zeroed(most, sizeof(struct claim *));
    choice->own = memory_zeroed((size_t)args->operand_count + 1, sizeof(struct claim *));
    for (int i = 0; i < args->operand_count; i++)
        well &= choose(choice, args->operands[i]);
    if (args->operand_count == 0) {
        memcpy(choice->chosen, choice->all, choice->all_count * sizeof(struct claim *));
        choice->count = choice->all_count;
    }
    return well;
}

static void free_choice(struct choice *choice)
{
    for (uint32_t i = 0; i < choice->own_count; i++)
        claim_free(choice->own[i]);
    claim_free_all(choice->all);
    free(choice->own);
    free(choice->chosen);
}

/* ---- list ---- */

static void list_json(const struct choice *choice)
{
    struct json json;
    char path[JSON_PATH_BYTES], rows[CLAIMS_ROWS_BYTES];
    json_begin(&json, stdout);
    JSON_EACH(&json, "claims", choice->count)
    {
        claims_rows(choice->chosen[i], rows);
        json_text(&json, json_member(path, "claims", i, "name"), choice->chosen[i]->name);
        json_text(&json, json_member(path, "claims", i, "rows"), rows);
        json_text(&json, json_member(path, "claims", i, "claim"), choice->chosen[i]->statement);
    }
    json_end(&json);
}

static void list_csv(const struct choice *choice)
{
    struct csv csv;
    char rows[CLAIMS_ROWS_BYTES];
    csv_table(&csv, stdout, "name,rows,claim");
    for (uint32_t i = 0; i < choice->count; i++) {
        claims_rows(choice->chosen[i], rows);
        csv_text(&csv, choice->chosen[i]->name);
        csv_text(&csv, rows);
        csv_text(&csv, choice->chosen[i]->statement);
        csv_end_row(&csv);
    }
}

static void list_claims(const struct cli_args *args, const struct choice *choice)
{
    char rows[CLAIMS_ROWS_BYTES];
    if (cli_given(args, "json"))
        list_json(choice);
    else if (cli_given(args, "csv"))
        list_csv(choice);
    else
        for (uint32_t i = 0; i < choice->count; i++) {
            claims_rows(choice->chosen[i], rows);
            printf("%-22s  %-14s  %s\n", choice->chosen[i]->name, rows,
                   choice->chosen[i]->statement);
        }
}

/* ---- runs ---- */

static void print_settled(const struct cli_args *args, const struct settled *settled,
                          uint32_t count)
{
    if (cli_given(args, "json"))
        claims_json(settled, count, stdout);
    else if (cli_given(args, "csv"))
        claims_csv(settled, count, stdout);
    else if (cli_given(args, "svg"))
        claims_svg(settled, stdout);
    else if (cli_given(args, "markdown"))
        claims_markdown(settled, count, args->operand_count == 0, stdout);
    else
        claims_text(settled, count, stdout);
}

static int code_of(const struct settled *settled, uint32_t count)
{
    int code = CLI_DONE;
    for (uint32_t i = 0; i < count; i++)
        if (settled[i].error[0] != '\0') {
            cli_error("claims: %s: %s", settled[i].claim->name, settled[i].error);
            code = CLI_FAILED;
        } else if (settled[i].verdict == SETTLE_UNDECIDED && code == CLI_DONE) {
            code = CLI_UNDECIDED;
        }
    return code;
}

static int settle(const struct cli_args *args, const struct choice *choice)
{
    uint32_t at_once;
    if (!cli_jobs(args, &at_once))
        return CLI_USAGE;
    struct settled *settled = memory_zeroed(choice->count, sizeof *settled);
    int code = CLI_SIGNAL + SIGINT;
    if (settle_claims(choice->chosen, choice->count, at_once, settled)) {
        print_settled(args, settled, choice->count);
        code = code_of(settled, choice->count);
    }
    settle_free(settled, choice->count);
    free(settled);
    return code;
}

/* A chart has the cases of one claim. */
static bool can_draw(const struct choice *choice)
{
    if (choice->count != 1)
        cli_error("claims: --svg draws one claim, found %u; name one of claims --list",
                  (unsigned)choice->count);
    else if (choice->chosen[0]->cannot_run != NULL)
        cli_error("claims: --svg: %s has no figures: %s", choice->chosen[0]->name,
                  choice->chosen[0]->cannot_run);
    else
        return true;
    return false;
}

static int run_claims(const struct cli_args *args)
{
    struct choice choice = {0};
    int code = CLI_USAGE;
    if (choose_all(args, &choice) && cli_given(args, "list")) {
        list_claims(args, &choice);
        code = CLI_DONE;
    } else if (choice.count > 0 && !cli_given(args, "list") &&
               (!cli_given(args, "svg") || can_draw(&choice))) {
        code = settle(args, &choice);
    }
    free_choice(&choice);
    return code;
}

const struct cli_command cmd_claims = {
    .name = "claims",
    .operands = "[ID...]",
    .about = "test common claims about NVMe over Fabrics by simulation",
    .details = "ID is the name of a claim, a row of docs/claims.md (24, N6, C2), or a file.\n"
               "Without ID, all claims run. The verdict is true, false, or true under a condition. "
               "A\n"
               "search finds the condition, and the output shows a run on each side of it.\n"
               "run, step and explain accept the name of a claim as a scenario.",
    .examples =
        (const struct cli_example[]){
            {"The claims", "stormglass claims --list"},
            {"One claim by its name", "stormglass claims engine-ceiling"},
            {"Loss recovery of RDMA NICs with and without PFC, as a chart",
             "stormglass claims loss-recovery --svg >loss-recovery.svg"},
            {"The claims of a row, for a program", "stormglass claims C2 --json"},
            {0}},
    .exit_codes = (const struct cli_exit_code[]){{0, "every claim has a verdict"},
                                                 {2, "no such claim, or its file is wrong"},
                                                 {3, "a run could not be carried out"},
                                                 {4, "a figure that a verdict needs is unknown"},
                                                 {130, "interrupted"},
                                                 {143, "terminated"},
                                                 {0}},
    .options = claims_options,
    .operands_min = 0,
    .operands_max = -1,
    .run = run_claims,
};

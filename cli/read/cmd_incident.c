/* SPDX-License-Identifier: Apache-2.0
 * cmd_incident - stormglass incident. */
#include "base/memory.h"
#include "base/quantity.h"
#include "cli/cli.h"
#include "reports/incident/fit_text.h"
#include "reports/incident/triage_text.h"
#include "reports/page/page_incident.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct cli_option incident_options[] = {
    {"fabric", 'f', "SCENARIO.yaml", "cables and rates from this scenario, not from the files"},
    {"output", 'o', "DIR", "write the answer (text, JSON, HTML page), counters and fabric there"},
    {"fit", 0, NULL, "run the suspects, fit them to the counters and score them"},
    {"lasted", 0, "TIME", "duration of the incident, for samples without dates"},
    {"all", 0, NULL, "list all suspects, signs, pauses and files, not only the first of each"},
    {"json", 0, NULL, "one JSON object instead of text"},
    {"csv", 0, NULL,
     "one CSV row for each suspect, or with --fit for each change that was simulated"},
    CLI_OPTION_COLOR,
    CLI_OPTION_QUIET,
    {0},
};

struct work {
    const struct cli_args *args;
    const struct incident *incident;
    const struct triage *triage;
    const struct fit *fit; /* NULL: no runs */
};

/* ---- files ---- */

static void write_text(FILE *out, const void *what)
{
    const struct work *work = what;
    if (work->fit != NULL)
        fit_text(work->fit, work->triage, true, out);
    triage_text(work->triage, work->incident, true, out);
}

static void write_json(FILE *out, const void *what)
{
    const struct work *work = what;
    triage_json(work->triage, work->incident, work->fit, out);
}

static void write_page(FILE *out, const void *what)
{
    const struct work *work = what;
    page_incident_write(work->triage, work->incident, work->fit, out);
}

static void write_counters(FILE *out, const void *what)
{
    const struct work *work = what;
    triage_counters(work->incident, out);
}

static void write_fabric(FILE *out, const void *what)
{
    const struct work *work = what;
    fputs(work->incident->scenario_text, out);
    triage_fault(work->triage, out);
}

/* A file that the user gave is named by its whole path: the new one is elsewhere. */
static void write_fitted(FILE *out, const void *what)
{
    const struct work *work = what;
    const char *fabric = cli_value(work->args, "fabric");
    char *path = fabric == NULL ? NULL : realpath(fabric, NULL);
    fit_scenario(work->fit, path != NULL ? path : fabric != NULL ? fabric : "scenario.yaml", out);
    free(path);
}

static int write_file(const struct work *work, const char *folder, const char *name,
                      void (*write)(FILE *out, const void *what))
{
    const struct output_inputs inputs = {(const char *const *)work->args->operands,
                                         (size_t)work->args->operand_count};
    struct arena arena = {0};
    struct output output;
    const char *path = arena_format(&arena, "%s/%s", folder, name);
    int code = CLI_FAILED;
    if (output_open(&output, path, &inputs)) {
        write(output.out, work);
        code = output_end(&output, true) ? CLI_DONE : CLI_FAILED;
    }
    if (code != CLI_DONE)
        code = cli_output_failed(path, &inputs, errno);
    arena_free(&arena);
    return code;
}

static int write_folder(const struct work *work, const char *folder)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return cli_output_failed(folder, &(struct output_inputs){0}, errno);
    int code = write_file(work, folder, "answer.txt", write_text);
    if (code == CLI_DONE)
        code = write_file(work, folder, "answer.json", write_json);
    if (code == CLI_DONE)
        code = write_file(work, folder, "answer.html", write_page);
    if (code == CLI_DONE)
        code = write_file(work, folder, "incident.json", write_counters);
    if (code == CLI_DONE && work->incident->scenario_text != NULL)
        code = write_file(work, folder, "scenario.yaml", write_fabric);
    if (code == CLI_DONE && work->fit != NULL && work->fit->set_count > 0)
        code = write_file(work, folder, "fitted.yaml", write_fitted);
    return code;
}

/* ---- the command ---- */

static void print_answer(const struct work *work)
{
    const bool all = cli_given(work->args, "all");
    if (cli_given(work->args, "json")) {
        triage_json(work->triage, work->incident, work->fit, stdout);
    } else if (cli_given(work->args, "csv")) {
        if (work->fit != NULL)
            fit_csv(work->fit, stdout);
        else
            triage_csv(work->triage, stdout);
    } else if (!cli_given(work->args, "quiet")) {
        if (work->fit != NULL)
            fit_text(work->fit, work->triage, all, stdout);
        triage_text(work->triage, work->incident, all, stdout);
    }
}

static int answer(const struct cli_args *args, const struct incident *incident, time_ps lasted)
{
    struct triage triage;
    struct fit fit = {0};
    const char *folder = cli_value(args, "output");
    triage_make(&triage, incident);
    struct work work = {args, incident, &triage, NULL};
    if (cli_given(args, "fit")) {
        fit_make(&fit, incident, &triage, lasted / PS_PER_S);
        work.fit = &fit;
    }
    int code = folder == NULL ? CLI_DONE : write_folder(&work, folder);
    if (code == CLI_DONE) {
        print_answer(&work);
        code = triage.verdict == TRIAGE_NONE ? CLI_DONE : CLI_BROKEN;
    }
    fit_free(&fit);
    triage_free(&triage);
    return code;
}

static bool read_lasted(const struct cli_args *args, time_ps *lasted)
{
    char why[QUANTITY_WHY_BYTES];
    const char *text = cli_value(args, "lasted");
    *lasted = 0;
    if (text == NULL)
        return true;
    if (!quantity_parse(QUANTITY_TIME, text, lasted, why)) {
        cli_error("incident: --lasted %s: %s", text, why);
        return false;
    }
    if (*lasted < PS_PER_S)
        cli_error("incident: --lasted %s: expected at least 1s", text);
    return *lasted >= PS_PER_S;
}

static bool has_content(const struct incident *incident)
{
    if (incident->count_count > 0 || incident->event_count > 0)
        return true;
    cli_error("incident: %s: expected counters or logs of hosts or switches",
              incident->file_count == 0 ? "no files" : incident->files[0].name);
    return false;
}

static int run_incident(const struct cli_args *args)
{
    const char *fabric = cli_value(args, "fabric");
    time_ps lasted;
    if (!read_lasted(args, &lasted))
        return CLI_USAGE;
    struct scenario *scenario = fabric == NULL ? NULL : cli_load(fabric, NULL, 0);
    if (fabric != NULL && scenario == NULL)
        return CLI_USAGE;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct incident incident;
    const struct incident_ask ask = {.paths = (const char *const *)args->operands,
                                     .path_count = (size_t)args->operand_count,
                                     .fabric = scenario};
    int code = CLI_USAGE;
    const bool read = incident_read(&incident, &ask, diag);
    if (!cli_given(args, "quiet") && incident.notes != NULL)
        fputs(incident.notes, stderr);
    diag_print(diag, stderr);
    if (read && has_content(&incident))
        code = answer(args, &incident, lasted);
    incident_free(&incident);
    free(diag);
    return code;
}

const struct cli_command cmd_incident = {
    .name = "incident",
    .operands = "FILE|FOLDER...",
    .about = "rank the suspects of an incident from counters, logs and cabling",
    .details =
        "Files are recognized by their content: ethtool -S, rdma statistic, hw_counters, show\n"
        "outputs of SONiC, NX-OS, EOS, Cumulus and Junos, config_db.json, LLDP, kernel and switch\n"
        "logs. Prompts, or names such as leaf0-before.txt and after/leaf0.txt, give host and\n"
        "sample. Suspects are ranked by the counters alone, or with --fit by simulating each.\n"
        "A missing counter counts as unknown, not as zero.",
    .examples =
        (const struct cli_example[]){
            {"Who started the pause storm",
             "stormglass run pause-storm -o storm.db && mkdir -p before after && stormglass "
             "counters storm.db > after/all.txt && sed 's/: [0-9]*$/: 0/' after/all.txt > "
             "before/all.txt && stormglass incident before after --fabric pause-storm"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "no sign of harm"},
            {1, "a fault is suspected, there is overload, or the signs are unclear"},
            {2, "the command line or a file is wrong; nothing was written"},
            {3, "an output could not be written"},
            {0}},
    .options = incident_options,
    .operands_min = 1,
    .operands_max = -1,
    .run = run_incident,
};

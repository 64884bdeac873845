/* SPDX-License-Identifier: Apache-2.0
 * bridge_calibrate - stormglass-bridge calibrate: measures, fits, and writes the profile. */
#include "cli/bridge/bridge_options.h"

#include "base/memory.h"
#include "base/printable.h"
#include "bridge/run/host_addresses.h"
#include "bridge/run/measure.h"
#include "replay/files/output.h"
#include "reports/text/calibration.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct measure_options measure;
    const char *from, *base, *name, *output;
    bool measure_only, json;
};

/* Maximum error of a useful fit, as a fraction of the measured values. */
static const double misfit = 0.15;

static const struct cli_option table[] = {
    {"address", 0, "A", "local address (IPv4) of an RDMA device"},
    {"peer", 0, "B", "address of the target; with --role both, a local address (default: A)"},
    {"role", 0, "ROLE", "both (default), host, or target (serves a host's benchmarks)"},
    {"from", 0, "FILE", "fit the figures of an earlier --json; needs no device"},
    {"base", 0, "PROFILE", "profile (kind rnic) for all other values (default rnic-100g)"},
    {"repeats", 0, "N", "runs of each benchmark (default 5, at most 100)"},
    {"set", 0, "PATH=VALUE", "change a value of the benchmarks' scenarios; repeatable"},
    {"measure-only", 0, NULL, "does not fit"},
    {"verify", 0, "HOW", "check of received data: full, tags (default) or first"},
    {"allow", 0, "A[/N],...", "addresses of remote hosts that the target accepts"},
    {"busy-poll", 0, NULL, "poll completion queues instead of waiting for events"},
    {"output", 'o', "FILE", "write the profile to FILE"},
    {"name", 0, "NAME", "name of the profile (default: calibrated)"},
    {"json", 0, NULL, "figures and fit as one JSON object, which --from reads"},
    {0}};

/* ------------------------------------------------------------------ command line */

static int read_repeats(struct options *options, const char *text)
{
    char *end;
    const unsigned long repeats = strtoul(text, &end, 10);
    options->measure.repeats = (uint32_t)repeats;
    if (*end == '\0' && repeats >= 1 && repeats <= MEASUREMENTS_REPEATS_MAX)
        return CLI_DONE;
    return bridge_options_complain("--repeats", text, "a number from 1 to 100");
}

static int read_sets(struct options *options, const struct cli_args *args)
{
    struct measurements_texts *sets = &options->measure.sets;
    const char **given = cli_values(args, "set", &sets->count);
    if (sets->count > MEASUREMENTS_TEXTS_MAX)
        return bridge_options_complain("--set", given[MEASUREMENTS_TEXTS_MAX],
                                       "at most 16 addresses");
    for (uint32_t i = 0; i < sets->count; i++)
        sets->list[i] = given[i];
    return CLI_DONE;
}

static int read_name(struct options *options, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    options->name = name;
    if (name[0] != '\0' && strspn(name, letters) == strlen(name) && strlen(name) < 64)
        return CLI_DONE;
    return bridge_options_complain("--name", name, "lower-case letters, digits, '-' and '.'");
}

static int read_values(struct options *options, const struct cli_args *args)
{
    struct live_options *play = &options->measure.run;
    const char *repeats = cli_value(args, "repeats"), *name = cli_value(args, "name");
    options->from = cli_value(args, "from");
    options->base = cli_given(args, "base") ? cli_value(args, "base") : options->base;
    options->output = cli_value(args, "output");
    options->measure_only = cli_given(args, "measure-only");
    options->json = cli_given(args, "json");
    int code = bridge_options_read(args, play);
    code = code == CLI_DONE ? bridge_options_address(args, "peer", &play->peer) : code;
    code = code == CLI_DONE ? bridge_options_access(args, false, &play->access) : code;
    code = code == CLI_DONE && repeats != NULL ? read_repeats(options, repeats) : code;
    code = code == CLI_DONE ? read_sets(options, args) : code;
    if (code == CLI_DONE && options->output != NULL && options->output[0] == '\0')
        code = bridge_options_complain("-o", "", "the name of a file");
    return code == CLI_DONE && name != NULL ? read_name(options, name) : code;
}

static int read_options(struct options *options, const struct cli_args *args)
{
    struct live_options *play = &options->measure.run;
    const bool has_address = cli_given(args, "address"), has_peer = cli_given(args, "peer");
    const int code = read_values(options, args);
    if (code != CLI_DONE)
        return code;
    const bool alone = !has_address && !has_peer && play->role == LIVE_BOTH &&
                       options->measure.sets.count == 0 && !options->measure_only;
    if (options->from != NULL && !alone)
        return bridge_options_complain("--from", options->from, "no measurement options with it");
    if (options->output != NULL && (options->measure_only || play->role == LIVE_TARGET))
        return bridge_options_complain("-o", options->output, "it only where a profile is fitted");
    if (options->from != NULL)
        return CLI_DONE;
    if (!has_address)
        return bridge_options_complain("--address", "",
                                       "the address of a local RDMA device, or --from");
    if (!has_peer && play->role == LIVE_HOST)
        return bridge_options_complain("--peer", "", "the address of the target");
    if (!has_peer)
        play->peer = play->address;
    return CLI_DONE;
}

/* ------------------------------------------------------------------ remote end */

static int serve(const struct live_options *options, struct diag *diag)
{
    char why[LIVE_WHY_BYTES] = "";
    int code = CLI_FAILED;
    struct scenario *scenario = benchmark_load("serve", NULL, 0, diag);
    struct live_run *play = scenario == NULL ? NULL : live_create(scenario, options, diag, why);
    if (play == NULL && why[0] != '\0')
        printable_say("stormglass-bridge", "%s", why);
    if (play != NULL) {
        fputs("stormglass-bridge: serving benchmarks until interrupted\n", stderr);
        code = live_run(play) ? CLI_DONE : CLI_FAILED;
        if (code != CLI_DONE)
            printable_say("stormglass-bridge", "%s", live_error(play));
        code = live_free(play) ? code : CLI_FAILED;
    }
    scenario_free(scenario);
    return code;
}

/* ------------------------------------------------------------------ measuring, fitting, writing */

static void show_play(void *self, const char *benchmark, uint32_t repeat)
{
    const struct options *options = self;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %u of %u", benchmark, repeat + 1, options->measure.repeats);
}

static struct measurements *get_figures(struct options *options, struct diag *diag, int *code)
{
    char error[STORE_ERROR_BYTES] = "";
    *code = CLI_USAGE;
    if (options->from != NULL)
        return measurements_read(options->from, diag);
    options->measure.on_run = show_play;
    options->measure.self = options;
    struct measurements *figures = measure_device(&options->measure, diag, error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (error[0] != '\0') {
        printable_say("stormglass-bridge", "%s", error);
        *code = CLI_FAILED;
    }
    return figures;
}

static struct output_inputs inputs_of(const struct options *options)
{
    return (struct output_inputs){&options->from, 1};
}

static int refuse_output(const struct options *options)
{
    printable_say("stormglass-bridge", "%s: %s", options->output, strerror(errno));
    return CLI_FAILED;
}

/* Checks before minutes of measurement that the profile can be written. */
static int try_output(const struct options *options)
{
    const struct output_inputs inputs = inputs_of(options);
    char why[OUTPUT_WHY_BYTES];
    if (options->output == NULL)
        return CLI_DONE;
    if (strcmp(options->output, "-") == 0)
        return bridge_options_complain("-o", "-", "a file name: the fit goes to standard output");
    if (!output_is_apart(options->output, &inputs, why)) {
        printable_say("stormglass-bridge", "-o %s", why);
        return CLI_USAGE;
    }
    return output_is_possible(options->output) ? CLI_DONE : refuse_output(options);
}

static int write_profile(const struct options *options, const struct calibration *calibration)
{
    const struct output_inputs inputs = inputs_of(options);
    struct output output;
    if (options->output == NULL)
        return CLI_DONE;
    if (output_open(&output, options->output, &inputs) &&
        output_end(&output, calibration_profile(calibration, options->name, output.out)))
        return CLI_DONE;
    return refuse_output(options);
}

/* The profile is written in any case; its ranges and spreads show its quality. */
static void report_misfit(const struct calibration *calibration)
{
    if (calibration->noise > misfit)
        printable_say("stormglass-bridge",
                      "the model does not match these figures (error %.0f%%): check --base (%s) "
                      "and the link rate (--set)",
                      100 * calibration->noise, calibration->base);
}

static int report(const struct options *options, const struct calibration *calibration)
{
    report_misfit(calibration);
    const bool fine = options->json ? calibration_json(calibration->figures, calibration, stdout)
                                    : calibration_text(calibration, stdout);
    if (!fine)
        printable_say("stormglass-bridge", "the results could not be written");
    return fine ? write_profile(options, calibration) : CLI_FAILED;
}

static int fit(const struct options *options, const struct measurements *figures, struct diag *diag)
{
    struct calibration *calibration = memory_new(sizeof *calibration);
    int code = CLI_FAILED;
    if (calibration_fit(calibration, figures, options->base, diag))
        code = report(options, calibration);
    else if (diag_failed(diag))
        code = CLI_USAGE;
    else
        printable_say("stormglass-bridge", "the model does not complete the benchmarks");
    calibration_end(calibration);
    free(calibration);
    return code;
}

static int calibrate(struct options *options, struct diag *diag)
{
    int code;
    if (options->measure.run.role == LIVE_TARGET)
        return serve(&options->measure.run, diag);
    code = try_output(options);
    if (code != CLI_DONE)
        return code;
    struct measurements *figures = get_figures(options, diag, &code);
    if (figures == NULL)
        return code;
    if (!options->measure_only)
        code = fit(options, figures, diag);
    else
        code = calibration_json(figures, NULL, stdout) ? CLI_DONE : CLI_FAILED;
    measurements_free(figures);
    return code;
}

static int run(const struct cli_args *args)
{
    struct options options = {
        .measure = {.run = {.calls = &rdma_calls_real,
                            .role = LIVE_BOTH,
                            .depth = CONTENT_TAGS,
                            .serve = true,
                            .foreign = true}, /* no agreement, because both ends know the
                                                * benchmarks by name */
                    .repeats = 5},
        .base = "rnic-100g",
        .name = "calibrated",
    };
    if (read_options(&options, args) != CLI_DONE) {
        fputs("see stormglass-bridge calibrate --help\n", stderr);
        return CLI_USAGE;
    }
    struct diag *diag = memory_new(sizeof *diag);
    const int code = calibrate(&options, diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

const struct cli_command bridge_calibrate = {
    .program = "stormglass-bridge",
    .name = "calibrate",
    .operands = "--address A [--peer B] | --from FIGURES.json",
    .about = "measures a device and writes its profile",
    .details = "Runs ten micro-benchmarks on a device, finds the parameters with which the model "
               "gives the\nsame figures, and writes them as a profile.",
    .examples =
        (const struct cli_example[]){
            {"Measure a device and write its profile",
             "stormglass-bridge calibrate --address 10.0.0.1 --peer 10.0.0.2 -o mine.yaml"},
            {"Measure now, fit later",
             "stormglass-bridge calibrate --address 10.0.0.1 --measure-only > figures.json && "
             "stormglass-bridge calibrate --from figures.json --base softroce -o mine.yaml"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the profile was written"},
            {2, "the command line or a file is wrong; nothing was written"},
            {3,
             "no usable device, a benchmark did not complete, or the output could not be written"},
            {0}},
    .options = table,
    .run = run,
};

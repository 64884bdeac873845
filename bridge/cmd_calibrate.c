/* SPDX-License-Identifier: Apache-2.0
 * cmd_calibrate - stormglass-bridge calibrate: measures, fits, writes the profile. */
#include "base/memory.h"
#include "bridge/command.h"
#include "bridge/play/measure.h"
#include "bridge/play/places.h"
#include "replay/files/output.h"
#include "reports/text/calibration.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct measure_options measure;
    const char *from, *base, *name, *output;
    bool has_address, has_peer, measure_only, json, helped;
};

/* Of the figures, from which on a fit foretells nothing: what a prediction may be off by. */
static const double misfit = 0.15;

static const char usage[] =
    "usage: stormglass-bridge calibrate --address A [--peer B] [-o PROFILE.yaml]\n"
    "       stormglass-bridge calibrate --from FIGURES.json [-o PROFILE.yaml]\n"
    "       stormglass-bridge calibrate --role target --address B\n"
    "Runs ten micro-benchmarks on a device, finds the parameters with which the model gives "
    "the\nsame figures, and writes them as a profile.\n\n"
    "  --address A         local address (IPv4) of an RDMA device\n"
    "  --peer B            address of the target; with --role both a local one (default: A)\n"
    "  --role ROLE         both (default), host, or target: serves a host's benchmarks\n"
    "  --from FILE         fits the figures of an earlier --json; needs no device\n"
    "  --base PROFILE      profile (kind rnic) for all other values (default rnic-100g)\n"
    "  --repeats N         runs of each benchmark (default 5, at most 100)\n"
    "  --set PATH=VALUE    change the benchmarks' scenarios; may be given often\n"
    "  --measure-only      does not fit\n"
    "  --verify HOW        of arriving data: full, tags (default) or first\n"
    "  --busy-poll         poll completion queues instead of waiting for events\n"
    "  -o, --output FILE   write the profile there\n"
    "  --name NAME         name of the profile (default: calibrated)\n"
    "  --json              figures and fit as one JSON object, which --from reads\n"
    "Exit codes: 0 done, 2 the command line or a file is wrong, 3 device or output failed, or the\n"
    "benchmarks were not completed.\n";

static const struct option long_options[] = {
    {"address", required_argument, NULL, 'a'},
    {"peer", required_argument, NULL, 'p'},
    {"role", required_argument, NULL, 'r'},
    {"from", required_argument, NULL, 'f'},
    {"base", required_argument, NULL, 'B'},
    {"repeats", required_argument, NULL, 'n'},
    {"set", required_argument, NULL, 'S'},
    {"measure-only", no_argument, NULL, 'm'},
    {"verify", required_argument, NULL, 'v'},
    {"busy-poll", no_argument, NULL, 'b'},
    {"output", required_argument, NULL, 'o'},
    {"name", required_argument, NULL, 'N'},
    {"json", no_argument, NULL, 'j'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ------------------------------------------------------------------ the command line */

static int read_repeats(struct options *options)
{
    char *end;
    const unsigned long repeats = strtoul(optarg, &end, 10);
    options->measure.repeats = (uint32_t)repeats;
    if (*end == '\0' && repeats >= 1 && repeats <= MEASUREMENTS_REPEATS_MAX)
        return DONE;
    return command_complain("--repeats", optarg, "a number from 1 to 100");
}

static int add_set(struct options *options)
{
    struct measurements_texts *sets = &options->measure.sets;
    if (sets->count == MEASUREMENTS_TEXTS_MAX)
        return command_complain("--set", optarg, "at most 16 of them");
    sets->list[sets->count++] = optarg;
    return DONE;
}

static int read_name(struct options *options)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    options->name = optarg;
    if (optarg[0] != '\0' && strspn(optarg, letters) == strlen(optarg) && strlen(optarg) < 64)
        return DONE;
    return command_complain("--name", optarg, "small letters, digits, '-' and '.'");
}

static int read_option(struct options *options, int option)
{
    struct play_options *play = &options->measure.play;
    switch (option) {
    case 'a':
        options->has_address = places_read_address(optarg, &play->address);
        return options->has_address ? DONE
                                    : command_complain("--address", optarg, "an IPv4 address");
    case 'p':
        options->has_peer = places_read_address(optarg, &play->peer);
        return options->has_peer ? DONE : command_complain("--peer", optarg, "an IPv4 address");
    case 'r':
        return command_role(optarg, &play->role);
    case 'f':
        options->from = optarg;
        return DONE;
    case 'B':
        options->base = optarg;
        return DONE;
    case 'n':
        return read_repeats(options);
    case 'S':
        return add_set(options);
    case 'm':
        options->measure_only = true;
        return DONE;
    case 'v':
        return command_depth(optarg, &play->depth);
    case 'b':
        play->busy = true;
        return DONE;
    case 'o':
        options->output = optarg;
        return optarg[0] != '\0' ? DONE : command_complain("-o", optarg, "the name of a file");
    case 'N':
        return read_name(options);
    case 'j':
        options->json = true;
        return DONE;
    case 'h':
        options->helped = true;
        return DONE;
    default:
        return USAGE; /* getopt has said why */
    }
}

static int read_options(struct options *options, int argc, char **argv)
{
    int option;
    struct play_options *play = &options->measure.play;
    while ((option = getopt_long(argc, argv, "o:h", long_options, NULL)) >= 0)
        if (read_option(options, option) != DONE)
            return USAGE;
    if (options->helped)
        return DONE;
    if (optind < argc)
        return command_complain("", argv[optind], "options only");
    const bool alone = !options->has_address && !options->has_peer && play->role == PLAY_BOTH &&
                       options->measure.sets.count == 0 && !options->measure_only;
    if (options->from != NULL && !alone)
        return command_complain("--from", options->from, "no options for measuring with it");
    if (options->output != NULL && (options->measure_only || play->role == PLAY_TARGET))
        return command_complain("-o", options->output, "it where a profile is fitted");
    if (options->from != NULL)
        return DONE;
    if (!options->has_address)
        return command_complain("--address", "", "the address of a local RDMA device, or --from");
    if (!options->has_peer && play->role == PLAY_HOST)
        return command_complain("--peer", "", "the address of the target");
    if (!options->has_peer)
        play->peer = play->address;
    return DONE;
}

/* ------------------------------------------------------------------ the far end */

static int serve(const struct play_options *options, struct diag *diag)
{
    int device_errno = 0, code = FAILED;
    struct scenario *scenario = benchmark_load("serve", NULL, 0, diag);
    struct play *play =
        scenario == NULL ? NULL : play_create(scenario, options, diag, &device_errno);
    if (play == NULL && device_errno != 0)
        fprintf(stderr, "stormglass-bridge: no usable RDMA device at the address: %s\n",
                strerror(device_errno));
    if (play != NULL) {
        fputs("stormglass-bridge: serving benchmarks until it is interrupted\n", stderr);
        code = play_run(play) ? DONE : FAILED;
        if (code != DONE)
            fprintf(stderr, "stormglass-bridge: %s\n", play_error(play));
        code = play_free(play) ? code : FAILED;
    }
    scenario_free(scenario);
    return code;
}

/* ------------------------------------------------------------------ measure, fit, write */

static void show_play(void *self, const char *benchmark, uint32_t repeat)
{
    const struct options *options = self;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %u of %u", benchmark, repeat + 1, options->measure.repeats);
}

static struct measurements *get_figures(struct options *options, struct diag *diag, int *code)
{
    char error[STORE_ERROR_BYTES] = "";
    *code = USAGE;
    if (options->from != NULL)
        return measurements_read(options->from, diag);
    options->measure.on_play = show_play;
    options->measure.self = options;
    struct measurements *figures = measure_device(&options->measure, diag, error);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (error[0] != '\0') {
        fprintf(stderr, "stormglass-bridge: %s\n", error);
        *code = FAILED;
    }
    return figures;
}

static struct output_inputs inputs_of(const struct options *options)
{
    return (struct output_inputs){&options->from, 1};
}

static int refuse_output(const struct options *options)
{
    fprintf(stderr, "stormglass-bridge: %s: %s\n", options->output, strerror(errno));
    return FAILED;
}

/* Before minutes of playing: is there a place for the profile? */
static int try_output(const struct options *options)
{
    const struct output_inputs inputs = inputs_of(options);
    char why[OUTPUT_WHY_BYTES];
    if (options->output == NULL)
        return DONE;
    if (strcmp(options->output, "-") == 0)
        return command_complain("-o", "-", "the name of a file: standard output has the fit");
    if (!output_is_apart(options->output, &inputs, why)) {
        fprintf(stderr, "stormglass-bridge: -o %s\n", why);
        return USAGE;
    }
    return output_is_possible(options->output) ? DONE : refuse_output(options);
}

static int write_profile(const struct options *options, const struct calibration *calibration)
{
    const struct output_inputs inputs = inputs_of(options);
    struct output output;
    if (options->output == NULL)
        return DONE;
    if (output_open(&output, options->output, &inputs) &&
        output_end(&output, calibration_profile(calibration, options->name, output.out)))
        return DONE;
    return refuse_output(options);
}

/* A profile is written all the same: its ranges and spreads say what it is worth. */
static void tell_misfit(const struct calibration *calibration)
{
    if (calibration->noise > misfit)
        fprintf(stderr,
                "stormglass-bridge: the model cannot match these figures, the error is %.0f %%: is "
                "%s the right --base, and is the link rate right (--set)?\n",
                100 * calibration->noise, calibration->base);
}

static int report(const struct options *options, const struct calibration *calibration)
{
    tell_misfit(calibration);
    const bool fine = options->json ? calibration_json(calibration->figures, calibration, stdout)
                                    : calibration_text(calibration, stdout);
    if (!fine)
        fprintf(stderr, "stormglass-bridge: the results could not be written\n");
    return fine ? write_profile(options, calibration) : FAILED;
}

static int fit(const struct options *options, const struct measurements *figures, struct diag *diag)
{
    struct calibration *calibration = memory_new(sizeof *calibration);
    int code = FAILED;
    if (calibration_fit(calibration, figures, options->base, diag))
        code = report(options, calibration);
    else if (diag_failed(diag))
        code = USAGE;
    else
        fprintf(stderr, "stormglass-bridge: the model does not complete the benchmarks\n");
    calibration_end(calibration);
    free(calibration);
    return code;
}

static int calibrate(struct options *options, struct diag *diag)
{
    int code;
    if (options->measure.play.role == PLAY_TARGET)
        return serve(&options->measure.play, diag);
    code = try_output(options);
    if (code != DONE)
        return code;
    struct measurements *figures = get_figures(options, diag, &code);
    if (figures == NULL)
        return code;
    if (!options->measure_only)
        code = fit(options, figures, diag);
    else
        code = calibration_json(figures, NULL, stdout) ? DONE : FAILED;
    measurements_free(figures);
    return code;
}

int command_calibrate(int argc, char **argv)
{
    struct options options = {
        .measure = {.play = {.calls = &rdma_calls_real,
                             .role = PLAY_BOTH,
                             .depth = CONTENT_TAGS,
                             .serve = true,
                             .foreign = true}, /* the benchmarks are agreed on by their names */
                    .repeats = 5},
        .base = "rnic-100g",
        .name = "calibrated",
    };
    if (read_options(&options, argc, argv) != DONE) {
        fputs("see stormglass-bridge calibrate --help\n", stderr);
        return USAGE;
    }
    if (options.helped) {
        fputs(usage, stdout);
        return fflush(stdout) == 0 ? DONE : FAILED;
    }
    struct diag *diag = memory_new(sizeof *diag);
    const int code = calibrate(&options, diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

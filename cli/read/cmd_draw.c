/* SPDX-License-Identifier: Apache-2.0
 * cmd_draw - stormglass draw. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/state_machines.h"
#include "replay/database/stored.h"
#include "replay/files/output.h"
#include "replay/record/record_begin.h"
#include "reports/draw/draw.h"
#include "reports/draw/picture.h"
#include "scenarios/embedded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cli_option draw_options[] = {
    {"output", 'o', "FILE",
     "output file: .svg, .dot, .pdf or .png (default: SVG to standard output)"},
    {"what", 'w', "PICTURE", "fabric (the default), pauses, waits, io or states"},
    {"set", 0, "PATH=VALUE", "change one value of the scenario; repeatable"},
    {0},
};

struct request {
    const struct cli_args *args;
    const char *format;
    struct output_inputs inputs;
    struct store *store; /* of a run or a scenario; NULL: state machines */
    const struct draw_view *view;
    char why[DRAW_WHY_BYTES];
};

/* A drawing: its name, its inputs, and its function. `words`: maximum number of operands. */
struct kind {
    const char *name;
    bool of_store, of_scenario;
    int words;
    bool (*draw)(struct request *request, FILE *out);
};

static bool view(struct request *request, FILE *out)
{
    return request->view->draw(request->store, request->format, out, request->why);
}

static bool io(struct request *request, FILE *out)
{
    const char *text = request->args->operand_count > 1 ? request->args->operands[1] : "1";
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < 1) {
        snprintf(request->why, DRAW_WHY_BYTES,
                 "'%.40s': expected the number of a command in the table io, 1 or more", text);
        return false;
    }
    if (strcmp(request->format, "svg") != 0) {
        snprintf(request->why, DRAW_WHY_BYTES,
                 "a command on the wire can only be drawn as SVG: use -o FILE.svg");
        return false;
    }
    return draw_io(request->store, number, out, request->why);
}

static bool states(struct request *request, FILE *out)
{
    unsigned count;
    const struct draw_machine *machines = state_machines(&count);
    if (request->args->operand_count == 0)
        return draw_states(machines, count, request->format, out, request->why);
    const char *wanted = request->args->operands[0];
    struct nearest nearest = nearest_to(wanted);
    for (unsigned i = 0; i < count; i++) {
        if (strcmp(machines[i].name, wanted) == 0)
            return draw_states(&machines[i], 1, request->format, out, request->why);
        nearest_offer(&nearest, machines[i].name);
    }
    snprintf(request->why, DRAW_WHY_BYTES, "unknown state machine '%.60s'%.160s", wanted,
             nearest_hint(&nearest).text);
    return false;
}

/* Drawings that are not only views of a database. */
static const struct kind others[] = {
    {"io", true, false, 2, io},
    {"states", false, false, 1, states},
};

enum { OTHERS = sizeof others / sizeof others[0] };

static bool find_kind(const char *name, struct kind *kind, struct request *request)
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; draw_views[i] != NULL; i++) {
        request->view = draw_views[i];
        *kind = (struct kind){draw_views[i]->name, true, draw_views[i]->of_scenario, 1, view};
        if (strcmp(kind->name, name) == 0)
            return true;
        nearest_offer(&nearest, kind->name);
    }
    for (int i = 0; i < OTHERS; i++) {
        *kind = others[i];
        if (strcmp(kind->name, name) == 0)
            return true;
        nearest_offer(&nearest, kind->name);
    }
    cli_error("--what %s: unknown drawing%s", name, nearest_hint(&nearest).text);
    return false;
}

/* Converts a scenario to a database in memory without a run. */
static struct store *open_scenario(const struct cli_args *args)
{
    char error[STORE_ERROR_BYTES];
    uint32_t count;
    const char **sets = cli_values(args, "set", &count);
    struct scenario *scenario = cli_load(args->operands[0], sets, count);
    if (scenario == NULL)
        return NULL;
    const struct record_options with = {
        .until = TIME_NEVER, .threads = 1, .version = stormglass_version};
    struct record_fabric fabric;
    record_fabric_init(&fabric, scenario);
    struct store *store = record_begin(&with, &fabric, error);
    if (store == NULL)
        cli_error("%s: %s", args->operands[0], error);
    record_fabric_free(&fabric);
    scenario_free(scenario);
    return store;
}

static struct store *open_input(const struct cli_args *args, const struct kind *kind)
{
    char error[STORE_ERROR_BYTES];
    const char *path = args->operands[0];
    if (!cli_is_database(path)) {
        if (kind->of_scenario)
            return open_scenario(args);
        cli_error("%s: '%s' needs a run: expected a database of stormglass run -o", path,
                  kind->name);
        return NULL;
    }
    struct store *store = stored_open(path, error);
    if (store == NULL)
        cli_error("%s: %s", path, error);
    return store;
}

/* A missing input is an error of the command line; otherwise the output failed. */
static int exit_code_of(const struct request *request, const char *path, int error)
{
    if (request->why[0] == '\0')
        return cli_output_failed(path, &request->inputs, error);
    if (request->store != NULL)
        cli_error("%s: %s", request->args->operands[0], request->why);
    else
        cli_error("%s", request->why);
    return CLI_USAGE;
}

static int write_picture(const struct kind *kind, struct request *request, const char *path)
{
    struct output output;
    if (output_open(&output, path, &request->inputs) &&
        output_end(&output, kind->draw(request, output.out)))
        return CLI_DONE;
    return exit_code_of(request, path, errno);
}

/* Chooses the format by the extension of a file's name; a word that is not a file has none. */
static bool choose_format(struct request *request, const char *path)
{
    struct output_place place;
    if (output_place_find(&place, path) && place.kind != OUTPUT_FILE)
        return true;
    request->format = picture_format(path);
    if (request->format == NULL)
        cli_error("%s: expected a name that ends in .svg, .dot, .pdf or .png", path);
    return request->format != NULL;
}

static bool is_for_terminal(const char *path)
{
    return (path == NULL || strcmp(path, "-") == 0) && isatty(STDOUT_FILENO) == 1;
}

static int run_draw(const struct cli_args *args)
{
    const char *what = cli_value(args, "what"), *path = cli_value(args, "output");
    struct request request = {.args = args, .format = "svg"};
    struct kind kind;
    if (!find_kind(what == NULL ? "fabric" : what, &kind, &request))
        return CLI_USAGE;
    if (kind.of_store)
        request.inputs = (struct output_inputs){(const char *const *)args->operands, 1};
    if (args->operand_count > kind.words || (kind.of_store && args->operand_count == 0)) {
        cli_error("%s; see stormglass draw --help", args->operand_count > 0
                                                        ? "too many arguments"
                                                        : "SCENARIO.yaml or RUN.db is missing");
        return CLI_USAGE;
    }
    if (is_for_terminal(path)) {
        cli_error("no SVG is written to a terminal: use -o %s.svg, or redirect the output",
                  kind.name);
        return CLI_USAGE;
    }
    if (!choose_format(&request, path) || !cli_output_allowed(path, &request.inputs))
        return CLI_USAGE;
    if (kind.of_store && (request.store = open_input(args, &kind)) == NULL)
        return CLI_USAGE;
    const int code = write_picture(&kind, &request, path);
    if (request.store != NULL)
        store_close(request.store);
    return code;
}

const struct cli_command cmd_draw = {
    .name = "draw",
    .operands = "SCENARIO.yaml|RUN.db | --what io RUN.db [N] | --what states [NAME]",
    .about = "draw a fabric, pause trees, a deadlock, a command on the wire, or a state machine",
    .details = "The fabric of a run is colored by the time that its ports were paused.\n"
               "  --what pauses   the pause tree of each root\n"
               "  --what waits    the queues of a deadlock\n"
               "  --what io [N]   command N on the wire (run --record packets)\n"
               "  --what states [NAME]  one state machine, or all",
    .examples =
        (const struct cli_example[]){
            {"The fabric of a scenario", "stormglass draw pause-storm -o fabric.svg"},
            {"The pause tree of a run", "stormglass run pause-storm -o storm.db && stormglass draw "
                                        "storm.db --what pauses -o tree.svg"},
            {"The state machine of an NVMe host", "stormglass draw --what states host -o host.png"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){{0, "the picture was written"},
                                       {2, "the command line or the input is wrong, or the run has "
                                           "no data for this picture; nothing was written"},
                                       {3, "the picture could not be written"},
                                       {0}},
    .options = draw_options,
    .operands_min = 0,
    .operands_max = 2,
    .run = run_draw,
};

/* SPDX-License-Identifier: Apache-2.0
 * cmd_watch - stormglass watch. */
#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "cli/cli.h"
#include "cli/read/watch_devices.h"
#include "replay/run/stop.h"
#include "reports/incident/watch_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_DEFAULT "30s"
#define STATE_DEFAULT    "stormglass-watch.json"

static const struct cli_option options[] = {
    {"interval", 0, "TIME", "polling interval (" INTERVAL_DEFAULT "), 1s to 86400s"},
    {"once", 0, NULL, "poll once, compare with the state file, and exit"},
    {"state", 's', "STATE.json", "file that keeps the state between polls (" STATE_DEFAULT ")"},
    {"sonic", 0, NULL, "also read the counters of this SONiC switch with its show commands"},
    {"fabric", 'f', "SCENARIO.yaml", "cables and rates from this scenario, not from the files"},
    {"json", 0, NULL, "one JSON object for each poll instead of text"},
    CLI_OPTION_COLOR,
    CLI_OPTION_QUIET,
    {0},
};

struct watch {
    const struct cli_args *args;
    const char *state_path;
    struct watch_state *state;
    const struct incident *incident;
    const struct watch_look *look;
};

/* What one look reads. */
struct sources {
    const char **paths;
    size_t path_count;
    struct incident_text *texts;
    size_t text_count;
};

/* ---- the state file ---- */

static bool exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

/* A state is of the files, folders and devices that it began with: others have other counters. */
static bool is_state_of(const struct watch *watch)
{
    const struct watch_state *state = watch->state;
    const size_t count = (size_t)watch->args->operand_count;
    bool same = state->of_count == count + cli_given(watch->args, "sonic");
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(state->of[i], watch->args->operands[i]) == 0;
    if (!same)
        cli_error("%s: this state file belongs to other files or devices (%s%s): give a different "
                  "--state",
                  watch->state_path, state->of_count == 0 ? "none" : state->of[0],
                  state->of_count > 1 ? ", ..." : "");
    return same;
}

static void name_operands(const struct watch *watch)
{
    struct watch_state *state = watch->state;
    state->of =
        arena_array(&state->arena, (size_t)watch->args->operand_count + 1, sizeof *state->of);
    for (int i = 0; i < watch->args->operand_count; i++)
        state->of[state->of_count++] = watch->args->operands[i];
    if (cli_given(watch->args, "sonic"))
        state->of[state->of_count++] = "--sonic";
}

static int read_state(const struct watch *watch, struct diag *diag)
{
    struct watch_state *state = watch->state;
    state->past.is_empty = !exists(watch->state_path);
    if (state->past.is_empty) {
        name_operands(watch);
        return CLI_DONE;
    }
    const struct tree_file *file = tree_read(&state->arena, watch->state_path, diag);
    const bool read = file != NULL && watch_state_read(state, file, diag);
    state->past.own = watch->state_path;
    diag_print(diag, stderr);
    if (!read)
        return file == NULL ? CLI_FAILED : CLI_USAGE;
    return is_state_of(watch) ? CLI_DONE : CLI_USAGE;
}

static int write_state(const struct watch *watch)
{
    const struct output_inputs inputs = {(const char *const *)watch->args->operands,
                                         (size_t)watch->args->operand_count};
    const size_t values = watch_state_values(watch->look, watch->state, watch->incident);
    struct output output;
    if (values > TREE_NODES_MAX) {
        cli_error("%s: the state has %zu %s, more than %d: expected fewer devices or files "
                  "for each state file",
                  watch->state_path, values, plural(values, "value", "values"), TREE_NODES_MAX);
        return CLI_USAGE;
    }
    if (output_open(&output, watch->state_path, &inputs)) {
        watch_state_write(watch->look, watch->state, watch->incident, output.out);
        if (output_end(&output, true))
            return CLI_DONE;
    }
    return cli_output_failed(watch->state_path, &inputs, errno);
}

/* ---- one look ---- */

static bool add_operand(struct arena *arena, struct sources *sources, const char *operand)
{
    if (exists(operand)) {
        if (access(operand, R_OK) != 0)
            cli_error("watch: %s: %s", operand, strerror(errno));
        sources->paths[sources->path_count++] = operand;
        return access(operand, R_OK) == 0;
    }
    if (!watch_is_device(operand)) {
        cli_error("watch: %s: no such file, folder or network device", operand);
        return false;
    }
    return watch_device(arena, operand, &sources->texts[sources->text_count++]);
}

static bool find_sources(const struct watch *watch, struct sources *sources)
{
    const size_t count = (size_t)watch->args->operand_count + 1;
    struct arena *arena = &watch->state->arena;
    sources->paths = arena_array(arena, count, sizeof *sources->paths);
    sources->texts = arena_array(arena, count, sizeof *sources->texts);
    for (int i = 0; i < watch->args->operand_count; i++)
        if (!add_operand(arena, sources, watch->args->operands[i]))
            return false;
    return !cli_given(watch->args, "sonic") ||
           watch_sonic(arena, &sources->texts[sources->text_count++]);
}

static void format_now(char text[32])
{
    struct tm parts;
    const time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void print_look(const struct watch *watch)
{
    if (cli_given(watch->args, "json"))
        watch_json(watch->look, watch->state, watch->incident, stdout);
    else if (!cli_given(watch->args, "quiet"))
        watch_text(watch->look, watch->state, watch->incident, stdout);
    fflush(stdout);
}

/* Notes about the files are printed where they may explain something: at the first poll, and where
 * a pattern begins. */
static int judge(struct watch *watch, const struct incident *incident)
{
    char now[32];
    struct triage triage;
    struct watch_look look;
    format_now(now);
    triage_make(&triage, incident);
    watch_compare(&look, watch->state, incident, &triage, now);
    watch->incident = incident;
    watch->look = &look;
    if (!cli_given(watch->args, "quiet") && (watch->state->past.is_empty || look.began_count > 0))
        fputs(incident->notes, stderr);
    print_look(watch);
    int code = write_state(watch);
    if (code == CLI_DONE && look.began_count > 0)
        code = CLI_BROKEN;
    watch_look_free(&look);
    triage_free(&triage);
    return code;
}

static int read_and_judge(struct watch *watch, struct diag *diag)
{
    struct sources sources = {0};
    struct incident incident;
    const char *fabric = cli_value(watch->args, "fabric");
    if (!find_sources(watch, &sources))
        return CLI_FAILED;
    struct scenario *scenario = fabric == NULL ? NULL : cli_load(fabric, NULL, 0);
    if (fabric != NULL && scenario == NULL)
        return CLI_USAGE;
    const struct incident_ask ask = {.paths = sources.paths,
                                     .path_count = sources.path_count,
                                     .texts = sources.texts,
                                     .text_count = sources.text_count,
                                     .fabric = scenario,
                                     .past = &watch->state->past};
    const bool read = incident_read(&incident, &ask, diag);
    diag_print(diag, stderr);
    int code = incident.is_unreadable ? CLI_FAILED : CLI_USAGE;
    if (read)
        code = judge(watch, &incident);
    incident_free(&incident);
    return code;
}

static int look_once(const struct cli_args *args)
{
    struct watch_state state = {0};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const char *path = cli_value(args, "state");
    struct watch watch = {
        .args = args, .state_path = path == NULL ? STATE_DEFAULT : path, .state = &state};
    int code = read_state(&watch, diag);
    if (code == CLI_DONE)
        code = read_and_judge(&watch, diag);
    watch_state_free(&state);
    free(diag);
    return code;
}

/* ---- the command ---- */

static bool read_interval(const struct cli_args *args, time_ps *interval)
{
    char why[QUANTITY_WHY_BYTES];
    const char *text = cli_value(args, "interval");
    text = text == NULL ? INTERVAL_DEFAULT : text;
    if (!quantity_parse(QUANTITY_TIME, text, interval, why))
        cli_error("watch: --interval %s: %s", text, why);
    else if (*interval < PS_PER_S || *interval > 86400 * PS_PER_S)
        cli_error("watch: --interval %s: expected 1s to 86400s", text);
    else
        return true;
    return false;
}

/* Sleeps in short parts, because a signal may arrive just before one of them. */
static void sleep_for(time_ps interval)
{
    struct timespec now, end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)(interval / PS_PER_S);
    do {
        nanosleep(&(const struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (stop_asked() == 0 &&
             (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
}

/* A look that fails does not end the watch: devices and dumps come and go.  The first one has to
 * succeed, so that a mistake in the command line is seen. */
static int look_until_stopped(const struct cli_args *args, time_ps interval)
{
    struct stop former;
    stop_catch(&former);
    int code = look_once(args);
    while (code <= CLI_BROKEN && stop_asked() == 0) {
        sleep_for(interval);
        if (stop_asked() == 0)
            look_once(args);
    }
    const int signal = stop_asked();
    stop_release(&former);
    return signal != 0 ? CLI_SIGNAL + signal : code;
}

static int run_watch(const struct cli_args *args)
{
    time_ps interval;
    if (!read_interval(args, &interval))
        return CLI_USAGE;
    if (args->operand_count == 0 && !cli_given(args, "sonic")) {
        cli_error("watch: missing argument: FOLDER or DEVICE, or --sonic");
        return CLI_USAGE;
    }
    return cli_given(args, "once") ? look_once(args) : look_until_stopped(args, interval);
}

const struct cli_command cmd_watch = {
    .name = "watch",
    .operands = "FILE|FOLDER|DEVICE...",
    .about = "report when a pause storm or another pattern of an incident begins",
    .details =
        "Polls counters and logs at an interval, or once (for cron and systemd timers), and\n"
        "analyzes the changes since the last poll as stormglass incident does. A FOLDER\n"
        "contains dumps in any form that incident reads; a DEVICE is a network device of this\n"
        "machine, read by ethtool -S. The first poll only records the counters. Root privileges\n"
        "are not needed.",
    .examples =
        (const struct cli_example[]){
            {"One poll of a folder of dumps, for cron",
             "stormglass run pause-storm -o storm.db && mkdir -p dumps && stormglass counters "
             "storm.db > dumps/all.txt && stormglass watch --once --state dumps.json dumps"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "no pattern began"},
            {1, "a pattern began"},
            {2, "the command line, the state file or a dump is wrong"},
            {3, "a file, folder or device could not be read, or the state file could not be "
                "written"},
            {130, "interrupted by Ctrl-C (SIGINT); the state file is valid"},
            {143, "terminated (SIGTERM); the state file is valid"},
            {0}},
    .options = options,
    .operands_min = 0,
    .operands_max = -1,
    .run = run_watch,
};

/* SPDX-License-Identifier: Apache-2.0
 * cmd_bench - stormglass bench.
 * Each run of a scenario is a separate process, so that its memory use can be measured, and returns
 * its results through a pipe. Seconds are primarily CPU seconds, which do not include other
 * programs on the machine. */
#include "base/check.h"
#include "base/memory.h"
#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "replay/run/resident.h"
#include "replay/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS_MAX = 1000 };

static const struct cli_option bench_options[] = {
    {"set", 0, "PATH=VALUE", "change one value of the scenarios; repeatable"},
    {"threads", 0, "N", "number of threads; auto: as many as speed up the run"},
    {"runs", 0, "N", "run each scenario N times and report the run with the least CPU time"},
    {"json", 0, NULL, "print one JSON object per line for each WORK"},
    {"csv", 0, NULL, "print one CSV row for each WORK"},
    {"history", 0, "FILE", "append the figures to FILE, comma-separated"},
    {"label", 0, "TEXT", "label of the measurement in FILE, such as a commit"},
    {0},
};

struct bench {
    const char *const *sets;
    uint32_t set_count, runs, threads;
    struct bench_output output;
};

/* ------------------------------------------------------------------ one run */

static struct bench_figures figures_of(const struct run *run, uint32_t hosts, int64_t empty_bytes)
{
    const struct run_cost *cost = &run->cost;
    const struct result_totals *totals = &run->result.totals;
    const int64_t played = cost->played_bytes - cost->built_bytes;
    struct bench_figures figures = {
        .hosts = hosts,
        .packet_hops = totals->packet_hops,
        .events = totals->events,
        .hops_per_cpu_s = bench_rate(totals->packet_hops, cost->play.cpu_s),
        .hops_per_wall_s = bench_rate(totals->packet_hops, cost->play.wall_s),
        .events_per_cpu_s = bench_rate(totals->events, cost->play.cpu_s),
        .build_cpu_s = cost->build.cpu_s,
        .play_cpu_s = cost->play.cpu_s,
        .play_wall_s = cost->play.wall_s,
        .end_cpu_s = cost->end.cpu_s,
        .peak_bytes = cost->peak_bytes,
        .host_bytes = (cost->built_bytes - empty_bytes) / hosts,
        .frames = (int64_t)cost->frames,
        .queue_pairs = (int64_t)cost->queue_pairs,
        .segments = (int64_t)cost->segments,
    };
    if (figures.segments > 0)
        figures.segment_ns = cost->play.cpu_s * 1e9 / (double)figures.segments;
    if (figures.packet_hops > 0)
        figures.events_per_hop = (double)figures.events / (double)figures.packet_hops;
    if (figures.frames > 0)
        figures.frame_bytes = played / figures.frames;
    return figures;
}

static int play(const struct bench *bench, const struct scenario *scenario, int64_t empty_bytes,
                struct bench_figures *figures)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct run run;
    const struct run_options how = {.until = TIME_NEVER,
                                    .unread = true,
                                    .blind = true,
                                    .progress = true,
                                    .threads = bench->threads};
    const enum run_end end = run_scenario(&run, scenario, &how, diag);
    if (end == RUN_DONE)
        *figures = figures_of(&run, scenario->host_count, empty_bytes);
    else if (end == RUN_BROKEN)
        cli_error("%s", run.error);
    diag_print(diag, stderr);
    free(diag);
    const bool held = end == RUN_DONE && result_held(&run.result);
    run_close(&run);
    return held                 ? CLI_DONE
           : end == RUN_DONE    ? CLI_BROKEN
           : end == RUN_REFUSED ? CLI_USAGE
                                : CLI_FAILED;
}

/* Main function of the process of one run. */
static int run_once(const struct bench *bench, const char *name, int to)
{
    struct bench_figures figures = {0};
    const int64_t empty_bytes = resident_bytes();
    struct scenario *scenario = cli_load(name, bench->sets, bench->set_count);
    if (scenario == NULL)
        return CLI_USAGE;
    const int code = play(bench, scenario, empty_bytes, &figures);
    scenario_free(scenario);
    return write(to, &figures, sizeof figures) == sizeof figures ? code : CLI_FAILED;
}

/* ------------------------------------------------------------------ process of a run */

static int failed(const char *what)
{
    cli_error("bench: %s: %s", what, strerror(errno));
    return CLI_FAILED;
}

/* CLI_FAILED, with a message, if the process was killed, because then it printed none. */
static int end_of(pid_t child, const char *name)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        CHECK(errno == EINTR);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    cli_error("bench: %s: ended by signal %d", name, WTERMSIG(status));
    return CLI_FAILED;
}

static int run_apart(const struct bench *bench, const char *name, struct bench_figures *figures)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        return failed("pipe");
    const pid_t child = fork();
    if (child < 0)
        return failed("fork");
    if (child == 0)
        exit(run_once(bench, name, ends[1]));
    close(ends[1]);
    const ssize_t got = read(ends[0], figures, sizeof *figures);
    close(ends[0]);
    const int code = end_of(child, name);
    return got == sizeof *figures || code > CLI_BROKEN ? code : CLI_FAILED;
}

static int bench_scenario(const struct bench *bench, const char *name)
{
    struct bench_figures best = {0};
    int worst = CLI_DONE;
    for (uint32_t i = 0; i < bench->runs && worst <= CLI_BROKEN; i++) {
        struct bench_figures figures;
        const int code = run_apart(bench, name, &figures);
        worst = code > worst ? code : worst;
        if (i == 0 || figures.play_cpu_s < best.play_cpu_s)
            best = figures;
    }
    if (worst > CLI_BROKEN)
        return worst;
    if (worst == CLI_BROKEN)
        cli_error("bench: %s: an expectation failed; run stormglass run %s for details", name,
                  name);
    return bench_tell(&bench->output, name, &best) ? worst : CLI_FAILED;
}

static int bench_one(const struct bench *bench, const char *name)
{
    for (const struct bench_part *part = bench_parts; part->name != NULL; part++)
        if (strcmp(name, part->name) == 0)
            return part->measure(&bench->output) ? CLI_DONE : CLI_FAILED;
    return bench_scenario(bench, name);
}

/* ------------------------------------------------------------------ command */

static bool read_runs(const struct cli_args *args, uint32_t *runs)
{
    const char *text = cli_value(args, "runs");
    *runs = 1;
    if (text == NULL)
        return true;
    char *end;
    const long value = strtol(text, &end, 10);
    *runs = (uint32_t)value;
    if (*end == '\0' && end != text && value >= 1 && value <= RUNS_MAX)
        return true;
    cli_error("--runs %s: expected a number from 1 to %d", text, RUNS_MAX);
    return false;
}

/* The label is a field between commas, so it must not contain any. */
static bool read_label(const struct cli_args *args, const char **label)
{
    const char *text = cli_value(args, "label");
    *label = text == NULL ? "" : text;
    if (text == NULL || strpbrk(text, ",\"\r\n") == NULL)
        return true;
    cli_error("--label %s: expected text without commas, quotes or line breaks", text);
    return false;
}

static int run_bench_command(const struct cli_args *args)
{
    static char *const standard[] = {"event-queues", "touch", "incast-32to1", "fat-tree-k8"};
    const int standard_count = sizeof standard / sizeof standard[0];
    struct bench bench = {.output = {.json = cli_given(args, "json"),
                                     .csv = cli_given(args, "csv"),
                                     .history = cli_value(args, "history")}};
    if (!cli_threads(args, &bench.threads) || !read_runs(args, &bench.runs) ||
        !read_label(args, &bench.output.label))
        return CLI_USAGE;
    char *const *names = args->operand_count > 0 ? args->operands : standard;
    const int count = args->operand_count > 0 ? args->operand_count : standard_count;
    const struct output_inputs inputs = {(const char *const *)names, (size_t)count};
    if (bench.output.history != NULL && !cli_output_allowed(bench.output.history, &inputs))
        return CLI_USAGE;
    bench.sets = (const char *const *)cli_values(args, "set", &bench.set_count);
    int worst = CLI_DONE;
    if (bench.output.csv)
        bench_csv_names();
    for (int i = 0; i < count; i++) {
        const int code = bench_one(&bench, names[i]);
        worst = code > worst ? code : worst;
    }
    return worst;
}

const struct cli_command cmd_bench = {
    .name = "bench",
    .operands = "[WORK...]",
    .about = "measure the speed of the simulator on this machine",
    .details = "A packet-hop is one data or control frame that crosses one link. Rates cover only "
               "the\n"
               "run, without setup and teardown.\n"
               "\n"
               "WORK is one of these, a built-in case, or a scenario file; without\n"
               "one: event-queues, touch, incast-32to1 and fat-tree-k8.\n",
    .more = bench_print_list,
    .examples =
        (const struct cli_example[]){
            {"The speed of one scenario on this machine, the best of three runs",
             "stormglass bench first-io --runs 3"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "measured"},
            {2, "the command line or a scenario is wrong"},
            {3, "a run could not be carried out, or the output could not be written"},
            {0}},
    .options = bench_options,
    .operands_max = -1,
    .run = run_bench_command,
};

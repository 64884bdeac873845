/* SPDX-License-Identifier: Apache-2.0
 * cmd_bench - stormglass bench.
 * Seconds are CPU seconds of this process: what another program takes from the machine is not
 * counted. */
#include "cli/cli.h"
#include "engine/hold.h"
#include "replay/run.h"
#include "replay/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { HOLD_PENDING = 4096, HOLD_SEED = 1 };

static const uint64_t hold_count = 4000000;

static const struct cli_option options[] = {
    {"set", 0, "PATH=VALUE", "change one value of the cases; may be given often"},
    {0},
};

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0; /* Linux counts KiB */
}

/* The queue by itself, at a size of a fabric's: the bound of what the engine can do. */
static int bench_queues(void)
{
    uint64_t first = 0;
    int code = CLI_DONE;
    for (const struct hold_queue *queue = hold_queues; queue->name != NULL; queue++) {
        const double begun_s = cpu_s();
        const uint64_t sum = queue->run(HOLD_PENDING, hold_count, HOLD_SEED);
        const double took_s = cpu_s() - begun_s;
        first = queue == hold_queues ? sum : first;
        printf("%-16s %6.2f s  %8s holds/s of %d pending  %s\n", queue->name, took_s,
               words_short((double)hold_count / took_s).text, HOLD_PENDING, queue->about);
        if (sum == first)
            continue;
        cli_error("bench: %s gave another order than %s", queue->name, hold_queues[0].name);
        code = CLI_BROKEN;
    }
    return code;
}

static void print_run(const char *name, const struct run *run)
{
    const double hops = (double)run->result.totals.packet_hops;
    const double events = (double)run->result.totals.events;
    printf("%-16s %6.2f s  %8s packet-hops/s  %8s events/s  %.2f events/hop  %.1f MiB peak\n", name,
           run->cpu_s, words_short(hops / run->cpu_s).text, words_short(events / run->cpu_s).text,
           hops > 0 ? events / hops : 0, peak_mib());
}

static int play(const char *name, const struct scenario *scenario)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        return CLI_FAILED;
    struct run run;
    const struct run_options how = {.until = TIME_NEVER, .unread = true, .progress = true};
    const enum run_end end = run_scenario(&run, scenario, &how, diag);
    if (end == RUN_DONE)
        print_run(name, &run);
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

static int bench_one(const char *name, const char *const *sets, uint32_t set_count)
{
    if (strcmp(name, "event-queues") == 0)
        return bench_queues();
    struct scenario *scenario = cli_load(name, sets, set_count);
    if (scenario == NULL)
        return CLI_USAGE;
    const int code = play(name, scenario);
    scenario_free(scenario);
    return code;
}

static int run(const struct cli_args *args)
{
    static char *const standard[] = {"event-queues", "fat-tree-128"};
    char *const *names = args->operand_count > 0 ? args->operands : standard;
    const int count = args->operand_count > 0 ? args->operand_count : 2;
    uint32_t set_count;
    const char **sets = cli_values(args, "set", &set_count);
    int worst = CLI_DONE;
    for (int i = 0; i < count; i++) {
        const int code = bench_one(names[i], (const char *const *)sets, set_count);
        worst = code > worst ? code : worst;
        fflush(stdout);
    }
    return worst;
}

const struct cli_command cmd_bench = {
    .name = "bench",
    .operands = "[WORK...]",
    .about = "measures the speed of the simulator on this machine",
    .details = "WORK is event-queues (the kinds of event queue by themselves), a case that the\n"
               "program carries, or a scenario file; without one: event-queues and fat-tree-128.\n"
               "A packet-hop is one frame that crosses one link, data and control alike.",
    .options = options,
    .operands_max = -1,
    .run = run,
};

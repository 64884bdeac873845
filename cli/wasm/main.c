/* SPDX-License-Identifier: Apache-2.0
 * main - stormglass for WebAssembly: runs an embedded case and prints its digest.
 * usage: stormglass run CASE [--until T] [--json]; the output is always JSON. */
#include "base/memory.h"
#include "base/quantity.h"
#include "replay/run/run.h"
#include "scenarios/load/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DONE, NOT_HELD, USAGE, FAILED }; /* the usual exit codes */

struct task {
    const char *name; /* name of the case, without directories */
    time_ps until;
};

static bool read_until(struct task *task, const char *text)
{
    char why[QUANTITY_WHY_BYTES];
    if (quantity_parse(QUANTITY_TIME, text, &task->until, why) && task->until > 0)
        return true;
    fprintf(stderr, "stormglass: --until %s: %s\n", text, why);
    return false;
}

static bool read_task(struct task *task, int count, char **words)
{
    *task = (struct task){.until = TIME_NEVER};
    bool well = count >= 3 && strcmp(words[1], "run") == 0;
    for (int i = 2; i < count && well; i++) {
        const char *slash = strrchr(words[i], '/');
        if (strcmp(words[i], "--until") == 0 && i + 1 < count)
            well = read_until(task, words[++i]);
        else if (words[i][0] != '-' && task->name == NULL)
            task->name = slash == NULL ? words[i] : slash + 1;
        else
            well = strcmp(words[i], "--json") == 0;
    }
    if (well && task->name != NULL)
        return true;
    fprintf(stderr, "usage: stormglass run CASE [--until T] [--json]\n");
    return false;
}

static int play(const struct task *task, const struct scenario *scenario, struct diag *diag)
{
    struct run run;
    const struct run_options how = {.until = task->until, .unread = true};
    const enum run_end end = run_scenario(&run, scenario, &how, diag);
    if (end != RUN_DONE) {
        fprintf(stderr, "%s\n", run.error);
        return end == RUN_REFUSED ? USAGE : FAILED;
    }
    char digest[DIGEST_TEXT_BYTES];
    digest_format(&run.result.digest, digest);
    printf("{\"scenario\": \"%s\", \"digest\": \"%s\"}\n", run.result.scenario, digest);
    const int code = result_held(&run.result) ? DONE : NOT_HELD;
    return run_close(&run) ? code : FAILED;
}

int main(int count, char **words)
{
    struct task task;
    if (!read_task(&task, count, words))
        return USAGE;
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(task.name, NULL, 0, diag);
    const int code = scenario == NULL ? USAGE : play(&task, scenario, diag);
    diag_print(diag, stderr);
    scenario_free(scenario);
    free(diag);
    return code;
}

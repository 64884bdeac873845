/* SPDX-License-Identifier: Apache-2.0
 * serve - executes the runs of a plan for another process. */
#include "cli/run/planning.h"

#include "base/memory.h"
#include "cli/run/cmd_plan.h"
#include "replay/plan/plan_trial_message.h"

#include <stdlib.h>
#include <string.h>

struct serving {
    const struct cmd_plan_serving *with;
    const struct plan_trial *trial;
};

static void play(void *self, uint32_t index, void *result)
{
    const struct serving *serving = self;
    (void)index;
    plan_play(serving->trial, result);
}

static bool stopped(void *self)
{
    const struct serving *serving = self;
    return serving->with->stopped(serving->with->self);
}

/* Executes the run in a separate process, so that a crash affects only that run. */
static bool play_alone(const struct cmd_plan_serving *with, const struct plan_trial *trial,
                       struct plan_outcome *outcome)
{
    struct serving serving = {with, trial};
    const struct jobs jobs = {.self = &serving,
                              .play = play,
                              .enough = stopped,
                              .count = 1,
                              .at_once = 1,
                              .results = outcome,
                              .bytes = sizeof *outcome};
    return jobs_play(&jobs);
}

static void serve(const struct cmd_plan_serving *with, const struct planning *sides, uint32_t count)
{
    size_t length;
    char *bytes;
    while ((bytes = with->next(with->self, &length)) != NULL) {
        struct arena arena = {0};
        struct plan_trial_message errand;
        struct plan_outcome outcome = {0};
        const uint32_t side = length > 0 ? (uint32_t)bytes[0] : count;
        const bool well =
            side < count &&
            plan_trial_message_read(&arena, sides[side].plan, bytes + 1, length - 1, &errand) &&
            play_alone(with, &errand.trial, &outcome);
        with->answer(with->self, &outcome, sizeof outcome, well);
        arena_free(&arena);
        free(bytes);
    }
}

int cmd_plan_serve(const struct cli_args *args, const struct cmd_plan_serving *serving)
{
    const char *paths[PLAN_VERSUS_SIDES] = {args->operands[0], cli_value(args, "vs")};
    const uint32_t count = paths[1] == NULL ? 1 : PLAN_VERSUS_SIDES;
    struct planning sides[PLAN_VERSUS_SIDES] = {{.plan = NULL}, {.plan = NULL}};
    char text[PLANNING_FINGERPRINT_BYTES] = "";
    bool well = true;
    for (uint32_t i = 0; i < count && well; i++)
        well = planning_load(&sides[i], paths[i]);
    if (well)
        planning_fingerprint(sides, count, text);
    serving->tell(serving->self, text);
    serve(serving, sides, well ? count : 0);
    for (uint32_t i = 0; i < count; i++)
        planning_close(&sides[i]);
    return CLI_DONE;
}

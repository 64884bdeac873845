/* SPDX-License-Identifier: Apache-2.0
 * cmd_plan - the command plan, for a program in which several processes execute runs. */
#ifndef STORMGLASS_CLI_RUN_CMD_PLAN_H
#define STORMGLASS_CLI_RUN_CMD_PLAN_H

#include "cli/cli.h"
#include "replay/plan/plan_search.h"
#include "replay/run/jobs.h"

/* Other processes, each of which has loaded the same plans (cmd_plan_serve). */
struct cmd_plan_others {
    struct jobs_elsewhere elsewhere;
    /* True if all of them have this fingerprint; false after a message that names the one that
     * differs. */
    bool (*agree)(void *self, const char *fingerprint);
};

/* Runs the command; `others` NULL: in this process only. */
int cmd_plan_run(const struct cli_args *args, const struct cmd_plan_others *others);

/* Callbacks of a process that only executes runs: it reports what it has loaded (empty: nothing),
 * and executes runs until there are no more. */
struct cmd_plan_serving {
    void *self;
    void (*tell)(void *self, const char *fingerprint);
    /* Owner of the result: the caller; NULL: no more runs. The first byte is the index of the
     * plan. */
    char *(*next)(void *self, size_t *length);
    void (*answer)(void *self, const void *result, size_t bytes, bool well);
    bool (*stopped)(void *self); /* True if the current run is to be stopped. */
};
int cmd_plan_serve(const struct cli_args *args, const struct cmd_plan_serving *serving);

extern const struct cli_command cmd_plan;

#endif

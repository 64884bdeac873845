/* SPDX-License-Identifier: Apache-2.0
 * cmd_plan - the command plan, for a program in which many processes play. */
#ifndef STORMGLASS_CLI_PLAY_CMD_PLAN_H
#define STORMGLASS_CLI_PLAY_CMD_PLAN_H

#include "cli/cli.h"
#include "replay/plan/plan_search.h"
#include "replay/run/jobs.h"

/* Other processes, each of which has loaded the same plans (cmd_plan_serve). */
struct cmd_plan_others {
    struct jobs_elsewhere places;
    /* Whether each of them has what these fingerprints say; false: it was said who has not. */
    bool (*agree)(void *self, const char *fingerprint);
};

/* As the command does it; NULL: alone. */
int cmd_plan_run(const struct cli_args *args, const struct cmd_plan_others *others);

/* What a process that only plays does: it tells what it has loaded (empty: nothing), and plays what
 * comes until there is no more. */
struct cmd_plan_serving {
    void *self;
    void (*tell)(void *self, const char *fingerprint);
    /* The caller's to free; NULL: there is no more.  The first byte says of which plan it is. */
    char *(*next)(void *self, size_t *length);
    void (*answer)(void *self, const void *result, size_t bytes, bool well);
    bool (*stopped)(void *self); /* what is played shall end */
};
int cmd_plan_serve(const struct cli_args *args, const struct cmd_plan_serving *serving);

extern const struct cli_command cmd_plan;

#endif

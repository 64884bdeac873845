/* SPDX-License-Identifier: Apache-2.0
 * cmd_replay - stormglass replay. */
#include "base/memory.h"
#include "cli/cli.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "replay/run/playback.h"
#include "replay/run/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct cli_option replay_options[] = {
    {"from", 0, "T", "list every event after this virtual time; no comparison"},
    {"until", 0, "T", "replay up to this virtual time"},
    {"node", 0, "NODE", "with --from: only events of this node"},
    CLI_OPTION_QUIET,
    {0},
};

/* ------------------------------------------------------------------ events */

static void tell_event(void *self, const struct eventlog_reported *event)
{
    fprintf(self, "%16.6f us  %-14s %s\n", (double)event->at / PS_PER_US, event->port, event->what);
}

static bool read_moment(const struct cli_args *args, const char *option, time_ps preset,
                        time_ps *moment)
{
    const char *text = cli_value(args, option);
    char why[QUANTITY_WHY_BYTES];
    *moment = preset;
    if (text == NULL || quantity_parse(QUANTITY_TIME, text, moment, why))
        return true;
    cli_error("--%s %s: %s", option, text, why);
    return false;
}

static int play_events(const struct cli_args *args, struct diag *diag)
{
    struct playback playback = {
        .path = args->operands[0],
        .node = cli_value(args, "node"),
        .tell = tell_event,
        .self = stdout,
    };
    char why[STORE_ERROR_BYTES];
    if (!read_moment(args, "from", 0, &playback.from) ||
        !read_moment(args, "until", TIME_NEVER, &playback.until))
        return CLI_USAGE;
    if (playback.until < playback.from) {
        cli_error("--until %s: expected a time from --from on, which is %s",
                  cli_value(args, "until"), cli_value(args, "from"));
        return CLI_USAGE;
    }
    if (playback_run(&playback, why, diag) == PLAYBACK_DONE)
        return fflush(stdout) == 0 ? CLI_DONE : CLI_FAILED;
    cli_error("%s: %s", playback.path, why);
    return CLI_USAGE;
}

/* ------------------------------------------------------------------ whole run */

static void report_difference(const struct verify *verify)
{
    const struct checkpoint_parting *parting = &verify->parting;
    if (!parting->known) {
        printf("the database has no checkpoints to find where the runs diverge\n");
        return;
    }
    if (!parting->parted) {
        printf("all nodes are equal up to the last checkpoint, at %.6f us\n",
               (double)parting->before / PS_PER_US);
        return;
    }
    printf("the runs diverge between %.6f us and %.6f us, in %s\n",
           (double)parting->after / PS_PER_US, (double)parting->before / PS_PER_US, verify->nodes);
    printf("the first of them now executes %" PRIu64 " %s in that time%s\n", verify->event_count,
           plural(verify->event_count, "event", "events"), verify->reported > 0 ? ":" : "");
    for (uint32_t i = 0; i < verify->reported; i++)
        tell_event(stdout, &verify->events[i]);
}

static int tell_different(const struct verify *verify)
{
    if (verify->digest_then[0] == '\0' || verify->difference[0] == '\0')
        printf("different from the recorded run\n");
    else
        printf("different: digest was %s and is %s\nfirst difference: %s\n", verify->digest_then,
               verify->digest_now, verify->difference);
    report_difference(verify);
    return CLI_BROKEN;
}

static void tell_checkpoints(const struct checkpoint_parting *parting)
{
    if (parting->equal == 0)
        printf("no checkpoint before --until: nothing compared\n");
    else
        printf("%u checkpoint%s up to %.6f us %s equal\n", parting->equal,
               plural(parting->equal, "", "s"), (double)parting->before / PS_PER_US,
               plural(parting->equal, "is", "are"));
}

/* Reports a run that did not finish, or was replayed only to a certain time. */
static int report_progress(const struct verify *verify, time_ps until)
{
    const bool finished = until == TIME_NEVER;
    printf("%s: digest %s\n", finished ? "finished" : "equal so far", verify->digest_now);
    if (verify->reached >= 0)
        printf("the run did not finish; its database stops at %.6f us\n",
               (double)verify->reached / PS_PER_US);
    tell_checkpoints(&verify->parting);
    return CLI_DONE;
}

static int tell(const char *path, enum verify_end end, const struct verify *verify, time_ps until)
{
    switch (end) {
    case VERIFY_EQUAL:
        printf("equal: digest %s\n", verify->digest_now);
        return CLI_DONE;
    case VERIFY_EQUAL_SO_FAR:
        return report_progress(verify, until);
    case VERIFY_DIFFERENT:
        return tell_different(verify);
    case VERIFY_UNUSABLE:
        cli_error("%s: %s", path, verify->difference);
        return CLI_USAGE;
    case VERIFY_BROKEN:
        break;
    }
    cli_error("%s: cannot be replayed: %s", path, verify->difference);
    return CLI_FAILED;
}

static int replay(const struct cli_args *args, struct diag *diag)
{
    const char *path = args->operands[0];
    struct verify verify;
    time_ps until;
    if (!read_moment(args, "until", TIME_NEVER, &until))
        return CLI_USAGE;
    if (until <= 0) {
        cli_error("--until %s: expected a time above 0", cli_value(args, "until"));
        return CLI_USAGE;
    }
    const int code = tell(path, verify_run(path, until, true, &verify, diag), &verify, until);
    verify_free(&verify);
    return code;
}

static int run_replay(const struct cli_args *args)
{
    if (cli_given(args, "node") && !cli_given(args, "from")) {
        cli_error("--node requires --from");
        return CLI_USAGE;
    }
    struct diag *diag = memory_new(sizeof *diag);
    const int code = cli_given(args, "from") ? play_events(args, diag) : replay(args, diag);
    diag_print(diag, stderr);
    free(diag);
    return code;
}

const struct cli_command cmd_replay = {
    .name = "replay",
    .operands = "RUN.db",
    .about = "repeat a run from its database alone and compare the digests",
    .details = "A run that did not finish is completed.  --from lists events as text, one "
               "per\nline.",
    .examples =
        (const struct cli_example[]){
            {"Repeat a run from its database and compare the digests",
             "stormglass run first-io -o first.db && stormglass replay first.db"},
            {"The events of one host from 2 us on",
             "stormglass replay first.db --from 2us --node host0"},
            {0}},
    .exit_codes =
        (const struct cli_exit_code[]){
            {0, "the digests are equal"},
            {1, "the digests differ"},
            {2, "the command line is wrong, or the file is no run database"},
            {3, "the run could not be repeated (disk, memory)"},
            {0}},
    .options = replay_options,
    .operands_min = 1,
    .operands_max = 1,
    .run = run_replay,
};

/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include "base/drop.h"
#include "draw.h"
#include "play_change.h"
#include "tests/laws/run/run_laws.h"
#include "tests/unit/check/remedies.h"

#include "base/digest.h"
#include "replay/run/run.h"
#include "replay/run/verify.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_MAX = 250000 };

/* Numbers and what is in front of the first colon may differ where the same law is broken. */
static void keep_law(struct play_outcome *outcome)
{
    size_t used = 0;
    const char *at = strstr(outcome->broken, ": ");
    for (at = at == NULL ? outcome->broken : at; *at != '\0' && used + 1 < PLAY_TEXT; at++)
        if (*at < '0' || *at > '9')
            outcome->law[used++] = *at;
    outcome->law[used] = '\0';
}

void play_break(struct play_outcome *outcome, const char *format, ...)
{
    if (outcome->broken[0] != '\0')
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(outcome->broken, sizeof outcome->broken, format, arguments);
    va_end(arguments);
    keep_law(outcome);
}

/* ------------------------------------------------------------------ watched */

struct watched {
    struct run_laws laws;
    struct probe probe;
    struct reach *reach;
};

static void on_state(void *self, const struct probe_state *state)
{
    struct watched *watched = self;
    if (watched->reach != NULL)
        reach_state(watched->reach, state);
}

static bool is_costly(const struct world *world)
{
    return engine_events(&world->engine) > EVENTS_MAX;
}

/* Slices grow: most of the time nothing happens any more. */
static bool play_out(struct run_laws *laws, struct world *world)
{
    time_ps slice = world->window_end / 16 + 1;
    world->engine.hostile = false;
    while (world_run(world, world->engine.now + slice)) {
        run_laws_look(laws);
        if (is_costly(world) || laws->broken[0] != '\0')
            return false;
        if (world->engine.now > world->window_end)
            slice += slice / 4;
    }
    return !is_costly(world);
}

static void judge(struct watched *watched, struct world *world, struct play_outcome *outcome)
{
    run_laws_look(&watched->laws);
    if (!outcome->costly && watched->laws.broken[0] == '\0') {
        run_laws_ended(&watched->laws);
        run_laws_close(&watched->laws, world, EVENTS_MAX);
        run_laws_look(&watched->laws);
        if (!is_costly(world))
            run_laws_judge(&watched->laws);
    }
    for (unsigned i = 0; watched->reach != NULL && i < PROBE_DROP_CAUSE_COUNT; i++)
        reach_drop(watched->reach, (uint8_t)i, watched->laws.causes[i]);
    if (watched->laws.broken[0] != '\0')
        play_break(outcome, "%s", watched->laws.broken);
}

static struct digest play_watched(const struct scenario *scenario, struct reach *reach,
                                  struct play_outcome *outcome)
{
    static struct watched watched;
    static struct diag diag;
    struct digest digest = {0};
    memset(&diag, 0, sizeof diag);
    watched.reach = reach;
    if (!run_laws_init(&watched.laws, scenario, true)) {
        outcome->refused = true;
        return digest;
    }
    /* The laws' probe is the first member: it is handed the whole. */
    watched.laws.probe.state = on_state;
    struct world *world = world_build(scenario, &watched.laws.probe, &diag);
    outcome->refused = world == NULL;
    if (world == NULL)
        return digest;
    run_laws_watch(&watched.laws, world);
    outcome->costly = !play_out(&watched.laws, world);
    digest = engine_digest(&world->engine);
    judge(&watched, world, outcome);
    world_free(world);
    run_laws_fini(&watched.laws);
    return digest;
}

/* ------------------------------------------------------------------ in other ways */

/* What of run --json differs from run to run. */
static bool varies(const char *line, size_t length)
{
    static const char *const keys[] = {
        "\"threads\":", "\"wall_s\":", "\"cpu_s\":", "\"started_unix_s\":"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *key = strstr(line, keys[i]);
        if (key != NULL && key < line + length)
            return true;
    }
    return false;
}

/* What run --json says, without that. */
static char *json_of(const struct run *run)
{
    char *text = NULL, *other = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    CHECK(out != NULL && json_run(record_store(run->record), out));
    fclose(out);
    out = open_memstream(&other, &size);
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "\n"), whole = length + (at[length] == '\n');
        if (!varies(at, length))
            fwrite(at, 1, whole, out);
        at += whole;
    }
    fclose(out);
    free(text);
    return other;
}

/* The first line in which two results differ. */
static void first_difference(const char *a, const char *b, char text[160])
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    snprintf(text, 160, "%.70s | %.70s", a, b);
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = ' ';
}

static bool run_once(const struct scenario *scenario, const struct run_options *how,
                     struct run *run, struct play_outcome *outcome)
{
    static struct diag diag;
    memset(&diag, 0, sizeof diag);
    if (run_scenario(run, scenario, how, &diag) == RUN_DONE) {
        if (strcmp(run->result.status, "interrupted") == 0)
            _exit(0); /* somebody wants us to end */
        return true;
    }
    play_break(outcome, "it was built once and cannot be run: %.200s", run->error);
    run_close(run);
    return false;
}

static void play_vacuous(const struct scenario *scenario, const struct result *result,
                         struct play_outcome *outcome)
{
    char sentence[RUN_LAWS_BOUND_BYTES];
    run_laws_vacuous(scenario, result, sentence);
    if (sentence[0] != '\0')
        play_break(outcome, "%s", sentence);
}

/* What a plan would refuse it by. */
static void play_bounds(const struct scenario *scenario, const struct result *result,
                        struct play_outcome *outcome)
{
    char sentence[RUN_LAWS_BOUND_BYTES];
    run_laws_bounds(scenario, result, sentence);
    if (sentence[0] != '\0')
        play_break(outcome, "%s", sentence);
}

static char *play_once(const struct scenario *scenario, uint32_t threads,
                       const struct digest *digest, struct reach *reach,
                       struct play_outcome *outcome)
{
    struct run run;
    const struct run_options how = {.brief = true, .until = TIME_NEVER, .threads = threads};
    if (!run_once(scenario, &how, &run, outcome))
        return NULL;
    if (reach != NULL)
        reach_result(reach, &run.result);
    if (memcmp(&run.result.digest, digest, sizeof *digest) != 0)
        play_break(outcome, "%s: another digest", threads > 1 ? "threads" : "unwatched");
    if (threads == 1) {
        play_bounds(scenario, &run.result, outcome);
        play_vacuous(scenario, &run.result, outcome);
    }
    char *json = json_of(&run);
    run_close(&run);
    return json;
}

static void play_threads(const struct scenario *scenario, const struct digest *digest,
                         uint64_t seed, unsigned ways, struct reach *reach,
                         struct play_outcome *outcome)
{
    char *one = play_once(scenario, 1, digest, reach, outcome), *several = NULL;
    const uint32_t threads = 2 + (uint32_t)(seed % 6);
    if (one != NULL && (ways & PLAY_THREADS) != 0)
        several = play_once(scenario, threads, digest, NULL, outcome);
    if (several != NULL && strcmp(one, several) != 0) {
        char difference[160];
        first_difference(one, several, difference);
        play_break(outcome, "threads: another result: %u: %s", threads, difference);
    }
    free(one);
    free(several);
}

static void play_recorded(const struct scenario *scenario, const struct digest *digest,
                          uint64_t seed, struct play_outcome *outcome)
{
    static struct diag diag;
    static struct verify verify;
    char path[128], sentence[RUN_LAWS_BOUND_BYTES];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/swarm-%ld.db", folder == NULL ? "/tmp" : folder,
             (long)getpid());
    struct run run;
    const struct run_options how = {.path = path,
                                    .level = (enum record_level)(seed % 4),
                                    .waits = seed / 2 % 4 == 0,
                                    .until = TIME_NEVER,
                                    .interval = SERIES_AUTO,
                                    .threads = 1 + (uint32_t)(seed / 4 % 3)};
    memset(&diag, 0, sizeof diag);
    if (!run_once(scenario, &how, &run, outcome))
        return;
    if (memcmp(&run.result.digest, digest, sizeof *digest) != 0)
        play_break(outcome, "recorded: another digest");
    run_laws_figures(record_store(run.record), sentence);
    if (sentence[0] != '\0')
        play_break(outcome, "%s", sentence);
    if (!run_close(&run))
        play_break(outcome, "recorded: the database could not be written");
    const enum verify_end end = verify_run(path, TIME_NEVER, false, &verify, &diag);
    if (end != VERIFY_EQUAL)
        play_break(outcome, "replayed: %d: %.200s", (int)end, verify.difference);
    verify_free(&verify);
    unlink(path);
}

/* The remedies that `check` offers work; without a run. */
static void play_remedies(const struct scenario *scenario, struct play_outcome *outcome)
{
    char why[2 * PLAY_TEXT];
    struct check_report report;
    check_scenario(scenario, &report);
    remedies_apply(scenario, &report, why, sizeof why);
    check_free(&report);
    if (why[0] != '\0')
        play_break(outcome, "remedies: %.300s", why);
}

/* ------------------------------------------------------------------ all of them */

void play_text(const char *text, uint64_t seed, unsigned ways, struct reach *reach,
               struct play_outcome *outcome)
{
    static struct diag diag;
    memset(outcome, 0, sizeof *outcome);
    memset(&diag, 0, sizeof diag);
    struct scenario *scenario = draw_load(text, NULL, 0, &diag);
    if (scenario == NULL) {
        outcome->refused = true;
        return;
    }
    play_remedies(scenario, outcome);
    const struct digest digest = play_watched(scenario, reach, outcome);
    if (!outcome->refused && reach != NULL)
        reach_scenario(reach, scenario);
    if (!outcome->refused && !outcome->costly && outcome->broken[0] == '\0') {
        play_threads(scenario, &digest, seed, ways, reach, outcome);
        if ((ways & PLAY_RECORDED) != 0)
            play_recorded(scenario, &digest, seed, outcome);
        if ((ways & PLAY_CHANGED) != 0)
            play_change(scenario, text, seed, &digest, outcome);
    }
    scenario_free(scenario);
}

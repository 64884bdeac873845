/* SPDX-License-Identifier: Apache-2.0
 * verify - repeats a run and describes the difference. */
#include "replay/run/verify.h"

#include "replay/database/stored.h"
#include "scenarios/embedded.h"

#include <stdio.h>
#include <string.h>

/* Writes the first row of `sql` (name, value as text) that differs as a sentence. */
static bool differ(struct store *then, struct store *now, const char *sql,
                   char difference[STORE_ERROR_BYTES])
{
    struct store_statement *a = store_prepare(then, sql), *b = store_prepare(now, sql);
    bool found = false;
    while (!found) {
        const bool more_a = store_step(a), more_b = store_step(b);
        if (!more_a && !more_b)
            break;
        const char *name = store_text(more_a ? a : b, "name");
        const char *was = more_a ? store_text(a, "value") : "missing";
        const char *is = more_b ? store_text(b, "value") : "missing";
        const bool same_name = more_a && more_b && strcmp(name, store_text(b, "name")) == 0;
        found = !same_name || strcmp(was, is) != 0;
        if (found)
            snprintf(difference, STORE_ERROR_BYTES, "%.150s was %.150s and is %.150s", name, was,
                     same_name || !more_b ? is : "a different quantity");
    }
    store_finish(a);
    store_finish(b);
    return found;
}

static void find_difference(struct store *then, struct store *now, struct verify *verify)
{
    char version[64];
    store_ask_text(then, "SELECT version FROM meta", version, sizeof version);
    if (strcmp(version, stormglass_version) != 0)
        snprintf(verify->difference, sizeof verify->difference,
                 "the run is of version %s, this is version %s", version, stormglass_version);
    else if (!differ(then, now,
                     "SELECT path AS name, value FROM result WHERE path NOT IN ('digest','status')"
                     " ORDER BY position",
                     verify->difference) &&
             !differ(
                 then, now,
                 "SELECT 'the digest of '||name AS name, digest AS value FROM node ORDER BY node",
                 verify->difference))
        snprintf(verify->difference, sizeof verify->difference,
                 "no recorded value differs, only the digest");
}

/* ------------------------------------------------------------------ first difference */

/* Repeats the run once more to record the events of the first of the nodes in the interval. */
static void tell_events(struct verify *verify, const struct scenario *scenario, struct diag *diag)
{
    struct world *world = world_build(scenario, &probe_none, diag);
    struct eventlog log;
    if (world == NULL)
        return;
    eventlog_init(&log, world);
    log.only = UINT32_MAX - 1; /* no node yet */
    const bool more = verify->parting.after == 0 || world_run(world, verify->parting.after);
    log.only = verify->parting.nodes[0];
    if (more)
        world_run(world, verify->parting.before);
    verify->event_count = log.count;
    for (; verify->reported < log.count && verify->reported < VERIFY_EVENTS; verify->reported++)
        verify->events[verify->reported] =
            eventlog_tell(&log, &log.events[verify->reported], &verify->arena);
    eventlog_fini(&log);
    world_free(world);
}

static void find_parting(struct store *then, struct store *now, struct verify *verify,
                         const struct scenario *scenario, struct diag *diag)
{
    checkpoint_compare(then, now, &verify->parting);
    if (!verify->parting.parted)
        return;
    checkpoint_nodes(&verify->parting, now, verify->nodes);
    tell_events(verify, scenario, diag);
}

/* ------------------------------------------------------------------ repeated run */

/* The run to repeat, and what to compare it with. */
struct again {
    struct store *then;
    const struct scenario *scenario;
    struct run_options options;
    bool whole; /* simulate to the end, where the digest is */
};

static enum verify_end judge_runs(const struct again *again, struct run *run, struct verify *verify,
                                  struct diag *diag)
{
    struct store *now = record_store(run->record);
    digest_format(&run->result.digest, verify->digest_now);
    if (again->whole && strcmp(verify->digest_now, verify->digest_then) == 0)
        return VERIFY_EQUAL;
    if (again->whole)
        find_difference(again->then, now, verify);
    find_parting(again->then, now, verify, again->scenario, diag);
    return again->whole || verify->parting.parted ? VERIFY_DIFFERENT : VERIFY_EQUAL_SO_FAR;
}

static enum verify_end play_again(const struct again *again, struct verify *verify,
                                  struct diag *diag)
{
    struct run run;
    const enum run_end end = run_scenario(&run, again->scenario, &again->options, diag);
    enum verify_end verdict = VERIFY_BROKEN;
    if (end == RUN_DONE && strcmp(run.result.status, "interrupted") != 0)
        verdict = judge_runs(again, &run, verify, diag);
    else
        snprintf(verify->difference, sizeof verify->difference, "%s",
                 end == RUN_DONE ? "interrupted" : run.error);
    run_close(&run);
    return verdict;
}

/* A run without a digest must be marked as cut off. */
static bool read_end(struct store *store, struct verify *verify)
{
    char words[STORE_ERROR_BYTES];
    store_ask_text(store, "SELECT digest FROM meta", verify->digest_then,
                   sizeof verify->digest_then);
    const bool cut = stored_is_cut(store, words);
    verify->reached = cut ? stored_reached(store) : -1;
    if (!cut && verify->digest_then[0] == '\0')
        snprintf(verify->difference, sizeof verify->difference, "%s",
                 store_error(store) != NULL ? store_error(store) : "the run has no digest");
    return cut || verify->digest_then[0] != '\0';
}

static enum verify_end verify_store(struct store *store, time_ps until, bool progress,
                                    struct verify *verify, struct diag *diag)
{
    if (!read_end(store, verify))
        return VERIFY_UNUSABLE;
    struct stored stored;
    enum verify_end verdict = VERIFY_UNUSABLE;
    snprintf(verify->difference, sizeof verify->difference, "its scenario cannot be loaded");
    if (stored_load(&stored, store, diag)) {
        const time_ps end = store_ask_int(store, "SELECT simulated_ps+drain_ps FROM meta", 0);
        const bool whole = verify->digest_then[0] != '\0' && until >= end;
        const struct again again = {
            .then = store,
            .scenario = stored.scenario,
            .options = {.until = !whole && until < stored.until ? until : stored.until,
                        .progress = progress},
            .whole = whole,
        };
        verdict = play_again(&again, verify, diag);
    }
    stored_free(&stored);
    return verdict;
}

enum verify_end verify_run(const char *path, time_ps until, bool progress, struct verify *verify,
                           struct diag *diag)
{
    *verify = (struct verify){.reached = -1};
    struct store *store = stored_open(path, verify->difference);
    if (store == NULL)
        return VERIFY_UNUSABLE;
    const enum verify_end verdict = verify_store(store, until, progress, verify, diag);
    store_close(store);
    return verdict;
}

void verify_free(struct verify *verify)
{
    arena_free(&verify->arena);
}

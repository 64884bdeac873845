/* SPDX-License-Identifier: Apache-2.0
 * verify - from rows back to a scenario. */
#include "replay/verify.h"

#include "base/check.h"
#include "scenarios/embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The stored input.  The texts are copies: rows are gone with the next step. */
struct stored {
    struct scenario_source *files; /* the first is the scenario */
    char **sets;
    uint32_t file_count, set_count;
};

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    CHECK(copy != NULL);
    return copy;
}

static void *room_for(struct store *store, const char *count_sql, size_t bytes)
{
    const int64_t count = store_ask_int(store, count_sql, 0);
    void *memory = calloc((size_t)(count < 0 ? 0 : count) + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

static void read_stored(struct store *store, struct stored *stored)
{
    *stored = (struct stored){0};
    stored->files = room_for(store, "SELECT count(*) FROM source", sizeof *stored->files);
    stored->sets = room_for(store, "SELECT count(*) FROM set_option", sizeof *stored->sets);
    struct store_statement *rows =
        store_prepare(store, "SELECT name, text FROM source ORDER BY position");
    while (store_step(rows)) {
        struct scenario_source *file = &stored->files[stored->file_count++];
        file->name = copy_of(store_text(rows, 0));
        file->text = copy_of(store_text(rows, 1));
        file->length = strlen(file->text);
    }
    store_finish(rows);
    rows = store_prepare(store, "SELECT text FROM set_option ORDER BY position");
    while (store_step(rows))
        stored->sets[stored->set_count++] = copy_of(store_text(rows, 0));
    store_finish(rows);
}

static void free_stored(struct stored *stored)
{
    for (uint32_t i = 0; i < stored->file_count; i++) {
        free((void *)(uintptr_t)stored->files[i].name);
        free((void *)(uintptr_t)stored->files[i].text);
    }
    for (uint32_t i = 0; i < stored->set_count; i++)
        free(stored->sets[i]);
    free(stored->files);
    free(stored->sets);
}

/* The first row of `sql` (name, value as text) that is not the same in both, as a sentence. */
static bool differ(struct store *then, struct store *now, const char *sql,
                   char difference[STORE_ERROR_BYTES])
{
    struct store_statement *a = store_prepare(then, sql), *b = store_prepare(now, sql);
    bool found = false;
    while (!found) {
        const bool more_a = store_step(a), more_b = store_step(b);
        if (!more_a && !more_b)
            break;
        const char *name = store_text(more_a ? a : b, 0);
        const char *was = more_a ? store_text(a, 1) : "missing";
        const char *is = more_b ? store_text(b, 1) : "missing";
        const bool same_name = more_a && more_b && strcmp(name, store_text(b, 0)) == 0;
        found = !same_name || strcmp(was, is) != 0;
        if (found)
            snprintf(difference, STORE_ERROR_BYTES, "%.150s was %.150s and is %.150s", name, was,
                     same_name || !more_b ? is : "another quantity");
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
                     "SELECT path, value FROM result WHERE path NOT IN ('digest','status')"
                     " ORDER BY position",
                     verify->difference) &&
             !differ(then, now, "SELECT 'the digest of '||name, digest FROM node ORDER BY node",
                     verify->difference))
        snprintf(verify->difference, sizeof verify->difference,
                 "no recorded quantity differs, only the digest");
}

static enum verify_end play_again(struct store *then, const struct scenario *scenario,
                                  const struct run_options *options, struct verify *verify,
                                  struct diag *diag)
{
    struct run run;
    const enum run_end end = run_scenario(&run, scenario, options, diag);
    enum verify_end verdict = VERIFY_BROKEN;
    if (end == RUN_DONE && strcmp(run.result.status, "interrupted") != 0) {
        digest_format(&run.result.digest, verify->digest_now);
        verdict =
            strcmp(verify->digest_now, verify->digest_then) == 0 ? VERIFY_EQUAL : VERIFY_DIFFERENT;
        if (verdict == VERIFY_DIFFERENT)
            find_difference(then, record_store(run.record), verify);
    } else {
        snprintf(verify->difference, sizeof verify->difference, "%s",
                 end == RUN_DONE ? "interrupted" : run.error);
    }
    run_close(&run);
    return verdict;
}

static enum verify_end verify_store(struct store *store, bool progress, struct verify *verify,
                                    struct diag *diag)
{
    store_ask_text(store, "SELECT digest FROM meta", verify->digest_then,
                   sizeof verify->digest_then);
    if (verify->digest_then[0] == '\0') {
        snprintf(verify->difference, sizeof verify->difference, "%s",
                 store_error(store) != NULL ? store_error(store)
                                            : "the run did not end, so it has no digest");
        return VERIFY_UNUSABLE;
    }
    const struct run_options options = {
        .until = store_ask_int(store, "SELECT until_ps FROM meta", TIME_NEVER),
        .progress = progress,
    };
    struct stored stored;
    read_stored(store, &stored);
    const struct scenario_input input = {
        .name = stored.file_count > 0 ? stored.files[0].name : "",
        .text = stored.file_count > 0 ? stored.files[0].text : "",
        .length = stored.file_count > 0 ? stored.files[0].length : 0,
        .files = stored.files,
        .file_count = stored.file_count,
        .sets = (const char *const *)stored.sets,
        .set_count = stored.set_count,
    };
    struct scenario *scenario = scenario_load(&input, diag);
    enum verify_end verdict = VERIFY_UNUSABLE;
    snprintf(verify->difference, sizeof verify->difference, "its scenario cannot be loaded");
    if (scenario != NULL && options.until > 0)
        verdict = play_again(store, scenario, &options, verify, diag);
    scenario_free(scenario);
    free_stored(&stored);
    return verdict;
}

enum verify_end verify_run(const char *path, bool progress, struct verify *verify,
                           struct diag *diag)
{
    *verify = (struct verify){0};
    struct store *store = store_open(path, verify->difference);
    if (store == NULL)
        return VERIFY_UNUSABLE;
    const enum verify_end verdict = verify_store(store, progress, verify, diag);
    store_close(store);
    return verdict;
}

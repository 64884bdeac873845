/* SPDX-License-Identifier: Apache-2.0
 * stored - loads a scenario from the rows of a database.
 * Texts are copied, because rows are only valid until the next step. */
#include "replay/database/stored.h"

#include "base/memory.h"
#include "replay/database/record_schema.h"
#include "replay/database/words.h"
#include "scenarios/embedded.h"
#include "scenarios/format/filekind.h"
#include "scenarios/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN_BYTES = 128 };

static int64_t format_of(struct store *store)
{
    return store_ask_int(store, "SELECT format FROM meta", 0);
}

/* "written by a later stormglass, 1.2.0, in format 7" */
static void tell_origin(struct store *store, const char *which, char text[ORIGIN_BYTES])
{
    char version[40];
    store_ask_text(store, "SELECT version FROM meta", version, sizeof version);
    snprintf(text, ORIGIN_BYTES, "written by %s stormglass, %s, in format %lld", which, version,
             (long long)format_of(store));
}

bool stored_is_readable(struct store *store, char why[STORE_ERROR_BYTES])
{
    char origin[ORIGIN_BYTES];
    if (format_of(store) <= RECORD_FORMAT)
        return true;
    tell_origin(store, "a later", origin);
    snprintf(why, STORE_ERROR_BYTES, "%s; this is %s, which reads formats up to %d", origin,
             stormglass_version, RECORD_FORMAT);
    return false;
}

bool stored_is_of_today(struct store *store, char why[STORE_ERROR_BYTES])
{
    char origin[ORIGIN_BYTES];
    if (format_of(store) >= RECORD_FORMAT || store_error(store) != NULL)
        return true;
    tell_origin(store, "an earlier", origin);
    snprintf(why, STORE_ERROR_BYTES,
             "%s, which lacks this data; this is %s, of format %d: read it with the version that "
             "wrote it, or run its scenario again",
             origin, stormglass_version, RECORD_FORMAT);
    return false;
}

static bool is_of_run(struct store *store, const char *path, char why[STORE_ERROR_BYTES])
{
    if (store_kind(store) == STORE_RUN)
        return true;
    const char *words = filekind_words(filekind_of_file(path));
    snprintf(why, STORE_ERROR_BYTES, "not a run database: this is %s",
             words == NULL ? store_kind_words(store_kind(store)) : words);
    return false;
}

struct store *stored_open(const char *path, char why[STORE_ERROR_BYTES])
{
    char blame[STORE_ERROR_BYTES];
    struct store *store = store_open(path, why);
    if (store != NULL && (!is_of_run(store, path, why) || !stored_is_readable(store, why))) {
        store_close(store);
        return NULL;
    }
    if (store != NULL && !stored_is_of_today(store, blame))
        store_blame(store, blame);
    return store;
}

time_ps stored_reached(struct store *store)
{
    static const char has[] = "SELECT 1 FROM pragma_table_info('meta') WHERE name='reached_ps'";
    return store_ask_int(store, has, 0) == 0
               ? -1
               : store_ask_int(store, "SELECT reached_ps FROM meta", -1);
}

bool stored_is_cut(struct store *store, char why[STORE_ERROR_BYTES])
{
    if (store_ask_int(store, "SELECT status='running' FROM meta", 0) == 0)
        return false;
    const time_ps reached = stored_reached(store);
    const bool measured = store_ask_int(store, "SELECT count(*) FROM measured", 0) > 0;
    const double duration = (double)store_ask_int(store, "SELECT duration_ps FROM meta", 0);
    if (reached < 0 || measured)
        snprintf(why, STORE_ERROR_BYTES, "the run did not end");
    else
        snprintf(why, STORE_ERROR_BYTES,
                 "the run did not end: it stops at %s of %s; stormglass replay completes it",
                 words_time(reached).text, words_time((time_ps)duration).text);
    return true;
}

static void *room_for(struct store *store, const char *count_sql, size_t bytes)
{
    const int64_t count = store_ask_int(store, count_sql, 0);
    return memory_zeroed(count < 0 ? 0 : (size_t)count, bytes);
}

static void read_texts(struct stored *stored, struct store *store)
{
    stored->files = room_for(store, "SELECT count(*) FROM source", sizeof *stored->files);
    stored->sets = room_for(store, "SELECT count(*) FROM set_option", sizeof *stored->sets);
    struct store_statement *rows =
        store_prepare(store, "SELECT name, text FROM source ORDER BY position");
    while (store_step(rows)) {
        struct scenario_source *file = &stored->files[stored->file_count++];
        file->name = memory_text(store_raw_text(rows, "name"));
        file->text = memory_text(store_raw_text(rows, "text"));
        file->length = strlen(file->text);
    }
    store_finish(rows);
    rows = store_prepare(store, "SELECT text FROM set_option ORDER BY position");
    while (store_step(rows))
        stored->sets[stored->set_count++] = memory_text(store_raw_text(rows, "text"));
    store_finish(rows);
}

bool stored_load(struct stored *stored, struct store *store, struct diag *diag)
{
    *stored =
        (struct stored){.until = store_ask_int(store, "SELECT until_ps FROM meta", TIME_NEVER)};
    read_texts(stored, store);
    const struct scenario_source empty = {.name = "", .text = ""};
    const struct scenario_source *first = stored->file_count > 0 ? stored->files : &empty;
    const struct scenario_input input = {
        .name = first->name,
        .text = first->text,
        .length = first->length,
        .files = stored->files,
        .file_count = stored->file_count,
        .sets = (const char *const *)stored->sets,
        .set_count = stored->set_count,
    };
    if (stored->until > 0)
        stored->scenario = scenario_load(&input, diag);
    return stored->scenario != NULL;
}

void stored_free(struct stored *stored)
{
    scenario_free(stored->scenario);
    for (uint32_t i = 0; i < stored->file_count; i++) {
        free((void *)(uintptr_t)stored->files[i].name);
        free((void *)(uintptr_t)stored->files[i].text);
    }
    for (uint32_t i = 0; i < stored->set_count; i++)
        free(stored->sets[i]);
    free(stored->files);
    free(stored->sets);
    *stored = (struct stored){0};
}

/* SPDX-License-Identifier: Apache-2.0
 * stormglass - the library's functions; see stormglass.h and stormglass(3).
 * A run is what `stormglass run` does: library_load, run_scenario, json_run and text_run.
 * Texts are formatted in the C locale, whatever the locale of the process. */
#include "cli/library/stormglass.h"

#include "base/memory.h"
#include "cli/library/results.h"
#include "cli/library/settings.h"
#include "scenarios/embedded.h"
#include "scenarios/load/library.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MAX = 4096, SET_BYTES_MAX = 1 << 20, TEXT_BYTES_MAX = 64 << 20 };

struct stormglass {
    struct settings settings;
    char **sets;
    uint32_t set_count, set_room;
    unsigned kinds;
    stormglass_listener *hear;
    void *self;
    struct listener listener; /* of the run's events */
    atomic_int stop;          /* stormglass_stop was called */
    bool running;
    char *messages;
    struct results results; /* of the last run, if it has any */
};

/* Causes are confirmed in processes of their own (replay/run/jobs.h). A process that is forked
 * while another thread is inside SQLite would wait forever for a lock of that thread. So a run that
 * may fork excludes all other runs of the process. */
static pthread_rwlock_t forks = PTHREAD_RWLOCK_INITIALIZER;

#define X(name, word)                                                                              \
    _Static_assert(STORMGLASS_##name == 1 << LISTENER_##name, "the bits of the kinds differ");
X(PACKET, "")
X(DROP, "")
X(PAUSE, "") X(RESUME, "") X(PAUSED, "") X(CONTINUED, "") X(COMPLETED, "") X(STATE, "") X(NOTE, "")
    X(PROGRESS, "")
#undef X
        _Static_assert(STORMGLASS_ERROR == 1 << LISTENER_FAILED, "the bits of the kinds differ");
_Static_assert(STORMGLASS_ALL == (1 << LISTENER_KINDS) - 1, "the bits of the kinds differ");

/* ---- the C locale, for the calling thread ---- */

struct locales {
    locale_t plain, former;
};

static struct locales begin_plain(void)
{
    struct locales locales = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (locales.plain != (locale_t)0)
        locales.former = uselocale(locales.plain);
    return locales;
}

static void end_plain(const struct locales *locales)
{
    if (locales->plain == (locale_t)0)
        return;
    uselocale(locales->former);
    freelocale(locales->plain);
}

/* ---- texts ---- */

static void replace_text(char **text, char *with)
{
    free(*text);
    *text = with;
}

/* One message without a place. */
static enum stormglass_end refuse(struct stormglass *run, enum stormglass_end end,
                                  const char *subject, const char *why)
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    fprintf(stream, "error: %s%s%s\n", subject, *subject == '\0' ? "" : ": ", why);
    memory_stream_end(stream);
    replace_text(&run->messages, text);
    return end;
}

static void keep_messages(struct stormglass *run, const struct diag *diag)
{
    char *text;
    size_t length;
    FILE *stream = memory_stream(&text, &length);
    diag_print(diag, stream);
    memory_stream_end(stream);
    replace_text(&run->messages, text);
}

/* ---- a handle ---- */

const char *stormglass_library_version(void)
{
    return stormglass_version;
}

struct stormglass *stormglass_new(void)
{
    struct stormglass *run = memory_aligned_or_null(1, sizeof *run, sizeof(void *));
    if (run != NULL)
        settings_init(&run->settings);
    return run;
}

static void forget_sets(struct stormglass *run)
{
    for (uint32_t i = 0; i < run->set_count; i++)
        free(run->sets[i]);
    run->set_count = 0;
}

static void forget_results(struct stormglass *run)
{
    replace_text(&run->messages, NULL);
    results_free(&run->results);
}

void stormglass_free(struct stormglass *run)
{
    if (run == NULL || run->running)
        return;
    forget_results(run);
    forget_sets(run);
    free(run->sets);
    settings_free(&run->settings);
    free(run);
}

enum stormglass_end stormglass_option(struct stormglass *run, const char *name, const char *value)
{
    char why[SETTINGS_WHY_BYTES];
    if (run->running)
        return STORMGLASS_INVALID;
    replace_text(&run->messages, NULL);
    if (name == NULL)
        return refuse(run, STORMGLASS_INVALID, "", "expected the name of an option");
    return settings_read(&run->settings, name, value, why)
               ? STORMGLASS_MET
               : refuse(run, STORMGLASS_INVALID, name, why);
}

enum stormglass_end stormglass_set(struct stormglass *run, const char *path, const char *value)
{
    if (run->running)
        return STORMGLASS_INVALID;
    replace_text(&run->messages, NULL);
    if (path == NULL) {
        forget_sets(run);
        return STORMGLASS_MET;
    }
    if (value == NULL || strchr(path, '=') != NULL || strlen(path) + strlen(value) >= SET_BYTES_MAX)
        return refuse(run, STORMGLASS_INVALID, "set", "expected a path and a value");
    if (run->set_count == SETS_MAX)
        return refuse(run, STORMGLASS_INVALID, path, "expected at most 4096 changes");
    const size_t size = strlen(path) + strlen(value) + 2;
    char *set = memory_zeroed(size, 1);
    snprintf(set, size, "%s=%s", path, value);
    run->sets = memory_grown(run->sets, run->set_count, &run->set_room, sizeof *run->sets);
    run->sets[run->set_count++] = set;
    return STORMGLASS_MET;
}

void stormglass_listen(struct stormglass *run, unsigned kinds, stormglass_listener *listener,
                       void *self)
{
    if (run->running)
        return;
    run->kinds = listener == NULL ? 0 : kinds & STORMGLASS_ALL;
    run->hear = listener;
    run->self = self;
}

void stormglass_stop(struct stormglass *run)
{
    atomic_store(&run->stop, 1);
}

/* ---- runs ---- */

/* Hears of progress in any case, so that a call of stormglass_stop is noticed. */
static bool hear(void *self, const struct listener_event *event)
{
    struct stormglass *run = self;
    const unsigned kind = 1U << event->kind;
    const struct stormglass_event told = {
        .kind = kind,
        .priority = event->priority,
        .at_ps = event->at,
        .took_ps = event->took,
        .bytes = event->bytes,
        .word = listener_words[event->kind],
        .place = event->place,
        .workload = event->workload == NULL ? "" : event->workload,
        .text = event->text,
    };
    if (atomic_load(&run->stop) != 0)
        return false;
    return (run->kinds & kind) == 0 || run->hear(run->self, &told) == 0;
}

static enum stormglass_end keep_results(struct stormglass *run, struct run *done)
{
    struct store *store = record_store(done->record);
    if (!results_read(&run->results, store))
        return refuse(run, STORMGLASS_FAILED, "the results could not be read",
                      store_error(store) != NULL ? store_error(store) : strerror(errno));
    if (strcmp(done->result.status, "complete") != 0)
        return STORMGLASS_STOPPED;
    return result_held(&done->result) ? STORMGLASS_MET : STORMGLASS_UNMET;
}

static enum stormglass_end run_loaded(struct stormglass *run, const struct scenario *scenario,
                                      const struct run_options *how, struct diag *diag)
{
    struct run done;
    const char *subject = how->path != NULL ? how->path : "the run";
    enum stormglass_end end = STORMGLASS_INVALID;
    switch (run_scenario(&done, scenario, how, diag)) {
    case RUN_DONE:
        keep_messages(run, diag);
        end = keep_results(run, &done);
        break;
    case RUN_REFUSED:
        keep_messages(run, diag);
        break;
    case RUN_BROKEN:
        end = refuse(run, STORMGLASS_FAILED, subject, done.error);
        break;
    }
    if (!run_close(&done) && end != STORMGLASS_FAILED)
        end = refuse(run, STORMGLASS_FAILED, subject, "the last writes failed");
    if (end == STORMGLASS_FAILED)
        results_free(&run->results);
    return end;
}

static enum stormglass_end check_and_run(struct stormglass *run, const struct scenario *scenario,
                                         struct diag *diag)
{
    char why[SETTINGS_WHY_BYTES];
    const char *name;
    struct settings now = run->settings; /* limits depend on the other options */
    now.how.judge_self = &now.confirm;
    settings_limit(&now);
    if (!settings_fit(&now, scenario, &name, why))
        return refuse(run, STORMGLASS_INVALID, name, why);
    run->listener =
        (struct listener){.kinds = run->kinds | STORMGLASS_PROGRESS, .hear = hear, .self = run};
    now.how.listener = &run->listener;
    if (now.how.judge != NULL)
        pthread_rwlock_wrlock(&forks);
    else
        pthread_rwlock_rdlock(&forks);
    const enum stormglass_end end = run_loaded(run, scenario, &now.how, diag);
    pthread_rwlock_unlock(&forks);
    return end;
}

/* Returns the scenario of the source, or of the file `source->name` without a text. */
static struct scenario *load(struct stormglass *run, const struct scenario_source *source,
                             struct diag *diag)
{
    const char **sets = memory_zeroed((size_t)run->set_count + 1, sizeof *sets);
    uint32_t count = run->set_count;
    for (uint32_t i = 0; i < count; i++)
        sets[i] = run->sets[i];
    if (run->settings.seed[0] != '\0')
        sets[count++] = run->settings.seed;
    struct scenario *scenario = source->text == NULL ? library_load(source->name, sets, count, diag)
                                                     : library_load_text(source, sets, count, diag);
    free(sets);
    return scenario;
}

static enum stormglass_end run_source(struct stormglass *run, const struct scenario_source *source)
{
    if (run->running)
        return STORMGLASS_INVALID;
    const struct locales locales = begin_plain();
    enum stormglass_end end = STORMGLASS_INVALID;
    forget_results(run);
    run->running = true;
    atomic_store(&run->stop, 0);
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = load(run, source, diag);
    keep_messages(run, diag);
    if (scenario != NULL)
        end = check_and_run(run, scenario, diag);
    free(diag);
    run->running = false;
    scenario_free(scenario);
    end_plain(&locales);
    return end;
}

enum stormglass_end stormglass_run_file(struct stormglass *run, const char *path)
{
    if (path == NULL || *path == '\0')
        return refuse(run, STORMGLASS_INVALID, "", "expected the path of a scenario");
    return run_source(run, &(struct scenario_source){.name = path});
}

enum stormglass_end stormglass_run_text(struct stormglass *run, const char *text, size_t length,
                                        const char *name)
{
    if (text == NULL || length > TEXT_BYTES_MAX)
        return refuse(run, STORMGLASS_INVALID, "", "expected a scenario of at most 64 MiB");
    char *copy = memory_zeroed(length + 1, 1); /* it may lack a NUL */
    memcpy(copy, text, length);
    const enum stormglass_end end = run_source(
        run, &(struct scenario_source){name == NULL ? "scenario.yaml" : name, copy, length});
    free(copy);
    return end;
}

/* ---- results ---- */

const char *stormglass_messages(const struct stormglass *run)
{
    return run->messages == NULL ? "" : run->messages;
}

const char *stormglass_json(const struct stormglass *run)
{
    return run->results.json;
}

const char *stormglass_summary(const struct stormglass *run)
{
    return run->results.summary;
}

const char *stormglass_value(const struct stormglass *run, const char *key)
{
    const struct results_value *value = key == NULL ? NULL : results_find(&run->results, key);
    return value == NULL ? NULL : value->text;
}

double stormglass_number(const struct stormglass *run, const char *key, double otherwise)
{
    const struct results_value *value = key == NULL ? NULL : results_find(&run->results, key);
    return value == NULL || !value->is_number ? otherwise : value->number;
}

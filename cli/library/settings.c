/* SPDX-License-Identifier: Apache-2.0
 * settings - reads each option, with its limits. */
#include "cli/library/settings.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "base/quantity.h"
#include "replay/database/words.h"
#include "replay/record/record_begin.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)SETTINGS_WHY_BYTES >= (int)QUANTITY_WHY_BYTES, "reasons are cut off");

static bool refuse(char why[SETTINGS_WHY_BYTES], const char *expected)
{
    snprintf(why, SETTINGS_WHY_BYTES, "%s", expected);
    return false;
}

bool settings_seed(const char *text, char set[SETTINGS_SEED_BYTES], char why[SETTINGS_WHY_BYTES])
{
    int64_t seed;
    if (!quantity_parse(QUANTITY_INT, text, &seed, why))
        return false;
    if (seed < 0) {
        snprintf(why, SETTINGS_WHY_BYTES, "expected a whole number from 0 to %" PRId64, INT64_MAX);
        return false;
    }
    snprintf(set, SETTINGS_SEED_BYTES, "seed=%" PRId64, seed);
    return true;
}

bool settings_threads(const char *text, uint32_t *threads, char why[SETTINGS_WHY_BYTES])
{
    char *end;
    if (strcmp(text, "auto") == 0) {
        *threads = RUN_THREADS_AUTO;
        return true;
    }
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || end == text || number < 1 || number > 1024)
        return refuse(why, "expected a number from 1 to 1024, or auto");
    *threads = (uint32_t)number;
    return true;
}

static bool read_seed(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    settings->seed[0] = '\0';
    return text == NULL || settings_seed(text, settings->seed, why);
}

static bool read_until(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    time_ps until = TIME_NEVER;
    refuse(why, "expected a time above 0");
    if (text != NULL && (!quantity_parse(QUANTITY_TIME, text, &until, why) || until <= 0))
        return false;
    settings->how.until = until;
    return true;
}

static bool read_threads(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    settings->how.threads = 0;
    return text == NULL || settings_threads(text, &settings->how.threads, why);
}

static bool read_record(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    settings->how.level = RECORD_SUMMARY;
    return text == NULL || record_level_find(text, &settings->how.level) ||
           refuse(why, "expected summary, counters, ios or packets");
}

static bool read_interval(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    time_ps interval = SERIES_AUTO;
    refuse(why, "expected a time, or 0");
    if (text != NULL && strcmp(text, "0") == 0)
        interval = 0;
    else if (text != NULL && (!quantity_parse(QUANTITY_TIME, text, &interval, why) || interval < 0))
        return false;
    settings->how.interval = interval;
    return true;
}

static bool read_confirm(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    int64_t events = CONFIRM_EVENTS;
    if (text != NULL && (!quantity_parse(QUANTITY_INT, text, &events, why) || events < 0))
        return refuse(why, "expected a number of events, or 0");
    settings->confirm.events = (uint64_t)events;
    settings->how.judge = events > 0 ? confirm_judge : NULL;
    settings->how.judge_self = &settings->confirm;
    return true;
}

static bool read_waits(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    settings->how.waits = text != NULL && strcmp(text, "true") == 0;
    return text == NULL || settings->how.waits || strcmp(text, "false") == 0 ||
           refuse(why, "expected true or false");
}

static bool read_output(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES])
{
    if (text != NULL && (text[0] == '\0' || strlen(text) >= PATH_MAX))
        return refuse(why, "expected the path of a file");
    free(settings->path);
    settings->path = text == NULL ? NULL : memory_text(text);
    settings->how.path = settings->path;
    return true;
}

typedef bool read_fn(struct settings *settings, const char *text, char why[SETTINGS_WHY_BYTES]);

#define SETTINGS(X) X(seed) X(until) X(threads) X(record) X(interval) X(confirm) X(waits) X(output)

const char *const settings_names[] = {
#define X(name) #name,
    SETTINGS(X)
#undef X
        NULL};

static read_fn *const readers[] = {
#define X(name) read_##name,
    SETTINGS(X)
#undef X
};

void settings_init(struct settings *settings)
{
    char why[SETTINGS_WHY_BYTES];
    *settings = (struct settings){0};
    for (int i = 0; settings_names[i] != NULL; i++)
        readers[i](settings, NULL, why);
}

void settings_free(struct settings *settings)
{
    free(settings->path);
    *settings = (struct settings){0};
}

bool settings_read(struct settings *settings, const char *name, const char *value,
                   char why[SETTINGS_WHY_BYTES])
{
    struct nearest nearest = nearest_to(name);
    for (int i = 0; settings_names[i] != NULL; i++) {
        if (strcmp(settings_names[i], name) == 0)
            return readers[i](settings, value, why);
        nearest_offer(&nearest, settings_names[i]);
    }
    snprintf(why, SETTINGS_WHY_BYTES, "unknown option%s", nearest_hint(&nearest).text);
    return false;
}

bool settings_limit(struct settings *settings)
{
    struct run_options *how = &settings->how;
    how->waits = how->waits || how->level == RECORD_PACKETS;
    if (how->path != NULL)
        return false;
    const bool records = how->level != RECORD_SUMMARY || how->interval > 0;
    how->level = RECORD_SUMMARY;
    how->interval = 0;
    how->brief = true;
    return records;
}

bool settings_fit(const struct settings *settings, const struct scenario *scenario,
                  const char **name, char why[SETTINGS_WHY_BYTES])
{
    _Static_assert((int)SETTINGS_WHY_BYTES >= (int)OUTPUT_WHY_BYTES, "reasons are cut off");
    const struct run_options *how = &settings->how;
    *name = "output";
    if (!record_begin_may(how->path, scenario, why))
        return false;
    if (how->interval <= 0 || scenario->duration / how->interval <= SERIES_SAMPLES_MAX)
        return true;
    *name = "interval";
    snprintf(
        why, SETTINGS_WHY_BYTES, "expected at least a millionth of the scenario's duration, %s",
        words_time((scenario->duration / SERIES_SAMPLES_MAX / PS_PER_NS + 1) * PS_PER_NS).text);
    return false;
}

/* SPDX-License-Identifier: Apache-2.0
 * fuzz_library - any bytes as a scenario from memory, run twice by libstormglass. Behind a form
 * feed are calls that come first, a line each: "option NAME VALUE", "set PATH VALUE", "listen
 * KINDS".
 * What is refused has a message and no results; what was run has a digest, the same both times.
 * Reads: cli/library/stormglass.c cli/library/settings.c cli/library/results.c */
#include "base/check.h"
#include "base/digest.h"
#include "cli/library/stormglass.h"
#include "scenarios/load/library.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { NODES_MAX = 64, PAIRS_MAX = 256, EVENTS_MAX = 2000, PROGRESS_MAX = 50, LINE_BYTES = 256 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct heard {
    unsigned kinds;
    uint32_t events, progress;
};

/* Ends runs that would take long. */
static int hear(void *self, const struct stormglass_event *event)
{
    struct heard *heard = self;
    CHECK((event->kind & heard->kinds) == event->kind && (event->kind & (event->kind - 1)) == 0);
    CHECK(event->at_ps >= 0 && event->took_ps >= -1 && event->bytes >= -1);
    CHECK(event->priority >= -1 && event->priority < 8);
    CHECK(event->word[0] != '\0' && strlen(event->place) + strlen(event->text) < SIZE_MAX);
    CHECK(event->workload != NULL);
    if (event->kind == STORMGLASS_PROGRESS)
        return ++heard->progress > PROGRESS_MAX;
    return ++heard->events > EVENTS_MAX;
}

/* True if the library may run it: its options are set, and it is small. */
static bool is_small(const char *text, size_t length)
{
    struct diag *diag = calloc(1, sizeof *diag);
    CHECK(diag != NULL);
    const struct scenario_source source = {"fuzz.yaml", text, length};
    struct scenario *scenario = library_load_text(&source, NULL, 0, diag);
    uint64_t pairs = 0;
    for (uint32_t i = 0; scenario != NULL && i < scenario->workload_count; i++)
        pairs += scenario->workloads[i].pair_count;
    const bool small =
        scenario == NULL || (scenario->node_count <= NODES_MAX && pairs <= PAIRS_MAX);
    scenario_free(scenario);
    free(diag);
    return small;
}

/* No database is written, and no process or thread is started for a run. */
static void call(struct stormglass *run, char *line, struct heard *heard)
{
    char *name = strchr(line, ' ');
    if (name != NULL)
        *name++ = '\0';
    char *value = name == NULL ? NULL : strchr(name, ' ');
    if (value != NULL)
        *value++ = '\0';
    enum stormglass_end end;
    if (strcmp(line, "option") == 0 && (name == NULL || strcmp(name, "output") != 0))
        end = stormglass_option(run, name, value);
    else if (strcmp(line, "set") == 0)
        end = stormglass_set(run, name, value);
    else {
        if (strcmp(line, "listen") == 0 && name != NULL)
            heard->kinds = (unsigned)strtoul(name, NULL, 0) & STORMGLASS_ALL;
        return;
    }
    CHECK(end == STORMGLASS_MET || end == STORMGLASS_INVALID);
    CHECK((end == STORMGLASS_INVALID) == (strstr(stormglass_messages(run), "error: ") != NULL));
}

static void make_calls(struct stormglass *run, const char *text, size_t size, struct heard *heard)
{
    char line[LINE_BYTES];
    heard->kinds = STORMGLASS_ALL;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end == NULL ? size - at : (size_t)(end - text) - at;
        snprintf(line, sizeof line, "%.*s", (int)(length < LINE_BYTES ? length : LINE_BYTES),
                 text + at);
        call(run, line, heard);
        at += length + 1;
    }
    heard->kinds |= STORMGLASS_PROGRESS;
    stormglass_listen(run, heard->kinds, hear, heard);
    CHECK(stormglass_option(run, "confirm", "0") == STORMGLASS_MET);
    CHECK(stormglass_option(run, "threads", NULL) == STORMGLASS_MET);
    CHECK(stormglass_option(run, "until", "20us") == STORMGLASS_MET);
}

/* Runs it; true with the digest if the run is complete. */
static bool play(struct stormglass *run, const char *text, size_t length, char *digest)
{
    const enum stormglass_end end = stormglass_run_text(run, text, length, "fuzz.yaml");
    if (end == STORMGLASS_INVALID || end == STORMGLASS_FAILED) {
        CHECK(strstr(stormglass_messages(run), "error: ") != NULL);
        CHECK(stormglass_json(run) == NULL && stormglass_summary(run) == NULL);
        CHECK(stormglass_value(run, "digest") == NULL);
        CHECK(stormglass_number(run, "workloads[0].completed", -7) == -7);
        return false;
    }
    const char *found = stormglass_value(run, "digest"), *status = stormglass_value(run, "status");
    CHECK(found != NULL && status != NULL && strlen(found) < DIGEST_TEXT_BYTES);
    CHECK((strcmp(status, "complete") == 0) == (end != STORMGLASS_STOPPED));
    CHECK(strstr(stormglass_json(run), found) != NULL);
    CHECK(strstr(stormglass_summary(run), "Harm") != NULL || end == STORMGLASS_STOPPED);
    CHECK(stormglass_value(run, "no.such.key") == NULL);
    snprintf(digest, DIGEST_TEXT_BYTES, "%s", found);
    return end != STORMGLASS_STOPPED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    const char *calls = size == 0 ? NULL : memchr(text, '\f', size);
    const size_t length = calls == NULL ? size : (size_t)(calls - text);
    char first[DIGEST_TEXT_BYTES], second[DIGEST_TEXT_BYTES];
    struct heard heard = {0};
    if (size == 0 || !is_small(text, length))
        return 0;
    struct stormglass *run = stormglass_new();
    CHECK(run != NULL);
    make_calls(run, calls == NULL ? text : calls + 1, calls == NULL ? 0 : size - length - 1,
               &heard);
    const bool complete = play(run, text, length, first);
    heard.events = heard.progress = 0;
    if (play(run, text, length, second) && complete)
        CHECK(strcmp(first, second) == 0);
    stormglass_free(run);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * fuzz_watch - any bytes as the state of watch, and behind a form feed as a new dump.
 * What is read is compared with the dump, written and read again, or there is a located error.
 * Reads: replay/incident/watch_state.c scenarios/incident/incident_past.c */
#include "base/check.h"
#include "reports/incident/watch_text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const struct watch_look *look, const struct watch_state *state,
                           const struct incident *incident)
{
    static struct diag diag;
    char *text;
    size_t length;
    struct watch_state again = {0};
    FILE *out = open_memstream(&text, &length);
    CHECK(out != NULL);
    watch_state_write(look, state, incident, out);
    CHECK(fclose(out) == 0);
    diag = (struct diag){0};
    const struct tree_file *file = tree_hold(&again.arena, "again.json", text, length);
    CHECK(watch_state_read(&again, file, &diag));
    CHECK(again.pattern_count == look->pattern_count);
    CHECK(again.past.number_count <= incident->next->number_count);
    watch_state_free(&again);
    free(text);
}

static void look_at(const struct watch_state *state, const char *dump, size_t length)
{
    static struct diag diag;
    const struct incident_text text = {"host0.txt", dump, length};
    const struct incident_ask ask = {.texts = &text, .text_count = 1, .past = &state->past};
    struct incident incident;
    struct triage triage;
    struct watch_look look;
    diag = (struct diag){0};
    if (incident_read(&incident, &ask, &diag)) {
        triage_make(&triage, &incident);
        watch_compare(&look, state, &incident, &triage, "2026-11-28T12:00:00Z");
        CHECK(look.began_count <= look.pattern_count);
        CHECK(look.ended_count <= state->pattern_count);
        write_and_read(&look, state, &incident);
        watch_look_free(&look);
        triage_free(&triage);
    }
    incident_free(&incident);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct watch_state state = {0};
    const char *text = arena_text(&state.arena, size == 0 ? "" : (const char *)data, size);
    const char *cut = memchr(text, '\f', size);
    const size_t length = cut == NULL ? size : (size_t)(cut - text);
    const char *own = arena_text(&state.arena, text, length);
    diag = (struct diag){0};
    const bool fine =
        watch_state_read(&state, tree_hold(&state.arena, "state.json", own, length), &diag);
    CHECK(fine == !diag_failed(&diag));
    if (fine)
        look_at(&state, cut == NULL ? "" : cut + 1, cut == NULL ? 0 : size - length - 1);
    watch_state_free(&state);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * watch - which patterns are new, and which have ended. */
#include "replay/incident/watch.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_same(const struct watch_pattern *a, const struct watch_pattern *b)
{
    if (a->kind != b->kind)
        return false;
    if (same_text(a->device, b->device) && same_text(a->port, b->port))
        return true;
    return a->port != NULL && a->peer != NULL && same_text(a->device, b->peer) &&
           same_text(a->port, b->peer_port) && same_text(a->peer, b->device) &&
           same_text(a->peer_port, b->port);
}

static const struct watch_pattern *find_pattern(const struct watch_pattern *patterns, size_t count,
                                                const struct watch_pattern *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (is_same(&patterns[i], wanted))
            return &patterns[i];
    return NULL;
}

static void add_pattern(struct watch_look *look, struct watch_pattern pattern)
{
    struct watch_pattern *slot = arena_push(&look->arena, (void **)(void *)&look->patterns,
                                            &look->pattern_count, sizeof *slot);
    *slot = pattern;
}

/* ---- patterns of this look ---- */

static bool is_pattern(const struct triage *triage, size_t index)
{
    return triage_is_fault(&triage->suspects[index]) ||
           (index == 0 && triage->verdict == TRIAGE_OVERLOAD);
}

static void take_suspect(struct watch_look *look, const struct watch_state *state,
                         const struct triage_suspect *suspect)
{
    struct watch_pattern pattern = {.kind = suspect->kind,
                                    .device = suspect->device,
                                    .port = suspect->port,
                                    .peer = suspect->peer,
                                    .peer_port = suspect->peer_port,
                                    .since = look->time};
    if (find_pattern(look->patterns, look->pattern_count, &pattern) != NULL)
        return;
    const struct watch_pattern *before =
        find_pattern(state->patterns, state->pattern_count, &pattern);
    if (before != NULL)
        pattern.since = before->since;
    add_pattern(look, pattern);
    if (before != NULL)
        return;
    const struct triage_suspect **slot =
        arena_push(&look->arena, (void **)(void *)&look->began, &look->began_count, sizeof *slot);
    *slot = suspect;
}

/* ---- patterns that are not seen any more ---- */

enum news { NEWS_NO_COUNTERS, NEWS_NONE, NEWS_COUNTERS };

static enum news news_of(const struct incident *incident, const char *device)
{
    const struct incident_past *next = incident->next;
    for (size_t i = 0; i < incident->count_count; i++)
        if (incident->counts[i].sample_count > 1 && strcmp(incident->counts[i].host, device) == 0)
            return NEWS_COUNTERS;
    for (size_t i = 0; i < next->number_count; i++)
        if (strcmp(next->numbers[i].host, device) == 0)
            return NEWS_NONE;
    return NEWS_NO_COUNTERS;
}

/* The other end of the cable counts, too; where neither has counters, the pattern came from a log
 * or from counters of others, and lasts until something else is new. */
static bool has_ended(const struct incident *incident, const struct watch_pattern *pattern)
{
    const enum news own = news_of(incident, pattern->device);
    const enum news peer =
        pattern->peer == NULL ? NEWS_NO_COUNTERS : news_of(incident, pattern->peer);
    if (own == NEWS_COUNTERS || peer == NEWS_COUNTERS)
        return true;
    return own == NEWS_NO_COUNTERS && peer == NEWS_NO_COUNTERS && incident->changed > 0;
}

static void take_past(struct watch_look *look, const struct incident *incident,
                      const struct watch_pattern *pattern)
{
    if (find_pattern(look->patterns, look->pattern_count, pattern) != NULL)
        return;
    if (!has_ended(incident, pattern)) {
        add_pattern(look, *pattern);
        return;
    }
    const struct watch_pattern **slot =
        arena_push(&look->arena, (void **)(void *)&look->ended, &look->ended_count, sizeof *slot);
    *slot = pattern;
}

void watch_compare(struct watch_look *look, const struct watch_state *state,
                   const struct incident *incident, const struct triage *triage, const char *time)
{
    *look = (struct watch_look){.time = time};
    if (state->past.is_empty)
        return;
    for (size_t i = 0; i < triage->suspect_count; i++)
        if (is_pattern(triage, i))
            take_suspect(look, state, &triage->suspects[i]);
    for (size_t i = 0; i < state->pattern_count; i++)
        take_past(look, incident, &state->patterns[i]);
}

void watch_look_free(struct watch_look *look)
{
    arena_free(&look->arena);
    *look = (struct watch_look){0};
}

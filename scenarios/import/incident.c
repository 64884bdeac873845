/* SPDX-License-Identifier: Apache-2.0
 * Both files become sorted lists of counters; the later one's order is that of the result. */
#include "base/memory.h"
#include "scenarios/import/incident_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static int by_name(const void *a, const void *b)
{
    const struct incident_counter *const *x = a, *const *y = b;
    const int port = strcmp((*x)->port, (*y)->port);
    return port != 0 ? port : strcmp((*x)->name, (*y)->name);
}

/* Sorted, each counter once. */
static const struct incident_counter **sorted(struct incident_reader *reader)
{
    const struct incident_list *list = &reader->list;
    const struct incident_counter **index =
        arena_array(reader->arena, list->count + 1, sizeof *index);
    for (size_t i = 0; i < list->count; i++)
        index[i] = &list->items[i];
    qsort(index, list->count, sizeof *index, by_name);
    for (size_t i = 1; i < list->count; i++)
        if (by_name(&index[i - 1], &index[i]) == 0)
            diag_add(reader->diag, DIAG_ERROR, index[i]->place, NULL,
                     "%s of %s appears twice, also in line %d", index[i]->name, index[i]->port,
                     index[i - 1]->place.line);
    return index;
}

/* ---- differences ---- */

/* The digit of "..prioN.." or -1. */
static int priority_of(const char *name)
{
    const char *prio = strstr(name, "prio");
    return prio != NULL && prio[4] >= '0' && prio[4] <= '7' ? prio[4] - '0' : -1;
}

/* `more`: what follows the counter's name. */
static void put(FILE *out, const struct incident_counter *counter, const char *more, bool first)
{
    const int priority = priority_of(counter->name);
    fprintf(out, "%s\n  {\"port\": \"%s\", \"priority\": ", first ? "" : ",", counter->port);
    if (priority >= 0)
        fprintf(out, "%d", priority);
    else
        fputs("null", out);
    fprintf(out, ", \"name\": \"%s\"%s}", counter->name, more);
}

static void note(FILE *notes, const struct incident_counter *counter, const char *text)
{
    fprintf(notes, "%s:%d:%d: note: %s of %s %s\n", counter->place.file, counter->place.line,
            counter->place.column, counter->name, counter->port, text);
}

static const struct incident_counter *find(const struct incident_counter **index, size_t count,
                                           const struct incident_counter *wanted)
{
    const struct incident_counter **found = bsearch(&wanted, index, count, sizeof *index, by_name);
    return found == NULL ? NULL : *found;
}

static void put_moved(const struct incident_counter **old, size_t old_count,
                      const struct incident_reader *after, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < after->list.count; i++) {
        const struct incident_counter *now = &after->list.items[i];
        const struct incident_counter *then = find(old, old_count, now);
        char more[64];
        if (then == NULL)
            note(after->notes, now, "is not in the earlier file: left out");
        else if (then->value > now->value)
            note(after->notes, now, "decreased, so it was reset in between: left out");
        if (then == NULL || then->value >= now->value)
            continue;
        snprintf(more, sizeof more, ", \"difference\": %lld",
                 (long long)(now->value - then->value));
        put(out, now, more, first);
        first = false;
    }
}

static void put_unmoved(const struct incident_counter **old, size_t old_count,
                        const struct incident_reader *after, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < after->list.count; i++) {
        const struct incident_counter *now = &after->list.items[i];
        const struct incident_counter *then = find(old, old_count, now);
        if (then == NULL || then->value != now->value)
            continue;
        put(out, now, "", first);
        first = false;
    }
}

static void compare(struct incident_reader *before, struct incident_reader *after, FILE *out)
{
    const struct incident_counter **old = sorted(before), **new = sorted(after);
    const size_t old_count = before->list.count;
    fputs("{\"stormglass-counters\": 1, \"counters\": [", out);
    put_moved(old, old_count, after, out);
    fputs("\n], \"unmoved\": [", out);
    put_unmoved(old, old_count, after, out);
    fputs("\n]}\n", out);
    for (size_t i = 0; i < old_count; i++)
        if (find(new, after->list.count, &before->list.items[i]) == NULL)
            note(after->notes, &before->list.items[i], "is not in the later file: left out");
}

bool incident_counters(const struct incident_input *before, const struct incident_input *after,
                       struct incident_result *result, struct diag *diag)
{
    struct arena arena = {0};
    size_t json_size, notes_size;
    *result = (struct incident_result){0};
    FILE *json = memory_stream(&result->json, &json_size);
    FILE *notes = memory_stream(&result->notes, &notes_size);
    const char *port = incident_port(&arena, after->name);
    struct incident_reader old = {.arena = &arena, .port = port, .diag = diag, .notes = notes};
    struct incident_reader new = old;
    if (incident_read(&old, before) && incident_read(&new, after))
        compare(&old, &new, json);
    memory_stream_end(json);
    memory_stream_end(notes);
    arena_free(&arena);
    if (diag_failed(diag))
        incident_free(result);
    return !diag_failed(diag);
}

void incident_free(struct incident_result *result)
{
    free(result->json);
    free(result->notes);
    *result = (struct incident_result){0};
}

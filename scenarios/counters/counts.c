/* SPDX-License-Identifier: Apache-2.0
 * counts - compares the counters before and after an incident.
 * Each side becomes a list of the counters in its files, sorted by port and name. Counters with the
 * same name in a run are added up. The result is in the order of the later side. */
#include "scenarios/counters/counts_private.h"
#include "scenarios/counters/tables.h"

#include "base/memory.h"
#include "base/plural.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

struct side {
    struct counts_reader *reader;
    const struct counts_item **index; /* sorted by port and source */
    size_t count;
};

static int by_source(const void *a, const void *b)
{
    const struct counts_item *const *x = a, *const *y = b;
    const int port = strcmp((*x)->port, (*y)->port);
    return port != 0 ? port : strcmp((*x)->source, (*y)->source);
}

static const char *shown_name(const struct counts_item *item)
{
    return item->what.name != NULL ? item->what.name : item->source;
}

static struct side sort_side(struct counts_reader *reader)
{
    const struct counts_list *list = &reader->list;
    tables_sort(reader);
    struct side side = {reader, arena_array(reader->arena, list->count + 1, sizeof *side.index),
                        list->count};
    for (size_t i = 0; i < list->count; i++)
        side.index[i] = &list->items[i];
    qsort(side.index, list->count, sizeof *side.index, by_source);
    for (size_t i = 1; i < list->count; i++)
        if (by_source(&side.index[i - 1], &side.index[i]) == 0)
            diag_add(reader->diag, DIAG_ERROR, side.index[i]->place, NULL,
                     "%s of %s appears twice, also in line %d", shown_name(side.index[i]),
                     side.index[i]->port, side.index[i - 1]->place.line);
    return side;
}

static const struct counts_item *find(const struct side *side, const struct counts_item *wanted)
{
    const struct counts_item **found =
        bsearch(&wanted, side->index, side->count, sizeof *side->index, by_source);
    return found == NULL ? NULL : *found;
}

/* True if the row is missing because its table omits zero rows and this side has the table. */
static bool is_zero_there(const struct side *side, const struct counts_item *item)
{
    return item->table != NULL && tables_has(side->reader, item->table);
}

/* ---- two devices ---- */

static bool has_port(const struct side *side, const char *port)
{
    for (size_t first = 0, end = side->count; first < end;) {
        const size_t middle = first + (end - first) / 2;
        const int order = strcmp(side->index[middle]->port, port);
        if (order == 0)
            return true;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return false;
}

/* True if the two sides have no port in common, except in tables that omit zero rows. Out: one port
 * of each side. */
static bool are_apart(const struct side *old, const struct side *new, const char **then,
                      const char **now)
{
    *then = *now = NULL;
    for (size_t i = 0; i < old->count && *then == NULL; i++)
        if (!is_zero_there(new, old->index[i]))
            *then = old->index[i]->port;
    for (size_t i = 0; i < new->count; i++) {
        if (has_port(old, new->index[i]->port))
            return false;
        if (*now == NULL && !is_zero_there(old, new->index[i]))
            *now = new->index[i]->port;
    }
    return *then != NULL && *now != NULL;
}

static bool is_shared(const struct side *other, const struct counts_item *item)
{
    return find(other, item) != NULL || is_zero_there(other, item);
}

/* True if the sides share no counter known to a run although their ports have the same names: the
 * files come from two drivers. */
static bool share_nothing(const struct side *old, const struct side *new)
{
    size_t then = 0, now = 0;
    bool any = false;
    for (size_t i = 0; i < new->count; i++) {
        if (new->index[i]->what.name != NULL && is_shared(old, new->index[i]))
            return false;
        now += new->index[i]->what.name != NULL;
        any = any || is_shared(old, new->index[i]);
    }
    for (size_t i = 0; i < old->count; i++) {
        if (old->index[i]->what.name != NULL && is_zero_there(new, old->index[i]))
            return false;
        then += old->index[i]->what.name != NULL;
    }
    return (then > 0 && now > 0) || (!any && old->count > 1 && new->count > 1);
}

static void check_devices(const struct side *old, const struct side *new,
                          const struct counts_input *before, const struct counts_input *after)
{
    struct counts_reader *reader = new->reader;
    struct arena *arena = reader->arena;
    const char *then, *now;
    const bool prompts = old->reader->prompt != NULL && reader->prompt != NULL;
    const struct diag_place place = {.file = after->name};
    if (are_apart(old, new, &then, &now))
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "%s has counters of %.64s, but this file has counters of %.64s: counters of two "
                 "devices cannot be subtracted",
                 before->name, then, now);
    else if (share_nothing(old, new))
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "no counter of a run is in both %s and %s: they are of two devices or commands",
                 before->name, after->name);
    if (prompts || diag_failed(reader->diag))
        return;
    then = counts_file_subject(arena, before->name);
    now = counts_file_subject(arena, after->name);
    if (then == NULL && now == NULL && counts_files_apart(arena, before->name, after->name)) {
        then = counts_file_port(arena, before->name);
        now = counts_file_port(arena, after->name);
    }
    if (then != NULL && now != NULL && strcmp(then, now) != 0)
        diag_add(reader->diag, DIAG_ERROR, place, NULL,
                 "by its name %s is from %.64s, but this file is from %.64s: counters of two "
                 "devices cannot be subtracted",
                 before->name, then, now);
}

/* ---- differences ---- */

/* Change of one counter. */
struct change {
    const struct counts_item *item; /* item of the later side, if present there */
    int64_t then, now;
    bool both;    /* known on both sides */
    bool earlier; /* `item` is from the earlier side */
    bool counted; /* holds the sum of its counter in a run */
    int64_t sum;
};

struct changes {
    struct change *items;
    size_t count;
};

static void note(const struct counts_reader *reader, const struct counts_item *item,
                 const char *text)
{
    fprintf(reader->notes, "%s:%d:%d: note: %s of %s %s\n", item->place.file, item->place.line,
            item->place.column, shown_name(item), item->port, text);
}

static void tell(const struct counts_reader *reader, const struct change *change)
{
    if (change->item->what.name == NULL)
        return;
    if (!change->both)
        note(reader, change->item,
             change->earlier ? "is not in the later file: left out"
                             : "is not in the earlier file: left out");
    else if (change->now < change->then && change->item->what.kind != COUNTS_PEAK)
        note(reader, change->item, "decreased, so it was reset in between: left out");
}

static struct changes subtract(const struct side *old, const struct side *new)
{
    struct counts_reader *reader = new->reader;
    struct changes changes = {
        arena_array(reader->arena, old->count + new->count + 1, sizeof *changes.items), 0};
    for (size_t i = 0; i < new->count; i++) {
        const struct counts_item *item = &reader->list.items[i], *then = find(old, item);
        changes.items[changes.count++] =
            (struct change){.item = item,
                            .then = then == NULL ? 0 : then->value,
                            .now = item->value,
                            .both = then != NULL || is_zero_there(old, item)};
    }
    for (size_t i = 0; i < old->count; i++) {
        const struct counts_item *item = &old->reader->list.items[i];
        if (find(new, item) == NULL)
            changes.items[changes.count++] = (struct change){.item = item,
                                                             .then = item->value,
                                                             .both = is_zero_there(new, item),
                                                             .earlier = true};
    }
    for (size_t i = 0; i < changes.count; i++)
        tell(reader, &changes.items[i]);
    return changes;
}

/* ---- counters of a run ---- */

/* Keeps the items of one run counter adjacent, in the order of the file. */
static int by_counter(const void *a, const void *b)
{
    const struct change *const *x = a, *const *y = b;
    const int port = strcmp((*x)->item->port, (*y)->item->port);
    const int name = port != 0 ? port : strcmp((*x)->item->what.name, (*y)->item->what.name);
    return name != 0 ? name : (*x < *y ? -1 : *x > *y);
}

static bool is_usable(const struct change *change)
{
    return change->item->what.kind == COUNTS_PEAK ? !change->earlier
                                                  : change->both && change->now >= change->then;
}

/* Uses the first usable item that is not a part, else the sum of all parts; no result if one of the
 * parts is unusable. */
static void sum_up(struct change **group, size_t count)
{
    struct change *first = group[0];
    for (size_t i = 0; i < count; i++)
        if (group[i]->item->what.kind != COUNTS_PART && is_usable(group[i])) {
            group[i]->counted = true;
            group[i]->sum = group[i]->item->what.kind == COUNTS_PEAK
                                ? group[i]->now
                                : group[i]->now - group[i]->then;
            return;
        }
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (group[i]->item->what.kind != COUNTS_PART || !is_usable(group[i]))
            return;
        const int64_t part = group[i]->now - group[i]->then;
        sum = part > INT64_MAX - sum ? INT64_MAX : sum + part;
    }
    first->counted = true;
    first->sum = sum;
}

static void sum_changes(struct arena *arena, struct changes *changes)
{
    struct change **order = arena_array(arena, changes->count + 1, sizeof *order);
    size_t count = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].item->what.name != NULL)
            order[count++] = &changes->items[i];
    qsort(order, count, sizeof *order, by_counter);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++)
            if (strcmp(order[first]->item->port, order[end]->item->port) != 0 ||
                strcmp(order[first]->item->what.name, order[end]->item->what.name) != 0)
                break;
        sum_up(order + first, end - first);
    }
}

/* ---- JSON ---- */

/* `more`: text after the counter's name. */
static void write_item(FILE *out, const struct counts_item *item, const char *more, bool first)
{
    fprintf(out, "%s\n  {\"port\": \"%s\", \"priority\": ", first ? "" : ",", item->port);
    if (item->what.priority >= 0)
        fprintf(out, "%d", item->what.priority);
    else
        fputs("null", out);
    fprintf(out, ", \"name\": \"%s\"%s}", item->what.name, more);
}

/* A peak of 0 means that nothing happened, so it counts as unmoved. */
static void put_counters(const struct changes *changes, bool moved, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        char more[64] = "";
        if (!change->counted || (change->sum != 0) != moved)
            continue;
        if (moved)
            snprintf(more, sizeof more, ", \"difference\": %" PRId64, change->sum);
        write_item(out, change->item, more, first);
        first = false;
    }
}

/* Unknown counters may be gauges, whose differences can be negative. */
static void put_unknown(const struct changes *changes, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        char difference[32] = "null";
        if (change->item->what.name != NULL)
            continue;
        if (change->both)
            snprintf(difference, sizeof difference, "%" PRId64, change->now - change->then);
        fprintf(out, "%s\n  {\"port\": \"%s\", \"name\": \"%s\", \"difference\": %s}",
                first ? "" : ",", change->item->port, change->item->source, difference);
        first = false;
    }
}

static bool has_moved_unknown(const struct change *change)
{
    return change->item->what.name == NULL && change->both && change->then != change->now;
}

static void tell_unknown(const struct changes *changes, const struct counts_input *after,
                         FILE *notes)
{
    enum { SHOWN = 4 };
    size_t unknown = 0, moved = 0, shown = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        unknown += change->item->what.name == NULL;
        moved += has_moved_unknown(change);
    }
    if (unknown == 0)
        return;
    fprintf(notes, "%s: note: %zu %s no counterpart in a run, %zu of them changed", after->name,
            unknown, plural(unknown, "counter has", "counters have"), moved);
    for (size_t i = 0; i < changes->count && shown < SHOWN; i++) {
        const struct change *change = &changes->items[i];
        if (has_moved_unknown(change))
            fprintf(notes, "%s %s", shown++ == 0 ? ":" : ",", change->item->source);
    }
    fprintf(notes, "%s; all are listed as unknown\n", moved > shown ? ", .." : "");
}

static void compare(struct counts_reader *before, struct counts_reader *after,
                    const struct counts_input *earlier, const struct counts_input *later, FILE *out)
{
    const struct side old = sort_side(before), new = sort_side(after);
    if (!diag_failed(after->diag))
        check_devices(&old, &new, earlier, later);
    if (diag_failed(after->diag))
        return;
    struct changes changes = subtract(&old, &new);
    sum_changes(after->arena, &changes);
    fputs("{\"stormglass-counters\": 1, \"counters\": [", out);
    put_counters(&changes, true, out);
    fputs("\n], \"unmoved\": [", out);
    put_counters(&changes, false, out);
    fputs("\n], \"unknown\": [", out);
    put_unknown(&changes, out);
    fputs("\n]}\n", out);
    tell_unknown(&changes, later, after->notes);
}

bool counts_import(const struct counts_input *before, const struct counts_input *after,
                   struct counts_result *result, struct diag *diag)
{
    struct arena arena = {0};
    size_t json_size, notes_size;
    *result = (struct counts_result){0};
    FILE *json = memory_stream(&result->json, &json_size);
    FILE *notes = memory_stream(&result->notes, &notes_size);
    const char *port = counts_file_port(&arena, after->name);
    struct counts_reader old = {.arena = &arena, .port = port, .diag = diag, .notes = notes};
    struct counts_reader new = old;
    if (counts_read(&old, before) && counts_read(&new, after))
        compare(&old, &new, before, after, json);
    memory_stream_end(json);
    memory_stream_end(notes);
    arena_free(&arena);
    if (diag_failed(diag))
        counts_free(result);
    return !diag_failed(diag);
}

void counts_free(struct counts_result *result)
{
    free(result->json);
    free(result->notes);
    *result = (struct counts_result){0};
}

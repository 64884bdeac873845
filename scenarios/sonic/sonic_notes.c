/* SPDX-License-Identifier: Apache-2.0
 * sonic_notes - merges notes about many ports and files, so that each sentence appears once. */
#include "scenarios/sonic/sonic_private.h"

#include "base/plural.h"

#include <stdlib.h>
#include <string.h>

enum { NOTE_BYTES = 1024 };

/* A sentence about a port or a place. */
struct sonic_said {
    struct diag_place place;
    const char *port; /* "leaf0 Ethernet4", or NULL */
    const char *text;
    size_t order;  /* order in which sentences were added */
    size_t places; /* for the first of equal ones: number of occurrences ... */
    size_t files;  /* ... and of files */
};

const char *sonic_clean(struct sonic_import *import, const char *text)
{
    return notes_clean(&import->arena, text);
}

static void add_note(struct sonic_import *import, struct diag_place place, const char *port,
                     const char *format, va_list args)
{
    char text[NOTE_BYTES];
    vsnprintf(text, sizeof text, format, args);
    struct sonic_said *said = arena_push(&import->arena, (void **)(void *)&import->said,
                                         &import->said_count, sizeof *said);
    *said = (struct sonic_said){.place = place,
                                .port = port,
                                .text = arena_text(&import->arena, text, strlen(text)),
                                .order = import->said_count};
}

void sonic_note(struct sonic_import *import, struct diag_place place, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_note(import, place, NULL, format, args);
    va_end(args);
}

void sonic_cosmetic(struct sonic_import *import, struct diag_place place, const char *format, ...)
{
    va_list args;
    import->hidden += !import->verbose;
    if (!import->verbose)
        return;
    va_start(args, format);
    add_note(import, place, NULL, format, args);
    va_end(args);
}

void sonic_port_note(struct sonic_import *import, const struct sonic_switch *node,
                     const struct sonic_port *port, struct diag_place place, const char *format,
                     ...)
{
    va_list args;
    va_start(args, format);
    add_note(import, place,
             arena_format(&import->arena, "%s %s", node->name, sonic_clean(import, port->name)),
             format, args);
    va_end(args);
}

/* ---- merging ---- */

static int compare_notes(const struct sonic_said *a, const struct sonic_said *b)
{
    if ((a->port == NULL) != (b->port == NULL))
        return a->port == NULL ? -1 : 1;
    const int text = strcmp(a->text, b->text);
    return text != 0 ? text : strcmp(a->place.file, b->place.file);
}

static int by_text(const void *a, const void *b)
{
    const struct sonic_said *x = *(struct sonic_said *const *)a,
                            *y = *(struct sonic_said *const *)b;
    const int order = compare_notes(x, y);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

static bool are_alike(const struct sonic_said *a, const struct sonic_said *b)
{
    return (a->port == NULL) == (b->port == NULL) && strcmp(a->text, b->text) == 0;
}

/* Counts equal notes at the one that was added first. */
static void count_equals(struct sonic_said **sorted, size_t count)
{
    for (size_t from = 0, to; from < count; from = to) {
        struct sonic_said *first = sorted[from];
        size_t files = 1;
        for (to = from + 1; to < count && are_alike(sorted[from], sorted[to]); to++) {
            files += strcmp(sorted[to - 1]->place.file, sorted[to]->place.file) != 0;
            if (sorted[to]->order < first->order)
                first = sorted[to];
        }
        first->places = to - from;
        first->files = files;
    }
}

static void write_note(struct sonic_import *import, const struct sonic_said *said)
{
    if (said->port == NULL && said->places == 1)
        notes_add(&import->notes, said->place, "%s", said->text);
    else if (said->port == NULL)
        notes_add(&import->notes, said->place, "%s (and in %zu more place%s)", said->text,
                  said->places - 1, said->places == 2 ? "" : "s");
    else if (said->places == 1)
        notes_add(&import->notes, said->place, "%s: %s", said->port, said->text);
    else
        notes_add(&import->notes, said->place, "%zu %s of %zu switch%s (%s, ...): %s", said->places,
                  plural(said->places, "port", "ports"), said->files, plural(said->files, "", "es"),
                  said->port, said->text);
}

void sonic_notes(struct sonic_import *import)
{
    struct sonic_said **sorted =
        arena_array(&import->arena, import->said_count + 1, sizeof(struct sonic_said *));
    for (size_t i = 0; i < import->said_count; i++)
        sorted[i] = &import->said[i];
    qsort(sorted, import->said_count, sizeof(struct sonic_said *), by_text);
    count_equals(sorted, import->said_count);
    for (size_t i = 0; i < import->said_count; i++)
        if (import->said[i].places > 0)
            write_note(import, &import->said[i]);
    if (import->hidden > 0)
        notes_add(
            &import->notes, import->switches[0].root->place,
            "tables and fields without a parameter in the model, not imported: %zu (stormglass "
            "import sonic --verbose lists them)",
            import->hidden);
}

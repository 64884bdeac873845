/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/remedy.h"

#include "base/shell.h"

#include <stdlib.h>
#include <string.h>

static size_t path_length(const char *set)
{
    return strcspn(set, "=");
}

static void push_set(struct remedy *remedy, struct arena *arena, const char *set)
{
    const char **added =
        arena_push(arena, (void **)(void *)&remedy->sets, &remedy->set_count, sizeof *remedy->sets);
    *added = arena_text(arena, set, strlen(set));
}

/* The sets set the same: each that appends to a list appends another item. */
static bool is_same_path(const char *a, const char *b)
{
    static const char appends[] = "[+]";
    const size_t length = path_length(a), end = sizeof appends - 1;
    if (path_length(b) != length || strncmp(a, b, length) != 0)
        return false;
    return length < end || strncmp(a + length - end, appends, end) != 0 || strcmp(a, b) == 0;
}

void remedy_set(struct remedy *remedy, struct arena *arena, const char *set)
{
    for (size_t i = 0; i < remedy->set_count; i++)
        if (is_same_path(remedy->sets[i], set))
            return;
    push_set(remedy, arena, set);
}

static bool is_named(const struct remedy_here *here, const char *name)
{
    for (size_t i = 0; i < here->count; i++)
        if (strcmp(here->names[i], name) == 0)
            return true;
    return false;
}

void remedy_here(struct remedy *remedy, struct arena *arena, const char *name, const char *values)
{
    struct remedy_here *here = NULL;
    for (size_t i = 0; i < remedy->here_count; i++)
        if (strcmp(remedy->here[i].values, values) == 0)
            here = &remedy->here[i];
    if (here == NULL) {
        here = arena_push(arena, (void **)(void *)&remedy->here, &remedy->here_count, sizeof *here);
        *here = (struct remedy_here){.values = arena_text(arena, values, strlen(values))};
    }
    if (is_named(here, name))
        return;
    const char **added =
        arena_push(arena, (void **)(void *)&here->names, &here->count, sizeof *here->names);
    *added = arena_text(arena, name, strlen(name));
}

/* Splits "host12" behind "host"; a name without a canonical number at its end has no stem. */
static size_t number_of(const char *name, uint64_t *number)
{
    size_t stem = strlen(name);
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    const size_t digits = strlen(name) - stem;
    if (digits == 0 || digits > 9 || (digits > 1 && name[stem] == '0'))
        return 0;
    *number = strtoull(name + stem, NULL, 10);
    return stem;
}

/* Number of names from `first` on that count up one by one: host4, host5, host6. */
static size_t range_length(const struct remedy_here *here, size_t first)
{
    uint64_t begin, next;
    const size_t stem = number_of(here->names[first], &begin);
    size_t length = 1;
    while (stem > 0 && first + length < here->count &&
           number_of(here->names[first + length], &next) == stem && next == begin + length &&
           strncmp(here->names[first], here->names[first + length], stem) == 0)
        length++;
    return length;
}

/* "host0..host127, spine0": a list of 128 names is unreadable. */
static const char *join_names(const struct remedy_here *here, struct arena *arena)
{
    enum { RANGE_LEAST = 3 };
    const char *names = "";
    for (size_t i = 0, length; i < here->count; i += length) {
        length = range_length(here, i);
        const bool range = length >= RANGE_LEAST;
        length = range ? length : 1;
        names = arena_format(arena, "%s%s%s%s%s", names, i == 0 ? "" : ", ", here->names[i],
                             range ? ".." : "", range ? here->names[i + length - 1] : "");
    }
    return names;
}

void remedy_end(struct remedy *remedy, struct arena *arena)
{
    for (size_t i = 0; i < remedy->here_count; i++) {
        const struct remedy_here *here = &remedy->here[i];
        push_set(remedy, arena,
                 arena_format(arena, "fabric.overrides[+]={where: [%s], %s}",
                              join_names(here, arena), here->values));
    }
    remedy->here_count = 0;
    if (remedy->unknown)
        remedy->set_count = 0;
}

void remedy_print(const struct remedy *remedy, FILE *out)
{
    fputs(remedy->text, out);
    for (size_t i = 0; i < remedy->set_count; i++) {
        fputs(i == 0 ? " (--set " : " --set ", out);
        shell_print_word(out, remedy->sets[i]);
    }
    fputs(remedy->set_count > 0 ? ")" : "", out);
}

const char *remedy_lines(const struct remedy *remedy, struct arena *arena)
{
    const char *lines = "";
    for (size_t i = 0; i < remedy->set_count; i++)
        lines = arena_format(arena, "%s%s%s", lines, i == 0 ? "" : "\n", remedy->sets[i]);
    return lines;
}

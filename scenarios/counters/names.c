/* SPDX-License-Identifier: Apache-2.0
 * names - tables of names.def and columns.def, and the lookup of a name. */
#include "scenarios/counters/names.h"

#include <string.h>

const struct counts_row counts_rows[] = {
#define NAME(scope, pattern, name, kind, source)                                                   \
    {COUNTS_##scope, pattern, name, COUNTS_##kind, source},
#include "scenarios/counters/names.def"
#undef NAME
};
const size_t counts_row_count = sizeof counts_rows / sizeof counts_rows[0];

struct column {
    const char *head, *with, *without;
    bool wide; /* text of several words */
};

static const struct column columns[] = {
#define COLUMN(head, with, without, source) {head, with, without, false},
#define WIDE(head, source)                  {head, NULL, NULL, true},
#define TITLE(title, name, kind, source)
#include "scenarios/counters/columns.def"
#undef COLUMN
#undef WIDE
#undef TITLE
};

static const struct counts_row titles[] = {
#define COLUMN(head, with, without, source)
#define WIDE(head, source)
#define TITLE(title, name, kind, source) {COUNTS_ANY, title, name, COUNTS_##kind, source},
#include "scenarios/counters/columns.def"
#undef COLUMN
#undef WIDE
#undef TITLE
};

enum { NO_MATCH = -2 };

/* The priority in the name where the pattern has %d; -1: the pattern has none. */
static int match(const char *pattern, const char *name)
{
    if (pattern[0] != name[0] && pattern[0] != '%')
        return NO_MATCH;
    const char *digit = strstr(pattern, "%d");
    if (digit == NULL)
        return strcmp(pattern, name) == 0 ? -1 : NO_MATCH;
    const size_t head = (size_t)(digit - pattern);
    if (strncmp(pattern, name, head) != 0 || name[head] < '0' || name[head] > '7')
        return NO_MATCH;
    return strcmp(digit + 2, name + head + 1) == 0 ? name[head] - '0' : NO_MATCH;
}

struct counts_meaning counts_name(const char *name, enum counts_scope scope)
{
    for (size_t i = 0; i < counts_row_count; i++) {
        const struct counts_row *row = &counts_rows[i];
        if (row->scope != COUNTS_ANY && scope != COUNTS_ANY && row->scope != scope)
            continue;
        const int priority = match(row->pattern, name);
        if (priority != NO_MATCH)
            return (struct counts_meaning){row->name, priority, row->kind};
    }
    return (struct counts_meaning){NULL, -1, COUNTS_WHOLE};
}

static const struct column *find_column(const char *head)
{
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        if (strcmp(columns[i].head, head) == 0)
            return &columns[i];
    return NULL;
}

struct counts_meaning counts_column(const char *head, int priority)
{
    const struct column *column = find_column(head);
    const char *name = NULL;
    if (column != NULL && priority <= 7)
        name = priority >= 0 ? column->with : column->without;
    return (struct counts_meaning){name, priority, COUNTS_WHOLE};
}

struct counts_meaning counts_named(struct arena *arena, struct counts_meaning what)
{
    const char *digit = what.name == NULL ? NULL : strstr(what.name, "%d");
    if (digit != NULL)
        what.name = arena_format(arena, "%.*s%d%s", (int)(digit - what.name), what.name,
                                 what.priority, digit + 2);
    return what;
}

bool counts_column_is_text(const char *head)
{
    const struct column *column = find_column(head);
    return column != NULL && column->with == NULL && column->without == NULL;
}

bool counts_column_is_wide(const char *head)
{
    const struct column *column = find_column(head);
    return column != NULL && column->wide;
}

struct counts_meaning counts_title(const char *title)
{
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strncmp(titles[i].pattern, title, strlen(titles[i].pattern)) == 0)
            return (struct counts_meaning){titles[i].name, -1, titles[i].kind};
    return (struct counts_meaning){NULL, -1, COUNTS_WHOLE};
}

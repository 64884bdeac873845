/* SPDX-License-Identifier: Apache-2.0
 * format_priorities - NX-OS' `show interface priority-flow-control detail`: a port, its totals, and
 * rows Rx and Tx with one cell per priority. */
#include "scenarios/counters/tables.h"

#include <string.h>

static const char blanks[] = " \t";

/* "Ethernet1/51" alone on its line. */
static bool priorities_head(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length, more;
    const char *word = counts_word(&at, &length);
    counts_word(&at, &more);
    length -= length > 0 && word[length - 1] == ':';
    const bool letter = (*word >= 'A' && *word <= 'Z') || (*word >= 'a' && *word <= 'z');
    if (more > 0 || !letter || !counts_is_port(word, length) || memchr(word, '/', length) == NULL ||
        memchr(word, ':', length) != NULL)
        return false;
    reader->state = (void *)(uintptr_t)counts_port(reader, word, length);
    return true;
}

/* Modes and column heads. */
static bool is_known_text(const char *at)
{
    static const char *const begins[] = {"Admin Mode", "Oper Mode", "VL bitmap", "|  Priority",
                                         "| Priority"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (strncmp(at, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static bool take_total(struct counts_reader *reader, const char *at)
{
    const char *colon = strchr(at, ':');
    size_t length;
    if (strncmp(at, "Total ", 6) != 0 || colon == NULL)
        return false;
    const char *name = arena_text(reader->arena, at, (size_t)(colon - at)), *rest = colon + 1;
    const char *number = counts_word(&rest, &length);
    const struct counts_meaning what = counts_column(name, -1);
    if (what.name != NULL)
        counts_add(reader, reader->state, name, what, number, length);
    return what.name != NULL;
}

static bool row(struct counts_reader *reader)
{
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    struct tables_cell cells[TABLES_CELLS_MAX];
    if (is_known_text(at) || take_total(reader, at))
        return true;
    if (strncmp(at, "Rx ", 3) != 0 && strncmp(at, "Tx ", 3) != 0)
        return at > reader->lines.text; /* other lines of the port are skipped */
    const int count = tables_cells(reader->lines.text, cells);
    const char *name = strncmp(at, "Rx", 2) == 0 ? "Rx" : "Tx";
    for (int i = 1; i < count && i <= 8; i++)
        counts_add(reader, reader->state, arena_format(reader->arena, "%s Priority%d", name, i - 1),
                   counts_column(name, i - 1), cells[i].at, cells[i].length);
    return true;
}

const struct counts_format format_priorities = {
    .name = "show interface priority-flow-control detail", .head = priorities_head, .row = row};

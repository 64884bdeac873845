/* SPDX-License-Identifier: Apache-2.0
 * format_dotted - SONiC's `show interfaces counters detailed PORT`: "Overruns Received........ 4".
 * Source: sonic-utilities utilities_common/portstat.py. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

/* Width of the name before three or more dots; 0: another kind of line. Out: the text after the
 * dots. */
static size_t name_width(const char *text, const char **rest)
{
    const char *dots = strstr(text, "...");
    if (dots == NULL || dots == text || dots - text > COUNTS_WORD_MAX)
        return 0;
    *rest = dots + strspn(dots, ".");
    return **rest == ' ' ? (size_t)(dots - text) : 0;
}

/* "None" may be the time since the counters were cleared; it is skipped. */
static bool take(struct counts_reader *reader)
{
    const char *rest, *text = reader->lines.text + strspn(reader->lines.text, " \t");
    const size_t width = name_width(text, &rest);
    size_t length;
    int64_t value;
    if (width == 0)
        return false;
    const char *name = arena_text(reader->arena, text, width);
    const char *number = counts_word(&rest, &length);
    if (counts_number(number, length, &value))
        counts_add(reader, counts_own_port(reader), name, counts_column(name, -1), number, length);
    return true;
}

const struct counts_format format_dotted = {
    .name = "show interfaces counters detailed", .guess = take, .row = take};

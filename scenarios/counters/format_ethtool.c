/* SPDX-License-Identifier: Apache-2.0
 * format_ethtool - `ethtool -S`, with or without its heading: lines "  name: number".
 * Source: ethtool(8). */
#include "scenarios/counters/counts_private.h"

#include <string.h>

static const char blanks[] = " \t";

/* State after the heading: every line must be a counter. Without the heading, the output of `grep .
 * *` in hw_counters looks the same. */
static char strict;

/* Width of the name before the last colon, without trailing blanks; 0: no name. */
static size_t name_width(const char *at)
{
    const char *colon = strrchr(at, ':');
    size_t width = colon == NULL ? 0 : (size_t)(colon - at);
    while (width > 0 && strchr(blanks, at[width - 1]) != NULL)
        width--;
    return width <= COUNTS_WORD_MAX ? width : 0;
}

static void add(struct counts_reader *reader, const char *at, size_t width)
{
    size_t length;
    const char *name = arena_text(reader->arena, at, width), *rest = strrchr(at, ':') + 1;
    const char *number = counts_word(&rest, &length);
    if (reader->state != &strict && strcmp(name, "lifespan") == 0)
        return; /* a setting in hw_counters, not a counter */
    counts_add(reader, counts_own_port(reader), counts_clean(reader->arena, at, width),
               counts_name(name, reader->state == &strict ? COUNTS_ETHERNET : COUNTS_ANY), number,
               length);
}

static bool ethtool_head(struct counts_reader *reader)
{
    const char *text = reader->lines.text + strspn(reader->lines.text, blanks);
    if (strncmp(text, "NIC statistics:", 15) != 0)
        return false;
    reader->state = &strict;
    return true;
}

static bool is_counter(const char *at, size_t width)
{
    int64_t value;
    size_t length, more;
    const char *rest = width == 0 ? at : strrchr(at, ':') + 1;
    const char *number = counts_word(&rest, &length);
    counts_word(&rest, &more);
    return width > 0 && more == 0 && counts_number(number, length, &value);
}

static bool guess(struct counts_reader *reader)
{
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    const size_t width = name_width(at);
    if (!is_counter(at, width))
        return false;
    reader->state = NULL;
    add(reader, at, width);
    return true;
}

static bool row(struct counts_reader *reader)
{
    const char *at = reader->lines.text + strspn(reader->lines.text, blanks);
    const size_t width = name_width(at);
    if (strncmp(at, "For namespace", 13) == 0)
        return false;
    if (reader->state != &strict && !is_counter(at, width))
        return false;
    if (width == 0)
        counts_wrong(reader, at, 1, "expected a counter such as \"rx_prio3_pause: 148213\"");
    else
        add(reader, at, width);
    return true;
}

const struct counts_format format_ethtool = {
    .name = "ethtool -S", .head = ethtool_head, .guess = guess, .row = row};

/* SPDX-License-Identifier: Apache-2.0
 * format_nstat - `nstat -asz`: "TcpRetransSegs  17  0.0" below a line "#kernel", of the whole host.
 * Source: iproute2 misc/nstat.c; nstat(8).  Without -a counts are those since the last nstat. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

static bool nstat_head(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length, more;
    const char *word = counts_word(&at, &length);
    counts_word(&at, &more);
    return counts_is(word, length, "#kernel") && more == 0;
}

static bool is_rate(const char *word, size_t length)
{
    return length > 0 && strspn(word, "0123456789.") >= length;
}

static bool row(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t width, digits, rate, more;
    const char *word = counts_word(&at, &width), *number = counts_word(&at, &digits),
               *last = counts_word(&at, &rate);
    int64_t value;
    counts_word(&at, &more);
    if (width == 0 || more > 0 || !is_rate(last, rate) || !counts_number(number, digits, &value))
        return false;
    const char *name = arena_text(reader->arena, word, width);
    counts_add(reader, counts_own_port(reader), counts_clean(reader->arena, word, width),
               counts_name(name, COUNTS_ANY), number, digits);
    return true;
}

const struct counts_format format_nstat = {.name = "nstat", .head = nstat_head, .row = row};

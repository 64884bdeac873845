/* SPDX-License-Identifier: Apache-2.0
 * format_rdma - `rdma statistic`: "link mlx5_0/1 name number name number ..", on one line or on
 * several (-p, mail). Names of some drivers contain blanks.
 * Source: iproute2 rdma/stat.c; rdma-statistic(8). */
#include "scenarios/counters/counts_private.h"

#include <string.h>

enum { WORDS_MAX = 6 };

struct link {
    const char *port;
    const char *name; /* words of a name whose number has not been read yet */
    int words;
    bool left; /* counters of single queue pairs, which are skipped */
};

/* False: too many words for a name. */
static bool take(struct counts_reader *reader, struct link *link, const char *word, size_t length)
{
    int64_t value;
    if (!counts_number(word, length, &value)) {
        const char *text = counts_clean(reader->arena, word, length);
        link->name =
            link->words == 0 ? text : arena_format(reader->arena, "%s %s", link->name, text);
        return ++link->words <= WORDS_MAX;
    }
    if (link->words == 0)
        return false;
    if (strcmp(link->name, "cntn") == 0) {
        counts_note(reader, word, "counters of single queue pairs: left out");
        link->left = true;
    }
    if (!link->left)
        counts_add(reader, link->port, link->name, counts_name(link->name, COUNTS_RDMA), word,
                   length);
    link->words = 0;
    return true;
}

static bool take_line(struct counts_reader *reader, struct link *link, const char *at)
{
    size_t length;
    for (const char *word = counts_word(&at, &length); length > 0; word = counts_word(&at, &length))
        if (!take(reader, link, word, length))
            return false;
    return true;
}

static bool rdma_head(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length;
    const char *word = counts_word(&at, &length);
    if (!counts_is(word, length, "link"))
        return false;
    word = counts_word(&at, &length);
    if (!counts_is_port(word, length) || memchr(word, '/', length) == NULL)
        return false;
    struct link *link = arena_take(reader->arena, sizeof *link);
    link->port = counts_port(reader, word, length);
    reader->state = link;
    return take_line(reader, link, at);
}

/* "cnpSent 5", as printed by `echo $name $(cat $name)`; only known names are accepted. */
static bool guess(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length, digits, more;
    int64_t value;
    const char *word = counts_word(&at, &length), *number = counts_word(&at, &digits);
    counts_word(&at, &more);
    const char *name = arena_text(reader->arena, word, length);
    const struct counts_meaning what = counts_name(name, COUNTS_RDMA);
    if (more > 0 || what.name == NULL || !counts_number(number, digits, &value))
        return false;
    struct link *link = arena_take(reader->arena, sizeof *link);
    link->port = counts_own_port(reader);
    reader->state = link;
    counts_add(reader, link->port, name, what, number, digits);
    return true;
}

static bool row(struct counts_reader *reader)
{
    return take_line(reader, reader->state, reader->lines.text);
}

const struct counts_format format_rdma = {
    .name = "rdma statistic", .head = rdma_head, .guess = guess, .row = row};

/* SPDX-License-Identifier: Apache-2.0
 * format_pfcwd - SONiC's `pfcwd show stats`: pairs such as 2/1 for a port and queue.
 * The command omits queues that never stormed.
 * Source: sonic-utilities pfcwd/main.py. */
#include "scenarios/counters/counts_private.h"
#include "scenarios/counters/tables.h"

#include <string.h>

static const char *const columns[][2] = {
    {"STORM DETECTED", "STORM RESTORED"}, {"TX OK", "TX DROP"}, {"RX OK", "RX DROP"}};
enum { PAIRS = sizeof columns / sizeof columns[0] };

static bool pfcwd_head(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length;
    const char *word = counts_word(&at, &length);
    if (!counts_is(word, length, "QUEUE") || strstr(at, "STORM DETECTED/RESTORED") == NULL)
        return false;
    reader->state = (void *)(uintptr_t)tables_begin(reader, "pfcwd");
    return true;
}

static void add_pair(struct counts_reader *reader, const char *port, int queue, int pair,
                     const char *word, size_t length)
{
    const char *slash = memchr(word, '/', length);
    const size_t first = slash == NULL ? length : (size_t)(slash - word);
    for (int i = 0; i < 2 && (i == 0 || slash != NULL); i++) {
        const char *name = columns[pair][i];
        struct counts_item *item =
            counts_add(reader, port, arena_format(reader->arena, "%s %d", name, queue),
                       counts_column(name, queue), i == 0 ? word : slash + 1,
                       i == 0 ? first : length - first - 1);
        if (item != NULL)
            item->table = reader->state;
    }
}

static bool row(struct counts_reader *reader)
{
    const char *at = reader->lines.text;
    size_t length;
    const char *word = counts_word(&at, &length);
    const char *text = arena_text(reader->arena, word, length), *colon = strrchr(text, ':');
    const int queue = colon == NULL ? -1 : counts_number_after(colon, strlen(colon), ":");
    if (queue < 0 || !counts_is_port(word, length))
        return false;
    const char *port = counts_port(reader, text, (size_t)(colon - text));
    if (!tables_is_queue(reader, queue, word, length))
        return true;
    counts_word(&at, &length); /* skips the state */
    for (int pair = 0; pair < PAIRS; pair++) {
        word = counts_word(&at, &length);
        if (length > 0 && !counts_is(word, length, "N/A"))
            add_pair(reader, port, queue, pair, word, length);
    }
    return true;
}

const struct counts_format format_pfcwd = {
    .name = "pfcwd show stats", .head = pfcwd_head, .row = row};

/* SPDX-License-Identifier: Apache-2.0
 * counts_read - passes each line of a file to the reader of its format. */
#include "scenarios/counters/counts_private.h"

#include <string.h>

static const char blanks[] = " \t";
static const char port_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./[]:|";

static const struct counts_format *const formats[] = {
#define FORMAT(stem) &format_##stem,
#include "scenarios/counters/formats.def"
#undef FORMAT
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- words and numbers ---- */

const char *counts_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, blanks);
    *length = strcspn(word, blanks);
    *at = word + *length;
    return word;
}

bool counts_is(const char *word, size_t length, const char *known)
{
    return strlen(known) == length && strncmp(word, known, length) == 0;
}

bool counts_is_port(const char *word, size_t length)
{
    return length > 0 && length <= COUNTS_WORD_MAX && strspn(word, port_letters) >= length;
}

bool counts_number(const char *text, size_t length, int64_t *value)
{
    *value = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',' && i > 0)
            continue;
        const int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || *value > (INT64_MAX - digit) / 10)
            return false;
        *value = *value * 10 + digit;
    }
    return length > 0;
}

int counts_number_after(const char *word, size_t length, const char *letters)
{
    const size_t head = strlen(letters);
    if (length <= head || length > head + 3 || strncmp(word, letters, head) != 0)
        return -1;
    int number = 0;
    for (size_t i = head; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return -1;
        number = number * 10 + word[i] - '0';
    }
    return number;
}

const char *counts_clean(struct arena *arena, const char *text, size_t length)
{
    char *word = arena_text(arena, text, length);
    for (char *at = word; *at != '\0'; at++)
        *at = strchr(port_letters, *at) == NULL ? '_' : *at;
    return word;
}

const char *counts_printable(struct arena *arena, const char *text)
{
    static const char other[] = "\"\\";
    size_t plain = 0;
    while (text[plain] >= ' ' && text[plain] <= '~' && strchr(other, text[plain]) == NULL)
        plain++;
    if (text[plain] == '\0')
        return text;
    char *word = arena_text(arena, text, strlen(text));
    for (char *at = word + plain; *at != '\0'; at++)
        *at = *at < ' ' || *at > '~' || strchr(other, *at) != NULL ? '_' : *at;
    return word;
}

/* ---- messages ---- */

void counts_wrong(struct counts_reader *reader, const char *at, size_t width, const char *text)
{
    diag_add(reader->diag, DIAG_ERROR, lines_place(&reader->lines, at, width), reader->lines.text,
             "%s", text);
}

void counts_note(struct counts_reader *reader, const char *at, const char *text)
{
    const struct diag_place place = lines_place(&reader->lines, at, 1);
    fprintf(reader->notes, "%s:%d:%d: note: %s\n", place.file, place.line, place.column, text);
}

/* ---- ports and counters ---- */

const char *counts_port(struct counts_reader *reader, const char *port, size_t length)
{
    const char *name = arena_text(reader->arena, port, length);
    const char *bar = strrchr(name, '|');
    if (bar != NULL)
        return arena_format(reader->arena, "%.*s:%s", (int)strcspn(name, "|"), name, bar + 1);
    return reader->host == NULL ? name : arena_format(reader->arena, "%s:%s", reader->host, name);
}

const char *counts_own_port(struct counts_reader *reader)
{
    if (reader->device != NULL)
        return counts_port(reader, reader->device, strlen(reader->device));
    return reader->host != NULL ? reader->host : reader->port;
}

struct counts_item *counts_add_value(struct counts_reader *reader, const struct counts_item *item)
{
    if (reader->list.count == COUNTS_ITEMS_MAX) {
        diag_add(reader->diag, DIAG_ERROR, item->place, reader->lines.text, "more than %d counters",
                 COUNTS_ITEMS_MAX);
        return NULL;
    }
    struct counts_item *slot = arena_push(reader->arena, (void **)(void *)&reader->list.items,
                                          &reader->list.count, sizeof *slot);
    *slot = *item;
    slot->port = counts_printable(reader->arena, item->port);
    slot->source = counts_printable(reader->arena, item->source);
    return slot;
}

/* A counter that a run has gets the run's name and its priority; other counters keep their own name
 * in the JSON output. */
struct counts_item *counts_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, const char *number, size_t length)
{
    static const char expected[] = "expected a count from 0 to 9223372036854775807";
    int64_t value;
    if (!counts_number(number, length, &value)) {
        counts_wrong(reader, number, length > 0 ? length : 1, expected);
        return NULL;
    }
    return counts_add_value(
        reader, &(struct counts_item){.port = port,
                                      .source = source,
                                      .what = counts_named(reader->arena, what),
                                      .value = value,
                                      .place = lines_place(&reader->lines, number, length)});
}

/* ---- lines ---- */

/* The first format that accepts the line; if none does, the present format keeps its state. */
static bool offer(struct counts_reader *reader, bool guess)
{
    void *state = reader->state;
    for (int i = 0; i < FORMATS; i++) {
        bool (*take)(struct counts_reader *) = guess ? formats[i]->guess : formats[i]->head;
        if (take != NULL && take(reader)) {
            reader->recognized = true;
            reader->format = formats[i];
            return true;
        }
        reader->state = state;
    }
    return false;
}

/* A title such as "Ingress PG dropped packets:", which describes the table below; "(Namespace
 * asic0)" may follow. */
static bool read_title(struct counts_reader *reader)
{
    enum { TITLE_BYTES = 160 };
    const char *text = reader->lines.text + strspn(reader->lines.text, blanks);
    const char *space = strstr(text, ": (Namespace ");
    const size_t length = space == NULL ? strlen(text) : (size_t)(space - text) + 1;
    if (length < 2 || length > TITLE_BYTES || text[length - 1] != ':')
        return strncmp(text, "For namespace", 13) == 0;
    reader->title = arena_text(reader->arena, text, length);
    reader->format = NULL;
    return true;
}

static bool read_row(struct counts_reader *reader)
{
    if (reader->format == NULL)
        return false;
    if (reader->format->row(reader))
        return true;
    reader->format = NULL;
    return false;
}

/* Output of `tail -n +1 *` in hw_counters: "==> np_cnp_sent <==", then a line with only the
 * number. */
static bool read_number(struct counts_reader *reader)
{
    size_t length, more;
    int64_t value;
    const char *at = reader->lines.text, *number = counts_word(&at, &length), *name = reader->named;
    counts_word(&at, &more);
    if (name == NULL || more > 0 || !counts_number(number, length, &value))
        return false;
    name = counts_clean(reader->arena, name, strlen(name));
    counts_add(reader, counts_own_port(reader), name, counts_name(name, COUNTS_RDMA), number,
               length);
    reader->named = NULL;
    return true;
}

/* True for a ruler of a table or the time of a snapshot. */
static bool holds_no_count(const char *text)
{
    return text[strspn(text, " \t-=+")] == '\0' || strstr(text, "ast cached time was") != NULL;
}

/* What another reader takes ends the output above it. */
static bool is_taken(struct counts_reader *reader)
{
    if (reader->takes == NULL || !reader->takes(reader))
        return false;
    reader->format = NULL;
    return true;
}

static void read_line(struct counts_reader *reader)
{
    const char *text = reader->lines.text;
    if (is_taken(reader))
        return;
    if (holds_no_count(text) || counts_prompt(reader) || read_number(reader))
        return;
    counts_take_name(reader);
    if (offer(reader, false) || read_row(reader) || read_title(reader) || offer(reader, true) ||
        strpbrk(text, "0123456789") == NULL)
        return;
    counts_note(reader, text + strspn(text, blanks), "no counters known to stormglass: left out");
}

static bool read_whole(struct counts_reader *reader)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->whole != NULL && formats[i]->whole(reader))
            return true;
    return false;
}

void counts_read_tree(struct counts_reader *reader, const struct tree_node *root)
{
    for (int i = 0; i < FORMATS; i++)
        if (formats[i]->tree != NULL && formats[i]->tree(reader, root))
            return;
}

void counts_read_file(struct counts_reader *reader, const struct tree_file *file)
{
    reader->lines = (struct lines){.file = file};
    reader->format = NULL;
    reader->title = reader->named = reader->directory = NULL;
    reader->device = reader->file_device;
    if (read_whole(reader))
        return;
    while ((reader->skips_errors || reader->diag->errors < DIAG_MAX) &&
           lines_next(&reader->lines, reader->arena)) {
        if (memchr(reader->lines.text, '\0', reader->lines.length) != NULL)
            counts_wrong(reader, reader->lines.text, 1, "a text cannot contain a NUL character");
        else
            read_line(reader);
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * incident_read - the counters that a file prints. */
#include "scenarios/import/incident_private.h"

#include <string.h>

enum { NAME_MAX_BYTES = 256 };

static const char blanks[] = " \t";
static const char word_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./[]";
static const char port_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./[]:|";

struct diag_place incident_place(const struct incident_reader *reader, const char *at, size_t width)
{
    return (struct diag_place){.file = reader->file->name,
                               .line = reader->number,
                               .column = (int)(at - reader->line) + 1,
                               .width = (int)width};
}

void incident_wrong(struct incident_reader *reader, const char *at, size_t width, const char *text)
{
    diag_add(reader->diag, DIAG_ERROR, incident_place(reader, at, width), reader->line, "%s", text);
}

void incident_note(struct incident_reader *reader, const char *at, const char *text)
{
    const struct diag_place place = incident_place(reader, at, 1);
    fprintf(reader->notes, "%s:%d:%d: note: %s\n", place.file, place.line, place.column, text);
}

/* ---- words and numbers ---- */

const char *incident_word(const char **at, size_t *length)
{
    const char *word = *at + strspn(*at, blanks);
    *length = strcspn(word, blanks);
    *at = word + *length;
    return word;
}

bool incident_is_port(const char *word, size_t length)
{
    return length > 0 && length <= INCIDENT_WORD_MAX && strspn(word, port_letters) >= length;
}

/* A copy in which everything that no word has is '_': it can stand in JSON as it is. */
static const char *clean(struct arena *arena, const char *text, size_t length, const char *letters)
{
    char *word = arena_text(arena, text, length);
    for (char *at = word; *at != '\0'; at++)
        *at = strchr(letters, *at) == NULL ? '_' : *at;
    return word;
}

const char *incident_port(struct arena *arena, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base = slash == NULL ? file : slash + 1;
    return clean(arena, base, strcspn(base, "."), port_letters);
}

/* Commas between thousands do not count. */
static bool read_number(const char *text, size_t length, int64_t *value)
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

void incident_add(struct incident_reader *reader, const char *port, const char *name,
                  const char *number, size_t length)
{
    static const char expected[] = "expected a count from 0 to 9223372036854775807";
    int64_t value;
    if (!read_number(number, length, &value)) {
        incident_wrong(reader, number, length > 0 ? length : 1, expected);
        return;
    }
    if (reader->list.count == INCIDENT_COUNTERS_MAX) {
        incident_wrong(reader, number, length, "more than 200000 counters");
        return;
    }
    struct incident_counter *counter = arena_push(
        reader->arena, (void **)(void *)&reader->list.items, &reader->list.count, sizeof *counter);
    *counter = (struct incident_counter){port, name, value, incident_place(reader, number, length)};
}

/* ---- lines ---- */

/* "     rx_prio3_pause: 148213".  Some drivers' names have blanks and colons: they become '_'. */
static void read_ethtool(struct incident_reader *reader)
{
    const char *at = reader->line + strspn(reader->line, blanks);
    const char *colon = strrchr(at, ':');
    const size_t width = colon == NULL ? 0 : (size_t)(colon - at);
    if (width == 0 || width > INCIDENT_WORD_MAX) {
        incident_wrong(reader, at, 1, "expected a counter such as \"rx_prio3_pause: 148213\"");
        return;
    }
    const char *name = clean(reader->arena, at, width, word_letters);
    size_t length;
    at = colon + 1;
    const char *number = incident_word(&at, &length);
    incident_add(reader, reader->port, name, number, length);
}

/* "==> eth0.after <==", as head and tail write it before each of several files. */
static bool read_name(struct incident_reader *reader)
{
    const char *line = reader->line;
    if (strncmp(line, "==> ", 4) != 0)
        return false;
    const char *name = line + 4, *end = strstr(name, " <==");
    if (end == NULL || end - name > NAME_MAX_BYTES)
        return false;
    name = arena_text(reader->arena, name, (size_t)(end - name));
    reader->port = incident_port(reader->arena, name);
    reader->named = true;
    reader->section = INCIDENT_NONE;
    return true;
}

static bool read_head(struct incident_reader *reader)
{
    const char *text = reader->line + strspn(reader->line, blanks);
    if (strncmp(text, "NIC statistics:", 15) != 0)
        return read_name(reader) || incident_head(reader);
    reader->section = INCIDENT_ETHTOOL;
    return true;
}

static void read_line(struct incident_reader *reader)
{
    const char *text = reader->line;
    if (text[strspn(text, " \t-")] == '\0' || read_head(reader))
        return;
    if (reader->section == INCIDENT_ETHTOOL)
        read_ethtool(reader);
    else if (reader->section == INCIDENT_TABLE)
        incident_row(reader);
    else if (reader->section == INCIDENT_NONE)
        incident_note(reader, text, "before the first table: left out");
}

static void read_lines(struct incident_reader *reader)
{
    const char *text = reader->file->text;
    for (size_t at = 0; at < reader->file->length && reader->diag->errors < DIAG_MAX;) {
        const char *newline = memchr(text + at, '\n', reader->file->length - at);
        const size_t end = newline == NULL ? reader->file->length : (size_t)(newline - text);
        size_t length = end - at;
        length -= length > 0 && text[end - 1] == '\r';
        reader->line = arena_text(reader->arena, text + at, length);
        reader->number++;
        if (memchr(reader->line, '\0', length) != NULL)
            incident_wrong(reader, reader->line, 1, "a text cannot contain a NUL character");
        else
            read_line(reader);
        at = end + 1;
    }
}

bool incident_read(struct incident_reader *reader, const struct incident_input *input)
{
    const struct diag_place whole = {.file = input->name};
    reader->file = input->text == NULL
                       ? tree_read(reader->arena, input->name, reader->diag)
                       : tree_hold(reader->arena, input->name, input->text, input->length);
    if (reader->file != NULL && reader->file->length > INCIDENT_BYTES_MAX)
        diag_add(reader->diag, DIAG_ERROR, whole, NULL, "the file is larger than %d MiB",
                 INCIDENT_BYTES_MAX / 1024 / 1024);
    if (diag_failed(reader->diag))
        return false;
    read_lines(reader);
    incident_tell_left(reader);
    if (!diag_failed(reader->diag) && reader->list.count == 0)
        diag_add(reader->diag, DIAG_ERROR, whole, NULL,
                 "expected the output of ethtool -S, or of show pfc counters, show queue counters "
                 "or show priority-group drop counters");
    return !diag_failed(reader->diag);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/incident/incident_past.h"

#include "base/digest.h"
#include "scenarios/incident/incident_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- order ---- */

static int by_port(const struct incident_past_number *x, const struct incident_past_number *y)
{
    const int host = strcmp(x->host, y->host);
    return host != 0 ? host : strcmp(x->port, y->port);
}

static int by_key(const void *a, const void *b)
{
    const struct incident_past_number *x = a, *y = b;
    const int port = by_port(x, y);
    return port != 0 ? port : strcmp(x->key, y->key);
}

/* Numbers of one port and time follow each other, so that the state has each time once. */
static int by_time(const void *a, const void *b)
{
    const struct incident_past_number *x = a, *y = b;
    const int port = by_port(x, y);
    if (port != 0)
        return port;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? -1 : 1;
    return strcmp(x->key, y->key);
}

static int by_name(const void *a, const void *b)
{
    const struct incident_past_file *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void incident_past_sort(struct incident_past *past)
{
    if (past->number_count > 1)
        qsort(past->numbers, past->number_count, sizeof *past->numbers, by_key);
    if (past->file_count > 1)
        qsort(past->files, past->file_count, sizeof *past->files, by_name);
}

/* ---- numbers ---- */

void incident_past_start(struct incident_reader *reader)
{
    reader->incident->next = arena_take(reader->arena, sizeof *reader->incident->next);
    reader->seen = arena_array(reader->arena, reader->past->number_count + 1, sizeof *reader->seen);
}

static struct incident_past_number as_past(const struct incident_reader *reader,
                                           const struct incident_number *number)
{
    return (struct incident_past_number){
        .host = number->host,
        .port = number->port,
        .key =
            arena_format(reader->arena, "%s %s", number->number.what.name, number->number.source),
        .value = number->number.value,
        .seconds = number->when.seconds,
        .date = number->when.text};
}

static bool is_kept(const struct incident_reader *reader, const struct incident_number *number)
{
    return reader->past != NULL && number->number.what.name != NULL;
}

const struct incident_past_number *incident_past_number(const struct incident_reader *reader,
                                                        const struct incident_number *number)
{
    if (!is_kept(reader, number) || reader->past->number_count == 0)
        return NULL;
    const struct incident_past_number wanted = as_past(reader, number);
    return bsearch(&wanted, reader->past->numbers, reader->past->number_count, sizeof wanted,
                   by_key);
}

bool incident_past_has(const struct incident_past_number *past,
                       const struct incident_number *number)
{
    return past->seconds != INCIDENT_NO_TIME && number->when.seconds != INCIDENT_NO_TIME &&
           number->when.seconds < past->seconds;
}

/* A table's name has its host on a line of its own; JSON shows line ends as escapes. */
static const char *table_name(const struct incident_reader *reader, const char *table)
{
    char *name = arena_text(reader->arena, table, strlen(table));
    for (char *at = name; *at != '\0'; at++)
        *at = *at == '\n' ? ' ' : *at;
    return name;
}

static bool has_table(const char *const *tables, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tables[i], name) == 0)
            return true;
    return false;
}

bool incident_past_table(const struct incident_reader *reader, const char *table)
{
    return reader->past != NULL && table != NULL &&
           has_table(reader->past->tables, reader->past->table_count, table_name(reader, table));
}

static void add_number(struct incident_reader *reader, struct incident_past_number number)
{
    struct incident_past *next = reader->incident->next;
    struct incident_past_number *slot = arena_push(reader->arena, (void **)(void *)&next->numbers,
                                                   &next->number_count, sizeof *slot);
    *slot = number;
}

void incident_past_keep(struct incident_reader *reader, const struct incident_number *last)
{
    if (!is_kept(reader, last))
        return;
    const struct incident_past_number *past = incident_past_number(reader, last);
    if (past != NULL)
        reader->seen[past - reader->past->numbers] = true;
    add_number(reader, as_past(reader, last));
}

static int by_counter(const void *a, const void *b)
{
    const struct incident_count *x = a, *y = b;
    int order = strcmp(x->host, y->host);
    order = order != 0 ? order : strcmp(x->port, y->port);
    order = order != 0 ? order : strcmp(x->name, y->name);
    return order != 0 ? order : x->priority - y->priority;
}

/* A port that prints nothing new is still there: messages of logs and cables may name it.  It gets
 * one count with one sample, which is no difference. */
static void add_quiet_ports(struct incident_reader *reader)
{
    struct incident *incident = reader->incident;
    const struct incident_past *next = incident->next;
    const size_t count = incident->count_count;
    size_t at = 0;
    for (size_t i = 0; i < next->number_count; i++) {
        const struct incident_past_number *number = &next->numbers[i];
        if (i > 0 && by_port(number, number - 1) == 0)
            continue;
        int order = -1;
        for (; at < count && order < 0; at += order < 0) {
            order = strcmp(incident->counts[at].host, number->host);
            order = order != 0 ? order : strcmp(incident->counts[at].port, number->port);
        }
        if (order == 0)
            continue;
        struct incident_sample *sample = arena_take(reader->arena, sizeof *sample);
        *sample = (struct incident_sample){
            {INT32_MIN, number->seconds, number->date}, number->value, {0}};
        struct incident_count *slot = arena_push(reader->arena, (void **)(void *)&incident->counts,
                                                 &incident->count_count, sizeof *slot);
        *slot = (struct incident_count){
            .host = number->host,
            .port = number->port,
            .name = arena_text(reader->arena, number->key, strcspn(number->key, " ")),
            .known = true,
            .priority = -1,
            .samples = sample,
            .sample_count = 1};
    }
    if (incident->count_count > count)
        qsort(incident->counts, incident->count_count, sizeof *incident->counts, by_counter);
}

static void keep_tables(struct incident_reader *reader)
{
    struct incident_past *next = reader->incident->next;
    const size_t count = reader->past->table_count + reader->table_count;
    next->tables = arena_array(reader->arena, count + 1, sizeof *next->tables);
    for (size_t i = 0; i < reader->past->table_count; i++)
        next->tables[next->table_count++] = reader->past->tables[i];
    for (size_t i = 0; i < reader->table_count; i++) {
        const char *name = table_name(reader, reader->tables[i].table);
        if (!has_table(next->tables, next->table_count, name))
            next->tables[next->table_count++] = name;
    }
}

void incident_past_finish(struct incident_reader *reader)
{
    struct incident_past *next = reader->incident->next;
    if (reader->past == NULL)
        return;
    for (size_t i = 0; i < reader->past->number_count; i++)
        if (!reader->seen[i])
            add_number(reader, reader->past->numbers[i]);
    if (next->number_count > INCIDENT_PAST_NUMBERS_MAX)
        diag_add(reader->diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "more than %d counters: expected fewer devices for each state file",
                 INCIDENT_PAST_NUMBERS_MAX);
    if (next->number_count > 1)
        qsort(next->numbers, next->number_count, sizeof *next->numbers, by_time);
    add_quiet_ports(reader);
    keep_tables(reader);
}

/* ---- files ---- */

static bool is_own(const struct incident_past *past, const struct stat *status)
{
    struct stat own;
    return past->own != NULL && stat(past->own, &own) == 0 && own.st_dev == status->st_dev &&
           own.st_ino == status->st_ino;
}

static const struct incident_past_file *find_file(const struct incident_past *past,
                                                  const char *name)
{
    const struct incident_past_file wanted = {.name = name};
    return past->file_count == 0
               ? NULL
               : bsearch(&wanted, past->files, past->file_count, sizeof wanted, by_name);
}

static bool is_same(const struct incident_past_file *a, const struct incident_past_file *b)
{
    return a != NULL && a->size == b->size && a->modified == b->modified;
}

static struct incident_past_file *add_file(struct incident_reader *reader,
                                           struct incident_past_file file)
{
    struct incident_past *next = reader->incident->next;
    struct incident_past_file *slot =
        arena_push(reader->arena, (void **)(void *)&next->files, &next->file_count, sizeof *slot);
    *slot = file;
    return slot;
}

/* A file that was removed meanwhile is no error: dumps come and go. */
bool incident_past_opens(struct incident_reader *reader, const char *path)
{
    struct stat status;
    reader->old_numbers = reader->old_messages = 0;
    if (reader->past == NULL)
        return true;
    if (stat(path, &status) != 0)
        return errno != ENOENT;
    if (is_own(reader->past, &status))
        return false;
    const struct incident_past_file file = {
        .name = path,
        .size = status.st_size,
        .modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
        .digest = ""};
    const struct incident_past_file *before = find_file(reader->past, path);
    const bool is_old = is_same(before, &file);
    add_file(reader, is_old ? *before : file)->name = path;
    return !is_old || before->is_pending || !before->is_closed;
}

static const char *digest_text(struct incident_reader *reader, const char *text, size_t length)
{
    char digits[DIGEST_TEXT_BYTES];
    const struct digest digest = digest_of(text, length);
    digest_format(&digest, digits);
    return arena_text(reader->arena, digits, strlen(digits));
}

/* Whether the file still begins with what the past read. */
static bool begins_as_before(struct incident_reader *reader, const struct tree_file *file,
                             const struct incident_past_file *before)
{
    return before != NULL && !before->is_pending && before->size >= 0 &&
           (uint64_t)before->size <= file->length &&
           strcmp(digest_text(reader, file->text, (size_t)before->size), before->digest) == 0;
}

/* Of an unchanged file nothing is new; of one that was written again with the same text, its
 * counters are: they have not moved. */
static void find_old_lines(struct incident_reader *reader, const struct tree_file *file,
                           const struct incident_past_file *before,
                           const struct incident_past_file *now)
{
    const bool is_old = is_same(before, now) && !before->is_pending;
    const bool begins = !is_old && begins_as_before(reader, file, before);
    const int lines = begins && before->lines < INT32_MAX ? (int)before->lines : 0;
    reader->old_messages = is_old || reader->past->is_empty ? INT32_MAX : lines;
    const bool has_grown = begins && (uint64_t)before->size < file->length;
    reader->old_numbers = is_old ? INT32_MAX : has_grown ? lines : 0;
    reader->incident->changed += !is_old;
}

static int64_t count_lines(const struct tree_file *file)
{
    int64_t lines = 0;
    for (size_t i = 0; i < file->length; i++)
        lines += file->text[i] == '\n';
    return lines;
}

bool incident_past_begins(struct incident_reader *reader, const struct tree_file *file)
{
    if (reader->past == NULL)
        return true;
    struct incident_past *next = reader->incident->next;
    struct incident_past_file *now = &next->files[next->file_count - 1];
    const struct incident_past_file *before = find_file(reader->past, now->name);
    const bool is_whole = file->length == 0 || file->text[file->length - 1] == '\n';
    if (!is_whole && !is_same(before, now)) {
        *now = (struct incident_past_file){.name = now->name,
                                           .size = now->size,
                                           .modified = now->modified,
                                           .digest = "",
                                           .is_pending = true};
        return false;
    }
    find_old_lines(reader, file, before, now);
    now->is_pending = false;
    now->size = (int64_t)file->length;
    now->lines = count_lines(file);
    now->digest = digest_text(reader, file->text, file->length);
    return true;
}

void incident_past_ends(struct incident_reader *reader, const struct incident_file *about)
{
    if (reader->past == NULL)
        return;
    struct incident_past *next = reader->incident->next;
    next->files[next->file_count - 1].is_closed =
        about->left_out != NULL ||
        (about->cables == 0 && about->log_lines == 0 && about->events == 0 &&
         !about->is_configuration && !about->is_scenario);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/incident/incident_past.h"

#include "base/digest.h"
#include "scenarios/incident/incident_private.h"

#include <errno.h>
#include <inttypes.h>
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

static int by_digest(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
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
    const struct incident_past *past = reader->past;
    reader->incident->next = arena_take(reader->arena, sizeof *reader->incident->next);
    reader->seen = arena_array(reader->arena, past->number_count + 1, sizeof *reader->seen);
    reader->known = arena_array(reader->arena, 2 * past->file_count + 1, sizeof *reader->known);
    reader->known_before =
        arena_array(reader->arena, past->content_count + 1, sizeof *reader->known_before);
    for (size_t i = 0; i < past->file_count; i++) {
        reader->known[reader->known_count++] = past->files[i].data;
        reader->known[reader->known_count++] = past->files[i].digest;
    }
    for (size_t i = 0; i < past->content_count; i++)
        reader->known_before[i] = past->contents[i];
    qsort(reader->known, reader->known_count, sizeof *reader->known, by_digest);
    qsort(reader->known_before, past->content_count, sizeof *reader->known_before, by_digest);
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
    if (past->seconds == INCIDENT_NO_TIME || number->when.seconds == INCIDENT_NO_TIME)
        return false;
    return number->when.seconds < past->seconds ||
           (number->when.seconds == past->seconds && number->number.value == past->value);
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
           has_table(reader->past->tables, reader->past->table_count, table);
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
        const char *name = reader->tables[i].table;
        if (!has_table(next->tables, next->table_count, name))
            next->tables[next->table_count++] = name;
    }
}

static const struct incident_past_file *find_file(const struct incident_past *past,
                                                  const char *name)
{
    const struct incident_past_file wanted = {.name = name};
    return past->file_count == 0
               ? NULL
               : bsearch(&wanted, past->files, past->file_count, sizeof wanted, by_name);
}

static bool is_old_content(const struct incident_reader *reader, const char *digest)
{
    return bsearch(&digest, reader->known_before, reader->past->content_count, sizeof digest,
                   by_digest) != NULL;
}

static bool is_known(const struct incident_reader *reader, const char *digest)
{
    return is_old_content(reader, digest) ||
           bsearch(&digest, reader->known, reader->known_count, sizeof digest, by_digest) != NULL;
}

static void add_content(struct incident_past *next, const char *digest)
{
    if (next->content_count < INCIDENT_PAST_CONTENTS_MAX)
        next->contents[next->content_count++] = digest;
}

/* What a file held before it changed or was removed: a copy of it is not new. */
static void keep_contents(struct incident_reader *reader)
{
    const struct incident_past *past = reader->past;
    struct incident_past *next = reader->incident->next;
    next->contents = arena_array(reader->arena, 2 * past->file_count + past->content_count + 1,
                                 sizeof *next->contents);
    if (next->file_count > 1)
        qsort(next->files, next->file_count, sizeof *next->files, by_name);
    for (size_t i = 0; i < past->file_count; i++) {
        const struct incident_past_file *before = &past->files[i];
        const struct incident_past_file *now = find_file(next, before->name);
        const bool is_there = now != NULL && strcmp(now->digest, before->digest) == 0;
        if (is_there || *before->digest == '\0' || is_old_content(reader, before->digest))
            continue;
        add_content(next, before->digest);
        if (strcmp(before->data, before->digest) != 0)
            add_content(next, before->data);
    }
    for (size_t i = 0; i < past->content_count; i++)
        add_content(next, past->contents[i]);
}

void incident_past_finish(struct incident_reader *reader)
{
    struct incident_past *next = reader->incident->next;
    if (reader->past == NULL)
        return;
    for (size_t i = 0; i < reader->past->number_count; i++)
        if (!reader->seen[i])
            add_number(reader, reader->past->numbers[i]);
    if (next->number_count > 1)
        qsort(next->numbers, next->number_count, sizeof *next->numbers, by_time);
    add_quiet_ports(reader);
    keep_tables(reader);
    keep_contents(reader);
}

/* ---- files ---- */

static bool is_own(const struct incident_past *past, const struct stat *status)
{
    struct stat own;
    return past->own != NULL && stat(past->own, &own) == 0 && own.st_dev == status->st_dev &&
           own.st_ino == status->st_ino;
}

static bool is_same(const struct incident_past_file *a, const struct incident_past_file *b)
{
    return a != NULL && a->size == b->size && strcmp(a->stamp, b->stamp) == 0;
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

/* As text: times before 1970 and after 2262 have no number of nanoseconds in 64 bits. */
static const char *stamp_of(struct arena *arena, const struct stat *status)
{
    return arena_format(arena, "%" PRId64 ".%09ld %" PRId64 ".%09ld",
                        (int64_t)status->st_mtim.tv_sec, (long)status->st_mtim.tv_nsec,
                        (int64_t)status->st_ctim.tv_sec, (long)status->st_ctim.tv_nsec);
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
    const struct incident_past_file file = {.name = path,
                                            .size = status.st_size,
                                            .stamp = stamp_of(reader->arena, &status),
                                            .digest = "",
                                            .data = ""};
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

/* The past's file whose bytes this one begins with: its own, or the one that it was rotated from
 * ("host9.txt.1" and "host9.txt-20261128" were "host9.txt"). */
static const struct incident_past_file *
find_beginning(struct incident_reader *reader, const struct tree_file *file, const char *path)
{
    char *name = arena_text(reader->arena, path, strlen(path));
    for (size_t length = strlen(path); length > 0 && reader->past->file_count > 0; length--) {
        name[length] = '\0';
        const struct incident_past_file *before = find_file(reader->past, name);
        if (begins_as_before(reader, file, before))
            return before;
    }
    return NULL;
}

static void find_old_lines(struct incident_reader *reader, const struct tree_file *file,
                           const struct incident_past_file *now)
{
    const struct incident_past_file *before = find_beginning(reader, file, now->name);
    const bool is_short = before != NULL && before->lines < INT32_MAX;
    reader->old_numbers = is_short ? (int)before->lines : 0;
    reader->old_messages = reader->past->is_empty ? INT32_MAX : reader->old_numbers;
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
                                           .stamp = now->stamp,
                                           .digest = "",
                                           .data = "",
                                           .is_pending = true};
        return false;
    }
    now->is_pending = false;
    now->size = (int64_t)file->length;
    now->lines = count_lines(file);
    now->digest = digest_text(reader, file->text, file->length);
    find_old_lines(reader, file, now);
    reader->data = NULL;
    reader->numbers_before = reader->number_count;
    reader->tables_before = reader->table_count;
    reader->events_before = reader->incident->event_count;
    return true;
}

void incident_past_ends(struct incident_reader *reader, const struct incident_file *about)
{
    if (reader->past == NULL)
        return;
    struct incident_past *next = reader->incident->next;
    struct incident_past_file *now = &next->files[next->file_count - 1];
    now->data = reader->data != NULL ? reader->data : now->digest;
    if (is_known(reader, now->data)) {
        reader->number_count = reader->numbers_before;
        reader->table_count = reader->tables_before;
    }
    if (is_known(reader, now->digest))
        reader->incident->event_count = reader->events_before;
    else if (!is_known(reader, now->data) || reader->incident->event_count > reader->events_before)
        reader->incident->changed++;
    now->is_closed = about->left_out != NULL ||
                     (about->cables == 0 && about->log_lines == 0 && about->events == 0 &&
                      !about->is_configuration && !about->is_scenario);
}

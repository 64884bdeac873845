/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/counters/counts_walk.h"

#include "base/memory.h"
#include "scenarios/counters/counts_private.h"

#include <stdlib.h>
#include <string.h>

static bool takes(struct counts_reader *reader)
{
    const struct counts_walk *walk = reader->caller;
    return walk->takes(walk->self, &reader->lines, reader->host);
}

static void take_numbers(struct counts_walk *walk, const struct counts_list *list)
{
    walk->numbers = arena_array(walk->arena, list->count + 1, sizeof *walk->numbers);
    walk->count = list->count;
    for (size_t i = 0; i < list->count; i++)
        walk->numbers[i] = (struct counts_number){.port = list->items[i].port,
                                                  .source = list->items[i].source,
                                                  .what = list->items[i].what,
                                                  .value = list->items[i].value,
                                                  .table = list->items[i].table,
                                                  .place = list->items[i].place};
}

/* What was skipped, as warnings. */
static void take_errors(struct counts_walk *walk, struct diag *diag)
{
    char *text;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    walk->malformed = (uint32_t)diag->errors;
    for (int i = 0; i < diag->count; i++) {
        struct diag_message *message = &diag->messages[i];
        const size_t length = strlen(message->text);
        if (walk->first_malformed.file == NULL)
            walk->first_malformed = message->place;
        message->level = DIAG_WARNING;
        snprintf(message->text + length, sizeof message->text - length,
                 "; the rest of the line is skipped");
    }
    diag->errors = 0;
    diag_print(diag, out);
    memory_stream_end(out);
    walk->warnings = arena_text(walk->arena, text, size);
    free(text);
}

bool counts_walk(struct counts_walk *walk)
{
    char *text;
    size_t size;
    FILE *notes = memory_stream(&text, &size);
    struct diag *skipped = memory_zeroed(1, sizeof *skipped);
    struct counts_reader reader = {.arena = walk->arena,
                                   .diag = skipped,
                                   .skips_errors = true,
                                   .notes = notes,
                                   .port = walk->host,
                                   .host = walk->host,
                                   .file_device = walk->device,
                                   .in_folder = true,
                                   .takes = walk->takes == NULL ? NULL : takes,
                                   .caller = walk};
    if (walk->file->length > COUNTS_BYTES_MAX)
        diag_add(walk->diag, DIAG_ERROR, (struct diag_place){.file = walk->file->name}, NULL,
                 "the file is larger than 8 MiB");
    else
        counts_read_file(&reader, walk->file);
    memory_stream_end(notes);
    walk->notes = arena_text(walk->arena, text, size);
    free(text);
    take_errors(walk, skipped);
    free(skipped);
    take_numbers(walk, &reader.list);
    walk->tables = reader.tables;
    walk->table_count = reader.table_count;
    return !diag_failed(walk->diag);
}

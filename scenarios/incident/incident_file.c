/* SPDX-License-Identifier: Apache-2.0
 * incident_file - what a file is, by its content, and its lines. */
#include "base/digest.h"
#include "base/memory.h"
#include "scenarios/format/filekind.h"
#include "scenarios/format/json_tree.h"
#include "scenarios/incident/incident_private.h"
#include "scenarios/incident/incident_time.h"
#include "scenarios/sonic/sonic.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_SHOWN = 3 };

static const char blanks[] = " \t";

/* From this line on, what is printed is of this time. */
struct moment {
    int line;
    struct incident_when when;
};

struct walk {
    struct incident_reader *reader;
    struct incident_file *about;
    struct incident_name name;
    struct incident_when now;
    struct moment *moments;
    size_t moment_count;
    /* A table of `show lldp table` that is being read. */
    bool in_cables;
    FILE *cables; /* the file's tables at their lines, each below "==> HOST <==" */
    char *cables_text;
    size_t cables_length;
    int cables_line; /* lines written to it */
    const char *owner;
    const char **ports; /* that the rows name */
    size_t port_count;
    struct incident_host_lines settings;
};

/* ---- dates and logs ---- */

static bool take_date(struct walk *walk, const struct lines *lines)
{
    struct incident_time time;
    const char *text = lines->text + strspn(lines->text, blanks);
    if (!incident_time_read(text, &time) || *time.end != '\0')
        return false;
    walk->now.seconds = time.seconds;
    walk->now.text = arena_text(walk->reader->arena, text, strlen(text));
    struct moment *slot = arena_push(walk->reader->arena, (void **)(void *)&walk->moments,
                                     &walk->moment_count, sizeof *slot);
    *slot = (struct moment){lines->number, walk->now};
    return true;
}

static void add_event(struct walk *walk, const struct lines *lines, const char *text,
                      struct incident_event event)
{
    struct incident *incident = walk->reader->incident;
    if (lines->number <= walk->reader->old_messages)
        return;
    event.place = lines_place(lines, text, strlen(text));
    walk->about->events++;
    if (incident->event_count >= INCIDENT_EVENTS_MAX)
        return;
    struct incident_event *slot =
        arena_push(walk->reader->arena, (void **)(void *)&incident->events, &incident->event_count,
                   sizeof *slot);
    *slot = event;
}

static bool take_log(struct walk *walk, const struct lines *lines, const char *host)
{
    struct incident_log_line log;
    struct incident_event event = {.when = {.seconds = INCIDENT_NO_TIME}};
    struct arena *arena = walk->reader->arena;
    const bool is_line = incident_log_read(arena, lines->text, &log);
    const char *text = is_line ? log.text : lines->text;
    if (!incident_log_event(arena, text, &event)) {
        walk->about->log_lines += is_line;
        return is_line;
    }
    event.host = is_line && log.host != NULL ? log.host : incident_short_host(arena, host);
    if (is_line)
        event.when = log.when;
    walk->about->log_lines++;
    add_event(walk, lines, text, event);
    return true;
}

/* ---- cables ---- */

/* The table stands at its own lines, so that messages name them. */
static void write_cables(struct walk *walk, const struct lines *lines, const char *text)
{
    if (walk->cables == NULL)
        walk->cables = memory_stream(&walk->cables_text, &walk->cables_length);
    for (; walk->cables_line + 1 < lines->number; walk->cables_line++)
        fputc('\n', walk->cables);
    fprintf(walk->cables, "%s\n", text);
    walk->cables_line++;
}

/* The line above the head names the switch; there is one unless the table begins the file. */
static void begin_cables(struct walk *walk, const struct lines *lines, const char *host)
{
    const struct lines above = {.file = lines->file, .number = lines->number - 1};
    struct arena *arena = walk->reader->arena;
    walk->owner = incident_short_host(arena, host);
    if (walk->cables == NULL)
        walk->cables = memory_stream(&walk->cables_text, &walk->cables_length);
    if (above.number > walk->cables_line)
        write_cables(walk, &above, arena_format(arena, "==> %s <==", walk->owner));
    write_cables(walk, lines, lines->text);
    walk->in_cables = true;
}

static bool take_cables(struct walk *walk, const struct lines *lines, const char *host)
{
    const char *text = lines->text + strspn(lines->text, blanks);
    if (strncmp(text, "LocalPort", 9) == 0 && strstr(text, "RemoteDevice") != NULL) {
        begin_cables(walk, lines, host);
        return true;
    }
    if (!walk->in_cables)
        return strncmp(text, "Capability codes:", 17) == 0 ||
               strncmp(text, "Total entries displayed", 23) == 0;
    const bool row = *text != '\0' && strpbrk(lines->text, "$#>") == NULL;
    if (!row) {
        walk->in_cables = false;
        return *text == '\0';
    }
    write_cables(walk, lines, lines->text);
    if (strspn(text, "- ") == strlen(text) || strncmp(text, "Total", 5) == 0)
        return true;
    const char **slot = arena_push(walk->reader->arena, (void **)(void *)&walk->ports,
                                   &walk->port_count, sizeof *slot);
    *slot = arena_text(walk->reader->arena, text, strcspn(text, blanks));
    walk->about->cables++;
    return true;
}

static bool takes(void *self, const struct lines *lines, const char *host)
{
    struct walk *walk = self;
    return incident_host_take(&walk->settings, walk->reader->arena, lines, host) ||
           take_cables(walk, lines, host) || take_date(walk, lines) || take_log(walk, lines, host);
}

static void add_input(struct incident_reader *reader, const char *name, const char *text,
                      size_t length, const char *owner)
{
    struct incident_input *slot = arena_push(reader->arena, (void **)(void *)&reader->inputs,
                                             &reader->input_count, sizeof *slot);
    *slot = (struct incident_input){.name = name,
                                    .text = arena_text(reader->arena, text, length),
                                    .length = length,
                                    .owner = owner};
}

static void end_cables(struct walk *walk, const struct tree_file *file)
{
    if (walk->cables == NULL)
        return;
    memory_stream_end(walk->cables);
    add_input(walk->reader, file->name, walk->cables_text, walk->cables_length, walk->owner);
    struct incident_input *input = &walk->reader->inputs[walk->reader->input_count - 1];
    input->ports = walk->ports;
    input->port_count = walk->port_count;
    free(walk->cables_text);
}

/* ---- numbers ---- */

static struct incident_when when_of(const struct walk *walk, int line)
{
    struct incident_when when = walk->name.when;
    for (size_t i = 0; i < walk->moment_count && walk->moments[i].line <= line; i++)
        when = walk->moments[i].when;
    when.rank = walk->name.when.rank;
    return when;
}

static void take_number(struct walk *walk, const struct counts_number *number)
{
    struct incident_reader *reader = walk->reader;
    if (number->place.line <= reader->old_numbers)
        return;
    const char *colon = strchr(number->port, ':');
    const size_t length = colon == NULL ? strlen(number->port) : (size_t)(colon - number->port);
    struct incident_number *slot = arena_push(reader->arena, (void **)(void *)&reader->numbers,
                                              &reader->number_count, sizeof *slot);
    *slot = (struct incident_number){
        .number = *number,
        .host = incident_short_host(reader->arena, arena_text(reader->arena, number->port, length)),
        .port = colon == NULL ? "" : colon + 1,
        .when = when_of(walk, number->place.line),
        .order = (uint32_t)reader->number_count};
}

/* A row that a file with malformed lines lacks may be the malformed one, so it is not 0. */
static void take_tables(struct walk *walk, const struct counts_walk *counts)
{
    struct incident_reader *reader = walk->reader;
    for (size_t i = 0; i < counts->table_count && counts->malformed == 0; i++) {
        struct incident_table *slot = arena_push(reader->arena, (void **)(void *)&reader->tables,
                                                 &reader->table_count, sizeof *slot);
        *slot = (struct incident_table){
            counts->tables[i], walk->name.when, {.file = counts->file->name}};
    }
}

/* "no counters known to stormglass" lines are counted; other notes are handed on. */
static void take_notes(struct walk *walk, const char *notes)
{
    struct incident_file *about = walk->about;
    for (const char *at = notes; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const char *text = arena_text(walk->reader->arena, at, length);
        if (strstr(text, "no counters known") == NULL) {
            fprintf(walk->reader->notes, "%s\n", text);
        } else if (about->lines_left++ == 0) {
            const char *place = text + strlen(about->name);
            about->first_left = (struct diag_place){.file = about->name};
            if (*place == ':')
                about->first_left.line = (int)strtol(place + 1, NULL, 10);
        }
        at += length + (at[length] == '\n');
    }
}

static uint64_t digest_word(const char *text)
{
    return digest_of(text, strlen(text)).low;
}

/* Identifies the counters of a file, whatever the file is called and whenever it was written. */
static void find_data(struct walk *walk, const struct counts_walk *counts)
{
    struct digest digest = {0};
    char digits[DIGEST_TEXT_BYTES];
    if (walk->reader->past == NULL || counts->count == 0)
        return;
    for (size_t i = 0; i < counts->count; i++) {
        const struct counts_number *number = &counts->numbers[i];
        digest_add(&digest, digest_word(number->port));
        digest_add(&digest, digest_word(number->source));
        digest_add(&digest, (uint64_t)number->value);
        digest_add(&digest, (uint64_t)when_of(walk, number->place.line).seconds);
    }
    digest_format(&digest, digits);
    walk->reader->data = arena_text(walk->reader->arena, digits, strlen(digits));
}

static void read_lines(struct walk *walk, const struct tree_file *file)
{
    struct incident_reader *reader = walk->reader;
    struct counts_walk counts = {.arena = reader->arena,
                                 .diag = reader->diag,
                                 .file = file,
                                 .host = walk->name.host,
                                 .device = walk->name.device,
                                 .takes = takes,
                                 .self = walk};
    walk->settings = (struct incident_host_lines){.last = INCIDENT_TOOLS};
    counts_walk(&counts);
    end_cables(walk, file);
    incident_host_end(reader, walk->about, &walk->settings);
    take_notes(walk, counts.notes);
    take_tables(walk, &counts);
    fputs(counts.warnings, reader->notes);
    walk->about->malformed = counts.malformed;
    walk->about->first_malformed = counts.first_malformed;
    walk->about->numbers = (uint32_t)counts.count;
    find_data(walk, &counts);
    for (size_t i = 0; i < counts.count; i++) {
        if (reader->number_count >= INCIDENT_NUMBERS_MAX) {
            diag_add(reader->diag, DIAG_ERROR, counts.numbers[i].place, NULL,
                     "more than %d counters in all files", INCIDENT_NUMBERS_MAX);
            break;
        }
        take_number(walk, &counts.numbers[i]);
    }
}

/* ---- kinds of files ---- */

static bool has_key(const struct tree_file *file, const char *key)
{
    return strstr(file->text, key) != NULL;
}

static bool is_json(const struct tree_file *file)
{
    const size_t at = strspn(file->text, " \t\r\n");
    return json_text_begins(file, at);
}

/* A file whose whole text is of one kind that is not counters; false: it is walked. */
static bool take_whole(struct walk *walk, const struct tree_file *file)
{
    struct incident_reader *reader = walk->reader;
    const enum filekind kind = filekind_of(
        file->text, file->length < FILEKIND_HEAD_BYTES ? file->length : FILEKIND_HEAD_BYTES);
    if (kind == FILEKIND_SCENARIO) {
        walk->about->is_scenario = true;
        reader->fabric = reader->fabric == NULL ? file->name : reader->fabric;
        reader->fabric_text = reader->fabric_text == NULL ? file->text : reader->fabric_text;
        reader->fabric_length = strlen(reader->fabric_text);
        return true;
    }
    if (kind != FILEKIND_UNKNOWN && kind != FILEKIND_COUNTERS) {
        walk->about->left_out = filekind_words(kind);
        return true;
    }
    if (!is_json(file))
        return false;
    if (has_key(file, "\"DEVICE_METADATA\"") && has_key(file, "\"PORT\"")) {
        walk->about->is_configuration = true;
        add_input(reader, file->name, file->text, file->length, NULL);
        return true;
    }
    if (has_key(file, "\"hostnqn\"") && has_key(file, "\"subsystems\"")) {
        const struct incident_host_text config = {.host = walk->name.host,
                                                  .tool = INCIDENT_NVME,
                                                  .text = (char *)(uintptr_t)file->text,
                                                  .length = file->length};
        incident_host_read(reader, walk->about, &config);
        return true;
    }
    if (has_key(file, "\"lldp\"") && has_key(file, "\"chassis\"")) {
        walk->about->cables++;
        add_input(reader, file->name, file->text, file->length, walk->name.host);
        return true;
    }
    if (kind == FILEKIND_COUNTERS || has_key(file, "\"fio version\"") ||
        has_key(file, "\"Subsystems\"")) {
        walk->about->left_out =
            has_key(file, "\"fio version\"") ? "a result of fio, which triage does not use"
            : has_key(file, "\"Subsystems\"")
                ? "a list of NVMe subsystems, which triage does not use"
                : "counters that stormglass import wrote: give the original files instead";
        return true;
    }
    return false;
}

void incident_read_file(struct incident_reader *reader, const struct tree_file *file,
                        const char *within)
{
    struct incident *incident = reader->incident;
    struct incident_file *about = arena_push(reader->arena, (void **)(void *)&incident->files,
                                             &incident->file_count, sizeof *about);
    *about = (struct incident_file){.name = file->name};
    struct walk walk = {.reader = reader,
                        .about = about,
                        .name = incident_name(reader->arena, within),
                        .now = {.seconds = INCIDENT_NO_TIME}};
    about->host = walk.name.host;
    if (file->length == 0)
        about->left_out = "empty";
    else if (file->length > INCIDENT_FILE_BYTES_MAX)
        about->left_out = "larger than 8 MiB";
    else if (filekind_of(file->text,
                         file->length < FILEKIND_HEAD_BYTES ? file->length : FILEKIND_HEAD_BYTES) ==
                 FILEKIND_UNKNOWN &&
             memchr(file->text, '\0', file->length) != NULL)
        about->left_out = "no text";
    else if (!take_whole(&walk, file))
        read_lines(&walk, file);
    if (about->left_out == NULL && about->numbers == 0 && about->cables == 0 &&
        about->log_lines == 0 && about->outputs == 0 && !about->is_configuration &&
        !about->is_scenario)
        about->left_out =
            about->malformed > 0 ? "no line could be read" : "no line of a known kind";
}

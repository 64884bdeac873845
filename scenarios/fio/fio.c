/* SPDX-License-Identifier: Apache-2.0
 * fio - parses the lines and sections of a fio job file.
 * A section inherits the options of the [global] sections above it. kb_base and ioengine of a
 * section are read before its other options: kb_base determines the unit of sizes, and a section
 * with an unsupported engine may use options that only this engine knows. Its job is rejected once,
 * with the name of the engine. */
#include "base/memory.h"
#include "scenarios/fio/fio_private.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct fio_reader reader;
    const struct fio_file *file;
    struct fio_lines lines;
    uint32_t at;                /* next line to read */
    struct fio_raw global, raw; /* options of the current section */
    bool in_section, in_global;
    struct fio_line engine,
        global_engine;   /* lines that name an unsupported engine; number 0: none */
    const char *refused; /* line whose engine was already rejected */
    struct fio_line section;
    char section_name[FIO_NAME_BYTES];
    struct fio_jobs *jobs;
    uint32_t room, copies, group, suffix;
    int errors_max;      /* number of errors after which reading stops, because no more are kept */
    bool failed_section; /* the section has an error, so its job is not examined */
    bool failed_global;
    bool *noted;         /* by option: its first use was noted */
    bool noted_sections; /* a note about sections in an included file was added */
};

/* Options. */

struct words {
    char option[64];
    char text[FIO_LINE_BYTES_MAX + 1];
    struct fio_value value;
};

/* Splits `option = value`; false if the name is longer than that of any option. */
static bool split_option(const struct fio_line *line, struct words *words)
{
    const char *first = line->text + line->first;
    const size_t length = line->end - line->first;
    const char *equals = memchr(first, '=', length);
    size_t name_length = equals != NULL ? (size_t)(equals - first) : length;
    while (name_length > 0 && fio_is_blank(first[name_length - 1]))
        name_length--;
    if (name_length >= sizeof words->option)
        return false;
    memcpy(words->option, first, name_length);
    words->option[name_length] = '\0';
    words->value = (struct fio_value){
        .option = words->option,
        .option_column = (int)line->first + 1,
        .column = (int)line->first + 1,
    };
    if (equals == NULL)
        return true;
    const char *text = equals + 1, *end = line->text + line->end;
    while (text < end && fio_is_blank(*text))
        text++;
    CHECK((size_t)(end - text) < sizeof words->text);
    memcpy(words->text, text, (size_t)(end - text));
    words->text[end - text] = '\0';
    words->value.text = words->text;
    words->value.column = (int)(text - line->text) + 1;
    return true;
}

static bool is_section(const struct fio_line *line)
{
    return line->first < line->end && line->text[line->first] == '[';
}

/* Looks ahead for kb_base and ioengine, which must be known before a section's options are read. */
static void scan_section(struct parser *parser)
{
    struct words words;
    for (uint32_t at = parser->at; at < parser->lines.count; at++) {
        const struct fio_line *line = &parser->lines.list[at];
        if (is_section(line))
            return;
        if (line->length > FIO_LINE_BYTES_MAX || !split_option(line, &words) ||
            words.value.text == NULL)
            continue;
        const bool base = strcmp(words.option, "kb_base") == 0;
        if (base && strcmp(words.text, "1000") == 0)
            parser->raw.kb_base = 0;
        if (base && strcmp(words.text, "1024") == 0)
            parser->raw.kb_base = 1;
        if (strcmp(words.option, "ioengine") != 0)
            continue;
        const bool other = fio_engine_find(words.text) == FIO_ENGINE_OTHER;
        parser->engine = other ? *line : (struct fio_line){0};
    }
}

static bool unknown_option(struct parser *parser, const struct fio_value *value)
{
    return fio_error(&parser->reader, value->option_column, "fio has no option '%s'%s",
                     value->option, fio_option_hint(value->option).text);
}

static void note_option(struct parser *parser, const struct fio_option *option,
                        const struct fio_value *value)
{
    const size_t index = (size_t)(option - fio_options);
    if (option->class != FIO_NO_MEANING || parser->noted[index] ||
        fio_option_is_fine(option, value))
        return;
    parser->noted[index] = true;
    fio_note(&parser->reader, value->option_column, "'%.64s' has no effect here: %s", value->option,
             option->about);
}

/* Skips the options of a job with an unsupported engine. A [global] section with such an engine may
 * still apply to jobs that name another one, so its known options are read. */
static bool apply_option(struct parser *parser, const struct fio_value *value)
{
    const struct fio_option *option = fio_option_find(value->option);
    const bool other_engine = parser->engine.number != 0;
    if (other_engine && (!parser->in_global || option == NULL || option->read == fio_read_ioengine))
        return true;
    if (option == NULL)
        return unknown_option(parser, value);
    note_option(parser, option, value);
    return fio_option_read(&parser->reader, option, &parser->raw, value);
}

static bool read_option(struct parser *parser, const struct fio_line *line)
{
    struct words words;
    const int column = (int)line->first + 1;
    if (line->text[line->first] == '>') {
        parser->at = parser->lines.count; /* report the error only once */
        return fio_error(
            &parser->reader, column,
            "the line is quoted as in a mail: remove \"> \" at the beginning of lines");
    }
    if (!parser->in_section)
        return fio_error(&parser->reader, column,
                         "expected a section such as [global] or [job] before the first option");
    if (!split_option(line, &words) || words.option[0] == '\0')
        return fio_error(&parser->reader, column, "expected an option such as bs=4k");
    return apply_option(parser, &words.value);
}

/* Jobs. */

static bool is_taken(const struct fio_jobs *jobs, const char *name)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        if (strcmp(jobs->jobs[i].name, name) == 0)
            return true;
    return false;
}

/* fio allows several jobs with the same name; here names are unique: the second "a" becomes "a-2".
 * The suffix never decreases, so a file with a single name costs no more than a file with many. */
static void make_unique(struct parser *parser, char *name)
{
    char base[FIO_NAME_BYTES - 11]; /* leaves room for '-' and ten digits */
    snprintf(base, sizeof base, "%.*s", (int)sizeof base - 1, name);
    if (parser->suffix == 0)
        parser->suffix = 1;
    while (is_taken(parser->jobs, name))
        snprintf(name, FIO_NAME_BYTES, "%s-%u", base, ++parser->suffix);
}

static bool resolve_wait_for(struct parser *parser, struct fio_job *job)
{
    job->wait_for = FIO_NO_JOB;
    const char *name = parser->raw.wait_for;
    if (name[0] == '\0')
        return true;
    for (uint32_t i = 0; i < parser->jobs->count; i++)
        if (strcmp(parser->jobs->jobs[i].name, name) == 0)
            job->wait_for = i;
    return job->wait_for != FIO_NO_JOB ||
           fio_error(&parser->reader, 1, "wait_for: there is no job '%s' before this one", name);
}

static struct fio_job *add_job(struct parser *parser)
{
    struct fio_jobs *jobs = parser->jobs;
    jobs->jobs = memory_grown(jobs->jobs, jobs->count, &parser->room, sizeof *jobs->jobs);
    struct fio_job *job = &jobs->jobs[jobs->count];
    memset(job, 0, sizeof *job);
    return job;
}

static bool finish_job(struct parser *parser)
{
    struct fio_jobs *jobs = parser->jobs;
    const struct fio_raw *raw = &parser->raw;
    struct fio_job *job = add_job(parser);
    job->line = parser->section.number;
    memcpy(job->name, raw->name[0] != '\0' ? raw->name : parser->section_name, FIO_NAME_BYTES);
    make_unique(parser, job->name);
    if (!fio_change_job(&parser->reader, parser->file, job->name, &parser->raw))
        return false;
    fio_stand_at(&parser->reader, &parser->section);
    if (!resolve_wait_for(parser, job) || !fio_job_make(&parser->reader, raw, job))
        return false;
    parser->copies += job->copies;
    if (parser->copies > FIO_JOBS_MAX)
        return fio_error(&parser->reader, 1, "more than %d jobs with their clones", FIO_JOBS_MAX);
    job->barrier = raw->stonewall ? jobs->count : 0;
    if (jobs->count > 0 && jobs->jobs[jobs->count - 1].barrier > job->barrier)
        job->barrier = jobs->jobs[jobs->count - 1].barrier;
    if (jobs->count > 0 && (raw->stonewall || raw->new_group))
        parser->group++;
    job->group = parser->group;
    jobs->count++;
    return true;
}

/* Rejects the unsupported engine of the job that ends here, once for each line that names it. */
static void refuse_engine(struct parser *parser)
{
    struct words words;
    if (parser->refused == parser->engine.text)
        return;
    parser->refused = parser->engine.text;
    fio_stand_at(&parser->reader, &parser->engine);
    if (split_option(&parser->engine, &words))
        fio_read_ioengine(&parser->reader, &parser->raw, &words.value);
}

static void end_section(struct parser *parser)
{
    if (!parser->in_section)
        return;
    if (parser->in_global) {
        parser->global = parser->raw;
        parser->global.name[0] = '\0'; /* a job is named after its section, as in fio */
        parser->global_engine = parser->engine;
        parser->failed_global = parser->failed_global || parser->failed_section;
        return;
    }
    if (parser->engine.number != 0) {
        refuse_engine(parser);
        return;
    }
    if (parser->failed_section || parser->failed_global)
        return;
    finish_job(parser);
}

static bool begin_section(struct parser *parser, const struct fio_line *line)
{
    end_section(parser);
    fio_stand_at(&parser->reader, line);
    const char *name = line->text + line->first + 1;
    const size_t length = line->end - line->first - 1;
    const char *close = memchr(name, ']', length);
    const size_t name_length = close != NULL ? (size_t)(close - name) : 0;
    parser->in_section = true;
    parser->failed_section = false;
    parser->section = *line;
    parser->raw = parser->global;
    parser->engine = parser->global_engine;
    parser->in_global = name_length == 6 && memcmp(name, "global", 6) == 0;
    scan_section(parser);
    if (line->included && !parser->noted_sections) {
        parser->noted_sections = true;
        fio_note(&parser->reader, (int)line->first + 1,
                 "fio itself refuses sections in an included file");
    }
    const int column = (int)line->first + 1;
    if (close == NULL)
        return fio_error(&parser->reader, column, "expected ']' at the end of the section's name");
    if (!fio_clean_name(name, name_length, parser->section_name))
        return fio_error(&parser->reader, column, "a job's name has 1 to %d characters",
                         FIO_NAME_BYTES - 1);
    return true;
}

static bool is_text(struct parser *parser, const struct fio_line *line)
{
    for (size_t i = 0; i < line->length; i++) {
        const unsigned char c = (unsigned char)line->text[i];
        if (c < ' ' && !fio_is_blank((char)c))
            return fio_error(&parser->reader, (int)i + 1, "this is not a text file");
    }
    return true;
}

/* False if reading should stop. */
static bool read_line(struct parser *parser, const struct fio_line *line)
{
    fio_stand_at(&parser->reader, line);
    if (line->length > FIO_LINE_BYTES_MAX)
        return fio_error(&parser->reader, 1, "a line is longer than %d bytes", FIO_LINE_BYTES_MAX);
    if (!is_text(parser, line))
        return false;
    if (line->first == line->end)
        return true;
    const bool good = is_section(line) ? begin_section(parser, line) : read_option(parser, line);
    parser->failed_section = parser->failed_section || !good;
    return parser->copies <= FIO_JOBS_MAX && parser->reader.diag->errors < parser->errors_max;
}

static void parse(struct parser *parser)
{
    const int errors_before = parser->reader.diag->errors;
    bool good = true;
    while (good && parser->at < parser->lines.count)
        good = read_line(parser, &parser->lines.list[parser->at++]);
    if (good)
        end_section(parser);
    if (parser->reader.diag->errors == errors_before && parser->jobs->count == 0)
        fio_error(&parser->reader, 1, "the file has no job");
    if (parser->reader.diag->errors == errors_before)
        fio_changes_name_jobs(&parser->reader, parser->file, parser->jobs);
}

bool fio_load_changed(const struct fio_file *file, struct fio_jobs *out, struct diag *diag)
{
    *out = (struct fio_jobs){0};
    const int errors_before = diag->errors;
    struct parser *parser = memory_new(sizeof *parser);
    parser->errors_max = errors_before + DIAG_MAX;
    parser->reader = (struct fio_reader){.file = file->name, .diag = diag};
    parser->file = file;
    parser->jobs = out;
    parser->noted = memory_zeroed(fio_option_count, sizeof *parser->noted);
    fio_raw_presets(&parser->global);
    if (fio_lines_read(file, &parser->reader, &parser->lines))
        parse(parser);
    const bool good = diag->errors == errors_before;
    if (good)
        fio_notes_tell(&parser->reader);
    else
        fio_free(out);
    fio_notes_free(&parser->reader.notes);
    fio_lines_free(&parser->lines);
    free(parser->noted);
    free(parser);
    return good;
}

bool fio_load(const char *file, const char *text, size_t length, struct fio_jobs *out,
              struct diag *diag)
{
    const struct fio_file alone = {.name = file, .text = text, .length = length};
    return fio_load_changed(&alone, out, diag);
}

void fio_free(struct fio_jobs *jobs)
{
    free(jobs->jobs);
    *jobs = (struct fio_jobs){0};
}

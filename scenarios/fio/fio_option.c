/* SPDX-License-Identifier: Apache-2.0
 * fio_option - table of fio's options, and plain values. */
#include "scenarios/fio/fio_private.h"

#include "base/memory.h"
#include "base/nearest.h"
#include "scenarios/fio/fio_value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB      (INT64_C(1) << 30)
#define TIB      (INT64_C(1) << 40)
#define PIB      (INT64_C(1) << 50)
#define DAYS_100 (100 * 86400 * PS_PER_S)

#define USED(name_, alias_, kind_, field, min_, max_, words_, about_)                              \
    {.name = #name_,                                                                               \
     .alias = alias_,                                                                              \
     .class = FIO_USED,                                                                            \
     .kind = kind_,                                                                                \
     .offset = offsetof(struct fio_raw, field),                                                    \
     .min = min_,                                                                                  \
     .max = max_,                                                                                  \
     .words = words_,                                                                              \
     .about = about_},
#define READ(name_, alias_, about_)                                                                \
    {.name = #name_,                                                                               \
     .alias = alias_,                                                                              \
     .class = FIO_USED,                                                                            \
     .kind = FIO_CUSTOM,                                                                           \
     .read = fio_read_##name_,                                                                     \
     .about = about_},
#define NOTE(name_, alias_, about_)                                                                \
    {.name = #name_, .alias = alias_, .class = FIO_NO_MEANING, .about = about_},
#define NOTE_BUT(name_, alias_, words_, about_)                                                    \
    {.name = #name_, .alias = alias_, .class = FIO_NO_MEANING, .words = words_, .about = about_},
#define REFUSE(name_, alias_, words_, about_)                                                      \
    {.name = #name_, .alias = alias_, .class = FIO_REFUSED, .words = words_, .about = about_},

const struct fio_option fio_options[] = {
#include "scenarios/fio/fio_option.def"
    {0},
};

#undef USED
#undef READ
#undef NOTE
#undef NOTE_BUT
#undef REFUSE

const size_t fio_option_count = sizeof fio_options / sizeof fio_options[0] - 1;

static const char *class_name(enum fio_class class)
{
    static const char *const names[] = {
        [FIO_USED] = "used", [FIO_NO_MEANING] = "no meaning", [FIO_REFUSED] = "refused"};
    return names[class];
}

bool fio_options_each(fio_options_fn *call, void *self)
{
    for (const struct fio_option *option = fio_options; option->name != NULL; option++)
        if (!call(self, option->name, option->alias, class_name(option->class), option->about))
            return false;
    return true;
}

const struct fio_option *fio_option_find(const char *name)
{
    for (const struct fio_option *option = fio_options; option->name != NULL; option++)
        if (strcmp(option->name, name) == 0 ||
            (option->alias != NULL && strcmp(option->alias, name) == 0))
            return option;
    return NULL;
}

bool fio_has_option(const char *name)
{
    return fio_option_find(name) != NULL;
}

struct nearest_hint fio_option_hint(const char *name)
{
    struct nearest nearest = nearest_to(name);
    for (const struct fio_option *option = fio_options; option->name != NULL; option++) {
        nearest_offer(&nearest, option->name);
        if (option->alias != NULL)
            nearest_offer(&nearest, option->alias);
    }
    return nearest_hint(&nearest);
}

/* Sets fio's own defaults, which apply if a file sets nothing. */
void fio_raw_presets(struct fio_raw *raw)
{
    *raw = (struct fio_raw){
        .rw = FIO_RW_READ,
        .bs = {4096, 4096},
        .engine_sync = 1, /* psync */
        .iodepth = 1,
        .numjobs = 1,
        .loops = 1,
        .nrfiles = 1,
        .do_verify = 1,
        .rwmixread = 50,
        .thinktime_blocks = 1,
        .latency_percentile = PPM,
        .kb_base = 1, /* 1024 */
    };
}

bool fio_error(struct fio_reader *reader, int column, const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct diag_place place = {
        .file = reader->file, .line = reader->line, .column = column, .width = 1};
    diag_add(reader->diag, DIAG_ERROR, place, reader->line_text, "%s", text);
    return false;
}

void fio_note(struct fio_reader *reader, int column, const char *format, ...)
{
    struct fio_notes *notes = &reader->notes;
    for (uint32_t i = 0; i < notes->count; i++)
        if (notes->list[i].line == reader->line && notes->list[i].column == column &&
            strcmp(notes->list[i].file, reader->file) == 0)
            return;
    notes->list = memory_grown(notes->list, notes->count, &notes->room, sizeof *notes->list);
    struct fio_note *note = &notes->list[notes->count++];
    *note = (struct fio_note){.file = reader->file, .line = reader->line, .column = column};
    va_list args;
    va_start(args, format);
    vsnprintf(note->text, sizeof note->text, format, args);
    va_end(args);
}

void fio_notes_tell(struct fio_reader *reader)
{
    for (uint32_t i = 0; i < reader->notes.count; i++) {
        const struct fio_note *note = &reader->notes.list[i];
        const struct diag_place place = {
            .file = note->file, .line = note->line, .column = note->column, .width = 1};
        diag_add(reader->diag, DIAG_NOTE, place, NULL, "%s", note->text);
    }
}

void fio_notes_free(struct fio_notes *notes)
{
    free(notes->list);
    *notes = (struct fio_notes){0};
}

bool fio_expected(struct fio_reader *reader, const struct fio_value *value, const char *what)
{
    if (value->text == NULL || value->text[0] == '\0')
        return fio_error(reader, value->option_column, "'%.64s' needs a value: %s", value->option,
                         what);
    return fio_error(reader, value->column, "'%.64s' is not a value of '%.64s': expected %s",
                     value->text, value->option, what);
}

bool fio_next_item(const char **text, char separator, const char **item, size_t *length)
{
    if (*text == NULL)
        return false;
    const char *end = strchr(*text, separator);
    *item = *text;
    *length = end != NULL ? (size_t)(end - *text) : strlen(*text);
    *text = end != NULL ? end + 1 : NULL;
    return true;
}

static int64_t *field_of(const struct fio_option *option, struct fio_raw *raw)
{
    return (int64_t *)(void *)((char *)raw + option->offset);
}

/* Index of the text among words separated by '|', or -1. */
static int word_index(const char *words, const char *text)
{
    const char *word = NULL;
    size_t length = 0;
    for (int index = 0; fio_next_item(&words, '|', &word, &length); index++)
        if (strlen(text) == length && memcmp(text, word, length) == 0)
            return index;
    return -1;
}

static bool read_word(struct fio_reader *reader, const struct fio_option *option,
                      struct fio_raw *raw, const struct fio_value *value)
{
    const int index = value->text != NULL ? word_index(option->words, value->text) : -1;
    if (index < 0) {
        char what[128];
        snprintf(what, sizeof what, "one of %s", option->words);
        return fio_expected(reader, value, what);
    }
    *field_of(option, raw) = index;
    return true;
}

bool fio_option_is_fine(const struct fio_option *option, const struct fio_value *value)
{
    return option->words != NULL && value->text != NULL &&
           word_index(option->words, value->text) >= 0;
}

static int64_t base_of(const struct fio_raw *raw)
{
    return raw->kb_base == 0 ? 1000 : 1024;
}

/* Parses a FIO_PART: N% is stored as -1 - N. */
static bool parse_part(const struct fio_raw *raw, const char *text, size_t length, int64_t *number)
{
    if (length == 0 || text[length - 1] != '%')
        return fio_value_size(text, length, base_of(raw), number) && *number >= 0;
    int64_t percent = 0;
    if (!fio_value_size(text, length - 1, 1024, &percent) || percent < 0 || percent > 100)
        return false;
    *number = -1 - percent;
    return true;
}

/* Parses a number of the option's kind within its bounds. */
static bool parse_number(const struct fio_option *option, const struct fio_raw *raw,
                         const char *text, size_t length, int64_t *number)
{
    bool parsed = false;
    switch (option->kind) {
    case FIO_SECONDS:
        parsed = fio_value_time(text, length, PS_PER_S, number);
        break;
    case FIO_MICROSECONDS:
        parsed = fio_value_time(text, length, PS_PER_US, number);
        break;
    case FIO_PERCENT:
        parsed = fio_value_percent(text, length, number);
        break;
    case FIO_PART:
        if (parse_part(raw, text, length, number) && *number < 0)
            return true;
        parsed = *number >= 0;
        break;
    default:
        parsed = fio_value_size(text, length, base_of(raw), number);
        break;
    }
    return parsed && *number >= option->min && *number <= option->max;
}

static bool expected_number(struct fio_reader *reader, const struct fio_option *option,
                            const struct fio_value *value)
{
    char what[128];
    switch (option->kind) {
    case FIO_SECONDS:
        snprintf(what, sizeof what, "a time of at most 100 days such as 60, 500ms or 5m");
        break;
    case FIO_MICROSECONDS:
        snprintf(what, sizeof what, "a time of at most 100 days such as 500, 500us or 2ms");
        break;
    case FIO_BOOL:
    case FIO_FLAG:
        snprintf(what, sizeof what, "0 or 1");
        break;
    case FIO_PERCENT:
        snprintf(what, sizeof what, "a percentage such as 99.9");
        break;
    case FIO_PART:
        snprintf(what, sizeof what,
                 "a size from %lld to %lld such as 512m, or a whole percentage "
                 "from 0%% to 100%%",
                 (long long)option->min, (long long)option->max);
        break;
    default:
        snprintf(what, sizeof what, "a number from %lld to %lld such as 4096, 4k or 0x1000",
                 (long long)option->min, (long long)option->max);
        break;
    }
    return fio_expected(reader, value, what);
}

static bool read_number(struct fio_reader *reader, const struct fio_option *option,
                        struct fio_raw *raw, const struct fio_value *value)
{
    int64_t number = 1;
    if (option->kind == FIO_FLAG && value->text == NULL) {
        *field_of(option, raw) = 1;
        return true;
    }
    if (value->text == NULL ||
        !parse_number(option, raw, value->text, strlen(value->text), &number))
        return expected_number(reader, option, value);
    *field_of(option, raw) = number;
    return true;
}

/* reads[,writes[,trims]]: a single value is for all directions, an empty one leaves its direction
 * unchanged. */
static bool read_pair(struct fio_reader *reader, const struct fio_option *option,
                      struct fio_raw *raw, const struct fio_value *value)
{
    int64_t *fields = field_of(option, raw);
    const char *text = value->text, *item = NULL;
    size_t length = 0;
    int index = 0;
    for (; fio_next_item(&text, ',', &item, &length); index++) {
        int64_t number = 0;
        if (length == 0 && (index > 0 || text != NULL))
            continue;
        if (index > 2 || !parse_number(option, raw, item, length, &number))
            return expected_number(reader, option, value);
        if (index < WL_DIRECTIONS)
            fields[index] = number;
        if (index == 0 && text == NULL)
            fields[WL_WRITE] = number;
    }
    return index > 0 || expected_number(reader, option, value);
}

bool fio_option_read(struct fio_reader *reader, const struct fio_option *option,
                     struct fio_raw *raw, const struct fio_value *value)
{
    if (option->class == FIO_NO_MEANING)
        return true;
    if (value->text != NULL && strstr(value->text, "${") != NULL)
        return fio_error(reader, value->column,
                         "variables of the environment are not replaced: write the value itself");
    if (option->class == FIO_REFUSED) {
        if (fio_option_is_fine(option, value))
            return true;
        return fio_error(reader, value->option_column, "option '%s' is not supported: %s",
                         option->name, option->about);
    }
    switch (option->kind) {
    case FIO_CUSTOM:
        return option->read(reader, raw, value);
    case FIO_WORD:
        return read_word(reader, option, raw, value);
    case FIO_PAIR:
        return read_pair(reader, option, raw, value);
    default:
        return read_number(reader, option, raw, value);
    }
}

/* A block size that includes metadata (extended LBA: 520, 4104, 4160) counts without the
 * metadata. */
static bool fit_blocks(struct fio_reader *reader, struct fio_raw *raw,
                       const struct fio_value *value)
{
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        const int64_t bytes = raw->bs[direction], metadata = bytes % 512;
        if (metadata == 0)
            continue;
        if (metadata % 8 != 0 || metadata > (bytes - metadata) / 8)
            return fio_error(reader, value->column, "a block size is a multiple of 512 bytes");
        raw->bs[direction] = bytes - metadata;
        fio_note(
            reader, value->column,
            "the namespace sets its metadata (pi-type): of %lld B only the %lld B of data count",
            (long long)bytes, (long long)(bytes - metadata));
    }
    return true;
}

bool fio_read_bs(struct fio_reader *reader, struct fio_raw *raw, const struct fio_value *value)
{
    static const struct fio_option pair = {
        .name = "bs",
        .kind = FIO_PAIR,
        .offset = offsetof(struct fio_raw, bs),
        .min = 512,
        .max = GIB,
    };
    char text[64];
    struct fio_value pair_value = *value;
    char *dash = NULL;
    if (value->text != NULL && strlen(value->text) < sizeof text &&
        strchr(value->text, ',') == NULL) {
        snprintf(text, sizeof text, "%s", value->text);
        dash = strchr(text, '-');
    }
    if (dash != NULL) { /* fio reads the dash as a comma */
        *dash = ',';
        pair_value.text = text;
    }
    if (!read_pair(reader, &pair, raw, &pair_value))
        return false;
    if (dash != NULL)
        fio_note(reader, value->column,
                 "'%.32s' is one size for reads and one for writes, as in fio: a range is bsrange",
                 value->text);
    return fit_blocks(reader, raw, value);
}

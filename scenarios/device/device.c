/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/device/device.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 64, DIGITS_MAX = 19 };

/* Skips quote marks of mail: "> ", "> > " and ">> ". */
static const char *behind_quotes(const char *text)
{
    const char *at = text;
    for (const char *next = at; *next == ' ' || *next == '>'; next++)
        if (*next == '>')
            at = next + 1;
    return at > text && *at == ' ' ? at + 1 : at;
}

bool device_line(struct device *device)
{
    if (device->diag->errors >= DIAG_MAX || !lines_next(&device->lines, &device->arena))
        return false;
    device->text = behind_quotes(device->lines.text);
    return true;
}

void device_error(struct device *device, const char *at, size_t width, const char *format, ...)
{
    char text[DIAG_TEXT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(device->diag, DIAG_ERROR, lines_place(&device->lines, at, width), device->lines.text,
             "%s", text);
}

void device_note(struct device *device, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    notes_add_list(&device->notes, lines_place(&device->lines, at, 1), format, args);
    va_end(args);
}

void device_refuse(struct device *device, const char *text)
{
    diag_add(device->diag, DIAG_ERROR, (struct diag_place){.file = device->lines.file->name}, NULL,
             "%s", text);
}

void device_origin(struct device *device, const char *row, const char *spelled,
                   struct diag_place place)
{
    struct device_origin *slot = arena_push(&device->arena, (void **)(void *)&device->origins,
                                            &device->origin_count, sizeof *slot);
    *slot = (struct device_origin){row, spelled, place};
}

/* The bound of a row that a number exceeds, or NULL. */
static const char *exceeded(const struct opt *row, int64_t value)
{
    char why[OPT_WHY_BYTES];
    int64_t bound;
    if (row->min != NULL && opt_parse(row, row->min, &bound, why) && value < bound)
        return row->min;
    if (row->max != NULL && opt_parse(row, row->max, &bound, why) && value > bound)
        return row->max;
    return NULL;
}

const char *device_bounded(struct device *device, const struct opt *row, const char *digits,
                           const char *unit, struct diag_place place, const char *spelled)
{
    struct opt unbounded = *row;
    char text[VALUE_BYTES], why[OPT_WHY_BYTES];
    int64_t value;
    unbounded.min = unbounded.max = NULL;
    snprintf(text, sizeof text, "%s%s", digits, unit);
    const bool fits = strlen(digits) < DIGITS_MAX && opt_parse(&unbounded, text, &value, why);
    const char *bound = fits ? exceeded(row, value) : row->max;
    if (bound == NULL) {
        opt_format(row, value, text, sizeof text);
        return arena_text(&device->arena, text, strlen(text));
    }
    notes_add(&device->notes, place, "%s %s: %s is %s, its %s value", spelled,
              notes_clean(&device->arena, digits), row->name, bound,
              bound == row->min ? "smallest" : "largest");
    return bound;
}

static bool open_file(struct device *device, const char *name, const char *text, size_t length)
{
    device->lines.file = text == NULL ? tree_read(&device->arena, name, device->diag)
                                      : tree_hold(&device->arena, name,
                                                  arena_text(&device->arena, text, length), length);
    if (device->lines.file == NULL)
        return false;
    if (device->lines.file->length > DEVICE_BYTES_MAX)
        device_refuse(device, "the file is larger than 1 MiB");
    return !diag_failed(device->diag);
}

bool device_import(device_read_fn *read, const char *name, const char *text, size_t length,
                   struct device_result *result, struct diag *diag)
{
    size_t yaml_size, notes_size;
    struct device device = {.diag = diag};
    device.notes.arena = &device.arena;
    *result = (struct device_result){0};
    FILE *yaml = memory_stream(&result->yaml, &yaml_size);
    FILE *notes = memory_stream(&result->notes, &notes_size);
    if (open_file(&device, name, text, length))
        read(&device, yaml);
    notes_print(&device.notes, "", notes);
    memory_stream_end(yaml);
    memory_stream_end(notes);
    result->origins = device.origins;
    result->origin_count = device.origin_count;
    result->arena = device.arena;
    if (diag_failed(diag))
        device_free(result);
    return !diag_failed(diag);
}

void device_free(struct device_result *result)
{
    free(result->yaml);
    free(result->notes);
    arena_free(&result->arena);
    *result = (struct device_result){0};
}

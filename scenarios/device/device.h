/* SPDX-License-Identifier: Apache-2.0
 * device - what one device prints of its configuration, as a part of a scenario.
 * A reader takes the file line by line and writes `hosts:` or `fabric:` to go into a scenario; what
 * it does not understand, or takes otherwise, is a note with its line.  Quotes of mail ("> ") are
 * taken off.  Readers are listed in device.def.
 * Limits:  DEVICE_BYTES_MAX.  Owner: the result is the caller's, device_free.
 * Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_DEVICE_H
#define STORMGLASS_SCENARIOS_DEVICE_DEVICE_H

#include "scenarios/format/lines.h"
#include "scenarios/import/notes.h"

enum { DEVICE_BYTES_MAX = 1024 * 1024 };

struct device {
    struct arena arena;
    struct diag *diag;
    struct notes notes;
    struct lines lines;
    const char *text;     /* the present line behind quotes of mail; it lies in lines.text */
    const char **strange; /* first words of an interface's lines that were reported */
    size_t strange_count;
};

/* The next line; false after the last one, or where there are too many errors. */
bool device_line(struct device *device);

/* An error or a note at a place of the present line. */
void device_error(struct device *device, const char *at, size_t width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void device_note(struct device *device, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error about the file as a whole. */
void device_refuse(struct device *device, const char *text);

/* Reads all lines, and writes where none was an error. */
typedef void device_read_fn(struct device *device, FILE *out);

#define DEVICE(stem, about) device_read_fn device_##stem;
#include "scenarios/device/device.def"
#undef DEVICE

struct device_result {
    char *yaml;  /* `hosts:` or `fabric:`, to go into a scenario */
    char *notes; /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* `text` NULL: the file of that name is read.  False when the diag holds an error; then the result
 * is empty. */
bool device_import(device_read_fn *read, const char *name, const char *text, size_t length,
                   struct device_result *result, struct diag *diag);
void device_free(struct device_result *result);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * device - converts the configuration printed by one device into a part of a scenario.
 * A reader goes through the file line by line and writes `hosts:` or `fabric:`, to be included in a
 * scenario. Settings that it does not understand or maps differently become notes with their line.
 * Origins are the places of parameters of single hosts, for readers of whole incidents.
 * Quote marks of mail ("> ") are skipped. device.def lists the readers.
 *   Limits:  DEVICE_BYTES_MAX.  Owner: the result belongs to the caller, device_free.
 *   Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_DEVICE_H
#define STORMGLASS_SCENARIOS_DEVICE_DEVICE_H

#include "base/opt.h"
#include "scenarios/format/lines.h"
#include "scenarios/import/notes.h"

enum { DEVICE_BYTES_MAX = 1024 * 1024 };

/* Where the file sets a parameter, and what the equipment calls it. */
struct device_origin {
    const char *row, *spelled;
    struct diag_place place;
};

struct device {
    struct arena arena;
    struct diag *diag;
    struct notes notes;
    struct lines lines;
    const char *text;     /* current line without quote marks of mail, inside lines.text */
    const char **strange; /* first words of the reported interface lines */
    size_t strange_count;
    struct device_origin *origins;
    size_t origin_count;
};

/* Reads the next line; false after the last one, or after too many errors. */
bool device_line(struct device *device);

/* Reports an error or a note at a place in the current line. */
void device_error(struct device *device, const char *at, size_t width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void device_note(struct device *device, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports an error about the file as a whole. */
void device_refuse(struct device *device, const char *text);

/* Records the place of a parameter that the result has. `row` and `spelled` live as long as the
 * device. */
void device_origin(struct device *device, const char *row, const char *spelled,
                   struct diag_place place);

/* The value of a parameter as a scenario writes it, for digits in `unit`; the parameter's bound,
 * with a note, if the value is outside. `spelled`: how the file names the setting. */
const char *device_bounded(struct device *device, const struct opt *row, const char *digits,
                           const char *unit, struct diag_place place, const char *spelled);

/* Reads all lines, and writes the result unless a line has an error. */
typedef void device_read_fn(struct device *device, FILE *out);

#define DEVICE(stem, about) device_read_fn device_##stem;
#include "scenarios/device/device.def"
#undef DEVICE

/* Whether a line is one of the output of mlnx_qos. */
bool device_mlnx_qos_has(const char *line);

struct device_result {
    char *yaml;  /* `hosts:` or `fabric:`, to be included in a scenario */
    char *notes; /* lines "FILE:LINE:COLUMN: note: sentence"; may be empty */
    const struct device_origin *origins;
    size_t origin_count;
    struct arena arena; /* of the origins */
};

/* `text` NULL: read the file of that name. False if the diag has an error; then the result is
 * empty. */
bool device_import(device_read_fn *read, const char *name, const char *text, size_t length,
                   struct device_result *result, struct diag *diag);
void device_free(struct device_result *result);

#endif

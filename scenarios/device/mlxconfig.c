/* SPDX-License-Identifier: Apache-2.0
 * mlxconfig - reads the DCQCN settings in the output of `mlxconfig -d DEVICE query` as a scenario's
 * hosts.
 * Lines are "RPG_AI_RATE_P1   5" or "CLAMP_TGT_RATE_P1  False(0)". Of several columns, the last one
 * counts, which is for the next boot. Port 1 counts; different values of another port are reported.
 * DCQCN settings without a counterpart are reported, of all other settings only the number. Each
 * setting with a counterpart is a table row.
 * Source: names and units: NVIDIA DOCA "DCQCN CC Parameters", see cc_dcqcn.c. */
#include "scenarios/device/device.h"

#include <stdlib.h>
#include <string.h>

enum form {
    FORM_US,
    FORM_BLOCKS,
    FORM_NUMBER,
    FORM_MBPS,
    FORM_G,
    FORM_ALPHA,
    FORM_BOOL,
    FORM_RNIC, /* a number that belongs to the RNIC instead of congestion-control */
    FORM_NONE
};

enum { BLOCK_BYTES = 64, FIXED_ONE = 1024, ROW_NAME_MAX = 48 };

/* Bounds are those of the parameters, in the unit of the setting. */
static const struct row {
    const char *name; /* name without _P1 */
    const char *key;  /* parameter of dcqcn */
    enum form form;
    int64_t min, max;
} mlxconfig_rows[] = {
    {"RPG_TIME_RESET", "rate-timer", FORM_US, 1, 1000000},
    {"RPG_BYTE_RESET", "byte-counter", FORM_BLOCKS, 16, 32767},
    {"RPG_THRESHOLD", "f", FORM_NUMBER, 0, 1000},
    {"RPG_AI_RATE", "rai", FORM_MBPS, 1, 1000000},
    {"RPG_HAI_RATE", "rhai", FORM_MBPS, 1, 1000000},
    {"RPG_MIN_RATE", "min-rate", FORM_MBPS, 1, 1000000},
    {"DCE_TCP_G", "g", FORM_G, 0, FIXED_ONE},
    {"DCE_TCP_RTT", "alpha-timer", FORM_US, 1, 131071},
    {"RATE_REDUCE_MONITOR_PERIOD", "cut-interval", FORM_US, 0, 1000000},
    {"INITIAL_ALPHA_VALUE", "initial-alpha", FORM_ALPHA, 0, FIXED_ONE - 1},
    {"MIN_TIME_BETWEEN_CNPS", "cnp-interval", FORM_US, 0, 1000000},
    {"CLAMP_TGT_RATE", "clamp-target", FORM_BOOL, 0, 1},
    {"CLAMP_TGT_RATE_AFTER_TIME_INC", NULL, FORM_NONE, 0, 0},
    {"RPG_MAX_RATE", NULL, FORM_NONE, 0, 0},
    {"RPG_GD", NULL, FORM_NONE, 0, 0},
    {"RPG_MIN_DEC_FAC", NULL, FORM_NONE, 0, 0},
    {"RATE_TO_SET_ON_FIRST_CNP", NULL, FORM_NONE, 0, 0},
    {"CNP_DSCP", "cnp-dscp", FORM_RNIC, 0, 63},
    {"CNP_802P_PRIO", "cnp-priority", FORM_RNIC, 0, 7},
};

enum { ROWS = sizeof mlxconfig_rows / sizeof mlxconfig_rows[0] };

struct reader {
    struct device *device;
    int64_t value[ROWS];
    int line_of[ROWS]; /* 0: not read */
    unsigned others;
    bool is_over; /* output of another device or query follows, which is ignored */
};

/* ---- a line ---- */

static const char blanks[] = " \t*"; /* includes the star that marks a value that is not the
                                      * default */

static const struct row *find_row(const char *name, size_t length)
{
    for (int i = 0; i < ROWS; i++)
        if (strlen(mlxconfig_rows[i].name) == length &&
            strncmp(mlxconfig_rows[i].name, name, length) == 0)
            return &mlxconfig_rows[i];
    return NULL;
}

/* Reads "300" or "True(1)"; false for anything else, and for values outside the row's bounds. */
static bool read_value(const struct row *row, const char *text, size_t length, int64_t *value)
{
    const char *open = memchr(text, '(', length);
    const char *digits = open == NULL ? text : open + 1;
    const size_t count = strspn(digits, "0123456789");
    if (count == 0 || count > 9 || digits + count + (open != NULL) != text + length ||
        (open != NULL && digits[count] != ')'))
        return false;
    *value = strtoll(digits, NULL, 10);
    return *value >= row->min && *value <= row->max;
}

static void store_value(struct reader *reader, const struct row *row, bool first_port,
                        const char *text, size_t length)
{
    const size_t index = (size_t)(row - mlxconfig_rows);
    int64_t value;
    if (row->form == FORM_NONE) {
        device_note(reader->device, text, "%s has no counterpart here", row->name);
    } else if (!read_value(row, text, length, &value)) {
        device_error(reader->device, text, length, "expected %s: a number from %lld to %lld",
                     row->name, (long long)row->min, (long long)row->max);
    } else if (!first_port) {
        if (reader->line_of[index] == 0 || reader->value[index] != value)
            device_note(reader->device, text, "%s of another port: port 1 is used", row->name);
    } else if (reader->line_of[index] != 0) {
        device_error(reader->device, text, length, "%s is already in line %d", row->name,
                     reader->line_of[index]);
        reader->is_over = true;
    } else {
        reader->value[index] = value;
        reader->line_of[index] = reader->device->lines.number;
    }
}

static bool found_any(const struct reader *reader);

static bool is_setting(const char *name, size_t length)
{
    return length > 0 && length < ROW_NAME_MAX && name[0] >= 'A' && name[0] <= 'Z' &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= length;
}

/* The first word is the name, the last one the value; other lines are skipped. */
static void read_line(struct reader *reader)
{
    const char *text = reader->device->text;
    const char *name = text + strspn(text, blanks);
    if (reader->is_over)
        return;
    if (strncmp(name, "Device #", 8) == 0 && found_any(reader)) {
        device_note(reader->device, name, "another device: the first one is used");
        reader->is_over = true;
        return;
    }
    const size_t length = strcspn(name, blanks);
    size_t end = strlen(text);
    while (end > 0 && strchr(" \t\r", text[end - 1]) != NULL)
        end--;
    const char *value = text + end;
    while (value > name + length && strchr(blanks, value[-1]) == NULL)
        value--;
    if (!is_setting(name, length) || value <= name + length)
        return;
    const bool of_port = length > 3 && name[length - 3] == '_' && name[length - 2] == 'P';
    const struct row *row = of_port ? find_row(name, length - 3) : NULL;
    if (row == NULL)
        reader->others++;
    else
        store_value(reader, row, name[length - 1] == '1', value, (size_t)(text + end - value));
}

/* ---- result ---- */

static void put_value(FILE *out, enum form form, int64_t value)
{
    const long long number = value;
    switch (form) {
    case FORM_US:
        fprintf(out, "%lldus", number);
        break;
    case FORM_BLOCKS:
        fprintf(out, "%lldB", number * BLOCK_BYTES);
        break;
    case FORM_NUMBER:
    case FORM_RNIC:
        fprintf(out, "%lld", number);
        break;
    case FORM_MBPS:
        fprintf(out, "%lldMbps", number);
        break;
    case FORM_G: /* the setting is the part of alpha kept per period, of 1024 */
        fprintf(out, "%lld/1024", FIXED_ONE - number);
        break;
    case FORM_ALPHA: /* ten bits; all ones mean 1 */
        fprintf(out, number == FIXED_ONE - 1 ? "1" : "%lld/1024", number);
        break;
    case FORM_BOOL:
        fputs(number != 0 ? "true" : "false", out);
        break;
    case FORM_NONE:
        break;
    }
}

/* Writes the parameters of the RNIC itself, or of its congestion control. */
static void put_rows(const struct reader *reader, FILE *out, bool of_rnic)
{
    for (int i = 0; i < ROWS; i++) {
        if (reader->line_of[i] == 0 || (mlxconfig_rows[i].form == FORM_RNIC) != of_rnic)
            continue;
        fprintf(out, "%s%s: ", of_rnic ? "      " : "        ", mlxconfig_rows[i].key);
        put_value(out, mlxconfig_rows[i].form, reader->value[i]);
        fprintf(out, " # %s_P1\n", mlxconfig_rows[i].name);
    }
}

static void write_values(const struct reader *reader, FILE *out)
{
    fputs("# DCQCN from mlxconfig; all other settings are ConnectX defaults.\n"
          "hosts:\n  defaults:\n    rnic:\n",
          out);
    put_rows(reader, out, true);
    fputs("      congestion-control:\n        kind: dcqcn-mlx5\n", out);
    put_rows(reader, out, false);
}

static bool found_any(const struct reader *reader)
{
    for (int i = 0; i < ROWS; i++)
        if (reader->line_of[i] != 0)
            return true;
    return false;
}

void device_mlxconfig(struct device *device, FILE *out)
{
    struct reader reader = {.device = device};
    while (device_line(device))
        read_line(&reader);
    if (!diag_failed(device->diag) && !found_any(&reader))
        device_refuse(device, "expected the output of mlxconfig query, with settings such as "
                              "RPG_AI_RATE_P1");
    if (reader.others > 0)
        notes_add(&device->notes,
                  (struct diag_place){.file = device->lines.file->name, .line = 1, .column = 1},
                  "settings other than DCQCN left out: %u", reader.others);
    if (!diag_failed(device->diag))
        write_values(&reader, out);
}

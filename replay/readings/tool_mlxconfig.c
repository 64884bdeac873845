/* SPDX-License-Identifier: Apache-2.0
 * tool_mlxconfig - reads CNP settings from `mlxconfig -d DEVICE query`.
 * The last of several columns counts, which is for the next boot. DCQCN is not part of a profile:
 * `import mlxconfig` writes it as hosts of a scenario, and a note gives the number of its
 * settings. */
#include "replay/readings/tool.h"

#include "base/plural.h"

#include <string.h>

static const struct row {
    const char *name, *path;
    int64_t most;
} rows[] = {
    {"CNP_DSCP_P1", "rnic.cnp-dscp", 63},
    {"CNP_802P_PRIO_P1", "rnic.cnp-priority", 7},
};

/* Prefixes of DCQCN settings. */
static const char *const heads[] = {
    "RPG_", "DCE_TCP_", "RATE_", "INITIAL_ALPHA_", "MIN_TIME_BETWEEN_CNPS", "CLAMP_TGT_"};

struct scan {
    const struct tool_file *file;
    struct lines lines;
    size_t settings, dcqcn; /* counted lines */
    size_t words;           /* of the previous setting */
    struct lines first;     /* line of the first DCQCN setting */
};

static const char *last_word(const struct lines *lines)
{
    const char *end = lines->text + lines->length;
    while (end > lines->text && strchr(" \t", end[-1]) != NULL)
        end--;
    while (end > lines->text && strchr(" \t", end[-1]) == NULL)
        end--;
    return end;
}

static size_t count_words(const char *text)
{
    size_t count = 0;
    for (text += strspn(text, " \t*>|"); *text != '\0'; count++) {
        text += strcspn(text, " \t");
        text += strspn(text, " \t");
    }
    return count;
}

static void take_row(const struct scan *scan, const struct row *row)
{
    const char *value = last_word(&scan->lines);
    int64_t number;
    if (count_words(scan->lines.text) < scan->words) {
        tool_say(scan->file, DIAG_ERROR, &scan->lines, value, strcspn(value, " \t"),
                 "expected as many columns as in the line before: the line is cut");
        return;
    }
    const size_t digits = tool_count(value, row->most, &number);
    if (digits == 0 || strchr(" \t", value[digits]) == NULL)
        tool_say(scan->file, DIAG_ERROR, &scan->lines, value, strcspn(value, " \t"),
                 "expected %s: a number from 0 to %lld", row->name, (long long)row->most);
    else
        tool_set(scan->file, &scan->lines, value, row->path, "%lld", (long long)number);
}

static void read_line(struct scan *scan)
{
    const char *name = scan->lines.text + strspn(scan->lines.text, " \t*>|");
    const size_t length = strcspn(name, " \t");
    const bool setting =
        length > 3 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
    if (!setting)
        return;
    scan->settings++;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0)
            take_row(scan, &rows[i]);
    scan->words = count_words(name);
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        if (strncmp(name, heads[i], strlen(heads[i])) == 0 && scan->dcqcn++ == 0)
            scan->first = scan->lines;
}

static void read_output(const struct tool_file *file)
{
    struct scan scan = {.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&scan.lines, &file->readings->arena))
        read_line(&scan);
    if (scan.settings == 0 && !diag_failed(file->diag))
        tool_cut(file, "expected settings such as CNP_DSCP_P1, as mlxconfig query prints them: the "
                       "file is cut");
    if (scan.dcqcn > 0)
        tool_note(file, &scan.first, scan.first.text,
                  "%zu DCQCN %s; to use %s in a scenario, run stormglass import mlxconfig",
                  scan.dcqcn, plural(scan.dcqcn, "setting", "settings"),
                  plural(scan.dcqcn, "it", "them"));
}

static const char *const mlxconfig_marks[] = {"Configurations: ", "Configurations:\t",
                                              "CNP_DSCP_P1", NULL};

const struct tool tool_mlxconfig = {
    .word = "mlxconfig",
    .about = "mlxconfig query",
    .marks = mlxconfig_marks,
    .read = read_output,
};

/* SPDX-License-Identifier: Apache-2.0
 * tool - a kind of file with a tool's output about a host.
 * A file is of every kind whose mark it contains. Each kind reads the whole file, skips what it
 * does not recognize (a prompt, an e-mail around it), and adds readings. Recognized but unreadable
 * parts are errors with a location, also in a truncated file. */
#ifndef STORMGLASS_REPLAY_READINGS_TOOL_H
#define STORMGLASS_REPLAY_READINGS_TOOL_H

#include "replay/readings/reading.h"
#include "scenarios/format/lines.h"

struct tool;

struct tool_file {
    const struct tool *tool;
    const struct tree_file *file;
    struct readings *readings;
    struct diag *diag;
};

struct tool {
    const char *word;  /* "perftest" */
    const char *about; /* for the list of supported files: "ib_write_bw and similar" */
    bool json;         /* a JSON object, parsed by json_tree; such a file is of no other kind */
    const char *const *marks; /* NULL-terminated */
    void (*read)(const struct tool_file *file);
};

#define TOOL(stem) extern const struct tool tool_##stem;
#include "replay/readings/tool.def"
#undef TOOL

extern const struct tool *const tool_all[]; /* NULL-terminated */

/* Adds a reading by the file's own tool. */
void tool_add(const struct tool_file *file, struct reading reading);

/* Adds a message with a location in the current line. */
void tool_say(const struct tool_file *file, enum diag_level level, const struct lines *lines,
              const char *at, size_t width, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Adds a setting found in the current line; `format` formats it as in a scenario. */
void tool_set(const struct tool_file *file, const struct lines *lines, const char *at,
              const char *path, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Adds a text that belongs to no parameter. */
void tool_note(const struct tool_file *file, const struct lines *lines, const char *at,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Parses leading digits as a number up to `most`; returns their count, 0 if there are none or too
 * many. */
size_t tool_count(const char *text, int64_t most, int64_t *value);

/* Adds a message about the end of the file, which may be truncated. */
void tool_cut(const struct tool_file *file, const char *sentence);

#endif

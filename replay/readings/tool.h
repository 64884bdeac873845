/* SPDX-License-Identifier: Apache-2.0
 * tool - a kind of file that says something of a host: what some tool printed.
 * A file is of each kind that finds one of its marks in it; the kind reads all of it, passes over
 * what it does not know (a prompt, a mail around it), and adds readings.  What it knows but cannot
 * read is an error with its place; of a file that is cut too. */
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
    const char *about; /* for who asks what is read: "ib_write_bw and its like" */
    bool json; /* an object of JSON, which json_tree reads; such a file is of no other kind */
    const char *const *marks; /* NULL ends them */
    void (*read)(const struct tool_file *file);
};

#define TOOL(stem) extern const struct tool tool_##stem;
#include "replay/readings/tool.def"
#undef TOOL

extern const struct tool *const tool_all[]; /* NULL ends them */

/* A reading of the file's own tool. */
void tool_add(const struct tool_file *file, struct reading reading);

/* A message at a part of the present line. */
void tool_say(const struct tool_file *file, enum diag_level level, const struct lines *lines,
              const char *at, size_t width, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* A setting of a row, at a part of the present line; `format` writes it as a scenario would. */
void tool_set(const struct tool_file *file, const struct lines *lines, const char *at,
              const char *path, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* What no parameter takes, as a sentence. */
void tool_note(const struct tool_file *file, const struct lines *lines, const char *at,
               const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The digits at the beginning of a text, as a number up to `most`; 0: there are none, or too many.
 */
size_t tool_count(const char *text, int64_t most, int64_t *value);

/* A message about the end of the file, which may be cut. */
void tool_cut(const struct tool_file *file, const char *sentence);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * counts_private - interfaces between the readers of counters.
 * counts_files.c opens files and directories, counts_read.c reads lines and detects the format,
 * each format_*.c reads one format, names.c maps names to counters of a run, counts.c compares two
 * lists. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_COUNTS_PRIVATE_H
#define STORMGLASS_SCENARIOS_COUNTERS_COUNTS_PRIVATE_H

#include "scenarios/counters/counts.h"
#include "scenarios/counters/names.h"
#include "scenarios/format/lines.h"

#include <stdint.h>

/* One counter read from a file. */
struct counts_item {
    const char *port;
    const char *source;         /* name in the file; unique within the port */
    struct counts_meaning what; /* name NULL: a run has no such counter */
    int64_t value;
    const char *table; /* table of the item if it omits zero rows (reader->tables), or NULL */
    struct diag_place place;
};

struct counts_list {
    struct counts_item *items;
    size_t count;
};

struct counts_reader;

/* One format: one file format_<stem>.c and one line in formats.def. */
struct counts_format {
    const char *name; /* for messages */
    /* True if the line is a head of this format; details go to reader->state. NULL: the format has
     * no head. */
    bool (*head)(struct counts_reader *reader);
    /* The same for a line that only looks like this format; called when no format is active. */
    bool (*guess)(struct counts_reader *reader);
    /* Reads a line below the head; false: the line does not belong to this format, which ends
     * here. */
    bool (*row)(struct counts_reader *reader);
    /* Reads the whole file; false: not this format. */
    bool (*whole)(struct counts_reader *reader);
    /* Reads the root of a JSON text; false: not this format. */
    bool (*tree)(struct counts_reader *reader, const struct tree_node *root);
};

#define FORMAT(stem) extern const struct counts_format format_##stem;
#include "scenarios/counters/formats.def"
#undef FORMAT

struct counts_reader {
    struct arena *arena;
    struct diag *diag;
    FILE *notes;
    struct counts_list list;
    struct lines lines;
    const char *port;        /* name of the file, for output that names no port */
    const char *host;        /* or NULL */
    const char *device;      /* device named by the command before the output, or NULL */
    const char *directory;   /* device of the sysfs directory set by `cd`, or NULL */
    const char *file_device; /* device in the file's name, for output that names no port, or NULL */
    const char *prompt;      /* host in the first prompt of this side, or NULL */
    const char *named;       /* latest line "==> NAME <==" whose content has not been read yet,
                              * or NULL */
    const char *title;       /* last line that ended with ':', without leading blanks */
    const struct counts_format *format;
    bool in_folder;      /* skip files without counters */
    bool skips_errors;   /* read on after any number of errors */
    bool recognized;     /* a format was found, with or without counters */
    void *state;         /* state of the format, set anew by its head */
    const char **tables; /* heads of the tables that omit zero rows, with their host */
    size_t table_count;
    unsigned queues_left;          /* rows of queues that a run does not have */
    struct diag_place queue_place; /* place of the first such row */
    /* Whether a caller that reads more than counters takes the line; NULL without one. */
    bool (*takes)(struct counts_reader *reader);
    void *caller;
};

/* Reads a file or a directory; false if the diag has an error. */
bool counts_read(struct counts_reader *reader, const struct counts_input *input);

/* Offers the root of a JSON text to the formats (counts_read.c). */
void counts_read_tree(struct counts_reader *reader, const struct tree_node *root);

/* Reads the text of one file (counts_read.c). */
void counts_read_file(struct counts_reader *reader, const struct tree_file *file);

/* Reads a line that names a host, a device or a command; false: another line (counts_prompt.c). */
bool counts_prompt(struct counts_reader *reader);

/* "mlx5_0/1" for a path with ".../mlx5_0/ports/1/...", "eth0" for ".../eth0/statistics/..."; NULL:
 * the path names no device (counts_prompt.c). */
const char *counts_path_device(struct arena *arena, const char *path);

/* True for the path of a counter of an RDMA device (counts_prompt.c). */
bool counts_is_sysfs(const char *path);

/* Uses NAME of the pending line "==> NAME <==" as the host of the output that follows
 * (counts_prompt.c). */
void counts_take_name(struct counts_reader *reader);

/* Port name derived from a file's name: up to the first dot, without directories and without words
 * such as "-before" and "_after" (counts_prompt.c). */
const char *counts_file_port(struct arena *arena, const char *file);

/* True if the names of the files indicate two devices, such as leaf1.txt and leaf2.txt
 * (counts_prompt.c). */
bool counts_files_apart(struct arena *arena, const char *before, const char *after);

/* Rest of a file's name without "before", "after" and similar words; NULL without such a word
 * (counts_prompt.c). */
const char *counts_file_subject(struct arena *arena, const char *file);

/* ---- words and numbers ---- */

const char *counts_word(const char **at, size_t *length); /* next word, empty at the end */
bool counts_is(const char *word, size_t length, const char *known);
bool counts_is_port(const char *word, size_t length);
/* Digits with commas between thousands; false also above INT64_MAX. */
bool counts_number(const char *text, size_t length, int64_t *value);
/* Number after the letters in "PG3", or -1. */
int counts_number_after(const char *word, size_t length, const char *letters);
/* Replaces bytes that need escaping in JSON by '_'. */
const char *counts_printable(struct arena *arena, const char *text);
/* Copy with '_' for every byte that port names do not contain. */
const char *counts_clean(struct arena *arena, const char *text, size_t length);

void counts_wrong(struct counts_reader *reader, const char *at, size_t width, const char *text);
void counts_note(struct counts_reader *reader, const char *at, const char *text);

/* HOST:PORT or PORT; CARD:Ethernet0 for SONiC's VOQs "card|asic0|Ethernet0". */
const char *counts_port(struct counts_reader *reader, const char *port, size_t length);
/* Port for output that names none: the command's device, else the host or the file. */
const char *counts_own_port(struct counts_reader *reader);

/* Adds a counter whose value is at `number` in the current line. */
struct counts_item *counts_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, const char *number, size_t length);
struct counts_item *counts_add_value(struct counts_reader *reader, const struct counts_item *item);

#endif

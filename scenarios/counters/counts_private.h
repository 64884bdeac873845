/* SPDX-License-Identifier: Apache-2.0
 * counts_private - what the readers of counters share.
 * counts_files.c opens files and folders, counts_read.c walks their lines and finds the format of
 * each, format_*.c read one format each, names.c knows the counters of a run, counts.c compares
 * two lists. */
#ifndef STORMGLASS_SCENARIOS_COUNTERS_COUNTS_PRIVATE_H
#define STORMGLASS_SCENARIOS_COUNTERS_COUNTS_PRIVATE_H

#include "scenarios/counters/counts.h"
#include "scenarios/counters/names.h"
#include "scenarios/format/lines.h"

#include <stdint.h>

/* One number of a file. */
struct counts_item {
    const char *port;
    const char *source;         /* what the file calls it; unique within the port */
    struct counts_meaning what; /* its name is NULL where a run has no such counter */
    int64_t value;
    const char *table; /* that it is of, which leaves out zeroes (reader->tables), or NULL */
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
    /* Whether the line is the head of this format; what it says goes to reader->state.  NULL:
     * it has no head. */
    bool (*head)(struct counts_reader *reader);
    /* The same of a line that may be one of this format, asked when no format is being read. */
    bool (*guess)(struct counts_reader *reader);
    /* A line below the head; false: it is not of this format, which has ended. */
    bool (*row)(struct counts_reader *reader);
    /* The whole file, if it is of this format. */
    bool (*whole)(struct counts_reader *reader);
    /* The root of a JSON text, if it is of this format. */
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
    const char *port;        /* of what names none: the file */
    const char *host;        /* or NULL */
    const char *device;      /* that the command before the output names, or NULL */
    const char *directory;   /* device of the folder in sysfs that `cd` went to, or NULL */
    const char *file_device; /* that the file's name gives to what names no port, or NULL */
    const char *prompt;      /* host of the first prompt of the side, or NULL */
    const char *named;       /* the line "==> NAME <==" of which nothing has been read, or NULL */
    const char *title;       /* the last line that ended with ':', without blanks before it */
    const struct counts_format *format;
    bool in_folder;      /* a file without counters is left out */
    bool recognized;     /* a format has been found, with counters or without */
    void *state;         /* of the format, which its head makes anew */
    const char **tables; /* that leave out zeroes: their heads, with their host */
    size_t table_count;
    unsigned queues_left;          /* rows of queues that a run does not have */
    struct diag_place queue_place; /* of the first */
};

/* Reads a file or a folder; false when the diag holds an error. */
bool counts_read(struct counts_reader *reader, const struct counts_input *input);

/* Offers the root of a JSON text to the formats (counts_read.c). */
void counts_read_tree(struct counts_reader *reader, const struct tree_node *root);

/* Reads the text of one file (counts_read.c). */
void counts_read_file(struct counts_reader *reader, const struct tree_file *file);

/* Takes a line that names a host, a device or a command; false: it is none (counts_prompt.c). */
bool counts_prompt(struct counts_reader *reader);

/* "mlx5_0/1" of a path with ".../mlx5_0/ports/1/...", "eth0" of ".../eth0/statistics/..."; NULL:
 * it names no device (counts_prompt.c). */
const char *counts_path_device(struct arena *arena, const char *path);

/* The path of a counter of an RDMA device (counts_prompt.c). */
bool counts_is_sysfs(const char *path);

/* What follows "==> NAME <==" is the output of a host of that name (counts_prompt.c). */
void counts_take_name(struct counts_reader *reader);

/* The name of a port, as a file is called: up to its first dot, without folders and without words
 * such as "-before" and "_after" (counts_prompt.c). */
const char *counts_file_port(struct arena *arena, const char *file);

/* Whether two files are called after two devices, as leaf1.txt and leaf2.txt (counts_prompt.c). */
bool counts_files_apart(struct arena *arena, const char *before, const char *after);

/* What is left of a file's name without "before", "after" and their like; NULL without such a
 * word (counts_prompt.c). */
const char *counts_file_subject(struct arena *arena, const char *file);

/* ---- words and numbers ---- */

const char *counts_word(const char **at, size_t *length); /* the next one, empty at the end */
bool counts_is(const char *word, size_t length, const char *known);
bool counts_is_port(const char *word, size_t length);
/* Digits with commas between thousands; false above INT64_MAX too. */
bool counts_number(const char *text, size_t length, int64_t *value);
/* The number of "PG3" after its letters, or -1. */
int counts_number_after(const char *word, size_t length, const char *letters);
/* With '_' for what cannot stand in JSON as it is. */
const char *counts_printable(struct arena *arena, const char *text);
/* A copy in which everything that no name of a port has is '_'. */
const char *counts_clean(struct arena *arena, const char *text, size_t length);

void counts_wrong(struct counts_reader *reader, const char *at, size_t width, const char *text);
void counts_note(struct counts_reader *reader, const char *at, const char *text);

/* HOST:PORT or PORT; of SONiC's VOQs "card|asic0|Ethernet0" CARD:Ethernet0. */
const char *counts_port(struct counts_reader *reader, const char *port, size_t length);
/* The port of what names none: the device of the command, else the host or the file. */
const char *counts_own_port(struct counts_reader *reader);

/* A counter whose number stands at `number` in the present line. */
struct counts_item *counts_add(struct counts_reader *reader, const char *port, const char *source,
                               struct counts_meaning what, const char *number, size_t length);
struct counts_item *counts_add_value(struct counts_reader *reader, const struct counts_item *item);

#endif

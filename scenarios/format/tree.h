/* SPDX-License-Identifier: Apache-2.0
 * tree - a YAML file as a tree whose nodes have places.
 * A strict subset of YAML 1.2: UTF-8, one document, no tags, no directives, keys are plain words,
 * at most 64 levels and a million values (aliases count each time they are used). Every scalar
 * stays text; the reader of the key interprets values such as `no` or `1_000`. Anchors, aliases and
 * `<<` work; a key used twice is an error. Columns count characters from 1. Nodes are shared
 * between aliases and never changed, except by tree_set, which copies what it changes.
 * Owner: the arena that is passed in; places of nodes refer to their file name in it. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_TREE_H
#define STORMGLASS_SCENARIOS_FORMAT_TREE_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/filekind.h"

#include <stdint.h>

enum {
    TREE_DEPTH_MAX = 64,
    TREE_NODES_MAX = 1000000,
    TREE_BYTES_MAX = 64 * 1024 * 1024,
};

enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP };

struct tree_file {
    const char *name;
    const char *text; /* NUL-terminated */
    size_t length;
};

struct tree_item {
    const char *key; /* key in a MAP, NULL in a LIST */
    struct diag_place key_place;
    struct tree_node *value;
};

struct tree_node {
    enum tree_kind kind;
    bool quoted;
    bool escaped; /* JSON: the text had unprintable characters, shown as escapes */
    struct diag_place place;
    const struct tree_file *file; /* file of the place */
    const char *text;             /* text of a SCALAR */
    struct tree_item *items;
    size_t count;
    uint32_t weight; /* number of values including itself, with aliases expanded */
};

/* Reads a whole file into the arena; "-": standard input. NULL, with a message, if it cannot be
 * read or is too large. */
struct tree_file *tree_read(struct arena *arena, const char *path, struct diag *diag);

/* A file that is already in memory. */
struct tree_file *tree_hold(struct arena *arena, const char *name, const char *text, size_t length);

/* Returns the root, or NULL with messages. The first `from` bytes of the file are not YAML ("path="
 * of a --set). */
struct tree_node *tree_parse(struct arena *arena, const struct tree_file *file, size_t from,
                             struct diag *diag);

/* Applies "path=value" (value: a YAML flow value) and returns the new root. A step of the path is a
 * key, an index of a list, the `name` of a member, or `[+]` to append to a list. Missing maps are
 * created, and so are lists before `[+]`. Messages refer to a file named "--set". */
struct tree_node *tree_set(struct arena *arena, struct tree_node *root, const char *set,
                           struct diag *diag);

/* The same for an item whose key is the path. Messages refer to the place of the item. */
struct tree_node *tree_change(struct arena *arena, struct tree_node *root,
                              const struct tree_item *change, struct diag *diag);

/* Value of a key of a map, or NULL; a node that is not a map has no keys. */
struct tree_node *tree_get(const struct tree_node *map, const char *key);
const struct tree_item *tree_item(const struct tree_node *map, const char *key);

/* Value of a key of a map if it has that kind; NULL, with a message, if it has another kind. NULL
 * without a message if the key is missing. */
struct tree_node *tree_want(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind);

/* The same for a required key; `what` describes it in the message if it is missing. */
struct tree_node *tree_need(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind, const char *what);

/* True if the file is a mapping whose key named `format` has the version 1. */
bool tree_version(struct diag *diag, const struct tree_node *root, const char *format);

/* Resolves a name in a file relative to that file's directory; `file` may be "-". */
const char *tree_beside(struct arena *arena, const char *file, const char *name);

/* False, with a message, if the first bytes show a known kind other than the wanted one; `what`: "a
 * grid". */
bool tree_is_kind(const struct tree_file *file, enum filekind wanted, const char *what,
                  struct diag *diag);

/* Start of a line in a file, for a message's snippet; NULL if there is no such line. */
const char *tree_line(const struct tree_file *file, int line);

/* Reports an error at a node or at the key of an item. */
void tree_error(struct diag *diag, const struct tree_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tree_message(struct diag *diag, enum diag_level level, const struct tree_node *node,
                  struct diag_place place, const char *text);

/* "a word", "a list", "a mapping": for messages. */
const char *tree_kind_name(const struct tree_node *node);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * tree - a YAML file as a tree whose every node knows its place.
 * A strict part of YAML 1.2: UTF-8, one document, no tags, no directives, keys are plain words, at
 * most 64 levels and a million values (aliases counted as often as they are used).  Every scalar
 * stays text: what `no` or `1_000` mean is for the reader of the key to say.  Anchors, aliases and
 * `<<` work; a key used twice is an error.  Columns count characters from 1.  Nodes are shared
 * between aliases and never changed, except by tree_set, which copies what it changes.
 * Owner: the arena that is passed in; places of nodes name their file in it. */
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
    const char *key; /* of a MAP, NULL in a LIST */
    struct diag_place key_place;
    struct tree_node *value;
};

struct tree_node {
    enum tree_kind kind;
    bool quoted;
    bool escaped; /* of JSON: the text had what cannot be printed, and shows it */
    struct diag_place place;
    const struct tree_file *file; /* that the place is in */
    const char *text;             /* SCALAR */
    struct tree_item *items;
    size_t count;
    uint32_t weight; /* values in it with aliases expanded, itself included */
};

/* Reads a whole file into the arena, "-": standard input; NULL and a message when it cannot be read
 * or is too large. */
struct tree_file *tree_read(struct arena *arena, const char *path, struct diag *diag);

/* A file that is in memory already. */
struct tree_file *tree_hold(struct arena *arena, const char *name, const char *text, size_t length);

/* The root, or NULL and messages.  The first `from` bytes of the file are no YAML ("path=" of a
 * --set). */
struct tree_node *tree_parse(struct arena *arena, const struct tree_file *file, size_t from,
                             struct diag *diag);

/* Applies "path=value" (value: a YAML flow value) and returns the new root.  A step of the path is
 * a key, an index of a list, the `name` of a member, or `[+]` for one more at a list's end.
 * Missing maps are made, and lists before a `[+]`.  Messages are located in a file "--set". */
struct tree_node *tree_set(struct arena *arena, struct tree_node *root, const char *set,
                           struct diag *diag);

/* The same of an item whose key is the path.  Messages are located where it is written. */
struct tree_node *tree_change(struct arena *arena, struct tree_node *root,
                              const struct tree_item *change, struct diag *diag);

/* Value of a key of a map, or NULL; a node that is no map has no keys. */
struct tree_node *tree_get(const struct tree_node *map, const char *key);
const struct tree_item *tree_item(const struct tree_node *map, const char *key);

/* Value of a key of a map, if it is of that kind; NULL and a message when it is there and of
 * another one. */
struct tree_node *tree_want(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind);

/* The same of a key that has to be there; `what` tells its meaning where it is not. */
struct tree_node *tree_need(struct diag *diag, const struct tree_node *map, const char *key,
                            enum tree_kind kind, const char *what);

/* Whether the file is a mapping whose key of that name, its format, has the version 1. */
bool tree_version(struct diag *diag, const struct tree_node *root, const char *format);

/* The path of what a file names relative to its own folder, "-" too. */
const char *tree_beside(struct arena *arena, const char *file, const char *name);

/* False, and a message, where a file is of a known kind other than the wanted one, by its first
 * bytes; `what`: "a grid". */
bool tree_is_kind(const struct tree_file *file, enum filekind wanted, const char *what,
                  struct diag *diag);

/* Start of a line in a file, for a message's snippet; NULL when there is no such line. */
const char *tree_line(const struct tree_file *file, int line);

/* A message at a node or at the key of an item. */
void tree_error(struct diag *diag, const struct tree_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tree_message(struct diag *diag, enum diag_level level, const struct tree_node *node,
                  struct diag_place place, const char *text);

/* "a word", "a list", "a mapping": for messages. */
const char *tree_kind_name(const struct tree_node *node);

#endif

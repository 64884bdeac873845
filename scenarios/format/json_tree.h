/* SPDX-License-Identifier: Apache-2.0
 * json_tree - a JSON file as a tree whose every node knows its place.
 * Strict JSON (RFC 8259) whose root is an object; a NUL character, more than TREE_DEPTH_MAX levels
 * and more than TREE_NODES_MAX values are errors.  Numbers, true, false and null stay text, as they
 * are written; strings are `quoted`, and `escaped` where one has what cannot be printed.  Columns
 * count characters from 1.
 * A key used twice in one object is an error, or, for a reader that asks for `repeats`, the last
 * one counts, as with most readers of JSON, and the others are listed.
 * Owner: the arena.  Errors: located messages in diag, and NULL. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_JSON_TREE_H
#define STORMGLASS_SCENARIOS_FORMAT_JSON_TREE_H

#include "scenarios/format/tree.h"

enum { JSON_REPEATS_MAX = 1000 }; /* more are an error */

/* A value that does not count, because its key comes again. */
struct json_repeat {
    const char *key;
    struct diag_place place; /* of the key that does not count */
    int line;                /* of the one that does */
};

struct json_repeats {
    struct json_repeat *list;
    size_t count;
};

/* `repeats` NULL: a key used twice is an error.  Otherwise zero-initialised. */
struct tree_node *json_tree(struct arena *arena, const struct tree_file *file,
                            struct json_repeats *repeats, struct diag *diag);

/* Whether an object or a list of objects begins there. */
bool json_text_begins(const struct tree_file *file, size_t at);
/* Where the text that begins at `at` ends; the file's length: it does not. */
size_t json_text_end(const struct tree_file *file, size_t at);

/* A file with a JSON text below the prompt and the command that printed it: the same with blanks
 * in place of what is above and below the text, so that places stay; every other file as it is. */
const struct tree_file *json_below_prompt(struct arena *arena, const struct tree_file *file);

/* The same as json_tree of a part of a file, with that many lines above it, whose root may be a
 * list. */
struct tree_node *json_tree_any(struct arena *arena, const struct tree_file *text, int above,
                                struct diag *diag);

#endif

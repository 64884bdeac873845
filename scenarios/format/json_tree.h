/* SPDX-License-Identifier: Apache-2.0
 * json_tree - a JSON file as a tree whose nodes have places.
 * Strict JSON (RFC 8259) whose root is an object. NUL characters, more than TREE_DEPTH_MAX levels
 * and more than TREE_NODES_MAX values are errors. Numbers, true, false and null stay text as
 * written; strings are `quoted`, and `escaped` if they have unprintable characters. Columns count
 * characters from 1.
 * A key used twice in one object is an error. If the caller passes `repeats`, the last one counts,
 * as in most JSON readers, and the others are listed.
 * Owner: the arena. Errors: located messages in diag, and NULL. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_JSON_TREE_H
#define STORMGLASS_SCENARIOS_FORMAT_JSON_TREE_H

#include "scenarios/format/tree.h"

enum { JSON_REPEATS_MAX = 1000 }; /* more are an error */

/* A value that does not count because its key occurs again later. */
struct json_repeat {
    const char *key;
    struct diag_place place; /* place of the ignored key */
    int line;                /* line of the key that counts */
};

struct json_repeats {
    struct json_repeat *list;
    size_t count;
};

/* `repeats` NULL: a key used twice is an error. Otherwise zero-initialized. */
struct tree_node *json_tree(struct arena *arena, const struct tree_file *file,
                            struct json_repeats *repeats, struct diag *diag);

/* True if an object or a list of objects begins at `at`. */
bool json_text_begins(const struct tree_file *file, size_t at);
/* End of the JSON text that begins at `at`; the file's length: the text has no end. */
size_t json_text_end(const struct tree_file *file, size_t at);

/* For a file with a JSON text after the prompt and the command that printed it: a copy with blanks
 * in place of everything else, so that places stay the same. Any other file is returned
 * unchanged. */
const struct tree_file *json_below_prompt(struct arena *arena, const struct tree_file *file);

/* Like json_tree for a part of a file with `above` lines before it; the root may be a list. */
struct tree_node *json_tree_any(struct arena *arena, const struct tree_file *text, int above,
                                struct diag *diag);

#endif

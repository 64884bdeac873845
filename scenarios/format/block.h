/* SPDX-License-Identifier: Apache-2.0
 * block - a parameter struct under construction.
 * Rows (base/opt.h), the values so far, and for each value where it came from: nobody (the row's
 * preset), a profile, or a line of a file.  A mapping is loaded over it; several mappings may be,
 * the last one wins. A nested key is its path joined by '-' (`ecn: {kmin: 400KB}` is the row
 * ecn-kmin), or a row that the block's words name (`pfc.headroom` is the row headroom).  Owner: the
 * arena.  Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_BLOCK_H
#define STORMGLASS_SCENARIOS_FORMAT_BLOCK_H

#include "base/opt.h"
#include "scenarios/format/tree.h"

struct block_origin {
    struct diag_place where; /* file NULL: nobody wrote it */
    const char *path;        /* of the mapping that has the value or names its profile; or NULL */
    const char *profile;     /* or NULL */
    const char *evidence, *source;
};

/* Another way to write a row: the dotted path of keys, and the row that it means.  With a `head`
 * the value is read as if it began with that: `tos: 104` is `dscp: tos 104`. */
struct block_word {
    const char *path, *row; /* path NULL ends a list */
    const char *head;       /* NULL: none */
};

struct block {
    const char *path; /* of the mapping in the scenario: "fabric.switch" */
    const struct opt *rows;
    const struct block_word *words; /* NULL: none */
    size_t row_count, bytes;
    void *params;
    struct block_origin *origins; /* by row */
};

/* All presets. `bytes`: of the parameter struct. */
struct block *block_new(struct arena *arena, const char *path, const struct opt *rows,
                        size_t bytes);
struct block *block_copy(struct arena *arena, const struct block *block, const char *path);

/* Where block_load leaves what it does not know. */
struct block_load {
    struct arena *arena;
    struct diag *diag;
    const struct tree_node *map;
    const char *const *also; /* keys that somebody else reads; NULL ends them; may be NULL */
    const char *profile;     /* the map is this profile's values: {value, evidence, source} each */
    bool partial;            /* keys that the block does not know are somebody else's */
};

/* Loads a mapping; unknown keys and bad values are errors.  False when any was found.  A row whose
 * value is refused keeps the one that it had: the params hold legal values only. */
bool block_load(struct block *block, const struct block_load *load);

/* Index of a row, which must exist. */
size_t block_row(const struct block *block, const char *name);

/* Where the value of a row was written, or what is given where nobody wrote it or there is no block
 * (NULL); a profile of the program's own is no place either. */
struct diag_place block_place(const struct block *block, const char *name,
                              struct diag_place otherwise);

/* Is the key of a mapping that this block would read, alone or as the head of a nested one? */
bool block_knows(const struct block *block, const char *key);

/* Values that were written into `over` (its origins say so) replace those of the block; same rows.
 * */
void block_overlay(struct block *block, const struct block *over);

/* The same without those that a profile gave to `over`. */
void block_overlay_own(struct block *block, const struct block *over);

/* Complains about each key that is none of `keys` (NULL ends them) and that no block of the list
 * (NULL ends it, may be NULL) knows. */
bool block_only(const struct tree_node *map, const char *const *keys,
                const struct block *const *blocks, struct diag *diag);

#endif

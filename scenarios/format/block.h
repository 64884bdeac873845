/* SPDX-License-Identifier: Apache-2.0
 * block - a parameter struct under construction.
 * It has rows (base/opt.h), the values so far, and the origin of each value: the row's preset, a
 * profile, or a line of a file. Mappings are loaded over it; the last one wins. A nested key is its
 * path joined by '-' (`ecn: {kmin: 400KB}` is the row ecn-kmin), or a row named by the block's
 * words (`pfc.headroom` is the row headroom). Owner: the arena. Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_BLOCK_H
#define STORMGLASS_SCENARIOS_FORMAT_BLOCK_H

#include "base/opt.h"
#include "scenarios/format/tree.h"

struct block_origin {
    struct diag_place where; /* file NULL: not set in any file */
    const char *word;        /* the value as it is written; NULL: not from a scenario or profile */
    const char *path;        /* path of the mapping that has the value or names its profile; or
                              * NULL */
    const char *profile;     /* or NULL */
    const char *evidence, *source;
    uint32_t sources; /* of a profile's value: independent publications or laboratories */
};

/* Another notation for a row: the dotted path of keys, and the row. With a `head`, the value is
 * read as if it began with the head: `tos: 104` is `dscp: tos 104`. */
struct block_word {
    const char *path, *row; /* a list ends with path NULL */
    const char *head;       /* NULL: none */
};

struct block {
    const char *path; /* path of the mapping in the scenario: "fabric.switch" */
    const struct opt *rows;
    const struct block_word *words; /* NULL: none */
    size_t row_count, bytes;
    void *params;
    struct block_origin *origins; /* by row */
};

/* Creates a block with all presets. `bytes`: size of the parameter struct. */
struct block *block_new(struct arena *arena, const char *path, const struct opt *rows,
                        size_t bytes);
struct block *block_copy(struct arena *arena, const struct block *block, const char *path);

/* Input of block_load, including how it treats unknown keys. */
struct block_load {
    struct arena *arena;
    struct diag *diag;
    const struct tree_node *map;
    const char *const *also; /* keys that other code reads; terminated by NULL; may be NULL */
    const char *profile;     /* profile that the map describes, with {value, evidence, source}
                              * and perhaps {sources} for each key; NULL: none */
    bool partial;            /* unknown keys belong to other code */
};

/* Loads a mapping; unknown keys and bad values are errors. False if there are any. A row with a bad
 * value keeps its previous value, so the parameters always have legal values. */
bool block_load(struct block *block, const struct block_load *load);

/* Reads evidence, source and sources of an entry of a profile; false, with a message, if they are
 * incomplete. Without `sources`, an assumed value has none, and any other has one. */
bool block_evidence(struct diag *diag, const struct tree_node *entry, struct block_origin *origin);

/* Index of a row, which must exist. */
size_t block_row(const struct block *block, const char *name);

/* Place where the value of a row is set. `otherwise` if it is not set, if there is no block (NULL),
 * or if it comes from an embedded profile. */
struct diag_place block_place(const struct block *block, const char *name,
                              struct diag_place otherwise);

/* True if the block would read this key of a mapping, alone or as the head of a nested key. */
bool block_knows(const struct block *block, const char *key);

/* Replaces the block's values by those set in `over` (according to its origins); both have the same
 * rows. */
void block_overlay(struct block *block, const struct block *over);

/* The same without values that `over` got from a profile. */
void block_overlay_own(struct block *block, const struct block *over);

/* Reports each key that is not in `keys` (terminated by NULL) and that no block of the list
 * (terminated by NULL, may be NULL) has. */
bool block_only(const struct tree_node *map, const char *const *keys,
                const struct block *const *blocks, struct diag *diag);

#endif

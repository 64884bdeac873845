/* SPDX-License-Identifier: Apache-2.0
 * bytes - namespaces that keep bytes, for hosts that are not ours.
 * The kinds are one list: null reads zeros and forgets what is written; memory and file keep it.
 * Reading and writing is done at once, in the loop's own thread: a file on a slow disk holds up
 * everything else that the program does.
 * Owner: as nvme/media/store.h.  Errors: a file's become statuses of the command that met them. */
#ifndef STORMGLASS_BRIDGE_BYTES_BYTES_H
#define STORMGLASS_BRIDGE_BYTES_BYTES_H

#include "nvme/media/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BYTES_WHY_MAX = 256 };

struct bytes_kind {
    const char *name; /* the word after --store */
    bool has_path;    /* as NAME:PATH */
    /* A store of *size bytes; NULL: *why.  What was there before keeps its own size, and *size
     * becomes that. */
    struct nvme_store *(*open)(const char *path, uint32_t block_bytes, int64_t *size,
                               char why[BYTES_WHY_MAX]);
};

extern const struct bytes_kind *const bytes_kinds[]; /* NULL ends it */

/* The kind that a word such as "file:disk.img" names, and its path or NULL.  NULL: none. */
const struct bytes_kind *bytes_find(const char *word, const char **path);

/* What `open` made outlives its store only from now on: until then a file that was not there is
 * removed when the store is destroyed, and one that was empty is empty again. */
void bytes_keep(struct nvme_store *store);

extern const struct bytes_kind bytes_null, bytes_memory, bytes_file;

#endif

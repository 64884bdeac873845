/* SPDX-License-Identifier: Apache-2.0
 * bytes - namespaces that store real data, for foreign hosts.
 * The kinds: null returns zeros and discards writes; memory and file store the data. Reads and
 * writes are synchronous in the loop's thread, so a file on a slow disk delays everything else in
 * the program.
 * Owner: as in nvme/media/store.h. Errors: errors of a file become the status of the command that
 * encountered them. */
#ifndef STORMGLASS_BRIDGE_BYTES_BYTES_H
#define STORMGLASS_BRIDGE_BYTES_BYTES_H

#include "nvme/media/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BYTES_WHY_MAX = 256 };

struct bytes_kind {
    const char *name; /* value of --store */
    bool has_path;    /* in the form NAME:PATH */
    /* Opens a store of *size bytes; NULL: *why has the reason. An existing store keeps its size,
     * which is returned in *size. */
    struct nvme_store *(*open)(const char *path, uint32_t block_bytes, int64_t *size,
                               char why[BYTES_WHY_MAX]);
};

extern const struct bytes_kind *const bytes_kinds[]; /* terminated by NULL */

/* Finds the kind in a word such as "file:disk.img", and its path or NULL. NULL: no such kind. */
const struct bytes_kind *bytes_find(const char *word, const char **path);

/* Keeps what `open` created beyond the lifetime of the store. Without this call, destroying the
 * store removes a file that was new and empties one that was empty. */
void bytes_keep(struct nvme_store *store);

extern const struct bytes_kind bytes_null, bytes_memory, bytes_file;

#endif

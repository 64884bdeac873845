/* SPDX-License-Identifier: Apache-2.0
 * name_index - a hash index of list entries by name.
 * Open addressing with linear probing, at most half full (Knuth, TAOCP vol. 3, 6.4). The list keeps
 * the names; entries are numbered from 0 in order of insertion.
 * Owner: name_index_free. */
#ifndef STORMGLASS_REPLAY_HARM_NAME_INDEX_H
#define STORMGLASS_REPLAY_HARM_NAME_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct name_index {
    uint64_t *hashes;
    uint32_t *entries; /* number of the entry + 1; 0: free slot */
    uint32_t room, count;
};

enum { NAME_INDEX_NONE = UINT32_MAX };

/* The entry with this hash for which `same` returns true, or NAME_INDEX_NONE. */
uint32_t name_index_find(const struct name_index *index, uint64_t hash,
                         bool (*same)(const void *self, uint32_t entry), const void *self);

/* Adds the next entry. */
void name_index_add(struct name_index *index, uint64_t hash);
void name_index_free(struct name_index *index);

#endif

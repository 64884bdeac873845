/* SPDX-License-Identifier: Apache-2.0
 * member_index - looks up members by a port that they cross or a node where they start or end.
 * A cause at one place visits only the members there.
 * Owner: member_index_free. */
#ifndef STORMGLASS_REPLAY_HARM_MEMBER_INDEX_H
#define STORMGLASS_REPLAY_HARM_MEMBER_INDEX_H

#include <stdint.h>

struct member_index {
    uint32_t *first; /* by key: start of its members */
    uint32_t *members;
};

/* The members of one key, ascending. */
struct member_list {
    const uint32_t *members;
    uint32_t count;
};

/* Returns the number of keys of a member; grows the array with memory_grown and writes each key
 * once. */
typedef uint32_t member_keys(const void *self, uint32_t member, uint32_t **keys, uint32_t *room);

/* All keys must be below key_count. */
void member_index_make(struct member_index *index, uint32_t member_count, uint32_t key_count,
                       member_keys *keys_of, const void *self);
void member_index_free(struct member_index *index);

struct member_list member_index_list(const struct member_index *index, uint32_t key);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * member_index - members by the ports that they cross, or by the nodes that they begin and end at.
 * A cause that looks at one place visits the members there, not all of the scenario.
 * Owner: member_index_free. */
#ifndef STORMGLASS_REPLAY_HARM_MEMBER_INDEX_H
#define STORMGLASS_REPLAY_HARM_MEMBER_INDEX_H

#include <stdint.h>

struct member_index {
    uint32_t *first; /* by key: where its members begin */
    uint32_t *members;
};

/* Members of one key, in ascending order. */
struct member_list {
    const uint32_t *members;
    uint32_t count;
};

/* What a member is listed under: makes room for keys with memory_grown, writes each once, and
 * returns how many. */
typedef uint32_t member_keys(const void *self, uint32_t member, uint32_t **keys, uint32_t *room);

/* Keys are below key_count. */
void member_index_make(struct member_index *index, uint32_t member_count, uint32_t key_count,
                       member_keys *keys_of, const void *self);
void member_index_free(struct member_index *index);

struct member_list member_index_list(const struct member_index *index, uint32_t key);

#endif

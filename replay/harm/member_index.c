/* SPDX-License-Identifier: Apache-2.0
 * member_index - built in two passes: the number of members per key, then the members. */
#include "replay/harm/member_index.h"

#include "base/memory.h"

#include <stdlib.h>

void member_index_make(struct member_index *index, uint32_t member_count, uint32_t key_count,
                       member_keys *keys_of, const void *self)
{
    uint32_t *keys = NULL, room = 0;
    index->first = memory_zeroed((size_t)key_count + 2, sizeof *index->first);
    for (uint32_t i = 0; i < member_count; i++)
        for (uint32_t k = keys_of(self, i, &keys, &room); k-- > 0;)
            index->first[keys[k] + 2]++;
    for (uint32_t key = 2; key < key_count + 2; key++)
        index->first[key] += index->first[key - 1];
    index->members = memory_zeroed((size_t)index->first[key_count + 1] + 1, sizeof *index->members);
    for (uint32_t i = 0; i < member_count; i++)
        for (uint32_t k = keys_of(self, i, &keys, &room); k-- > 0;)
            index->members[index->first[keys[k] + 1]++] = i;
    free(keys);
}

void member_index_free(struct member_index *index)
{
    free(index->first);
    free(index->members);
    *index = (struct member_index){0};
}

struct member_list member_index_list(const struct member_index *index, uint32_t key)
{
    return (struct member_list){&index->members[index->first[key]],
                                index->first[key + 1] - index->first[key]};
}

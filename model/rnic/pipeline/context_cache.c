/* SPDX-License-Identifier: Apache-2.0
 * context_cache - sets in the order of their use. */
#include "rnic/pipeline/context_cache.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void context_cache_init(struct context_cache *cache, int64_t contexts)
{
    *cache = (struct context_cache){
        .sets = (uint32_t)((contexts + CONTEXT_WAYS - 1) / CONTEXT_WAYS),
    };
    if (cache->sets > 0)
        cache->tags = memory_zeroed((size_t)cache->sets * CONTEXT_WAYS, sizeof *cache->tags);
}

void context_cache_fini(struct context_cache *cache)
{
    free(cache->tags);
    *cache = (struct context_cache){0};
}

bool context_cache_use(struct context_cache *cache, uint32_t qpn)
{
    if (cache->sets == 0)
        return true;
    uint32_t *set = &cache->tags[hash_mix(qpn) % cache->sets * CONTEXT_WAYS];
    unsigned at = 0;
    while (at < CONTEXT_WAYS - 1 && set[at] != qpn)
        at++;
    const bool hit = set[at] == qpn;
    memmove(&set[1], &set[0], at * sizeof *set);
    set[0] = qpn;
    cache->hits += hit;
    cache->misses += !hit;
    return hit;
}

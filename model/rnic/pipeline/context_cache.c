/* SPDX-License-Identifier: Apache-2.0
 * context_cache - sets in order of use. */
#include "rnic/pipeline/context_cache.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void context_cache_init(struct context_cache *cache, int64_t contexts, uint32_t ways)
{
    *cache = (struct context_cache){
        .sets = (uint32_t)((contexts + ways - 1) / ways),
        .ways = ways,
    };
    if (cache->sets > 0)
        cache->tags = memory_zeroed((size_t)cache->sets * ways, sizeof *cache->tags);
}

void context_cache_fini(struct context_cache *cache)
{
    free(cache->tags);
    *cache = (struct context_cache){0};
}

static uint32_t *set_of(struct context_cache *cache, uint32_t qpn)
{
    return &cache->tags[hash_mix(qpn) % cache->sets * cache->ways];
}

/* Moves the entry at `at` to the front, or replaces it by `qpn`. */
static void put_first(uint32_t *set, unsigned at, uint32_t qpn)
{
    memmove(&set[1], &set[0], at * sizeof *set);
    set[0] = qpn;
}

bool context_cache_find_other(struct context_cache *cache, uint32_t qpn)
{
    if (cache->sets == 0)
        return true;
    uint32_t *set = set_of(cache, qpn);
    unsigned at = 0;
    while (at < cache->ways && set[at] != qpn)
        at++;
    if (at == cache->ways)
        return false;
    if (UNLIKELY(at > 0))
        put_first(set, at, qpn);
    cache->last = qpn;
    cache->hits++;
    return true;
}

bool context_cache_use_other(struct context_cache *cache, uint32_t qpn)
{
    if (LIKELY(context_cache_find_other(cache, qpn)))
        return true;
    put_first(set_of(cache, qpn), cache->ways - 1, qpn);
    cache->last = qpn;
    cache->misses++;
    return false;
}

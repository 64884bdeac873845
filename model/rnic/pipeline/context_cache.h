/* SPDX-License-Identifier: Apache-2.0
 * context_cache - the queue pair contexts cached on an RNIC.
 * Set-associative with about four ways, LRU within a set; the set is a hash of the QPN. When there
 * are more queue pairs than entries, the miss rate rises gradually. Also used for the address
 * translations of PCIe (IOTLB).
 * Source: our choice; vendors do not publish how theirs work. Owner: the pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_CONTEXT_CACHE_H
#define STORMGLASS_RNIC_PIPELINE_CONTEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTEXT_WAYS = 4 };

struct context_cache {
    uint32_t *tags; /* sets of ways, most recently used first; 0: empty */
    uint32_t sets;  /* 0: no cache limit, every lookup hits */
    uint32_t ways;
    uint32_t last; /* most recently used, first of its set; 0: none */
    uint64_t hits, misses;
};

void context_cache_init(struct context_cache *cache, int64_t contexts, uint32_t ways);
void context_cache_fini(struct context_cache *cache);

/* Slow paths, for a QPN other than the most recently used. */
bool context_cache_find_other(struct context_cache *cache, uint32_t qpn);
bool context_cache_use_other(struct context_cache *cache, uint32_t qpn);

/* Returns whether it is cached; a hit counts as a use. */
static inline bool context_cache_find(struct context_cache *cache, uint32_t qpn)
{
    if (qpn != cache->last)
        return context_cache_find_other(cache, qpn);
    cache->hits++;
    return true;
}

/* Returns whether it is cached; a miss inserts it. */
static inline bool context_cache_use(struct context_cache *cache, uint32_t qpn)
{
    if (qpn != cache->last)
        return context_cache_use_other(cache, qpn);
    cache->hits++;
    return true;
}

#endif

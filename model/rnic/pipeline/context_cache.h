/* SPDX-License-Identifier: Apache-2.0
 * context_cache - which queue pairs' contexts an RNIC holds itself.
 * Sets of four or so, the least recently used of a set leaves; the set is a hash of the QPN.  More
 * queue pairs than it holds miss more and more, not all at once.  PCIe holds translations the same
 * way.
 * Source: own; cards do not say how theirs are made.  Owner: the pipeline. */
#ifndef STORMGLASS_RNIC_PIPELINE_CONTEXT_CACHE_H
#define STORMGLASS_RNIC_PIPELINE_CONTEXT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTEXT_WAYS = 4 };

struct context_cache {
    uint32_t *tags; /* sets of so many ways, the one used last first; 0: empty */
    uint32_t sets;  /* 0: every context is there */
    uint32_t ways;
    uint32_t last; /* the one that was used last, the first of its set; 0: none */
    uint64_t hits, misses;
};

void context_cache_init(struct context_cache *cache, int64_t contexts, uint32_t ways);
void context_cache_fini(struct context_cache *cache);

/* The same of another than the one that was used last. */
bool context_cache_find_other(struct context_cache *cache, uint32_t qpn);
bool context_cache_use_other(struct context_cache *cache, uint32_t qpn);

/* True: it is there, and was used now. */
static inline bool context_cache_find(struct context_cache *cache, uint32_t qpn)
{
    if (qpn != cache->last)
        return context_cache_find_other(cache, qpn);
    cache->hits++;
    return true;
}

/* True: it is there.  Else it is from now on. */
static inline bool context_cache_use(struct context_cache *cache, uint32_t qpn)
{
    if (qpn != cache->last)
        return context_cache_use_other(cache, qpn);
    cache->hits++;
    return true;
}

#endif

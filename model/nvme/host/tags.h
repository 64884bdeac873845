/* SPDX-License-Identifier: Apache-2.0
 * tags - allocates the command identifiers of a queue in Linux's order.
 * Linux keeps tags in words and returns freed tags to their word only when the word is exhausted,
 * so a queue with one outstanding command cycles through a word; the next search begins in the word
 * of the tag freed last. The command identifier consists of the tag and a 4-bit count of its uses.
 * Source: lib/sbitmap.c (deferred clearing), nvme_cid() of drivers/nvme/host/nvme.h, Linux 6.1. Not
 * modeled: the random start and the hint per CPU; a queue here belongs to one CPU. */
#ifndef STORMGLASS_NVME_HOST_TAGS_H
#define STORMGLASS_NVME_HOST_TAGS_H

#include <stdbool.h>
#include <stdint.h>

enum { NVME_TAGS_MAX = 1024, NVME_TAGS_NONE = 0xFFFF };

struct nvme_tags {
    uint16_t first; /* lowest tag */
    uint16_t count;
    uint16_t hint;     /* start of the next search, relative to first */
    uint16_t taken;    /* tags in use */
    uint8_t shift;     /* log2 of the tags per word */
    uint64_t *used;    /* bit map by word: unavailable */
    uint64_t *cleared; /* bit map by word: freed but not returned yet */
};

void nvme_tags_init(struct nvme_tags *tags, uint16_t first, uint16_t count);
void nvme_tags_fini(struct nvme_tags *tags);
uint16_t nvme_tags_get(struct nvme_tags *tags); /* NVME_TAGS_NONE when all tags are in use */
void nvme_tags_put(struct nvme_tags *tags, uint16_t tag);
void nvme_tags_audit(const struct nvme_tags *tags);

/* nvme_cid: the generation counts the uses of a tag modulo 16. */
static inline uint16_t nvme_tags_cid(uint8_t generation, uint16_t tag)
{
    return (uint16_t)((generation & 0xFu) << 12 | (tag & 0xFFFu));
}

static inline uint16_t nvme_tags_of_cid(uint16_t cid)
{
    return cid & 0xFFF;
}

#endif

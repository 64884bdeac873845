/* SPDX-License-Identifier: Apache-2.0
 * tags - which command slots of a queue are free, handed out as Linux does.
 * Linux keeps tags in words and returns a freed tag to its word only when the word has run out,
 * so that a queue with one command under way walks through a word again and again; the next
 * search begins in the word of the tag freed last.  The command identifier is a 4-bit count of
 * the tag's uses and the tag.
 * Source: lib/sbitmap.c (deferred clearing), nvme_cid() of drivers/nvme/host/nvme.h, Linux 6.1.
 * Left out: the random start and one hint per CPU; a queue here is one CPU's. */
#ifndef STORMGLASS_NVME_HOST_TAGS_H
#define STORMGLASS_NVME_HOST_TAGS_H

#include <stdbool.h>
#include <stdint.h>

enum { NVME_TAGS_MAX = 1024, NVME_TAGS_NONE = 0xFFFF };

struct nvme_tags {
    uint16_t first; /* the lowest tag */
    uint16_t count;
    uint16_t hint;     /* relative to first */
    uint16_t taken;    /* out now */
    uint8_t shift;     /* a word has 2^shift tags */
    uint64_t *used;    /* one word: not available */
    uint64_t *cleared; /* one word: free again, but not returned yet */
};

void nvme_tags_init(struct nvme_tags *tags, uint16_t first, uint16_t count);
void nvme_tags_fini(struct nvme_tags *tags);
uint16_t nvme_tags_get(struct nvme_tags *tags); /* NVME_TAGS_NONE when all are out */
void nvme_tags_put(struct nvme_tags *tags, uint16_t tag);
void nvme_tags_audit(const struct nvme_tags *tags);

/* nvme_cid: the generation counts the uses of a tag, modulo 16. */
static inline uint16_t nvme_tags_cid(uint8_t generation, uint16_t tag)
{
    return (uint16_t)((generation & 0xFu) << 12 | (tag & 0xFFFu));
}

static inline uint16_t nvme_tags_of_cid(uint16_t cid)
{
    return cid & 0xFFF;
}

#endif

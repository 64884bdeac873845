/* SPDX-License-Identifier: Apache-2.0
 * tags - a bitmap with deferred clearing. */
#include "nvme/host/tags.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>

/* sbitmap_calculate_shift: the largest words that still leave at least four of them, from four tags
 * on. */
static uint8_t word_shift(unsigned count)
{
    unsigned shift = 6;
    if (count >= 4)
        while (4u << shift > count)
            shift--;
    return (uint8_t)shift;
}

static unsigned words(const struct nvme_tags *tags)
{
    return ((unsigned)tags->count + (1u << tags->shift) - 1) >> tags->shift;
}

static uint64_t word_mask(const struct nvme_tags *tags, unsigned word)
{
    const unsigned width = 1u << tags->shift;
    const unsigned left = tags->count - (word << tags->shift);
    const unsigned bits = left < width ? left : width;
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

void nvme_tags_init(struct nvme_tags *tags, uint16_t first, uint16_t count)
{
    CHECK(count > 0 && count <= NVME_TAGS_MAX);
    *tags = (struct nvme_tags){.first = first, .count = count, .shift = word_shift(count)};
    tags->used = memory_zeroed(words(tags), sizeof *tags->used);
    tags->cleared = memory_zeroed(words(tags), sizeof *tags->cleared);
}

void nvme_tags_fini(struct nvme_tags *tags)
{
    free(tags->used);
    free(tags->cleared);
    *tags = (struct nvme_tags){0};
}

/* Allocates a bit of the word, or returns -1. */
static int get_from_word(struct nvme_tags *tags, unsigned word)
{
    const uint64_t mask = word_mask(tags, word);
    if ((tags->used[word] & mask) == mask) {
        tags->used[word] &= ~tags->cleared[word];
        tags->cleared[word] = 0;
    }
    const uint64_t available = ~tags->used[word] & mask;
    if (available == 0)
        return -1;
    const int bit = __builtin_ctzll(available);
    tags->used[word] |= UINT64_C(1) << bit;
    return bit;
}

uint16_t nvme_tags_get(struct nvme_tags *tags)
{
    const unsigned count = words(tags);
    unsigned word = (unsigned)tags->hint >> tags->shift;
    for (unsigned tried = 0; tried < count; tried++) {
        const int bit = get_from_word(tags, word);
        if (bit >= 0) {
            const unsigned at = (word << tags->shift) + (unsigned)bit;
            if (at == tags->hint)
                tags->hint = (uint16_t)(at + 1 < tags->count ? at + 1 : 0);
            tags->taken++;
            return (uint16_t)(tags->first + at);
        }
        word = word + 1 < count ? word + 1 : 0;
    }
    return NVME_TAGS_NONE;
}

void nvme_tags_put(struct nvme_tags *tags, uint16_t tag)
{
    CHECK(tag >= tags->first && tag < tags->first + tags->count);
    const unsigned at = (unsigned)tag - tags->first;
    const uint64_t bit = UINT64_C(1) << (at & ((1u << tags->shift) - 1));
    const unsigned word = at >> tags->shift;
    CHECK((tags->used[word] & bit) != 0 && (tags->cleared[word] & bit) == 0 && tags->taken > 0);
    tags->cleared[word] |= bit;
    tags->hint = (uint16_t)at;
    tags->taken--;
}

void nvme_tags_audit(const struct nvme_tags *tags)
{
    unsigned taken = 0;
    for (unsigned word = 0; word < words(tags); word++) {
        CHECK((tags->used[word] & ~word_mask(tags, word)) == 0);
        CHECK((tags->cleared[word] & ~tags->used[word]) == 0);
        taken += (unsigned)__builtin_popcountll(tags->used[word] & ~tags->cleared[word]);
    }
    CHECK(taken == tags->taken && taken <= tags->count && tags->hint < tags->count);
}

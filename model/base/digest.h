/* SPDX-License-Identifier: Apache-2.0
 * digest - the fingerprint of a run.
 * Each node chains the words of what it executes; the digest of the run hashes the nodes' chains in
 * node order into 128 bits. Digests compare runs; they do not protect against forgery. */
#ifndef STORMGLASS_BASE_DIGEST_H
#define STORMGLASS_BASE_DIGEST_H

#include "base/hash.h"

struct digest {
    uint64_t high, low;
};

#define DIGEST_TEXT_BYTES 33 /* 32 hexadecimal digits and the NUL */

/* Adds a word to a node's chain: two multiplications, no branch. */
static inline void digest_chain(uint64_t *chain, uint64_t word)
{
    const uint64_t x = (*chain ^ word) * UINT64_C(0x9FB21C651E98DF25);
    *chain = (x ^ (x >> 32)) + UINT64_C(0x9E3779B97F4A7C15);
}

static inline void digest_add(struct digest *digest, uint64_t word)
{
    digest->high = hash_mix(digest->high + word + UINT64_C(0x9E3779B97F4A7C15));
    digest->low = hash_mix((digest->low ^ digest->high) + word * UINT64_C(0xD6E8FEB86659FD93));
}

/* A cheaper step that does not mix, for words too frequent for digest_chain. */
static inline void digest_fold(uint64_t *chain, uint64_t word)
{
    *chain = (*chain << 7 | *chain >> 57) ^ word;
}

/* Digest of `length` bytes. */
struct digest digest_of(const void *data, size_t length);

void digest_format(const struct digest *digest, char text[DIGEST_TEXT_BYTES]);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * digest - hashes bytes and formats digests as text. */
#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>

void digest_format(const struct digest *digest, char text[DIGEST_TEXT_BYTES])
{
    snprintf(text, DIGEST_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, digest->high, digest->low);
}

struct digest digest_of(const void *data, size_t length)
{
    const unsigned char *at = data;
    struct digest digest = {0};
    for (size_t i = 0; i < length; i += 8) {
        uint64_t word = 0;
        for (size_t k = i; k < i + 8 && k < length; k++)
            word = word << 8 | at[k];
        digest_add(&digest, word);
    }
    digest_add(&digest, length);
    return digest;
}

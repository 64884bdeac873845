/* SPDX-License-Identifier: Apache-2.0
 * access_tag - HMAC with nettle, random bytes from the kernel. */
#include "bridge/access/access.h"

#include "base/check.h"

#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>
#include <sys/random.h>

/* Writes the first `length` bytes of the HMAC. */
static void mac(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                const struct access_part *parts, unsigned count, unsigned char *out, size_t length)
{
    struct hmac_sha256_ctx hmac;
    hmac_sha256_set_key(&hmac, ACCESS_KEY_BYTES, key);
    hmac_sha256_update(&hmac, strlen(purpose) + 1, (const uint8_t *)purpose);
    for (unsigned i = 0; i < count; i++)
        hmac_sha256_update(&hmac, parts[i].length, parts[i].bytes);
    hmac_sha256_digest(&hmac, length, out);
}

void access_tag(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                const struct access_part *parts, unsigned count,
                unsigned char tag[ACCESS_TAG_BYTES])
{
    mac(key, purpose, parts, count, tag, ACCESS_TAG_BYTES);
}

void access_derive(const unsigned char key[ACCESS_KEY_BYTES], const char *purpose,
                   const struct access_part *parts, unsigned count,
                   unsigned char derived[ACCESS_KEY_BYTES])
{
    mac(key, purpose, parts, count, derived, ACCESS_KEY_BYTES);
}

bool access_same_tag(const unsigned char *a, const unsigned char *b)
{
    return memeql_sec(a, b, ACCESS_TAG_BYTES) != 0;
}

void access_random(void *bytes, size_t length)
{
    const ssize_t got = getrandom(bytes, length, 0);
    CHECK(got == (ssize_t)length);
}

/* SPDX-License-Identifier: Apache-2.0
 * fuzz_access - any bytes as an address that is allowed, and as a secret.
 * Reads: bridge/access/access.c */
#include "base/check.h"
#include "bridge/access/access.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct access access = {.allowed_count = 1};
    char why[ACCESS_WHY_BYTES];
    char *text = calloc(1, size + 1);
    CHECK(text != NULL);
    if (size > 0)
        memcpy(text, data, size);
    if (access_read_net(text, &access.allowed[0]))
        CHECK(access_is_listed(&access, access.allowed[0].ip));
    if (access_set_secret(&access, text, size, why))
        CHECK(size >= ACCESS_SECRET_MIN && access.secret);
    else
        CHECK(strlen(why) > 0 && !access.secret);
    free(text);
    return 0;
}

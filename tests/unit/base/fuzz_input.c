/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/base/fuzz_input.h"

#include "base/check.h"
#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool fuzz_inputs_wanted(void)
{
    return getenv("FUZZ_INPUTS") != NULL;
}

void fuzz_input(const char *target, const void *bytes, size_t size)
{
    char path[512], text[DIGEST_TEXT_BYTES];
    const char *folder = getenv("FUZZ_INPUTS");
    if (folder == NULL)
        return;
    const struct digest digest = digest_of(bytes, size);
    digest_format(&digest, text);
    snprintf(path, sizeof path, "%s/%s", folder, target);
    CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, text);
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

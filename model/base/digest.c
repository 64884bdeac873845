/* SPDX-License-Identifier: Apache-2.0
 * digest - as text. */
#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>

void digest_format(const struct digest *digest, char text[DIGEST_TEXT_BYTES])
{
    snprintf(text, DIGEST_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, digest->high, digest->low);
}

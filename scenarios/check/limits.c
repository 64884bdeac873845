/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/limits.h"

#include "base/quantity.h"

#include <stdio.h>

const struct limits_row limits_rows[NVME_LIMITS] = {
    [NVME_LIMIT_IOPS] = {"iops-limit", true, true, false},
    [NVME_LIMIT_RATE] = {"rate-limit", true, true, true},
    [NVME_LIMIT_READ] = {"read-limit", true, false, true},
    [NVME_LIMIT_WRITE] = {"write-limit", false, true, true},
};

int64_t limits_part(const struct offering *offering, int limit)
{
    return (limits_rows[limit].reads ? offering->share : 0) +
           (limits_rows[limit].writes ? PPM - offering->share : 0);
}

__int128 limits_asked(const struct offering *offering, int limit, int64_t copies)
{
    const int64_t each = limits_rows[limit].bits ? offering->mean * 8 : 1;
    const __int128 rate = (__int128)offering->rate * copies;
    return rate * limits_part(offering, limit) / PPM * each / QUANTITY_DECIMAL_ONE;
}

struct limits_text limits_words(int limit, int64_t value)
{
    struct limits_text words;
    char number[QUANTITY_TEXT_BYTES];
    const bool bits = limits_rows[limit].bits;
    quantity_format(bits ? QUANTITY_RATE : QUANTITY_INT, value, number, sizeof number);
    snprintf(words.text, sizeof words.text, "%.40s%s", number, bits ? "" : " I/Os a second");
    return words;
}

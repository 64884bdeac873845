/* SPDX-License-Identifier: Apache-2.0
 * opt_effect - which of two values is worse. */
#include "base/opt.h"

bool opt_is_worse(const struct opt *row, int64_t value, int64_t common)
{
    const enum opt_worse worse = row->effect.worse;
    if (worse == OPT_WORSE_ANY || value < 0 || common < 0)
        return value != common;
    if (worse == OPT_WORSE_LIMIT)
        return value != 0 && (common == 0 || value < common);
    return worse == OPT_WORSE_LESS ? value < common : value > common;
}

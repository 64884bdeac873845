/* SPDX-License-Identifier: Apache-2.0
 * verdict - the table of verdicts. */
#include "replay/explain/verdict.h"

#include "base/check.h"

const struct verdict *const verdicts[EXPLAIN_KINDS] = {
#define VERDICT(stem, NAME) [EXPLAIN_##NAME] = &verdict_##stem,
#include "replay/explain/verdict.def"
#undef VERDICT
};

enum explain_kind verdict_on(const struct explain_end *end)
{
    enum explain_kind kind = 0;
    while (kind < EXPLAIN_KINDS && !verdicts[kind]->fits(end))
        kind++;
    CHECK(kind < EXPLAIN_KINDS); /* each end matches at least one verdict in the list */
    return kind;
}

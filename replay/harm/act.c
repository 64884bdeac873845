/* SPDX-License-Identifier: Apache-2.0
 * act - the rows of act.def. */
#include "replay/harm/act.h"

#include "replay/harm/suspects.h"

enum worse { LESS, MORE, LIMIT, CEILING, OTHER };

static const struct act {
    enum worse worse;
    enum act_by by;
    const char *rows;
} acts[] = {
#define ACT(WORSE, BY, rows) {WORSE, ACT_##BY, rows},
#include "replay/harm/act.def"
#undef ACT
};

static const struct act *find(const struct opt *row)
{
    for (size_t i = 0; row != NULL && i < sizeof acts / sizeof acts[0]; i++)
        if (suspects_listed(acts[i].rows, row->name))
            return &acts[i];
    return NULL;
}

enum act_by act_of(const struct opt *row)
{
    const struct act *act = find(row);
    return act == NULL ? ACT_NOTHING : act->by;
}

/* Words (auto, none) stand for negative numbers: what they come to is not known here. */
bool act_is_worse(const struct opt *row, int64_t value, int64_t common)
{
    const struct act *act = find(row);
    if (act == NULL || act->worse == OTHER || value < 0 || common < 0)
        return value != common;
    if (act->worse == LIMIT)
        return value != 0 && (common == 0 || value < common);
    return act->worse == LESS ? value < common : value > common;
}

bool act_is_limit(const struct opt *row)
{
    const struct act *act = find(row);
    return act != NULL && (act->worse == LIMIT || act->worse == CEILING);
}

const char *act_rows(size_t index)
{
    return index < sizeof acts / sizeof acts[0] ? acts[index].rows : NULL;
}

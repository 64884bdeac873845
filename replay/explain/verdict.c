/* SPDX-License-Identifier: Apache-2.0
 * verdict - the table of verdicts. */
#include "replay/explain/verdict.h"

#include "base/check.h"
#include "replay/database/words.h"

#include <stdio.h>

const struct verdict verdicts[EXPLAIN_KINDS] = {
#define VERDICT(NAME, name, about, guess, fits, words, brief) {name, about, guess},
#include "replay/explain/verdict.def"
};

enum explain_kind verdict_on(const struct explain_end *end)
{
#define VERDICT(NAME, name, about, guess, fits, words, brief)                                      \
    if (fits)                                                                                      \
        return EXPLAIN_##NAME;
#include "replay/explain/verdict.def"
    CHECK(false); /* each end matches a row */
}

void verdict_words(enum explain_kind kind, const struct explain_place *place, bool brief,
                   char *text, size_t size)
{
    switch (kind) {
#define WORDS(...) snprintf(text, size, __VA_ARGS__)
#define VERDICT(NAME, name, about, guess, fits, words, short_words)                                \
    case EXPLAIN_##NAME:                                                                           \
        brief ? short_words : words;                                                               \
        return;
#include "replay/explain/verdict.def"
    case EXPLAIN_KINDS:
        break;
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * settle - runs the cases of claims and decides where each claim is true.
 * Each case is one run for each side. Figures are read from these runs, and a case is true if all
 * conditions on its figures hold. The verdict follows from the cases alone: true or false in all of
 * them, or true under the condition that separates them.
 * Owner: settle_free. */
#ifndef STORMGLASS_REPLAY_CLAIM_SETTLE_H
#define STORMGLASS_REPLAY_CLAIM_SETTLE_H

#include "replay/record/result.h"
#include "scenarios/claim/claim.h"

enum {
    SETTLE_TEXT_BYTES = RESULT_ACTUAL_BYTES,
    SETTLE_ERROR_BYTES = 320,
    SETTLE_CONDITION_BYTES = 1024
};

/* NAME, key in JSON, words for people */
#define SETTLE_VERDICTS(X)                                                                         \
    X(TRUE, "true", "true")                                                                        \
    X(FALSE, "false", "false")                                                                     \
    X(CONDITIONAL, "conditional", "true under a condition")                                        \
    X(UNDECIDED, "undecided", "undecided")                                                         \
    X(CANNOT_RUN, "cannot-run", "cannot be run")

enum settle_verdict {
#define X(name, key, words) SETTLE_##name,
    SETTLE_VERDICTS(X)
#undef X
        SETTLE_VERDICT_COUNT
};

const char *settle_key(enum settle_verdict verdict);
const char *settle_words(enum settle_verdict verdict);

struct settle_value {
    bool known;
    double number;                /* in the unit of the figure */
    char text[SETTLE_TEXT_BYTES]; /* for people; of a word: the word */
};

enum settle_case_state {
    SETTLE_CASE_TRUE,
    SETTLE_CASE_FALSE,
    SETTLE_CASE_UNKNOWN,
    SETTLE_CASE_NONE
};

struct settle_case {
    enum settle_case_state state; /* NONE: not modeled */
    struct settle_value figures[CLAIM_FIGURES_MAX];
    bool unsteady; /* some run of it ended before its figures were steady */
};

struct settled {
    const struct claim *claim;
    struct settle_case *cases; /* claim->case_count of them */
    enum settle_verdict verdict;
    uint32_t runs, not_modeled, unsteady;   /* cases that are not modeled, or not steady */
    char condition[SETTLE_CONDITION_BYTES]; /* of the verdict CONDITIONAL */
    char error[SETTLE_ERROR_BYTES];         /* the first run that failed; empty: none */
};

/* Runs all cases of these claims, `at_once` at a time (0: as many as there are processors). False
 * if a stop was requested. */
bool settle_claims(struct claim *const *claims, uint32_t count, uint32_t at_once,
                   struct settled *settled);
void settle_free(struct settled *settled, uint32_t count);

/* Decides the verdict of cases whose states are known. */
void settle_decide(struct settled *settled);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * lesson - lessons for a class: a text with a prediction and a question, and its scenario.
 * A lesson is scenarios/lessons/NAME.md and NAME.yaml, both embedded in the program. The text has
 * no results of its own: `{far: w.goodput}` is replaced by that quantity of the run, and each
 * answer ends with a condition on it, so that the run decides which answer is right. The names are
 * the same as in `expect:`. `far` is a variant of the scenario, which the head of the text
 * declares:
 *   # 1. TITLE
 *   Minutes: 5
 *   Goal: SENTENCE
 *   Variant far: PATH=VALUE        one --set; several lines for several of them
 * Its parts follow in a fixed order, each with its heading (lesson_heading). Lines in a part:
 *   - a: TEXT `CONDITION`          an answer, in Predict and Question
 *   Check: `CONDITION`             a calculated value, compared with the run
 * In the part Run, a line with four spaces is a command, and 'TEXT' is in the output of the command
 * before it (tests/golden/lessons.sh).
 * Owner: lesson_free. Texts point into the embedded file. */
#ifndef STORMGLASS_REPLAY_LESSON_LESSON_H
#define STORMGLASS_REPLAY_LESSON_LESSON_H

#include "replay/record/result.h"
#include "scenarios/format/diag.h"

enum lesson_part {
    LESSON_PREDICT,
    LESSON_RUN,
    LESSON_HAPPENED,
    LESSON_NUMBERS,
    LESSON_QUESTION,
    LESSON_PARTS
};

enum {
    LESSON_NAME_BYTES = 48,
    LESSON_TEXT_BYTES = 192,
    LESSON_WHY_BYTES = 320,
    LESSON_VARIANTS = 6, /* with the scenario itself, which is the first */
    LESSON_SETS = 6,     /* of a variant */
    LESSON_PROBES = 64,
    LESSONS_MAX = 64
};

struct lesson_variant {
    char name[LESSON_NAME_BYTES]; /* empty: the scenario itself */
    char sets[LESSON_SETS][LESSON_TEXT_BYTES];
    uint32_t set_count;
};

/* A quantity, or a condition on it, of the run of a variant. */
struct lesson_probe {
    char text[LESSON_TEXT_BYTES]; /* as in the text: "far: w.goodput > 1Gbps" */
    const char *quantity;         /* without the name of the variant */
    uint32_t variant;
    bool is_condition;
    bool holds;                       /* once measured: the condition */
    char actual[RESULT_ACTUAL_BYTES]; /* once measured: the quantity */
};

struct lesson_span {
    const char *text;
    size_t length;
};

struct lesson {
    char name[LESSON_NAME_BYTES], title[LESSON_TEXT_BYTES], goal[LESSON_TEXT_BYTES];
    uint32_t order, minutes; /* order: in a course, from 1 */
    struct lesson_variant variants[LESSON_VARIANTS];
    uint32_t variant_count;
    struct lesson_span parts[LESSON_PARTS];
    struct lesson_probe *probes;
    uint32_t probe_count;
};

/* A line of a part. `text` lacks the condition. */
enum lesson_line_kind { LESSON_TEXT, LESSON_ANSWER, LESSON_CHECK };
struct lesson_line {
    enum lesson_line_kind kind;
    char letter; /* of an answer */
    struct lesson_span text;
    const struct lesson_probe *probe; /* of an answer or a check */
};

const char *lesson_heading(enum lesson_part part);

/* False, with the reason and its line, if the text does not have the form above. */
bool lesson_parse(struct lesson *lesson, const char *name, const char *text, size_t length,
                  char why[LESSON_WHY_BYTES]);
void lesson_free(struct lesson *lesson);

/* The next line of a part, from *at on, which moves behind it; false: no further line. */
bool lesson_next_line(const struct lesson *lesson, enum lesson_part part, size_t *at,
                      struct lesson_line *line);

/* Runs the variants that the text needs. False, with messages, if one of them cannot be run. */
bool lesson_measure(struct lesson *lesson, struct diag *diag);

/* Writes text with the measured quantities in place of their names. */
void lesson_fill(const struct lesson *lesson, struct lesson_span text, FILE *out);

/* The answer of a part whose condition holds; false: none, or several. */
bool lesson_right_answer(const struct lesson *lesson, enum lesson_part part,
                         struct lesson_line *answer);

/* The embedded lessons in the order of the course. CHECKs that each has its form; a test does,
 * too. Returns their number; each needs lesson_free. */
uint32_t lesson_load_all(struct lesson lessons[LESSONS_MAX]);

#endif

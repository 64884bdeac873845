/* SPDX-License-Identifier: Apache-2.0
 * settle_decide - the verdict of a claim, and the condition under which it is true.
 * On an axis of ascending quantities the condition is a range if the true cases are one; its two
 * sides are the neighboring values, between which the claim changes. */
#include "base/check.h"
#include "base/plural.h"
#include "replay/claim/settle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *key, *words;
} verdicts[] = {
#define X(name, key, words) {key, words},
    SETTLE_VERDICTS(X)
#undef X
};

const char *settle_key(enum settle_verdict verdict)
{
    return verdicts[verdict].key;
}

const char *settle_words(enum settle_verdict verdict)
{
    return verdicts[verdict].words;
}

/* ---- condition ---- */

/* A condition with more is a table, not a sentence. */
enum { CLAUSES_MAX = 2, LISTED_MAX = 4 };

struct text {
    char *text;
    size_t used, size;
};

static void __attribute__((format(printf, 2, 3)))
add_text(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length =
        vsnprintf(text->text + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length > 0)
        text->used += (size_t)length;
    if (text->used >= text->size)
        text->used = text->size - 1;
}

/* Cases along an axis: the states of its choices. */
struct line {
    const struct claim_axis *axis;
    uint32_t count; /* without those at the end that are not modeled */
    enum settle_case_state states[CLAIM_CHOICES_MAX];
};

/* The choices of the last axis from a case on. */
static struct line take_line(const struct settled *settled, uint32_t first)
{
    const struct claim *claim = settled->claim;
    struct line line = {.axis = &claim->axes[claim->axis_count - 1]};
    for (uint32_t i = 0; i < line.axis->count; i++) {
        line.states[i] = settled->cases[first + i].state;
        if (line.states[i] != SETTLE_CASE_NONE)
            line.count = i + 1;
    }
    return line;
}

static uint32_t count_state(const struct line *line, enum settle_case_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < line->count; i++)
        count += line->states[i] == state;
    return count;
}

/* The true choices are consecutive, and every choice is true or false. */
static bool is_range(const struct line *line, uint32_t *first, uint32_t *last)
{
    const uint32_t held = count_state(line, SETTLE_CASE_TRUE);
    *first = 0;
    while (line->states[*first] != SETTLE_CASE_TRUE)
        ++*first;
    *last = *first + held - 1;
    for (uint32_t i = *first; i <= *last; i++)
        if (i >= line->count || line->states[i] != SETTLE_CASE_TRUE)
            return false;
    return line->axis->ordered && held + count_state(line, SETTLE_CASE_FALSE) == line->count;
}

static void list_choices(struct text *text, const struct line *line, enum settle_case_state state)
{
    const char *separator = "";
    for (uint32_t i = 0; i < line->count; i++)
        if (line->states[i] == state) {
            add_text(text, "%s%s", separator, line->axis->choices[i].name);
            separator = " or ";
        }
}

/* "1" if that is the only choice on this side of a range, otherwise "1 or less" or "1 or more". */
static void describe_range(struct text *text, const struct line *line, uint32_t first,
                           uint32_t last)
{
    const struct claim_choice *choices = line->axis->choices;
    const char *below = first > 1 ? " or less" : "";
    const char *above = last + 2 == line->count ? "" : " or more";
    add_text(text, "%s = %s", line->axis->name, choices[first == 0 ? last : first].name);
    if (first == last)
        add_text(text, " (false for ");
    else if (first == 0)
        add_text(text, " or less (false for ");
    else if (last + 1 == line->count)
        add_text(text, " or more (false for ");
    else
        add_text(text, " to %s (false for ", choices[last].name);
    if (first > 0)
        add_text(text, "%s%s", choices[first - 1].name, below);
    if (last + 1 < line->count)
        add_text(text, "%s%s%s", first > 0 ? " and for " : "", choices[last + 1].name, above);
    add_text(text, ")");
}

static void describe_set(struct text *text, const struct line *line)
{
    add_text(text, "%s = ", line->axis->name);
    list_choices(text, line, SETTLE_CASE_TRUE);
    add_text(text, " (false for ");
    list_choices(text, line, SETTLE_CASE_FALSE);
    add_text(text, ")");
}

/* False, and nothing is written, if the choices are no range and more than a sentence holds. */
static bool describe_line(struct text *text, const struct line *line)
{
    uint32_t first, last;
    if (is_range(line, &first, &last))
        describe_range(text, line, first, last);
    else if (line->count <= LISTED_MAX)
        describe_set(text, line);
    else
        return false;
    return true;
}

static void describe_whole_row(struct text *text, const struct line *line)
{
    const struct claim_axis *axis = line->axis;
    add_text(text, "every tested value of %s", axis->name);
    if (axis->ordered && line->count > 1)
        add_text(text, " (%s to %s)", axis->choices[0].name, axis->choices[line->count - 1].name);
}

enum row_words { ROW_WRITTEN, ROW_FALSE, ROW_TOO_LONG };

static enum row_words describe_row(struct text *text, const struct settled *settled, uint32_t row)
{
    const struct claim *claim = settled->claim;
    const struct line line = take_line(settled, row * claim->axes[1].count);
    const uint32_t held = count_state(&line, SETTLE_CASE_TRUE);
    const uint32_t failed = count_state(&line, SETTLE_CASE_FALSE);
    if (held == 0)
        return failed == 0 ? ROW_WRITTEN : ROW_FALSE;
    add_text(text, "%s%s = %s: ", text->used == 0 ? "" : "; ", claim->axes[0].name,
             claim->axes[0].choices[row].name);
    if (failed == 0)
        describe_whole_row(text, &line);
    else if (!describe_line(text, &line))
        return ROW_TOO_LONG;
    return ROW_WRITTEN;
}

/* False if the condition would have more than CLAUSES_MAX clauses. */
static bool describe_rows(struct text *text, const struct settled *settled)
{
    uint32_t clauses = 0;
    bool rest = false;
    for (uint32_t row = 0; row < settled->claim->axes[0].count; row++) {
        const size_t before = text->used;
        const enum row_words words = describe_row(text, settled, row);
        clauses += text->used > before;
        rest |= words == ROW_FALSE;
        if (words == ROW_TOO_LONG || clauses > CLAUSES_MAX)
            return false;
    }
    if (rest)
        add_text(text, "; false in all other tested cases");
    return true;
}

/* Where the second axis makes no difference, the choices of the first one that are true. False if
 * it makes one. */
static bool describe_first_axis(struct text *text, const struct settled *settled)
{
    const struct claim_axis *axis = &settled->claim->axes[0], *second = &settled->claim->axes[1];
    struct line line = {.axis = axis, .count = axis->count};
    for (uint32_t row = 0; row < axis->count; row++) {
        const struct settle_case *cases = &settled->cases[row * second->count];
        line.states[row] = cases[0].state;
        for (uint32_t i = 1; i < second->count; i++)
            if (cases[i].state != line.states[row])
                return false;
    }
    add_text(text, "%s = ", axis->name);
    list_choices(text, &line, SETTLE_CASE_TRUE);
    add_text(text, ", with ");
    describe_whole_row(text, &(struct line){.axis = second, .count = second->count});
    add_text(text, "; false in all other tested cases");
    return true;
}

/* The cases of one state, each as "RDMA at 4KiB"; the words are in the table, too. */
static void list_cases(struct text *text, const struct settled *settled,
                       enum settle_case_state state)
{
    const struct claim *claim = settled->claim;
    const char *comma = "";
    for (uint32_t i = 0; i < claim->case_count; i++) {
        if (settled->cases[i].state != state)
            continue;
        add_text(text, "%s%s", comma, claim_choice(claim, i, 0)->name);
        if (claim->axis_count > 1)
            add_text(text, " at %s", claim_choice(claim, i, 1)->name);
        comma = "; ";
    }
}

/* The number of true cases, and the fewer of the true and the false ones if they fit. */
static void count_cases(struct text *text, const struct settled *settled)
{
    uint32_t held = 0, failed = 0;
    for (uint32_t i = 0; i < settled->claim->case_count; i++) {
        held += settled->cases[i].state == SETTLE_CASE_TRUE;
        failed += settled->cases[i].state == SETTLE_CASE_FALSE;
    }
    const bool of_true = held < failed;
    add_text(text, "in %u of %u tested %s", (unsigned)held, (unsigned)(held + failed),
             plural(held + failed, "case", "cases"));
    if ((of_true ? held : failed) > LISTED_MAX)
        return;
    add_text(text, of_true ? ": " : "; false: ");
    list_cases(text, settled, of_true ? SETTLE_CASE_TRUE : SETTLE_CASE_FALSE);
}

static void describe(struct settled *settled)
{
    const struct claim *claim = settled->claim;
    struct text text = {settled->condition, 0, sizeof settled->condition};
    bool written;
    CHECK(claim->axis_count > 0);
    if (claim->axis_count == 1) {
        const struct line line = take_line(settled, 0);
        written = describe_line(&text, &line);
    } else {
        written = describe_rows(&text, settled);
        if (!written) {
            text.used = 0;
            written = describe_first_axis(&text, settled);
        }
    }
    if (written)
        return;
    text.used = 0;
    count_cases(&text, settled);
}

void settle_decide(struct settled *settled)
{
    uint32_t counts[SETTLE_CASE_NONE + 1] = {0};
    for (uint32_t i = 0; i < settled->claim->case_count; i++)
        counts[settled->cases[i].state]++;
    if (settled->claim->cannot_run != NULL)
        settled->verdict = SETTLE_CANNOT_RUN;
    else if (counts[SETTLE_CASE_UNKNOWN] > 0 || settled->error[0] != '\0')
        settled->verdict = SETTLE_UNDECIDED;
    else if (counts[SETTLE_CASE_FALSE] == 0)
        settled->verdict = SETTLE_TRUE;
    else if (counts[SETTLE_CASE_TRUE] == 0)
        settled->verdict = SETTLE_FALSE;
    else
        settled->verdict = SETTLE_CONDITIONAL;
    if (settled->verdict == SETTLE_CONDITIONAL)
        describe(settled);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/check/remedy_trial.h"

#include "base/memory.h"
#include "scenarios/load/load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Steps over the number at `at`, unless it ends a name such as host8. */
static const char *skip_number(const char *text, const char *at)
{
    if (at > text && isalpha((unsigned char)at[-1]) != 0)
        return at;
    return at + strspn(at, "0123456789");
}

/* True for texts that differ only in numbers: "headroom is 1024 B" and "headroom is 2048 B", but
 * not "host0" and "host8". */
static bool has_same_words(const char *first, const char *second)
{
    for (const char *a = first, *b = second;; a++, b++) {
        a = skip_number(first, a);
        b = skip_number(second, b);
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

/* Places without a name are compared by their position in the file. */
static bool is_same_place(const struct check_place *a, const struct check_place *b)
{
    if (a->name != NULL && b->name != NULL)
        return strcmp(a->name, b->name) == 0;
    return a->name == b->name && a->file.line == b->file.line && a->file.column == b->file.column;
}

static bool shares_place(const struct check_finding *a, const struct check_finding *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (is_same_place(&a->places[i], &b->places[k]))
                return true;
    return false;
}

/* Same rule, same place, same words apart from numbers. */
static bool is_alike(const struct check_finding *a, const struct check_finding *b)
{
    return strcmp(a->rule, b->rule) == 0 && has_same_words(a->words, b->words) &&
           shares_place(a, b);
}

static bool is_equal(const struct check_finding *a, const struct check_finding *b)
{
    return a->level == b->level && strcmp(a->rule, b->rule) == 0 && strcmp(a->words, b->words) == 0;
}

/* `except` (NULL: none) is not counted. */
static bool has_equal(const struct check_report *report, const struct check_finding *finding,
                      const struct check_finding *except)
{
    for (size_t i = 0; i < report->count; i++) {
        const struct check_finding *other = &report->findings[i];
        const bool counts = except == NULL || !is_equal(other, except) ||
                            !is_same_place(other->places, except->places);
        if (counts && is_equal(other, finding))
            return true;
    }
    return false;
}

/* An error with other numbers: a frame that was too large for a place is still too large for it. */
static bool has_error_alike(const struct check_report *report, const struct check_finding *finding)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->findings[i].level == DIAG_ERROR && is_alike(&report->findings[i], finding))
            return true;
    return false;
}

const struct check_finding *remedy_left(const struct check_report *before,
                                        const struct check_finding *cured,
                                        const struct check_report *after)
{
    for (size_t i = 0; i < after->count; i++) {
        const struct check_finding *finding = &after->findings[i];
        if (is_alike(finding, cured) && !has_equal(before, finding, cured))
            return finding;
        if (finding->level == DIAG_ERROR && !has_equal(before, finding, NULL) &&
            !has_error_alike(before, finding))
            return finding;
    }
    return NULL;
}

/* Adds text and sets of the error that the remedy causes. Returns false if these sets are not all
 * new. */
static bool combine(struct remedy *remedy, struct arena *arena, const struct remedy *other)
{
    const size_t count = remedy->set_count;
    for (size_t i = 0; i < other->set_count; i++)
        remedy_set(remedy, arena, other->sets[i]);
    if (remedy->set_count - count != other->set_count || other->set_count == 0)
        return false;
    remedy->text = arena_format(arena, "%s, and %s", remedy->text, other->text);
    return true;
}

/* Returns why the sets are no repair (in `arena`), or NULL if they are one. Sets `again` if sets
 * were added that may complete the repair. */
static const char *try_sets(const struct scenario *scenario, const struct check_report *before,
                            const struct check_finding *cured, struct remedy *remedy,
                            struct arena *arena, bool *again)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    const char *why = NULL;
    struct scenario *made =
        scenario_load_again(scenario, remedy->sets, (uint32_t)remedy->set_count, diag);
    *again = false;
    if (made == NULL) {
        const char *error = diag_error(diag, "an error");
        why = arena_text(arena, error, strlen(error));
    } else {
        struct check_report after;
        check_findings(made, &after);
        const struct check_finding *left = remedy_left(before, cured, &after);
        if (left != NULL) {
            why = arena_text(arena, left->text, strlen(left->text));
            *again = combine(remedy, arena, &left->remedy);
        }
        check_free(&after);
        scenario_free(made);
    }
    free(diag);
    return why;
}

static void try_remedy(const struct scenario *scenario, const struct check_report *before,
                       struct check_finding *finding, struct arena *arena)
{
    struct remedy tried = finding->remedy;
    const char *why = NULL;
    bool again = true;
    for (int round = 0; round < REMEDY_ROUNDS_MAX && again; round++) {
        const char *left = try_sets(scenario, before, finding, &tried, arena, &again);
        if (left == NULL) {
            finding->remedy = tried;
            return;
        }
        why = why == NULL ? left : why;
    }
    finding->remedy = (struct remedy){
        .text = arena_format(arena, "%s; that alone leads to: %s", finding->remedy.text, why)};
}

void remedy_trial(const struct scenario *scenario, const struct check_report *before,
                  struct check_report *report)
{
    int trials = 0;
    for (size_t i = 0; i < report->count; i++) {
        struct check_finding *finding = &report->findings[i];
        if (finding->remedy.set_count == 0)
            continue;
        if (trials++ < REMEDY_TRIALS_MAX)
            try_remedy(scenario, before, finding, &report->arena);
        else
            finding->remedy.set_count = 0;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/check/remedies.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scenario *load_with(const struct scenario *scenario, const struct remedy *remedy,
                                  struct diag *diag)
{
    const char **sets = calloc(scenario->set_count + remedy->set_count + 1, sizeof *sets);
    if (sets == NULL)
        abort();
    for (uint32_t i = 0; i < scenario->set_count; i++)
        sets[i] = scenario->sets[i];
    for (size_t i = 0; i < remedy->set_count; i++)
        sets[scenario->set_count + i] = remedy->sets[i];
    const struct scenario_input input = {
        .name = scenario->sources[0].name,
        .text = scenario->sources[0].text,
        .length = scenario->sources[0].length,
        .files = scenario->sources,
        .file_count = scenario->source_count,
        .sets = sets,
        .set_count = scenario->set_count + (uint32_t)remedy->set_count,
    };
    struct scenario *made = scenario_load(&input, diag);
    free(sets);
    return made;
}

/* The number at `at`, which is not the end of a name such as host8, is skipped. */
static const char *skip_number(const char *text, const char *at)
{
    if (at > text && isalpha((unsigned char)at[-1]) != 0)
        return at;
    return at + strspn(at, "0123456789");
}

/* The same words but for their numbers: "headroom is 1024 B" is still there as "2048 B". A path
 * to host0 is another than that to host8. */
static bool say_the_same(const char *first, const char *second)
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

/* A thing by its name, or else by where it is written. */
static bool is_one_place(const struct check_place *a, const struct check_place *b)
{
    if (a->name != NULL && b->name != NULL)
        return strcmp(a->name, b->name) == 0;
    return a->name == b->name && a->file.line == b->file.line && a->file.column == b->file.column;
}

static bool share_place(const struct check_finding *a, const struct check_finding *b)
{
    for (size_t i = 0; i < a->count; i++)
        for (size_t k = 0; k < b->count; k++)
            if (is_one_place(&a->places[i], &b->places[k]))
                return true;
    return false;
}

static bool was_there(const struct check_report *before, const struct check_finding *finding,
                      const struct check_finding *but)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct check_finding *old = &before->findings[i];
        if (old != but && strcmp(old->rule, finding->rule) == 0 && old->level == finding->level &&
            strcmp(old->words, finding->words) == 0)
            return true;
    }
    return false;
}

/* The rule already found an error there, perhaps with other figures: a larger frame at one place
 * is too large for the next one, too. */
static bool was_wrong(const struct check_report *before, const struct check_finding *finding)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct check_finding *old = &before->findings[i];
        if (old->level == DIAG_ERROR && strcmp(old->rule, finding->rule) == 0 &&
            say_the_same(old->words, finding->words) && share_place(old, finding))
            return true;
    }
    return false;
}

/* What the remedy of `cured` left, or NULL. */
static const struct check_finding *left_of(const struct check_report *before,
                                           const struct check_finding *cured,
                                           const struct check_report *after)
{
    for (size_t i = 0; i < after->count; i++) {
        const struct check_finding *finding = &after->findings[i];
        const bool same = strcmp(finding->rule, cured->rule) == 0 &&
                          say_the_same(finding->words, cured->words) && share_place(finding, cured);
        if ((same && !was_there(before, finding, cured)) ||
            (finding->level == DIAG_ERROR && !was_there(before, finding, NULL) &&
             !was_wrong(before, finding)))
            return finding;
    }
    return NULL;
}

static void tell(const struct check_finding *cured, const char *left, char *why, size_t size)
{
    const struct remedy *remedy = &cured->remedy;
    snprintf(why, size, "%s: '%s'\nis not repaired by '%s' (%zu sets, the first: %s):\n%s",
             cured->rule, cured->text, remedy->text, remedy->set_count, remedy->sets[0], left);
}

static void apply(const struct scenario *scenario, const struct check_report *before,
                  const struct check_finding *cured, char *why, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    struct check_report after;
    if (diag == NULL)
        abort();
    struct scenario *made = load_with(scenario, &cured->remedy, diag);
    if (made == NULL) {
        tell(cured, diag->messages[0].text, why, size);
    } else {
        check_scenario(made, &after);
        const struct check_finding *left = left_of(before, cured, &after);
        if (left != NULL)
            tell(cured, left->text, why, size);
        check_free(&after);
        scenario_free(made);
    }
    free(diag);
}

unsigned remedies_apply(const struct scenario *scenario, char *why, size_t size)
{
    struct check_report before;
    unsigned applied = 0;
    why[0] = '\0';
    check_scenario(scenario, &before);
    for (size_t i = 0; i < before.count && why[0] == '\0'; i++) {
        if (before.findings[i].remedy.set_count == 0)
            continue;
        apply(scenario, &before, &before.findings[i], why, size);
        applied++;
    }
    check_free(&before);
    return applied;
}

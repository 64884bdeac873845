/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include "base/check.h"
#include "base/numbers.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 63, LISTED_MAX = 17 };

unsigned nearest_distance(const char *a, const char *b)
{
    const size_t rows = strnlen(a, WORD_MAX), columns = strnlen(b, WORD_MAX);
    unsigned table[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; i++)
        table[i][0] = (unsigned)i;
    for (size_t j = 0; j <= columns; j++)
        table[0][j] = (unsigned)j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            const unsigned change = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            unsigned best = min_u32(change, min_u32(table[i - 1][j], table[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = min_u32(best, table[i - 2][j - 2] + 1);
            table[i][j] = best;
        }
    }
    return table[rows][columns];
}

/* Maximum distance of a misspelling: a third of the length, but short words may have one or two
 * errors. */
static unsigned max_distance(const char *wanted)
{
    const size_t length = strlen(wanted);
    return length < 3 ? 1 : length < 6 ? 2 : min_u32((unsigned)length, WORD_MAX) / 3;
}

struct nearest nearest_to(const char *wanted)
{
    CHECK(wanted != NULL);
    return (struct nearest){.wanted = wanted, .distance = max_distance(wanted) + 1};
}

static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; *at != '\0';) {
        const size_t one = strcspn(at, ",");
        if (one == length && memcmp(at, word, length) == 0)
            return true;
        at += one + strspn(at + one, ", ");
    }
    return false;
}

static void list(struct nearest *nearest, const char *word)
{
    if (nearest->offered > LISTED_MAX || is_listed(nearest->list, word))
        return;
    const size_t used = strlen(nearest->list), room = sizeof nearest->list - used;
    const int took = snprintf(nearest->list + used, room, "%s%s", used == 0 ? "" : ", ", word);
    nearest->offered = took < 0 || (size_t)took >= room ? LISTED_MAX + 1 : nearest->offered + 1;
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    list(nearest, candidate);
    const unsigned distance = nearest_distance(nearest->wanted, candidate);
    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
    snprintf(nearest->best, sizeof nearest->best, "%s", candidate);
}

struct nearest_hint nearest_hint(const struct nearest *nearest)
{
    struct nearest_hint hint = {""};
    const bool near = nearest->best[0] != '\0';
    const bool few = nearest->offered > 0 && nearest->offered <= LISTED_MAX;
    const char *last = strrchr(nearest->list, ',');
    int used = 0;
    if (near)
        used = snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", nearest->best);
    if (!few || (near && nearest->offered == 1))
        return hint;
    snprintf(hint.text + used, sizeof hint.text - (size_t)used, "%s %s %.*s%s%s", near ? "" : ";",
             near           ? "There are"
             : last == NULL ? "there is"
                            : "there are",
             last == NULL ? (int)sizeof nearest->list : (int)(last - nearest->list), nearest->list,
             last == NULL ? "" : " and", last == NULL ? "" : last + 1);
    return hint;
}

/* SPDX-License-Identifier: Apache-2.0
 * trial_setting - which deviating settings a change restores, and its words. */
#include "replay/experiment/trial_private.h"

#include <stdio.h>
#include <string.h>

const struct deviations *trial_deviations(const struct trial_change *change,
                                          const struct trial_base *base)
{
    return change->written ? &base->written : &base->deviations;
}

/* Length up to the hyphen in the last name of the path; 0 if there is none. */
static size_t family_of(const char *path)
{
    const char *name = strrchr(path, '.'), *dash = name == NULL ? NULL : strchr(name, '-');
    return dash == NULL ? 0 : (size_t)(dash - path) + 1;
}

static bool is_kin(const char *a, const char *b)
{
    const size_t length = family_of(a);
    return length > 0 && length == family_of(b) && strncmp(a, b, length) == 0;
}

bool trial_covers(const struct trial_change *change, const struct deviations *deviations,
                  size_t index)
{
    const struct deviation *deviation = &deviations->list[index],
                           *first = &deviations->list[change->setting];
    return index == change->setting || (change->family && is_kin(deviation->path, first->path)) ||
           (!change->single && deviation_together(deviation, first));
}

static uint32_t count_covered(const struct trial_change *change, const struct deviations *all)
{
    uint32_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += trial_covers(change, all, i);
    return count;
}

bool trial_has_family(const struct trial_change *change, const struct trial_base *base)
{
    struct trial_change wide = *change;
    wide.family = true;
    return change->written && count_covered(&wide, &base->written) > 1;
}

static bool is_whole_entry(const struct trial_change *change, const struct deviations *all)
{
    return !change->family && count_covered(change, all) > 1;
}

void trial_setting_name(const struct trial_change *change, const struct trial_base *base,
                        char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    const struct deviation *first = &all->list[change->setting];
    snprintf(text, size, "%s", is_whole_entry(change, all) ? first->entry : first->path);
}

/* "fabric.overrides[0].mtu 1500B -> 4200B at leaf1:p0 and 3 more"; with several values
 * "fabric.overrides[0]: alpha 1% -> 25%, xon 0B -> 10KB at leaf1" */
/* Several values of an entry, or of a family: "NAME VALUE -> RESTORED, ...". */
static void values_words(const struct trial_change *change, const struct trial_base *base,
                         const char *arrow, char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    const struct deviation *first = &all->list[change->setting];
    const bool whole = is_whole_entry(change, all);
    const char *between = whole ? " " : "";
    char place[TRIAL_NAME_BYTES];
    int used = whole ? snprintf(text, size, "%s:", first->entry) : 0;
    deviation_place_words(base->scenario, first, place, sizeof place);
    for (size_t i = 0; i < all->count; i++) {
        const struct deviation *deviation = &all->list[i];
        if (!trial_covers(change, all, i) || (size_t)used >= size)
            continue;
        const char *path = deviation->path + (whole ? strlen(first->entry) : 0);
        path += whole && *path == '.';
        used += snprintf(text + used, size - (size_t)used, "%s%s %s%s%s", between, path,
                         deviation->value, arrow, deviation_common(deviation, "none"));
        between = ", ";
    }
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s", place);
}

void trial_setting_words(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size)
{
    values_words(change, base, " -> ", text, size);
}

void trial_setting_cause(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    if (count_covered(change, all) > 1)
        values_words(change, base, " instead of ", text, size);
    else
        deviation_words(base->scenario, &all->list[change->setting],
                        change->written ? "by default" : "normally", text, size);
}

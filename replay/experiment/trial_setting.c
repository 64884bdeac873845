/* SPDX-License-Identifier: Apache-2.0
 * trial_setting - which deviating settings a change restores, and its words. */
#include "base/plural.h"
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

/* The value, if it is the share of a class; 0: none. The shares of a link are numbers of one family
 * whose second word is the class, "weight-3", and of which none is worse by itself. */
static int64_t share_of(const struct deviation *deviation)
{
    const struct opt *row = deviation->changes[0].row;
    const char *class = deviation->path + family_of(deviation->path);
    char why[OPT_WHY_BYTES];
    int64_t value;
    return row != NULL && row->type == OPT_INT && row->effect.part == OPT_PART_CLASSES &&
                   row->effect.worse == OPT_WORSE_ANY && class != deviation->path &&
                   strspn(class, "0123456789") == strlen(class) &&
                   opt_parse(row, deviation->value, &value, why)
               ? value
               : 0;
}

int64_t trial_even_share(const struct trial_change *change, const struct deviations *deviations,
                         size_t index)
{
    int64_t most = 0;
    if (!change->even || share_of(&deviations->list[index]) == 0)
        return 0;
    for (size_t i = 0; i < deviations->count; i++)
        if (trial_covers(change, deviations, i) &&
            is_kin(deviations->list[i].path, deviations->list[index].path) &&
            share_of(&deviations->list[i]) > most)
            most = share_of(&deviations->list[i]);
    return most;
}

bool trial_has_shares(const struct trial_change *change, const struct trial_base *base)
{
    const struct deviations *all = trial_deviations(change, base);
    uint32_t count = 0;
    for (size_t i = 0; i < all->count && change->kind == TRIAL_RESTORE_SETTING; i++)
        count += trial_covers(change, all, i) && share_of(&all->list[i]) > 0 &&
                 is_kin(all->list[i].path, all->list[change->setting].path);
    return count > 1;
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

/* The value that the change sets; false: the one that is there. */
static bool find_restored(const struct trial_change *change, const struct deviations *all,
                          size_t index, const char *none, char text[DEVIATION_TEXT_BYTES])
{
    const struct deviation *deviation = &all->list[index];
    const int64_t even = trial_even_share(change, all, index);
    if (even == 0)
        snprintf(text, DEVIATION_TEXT_BYTES, "%s", deviation_common(deviation, none));
    else
        opt_format(deviation->changes[0].row, even, text, DEVIATION_TEXT_BYTES);
    return even == 0 || even != share_of(deviation);
}

/* "fabric.overrides[0].mtu 1500B -> 4200B at leaf1:p0 and 3 more"; with several values
 * "fabric.overrides[0]: alpha 1% -> 25%, xon 0B -> 10KB at leaf1" */
/* Several values of an entry, or of a family: "NAME VALUE -> RESTORED, ...". */
void trial_setting_words(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    const struct deviation *first = &all->list[change->setting];
    const bool whole = is_whole_entry(change, all);
    const char *between = whole ? " " : "";
    char place[TRIAL_NAME_BYTES], restored[DEVIATION_TEXT_BYTES];
    int used = whole ? snprintf(text, size, "%s:", first->entry) : 0;
    deviation_place_words(base->scenario, first, place, sizeof place);
    for (size_t i = 0; i < all->count; i++) {
        const struct deviation *deviation = &all->list[i];
        if (!trial_covers(change, all, i) || (size_t)used >= size ||
            !find_restored(change, all, i, "none", restored))
            continue;
        const char *path = deviation->path + (whole ? strlen(first->entry) : 0);
        path += whole && *path == '.';
        used += snprintf(text + used, size - (size_t)used, "%s%s %s%s%s", between, path,
                         deviation->value, " -> ", restored);
        between = ", ";
    }
    if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, "%s", place);
}

/* "leaf1: alpha is 1% instead of 25%, and xon is 0B instead of 10KB (fabric.overrides[0])" */
static void several_cause(const struct trial_change *change, const struct trial_base *base,
                          const char *usual, char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    const struct deviation *first = &all->list[change->setting];
    const char *name = deviation_name(first);
    const int parent = name > first->path ? (int)(name - first->path - 1) : 0;
    char subject[DEVIATION_TEXT_BYTES], restored[DEVIATION_TEXT_BYTES];
    deviation_subject_words(base->scenario, first, subject, sizeof subject);
    if (first->changes[0].of == DEVIATION_ROUTE) {
        const unsigned routes = (unsigned)count_covered(change, all);
        snprintf(text, size, "%u %s, such as at %.48s, %s the computed ones (%.*s)", routes,
                 plural(routes, "static route", "static routes"), subject,
                 plural(routes, "replaces", "replace"), parent + (int)strlen("routes") + 1,
                 first->path);
        return;
    }
    int used = snprintf(text, size, "%.48s: ", subject);
    const char *between = "";
    for (size_t i = 0; i < all->count; i++) {
        const struct deviation *deviation = &all->list[i];
        if (!trial_covers(change, all, i) || (size_t)used >= size ||
            !find_restored(change, all, i, "unlimited", restored))
            continue;
        used += snprintf(text + used, size - (size_t)used, "%s%s%s is %s %s %s", between,
                         deviation_owner(deviation), deviation_name(deviation), deviation->value,
                         usual, restored);
        between = ", and ";
    }
    if ((size_t)used < size && is_whole_entry(change, all))
        snprintf(text + used, size - (size_t)used, " (%s)", first->entry);
    else if ((size_t)used < size)
        snprintf(text + used, size - (size_t)used, " (%.*s)", parent, first->path);
}

void trial_setting_cause(const struct trial_change *change, const struct trial_base *base,
                         char *text, size_t size)
{
    const struct deviations *all = trial_deviations(change, base);
    const char *usual = change->even      ? "instead of an equal share of"
                        : change->written ? "instead of the default"
                                          : "instead of";
    if (count_covered(change, all) > 1)
        several_cause(change, base, usual, text, size);
    else
        deviation_words(base->scenario, &all->list[change->setting], usual, text, size);
}

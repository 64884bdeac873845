/* SPDX-License-Identifier: Apache-2.0
 * deviation - collects the deviations in a list. */
#include "scenarios/deviation/deviation_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const struct deviation_entry *entry, const struct deviation_said *said)
{
    const bool whole = entry->word == NULL || said->word == NULL;
    if (strcmp(entry->mapping, said->path) != 0)
        return false;
    return whole ? entry->word == said->word : strcmp(entry->word, said->word) == 0;
}

/* Length of the entry in a path: "hosts.slow", "workloads.w", "fabric.overrides[0]"; 0 for sections
 * without entries. All routes are one entry, because a route has no meaning without the others. */
static size_t entry_length(const char *path)
{
    static const char *const named[] = {"hosts.", "workloads."};
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        const size_t head = strlen(named[i]);
        if (strncmp(path, named[i], head) == 0)
            return head + strcspn(path + head, ".");
    }
    static const char routes[] = "fabric.routes";
    if (strncmp(path, routes, sizeof routes - 1) == 0 && path[sizeof routes - 1] == '[')
        return sizeof routes - 1;
    const char *bracket = strchr(path, ']');
    return bracket == NULL ? strlen(path) : (size_t)(bracket + 1 - path);
}

static struct deviation *add_new(struct deviation_search *search, const struct deviation_said *said)
{
    struct deviations *found = search->found;
    if (found->count == DEVIATIONS_MAX) {
        found->left_out++;
        return NULL;
    }
    search->entries[found->count] =
        (struct deviation_entry){.mapping = said->path, .word = said->word};
    struct deviation *deviation = &found->list[found->count++];
    deviation->path =
        arena_format(&found->arena, "%s%s%s", said->path, said->word == NULL ? "" : ".",
                     said->word == NULL ? "" : said->word);
    deviation->entry = arena_text(&found->arena, deviation->path, entry_length(deviation->path));
    deviation->where = said->where;
    deviation->broad = search->broad;
    deviation->planned = said->planned;
    snprintf(deviation->value, sizeof deviation->value, "%s", said->value);
    snprintf(deviation->common, sizeof deviation->common, "%s", said->common);
    return deviation;
}

void deviation_add(struct deviation_search *search, const struct deviation_said *said,
                   const struct deviation_change *change)
{
    struct deviations *found = search->found;
    struct deviation *deviation = NULL;
    for (size_t i = 0; i < found->count && deviation == NULL; i++)
        if (found->list[i].broad == search->broad && is_same(&search->entries[i], said))
            deviation = &found->list[i];
    if (deviation == NULL)
        deviation = add_new(search, said);
    if (deviation == NULL)
        return;
    struct deviation_entry *entry = &search->entries[deviation - found->list];
    struct deviation_change *added = arena_push(&found->arena, (void **)(void *)&entry->changes,
                                                &deviation->change_count, sizeof *added);
    *added = *change;
    deviation->changes = entry->changes;
}

void deviation_vote(struct deviation_vote *vote, int64_t value, uint32_t members)
{
    if (value == vote->candidate || vote->lead < members) {
        const bool same = value == vote->candidate;
        vote->lead = same ? vote->lead + members : members - vote->lead;
        vote->candidate = value;
    } else {
        vote->lead -= members;
    }
    vote->members += members;
}

bool deviation_won(const struct deviation_vote *vote)
{
    return vote->holders > vote->members / 2;
}

static struct deviation_search *search_new(struct deviations *deviations,
                                           const struct scenario *scenario)
{
    struct deviation_search *search = memory_zeroed(1, sizeof *search);
    *deviations = (struct deviations){0};
    deviations->list = arena_array(&deviations->arena, DEVIATIONS_MAX, sizeof *deviations->list);
    search->found = deviations;
    search->scenario = scenario;
    return search;
}

/* One seed is as lucky as another: only equal ones can collide. */
static bool is_lone_draw(const struct deviation *deviation)
{
    const struct opt *row = deviation->changes[0].row;
    return deviation->change_count == 1 && row != NULL && row->effect.worse == OPT_WORSE_DRAW;
}

static void drop_lone_draws(struct deviations *deviations)
{
    size_t kept = 0;
    for (size_t i = 0; i < deviations->count; i++)
        if (!is_lone_draw(&deviations->list[i]))
            deviations->list[kept++] = deviations->list[i];
    deviations->count = kept;
}

void deviations_find(struct deviations *deviations, const struct scenario *scenario)
{
    struct deviation_search *search = search_new(deviations, scenario);
    for (int broad = 0; broad <= 1; broad++) {
        search->broad = broad == 1;
        deviation_find_values(search);
        deviation_find_wholes(search);
        deviation_find_media(search);
        deviation_find_traffic(search);
    }
    drop_lone_draws(deviations);
    free(search);
}

void deviations_find_written(struct deviations *deviations, const struct scenario *scenario)
{
    struct deviation_search *search = search_new(deviations, scenario);
    search->broad = true;
    deviation_find_written(search);
    free(search);
}

void deviations_free(struct deviations *deviations)
{
    arena_free(&deviations->arena);
    *deviations = (struct deviations){0};
}

bool deviation_together(const struct deviation *a, const struct deviation *b)
{
    return a->broad == b->broad && strcmp(a->entry, b->entry) == 0;
}

static bool is_at(const struct deviation_change *change, uint32_t node, uint16_t port)
{
    return change->spot.node == node &&
           (change->spot.port == port || change->spot.port == SCENARIO_ALL_PORTS ||
            port == SCENARIO_ALL_PORTS);
}

bool deviation_is_at(const struct deviation *deviation, uint32_t node, uint16_t port)
{
    for (size_t i = 0; i < deviation->change_count; i++)
        if (is_at(&deviation->changes[i], node, port))
            return true;
    return false;
}

/* Counts the changes of the first row only, because the changes of other rows are at the same
 * places. */
uint32_t deviation_spots(const struct deviation *deviation)
{
    uint32_t spots = 0;
    for (size_t i = 0; i < deviation->change_count; i++)
        spots += deviation->changes[i].of == deviation->changes[0].of &&
                 deviation->changes[i].row == deviation->changes[0].row;
    return spots;
}

static int spot_words(const struct scenario *scenario, const struct scenario_spot *spot, char *text,
                      size_t size)
{
    const struct scenario_node *node = &scenario->nodes[spot->node];
    if (spot->port == SCENARIO_ALL_PORTS)
        return snprintf(text, size, " at %s", node->name);
    return snprintf(text, size, " at %s", scenario_port_name(node, spot->port).text);
}

void deviation_place_words(const struct scenario *scenario, const struct deviation *deviation,
                           char *text, size_t size)
{
    const struct scenario_spot *spot = &deviation->changes[0].spot;
    const uint32_t spots = deviation_spots(deviation);
    int used = 0;
    text[0] = '\0';
    if (spot->node != SCENARIO_NOWHERE)
        used = spot_words(scenario, spot, text, size);
    if (spots > 1 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " and %u more", spots - 1);
}

const char *deviation_common(const struct deviation *deviation, const char *none)
{
    const struct deviation_change *change = &deviation->changes[0];
    if (change->row == NULL || !opt_is_limit(change->row) || change->common != 0)
        return deviation->common;
    return change->row->effect.worse == OPT_WORSE_CEILING ? "none" : none;
}

const char *deviation_name(const struct deviation *deviation)
{
    const char *dot = strrchr(deviation->path, '.');
    return dot == NULL ? deviation->path : dot + 1;
}

const char *deviation_owner(const struct deviation *deviation)
{
    const enum deviation_of of = deviation->changes[0].of;
    return of == DEVIATION_DSCP || of == DEVIATION_HOST_DSCP ? "the priority of DSCP " : "";
}

void deviation_subject_words(const struct scenario *scenario, const struct deviation *deviation,
                             char *text, size_t size)
{
    static const char workloads[] = "workloads.", at[] = " at ";
    char place[DEVIATION_TEXT_BYTES];
    deviation_place_words(scenario, deviation, place, sizeof place);
    if (strncmp(place, at, sizeof at - 1) == 0)
        snprintf(text, size, "%s", place + sizeof at - 1);
    else if (strncmp(deviation->entry, workloads, sizeof workloads - 1) == 0)
        snprintf(text, size, SCENARIO_WORKLOAD_WORDS, deviation->entry + sizeof workloads - 1);
    else
        snprintf(text, size, "%s", deviation->entry);
}

void deviation_words(const struct scenario *scenario, const struct deviation *deviation,
                     const char *usual, char *text, size_t size)
{
    char place[DEVIATION_TEXT_BYTES], subject[DEVIATION_TEXT_BYTES];
    deviation_place_words(scenario, deviation, place, sizeof place);
    deviation_subject_words(scenario, deviation, subject, sizeof subject);
    if (deviation->changes[0].of == DEVIATION_ROUTE)
        snprintf(text, size, "static route%.36s replaces the computed one (%.90s)", place,
                 deviation->path);
    else
        snprintf(text, size, "%.48s: %s%.40s is %.48s %s %.48s (%.90s)", subject,
                 deviation_owner(deviation), deviation_name(deviation), deviation->value, usual,
                 deviation_common(deviation, "unlimited"), deviation->path);
}

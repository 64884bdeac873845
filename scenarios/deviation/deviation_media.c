/* SPDX-License-Identifier: Apache-2.0
 * deviation_media - targets whose namespaces are on another medium than those of most targets, and
 * namespaces with other limits or layouts than most. */
#include "scenarios/deviation/deviation_private.h"

#include "nvme/media/media.h"
#include "nvme/target/target.h"
#include "scenarios/load/scenario_namespaces.h"

#include <string.h>

enum { WORD_BYTES = 64 };

static const struct scenario_namespace *entry_of(const struct scenario *scenario, uint32_t node,
                                                 uint32_t index)
{
    const struct scenario_host *host = scenario->nodes[node].host;
    return index < host->namespace_count ? &host->namespaces[index] : NULL;
}

static bool is_same_medium(const struct scenario_namespace *a, const struct scenario_namespace *b)
{
    return a->media == b->media &&
           memcmp(a->media_params, b->media_params, a->media->params_bytes) == 0;
}

static bool is_same_kind(const struct scenario_namespace *a, const struct scenario_namespace *b)
{
    return a->media == b->media && strcmp(a->profile, b->profile) == 0;
}

/* `like` NULL: of any kind. */
static bool is_peer(const struct scenario_namespace *entry, const struct scenario_namespace *like)
{
    return entry != NULL && (like == NULL || is_same_kind(entry, like));
}

/* The medium of more than half of the targets (of those with media of the kind of `like`) in the
 * entry with this index; NULL: none. */
static const struct scenario_namespace *common_medium(const struct scenario *scenario,
                                                      uint32_t index,
                                                      const struct scenario_namespace *like)
{
    const struct scenario_namespace *found = NULL;
    uint32_t lead = 0, members = 0, holders = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_namespace *entry = entry_of(scenario, i, index);
        if (!is_peer(entry, like))
            continue;
        found = lead == 0 ? entry : found;
        lead += is_same_medium(entry, found) ? 1 : (uint32_t)-1;
    }
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_namespace *entry = entry_of(scenario, i, index);
        members += is_peer(entry, like);
        holders += is_peer(entry, like) && is_same_medium(entry, found);
    }
    return holders > members / 2 ? found : NULL;
}

/* The row's default, for values that are not set. */
static int64_t preset_of(const struct opt *row)
{
    char why[OPT_WHY_BYTES];
    int64_t preset = 0;
    CHECK(opt_parse(row, row->preset, &preset, why));
    return preset;
}

/* What is usual where no medium of the kind has a majority: the default, if a target has it; of
 * times, otherwise the shortest of all targets. False: no value is usual. */
static bool find_usual(const struct scenario *scenario, uint32_t index,
                       const struct scenario_namespace *like, const struct opt *row, int64_t *usual)
{
    const int64_t preset = preset_of(row);
    int64_t least = INT64_MAX;
    bool held = false;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_namespace *entry = entry_of(scenario, i, index);
        if (!is_peer(entry, like))
            continue;
        const int64_t value = *opt_field(row, (void *)(uintptr_t)entry->media_params);
        least = value < least ? value : least;
        held |= value == preset;
    }
    *usual = held ? preset : least;
    return held || row->type == OPT_TIME;
}

/* `common` NULL: no medium has a majority. */
static void add_medium_row(struct deviation_search *search, uint32_t node, uint32_t index,
                           const struct opt *row, const struct scenario_namespace *common)
{
    const struct scenario_namespace *entry = entry_of(search->scenario, node, index);
    const struct scenario_namespaces *said_by =
        search->scenario->origins->nodes[node].host->namespaces;
    const int64_t value = *opt_field(row, (void *)(uintptr_t)entry->media_params);
    char text[WORD_BYTES], other[WORD_BYTES];
    int64_t usual = value;
    if (common != NULL)
        usual = *opt_field(row, (void *)(uintptr_t)common->media_params);
    else if (!find_usual(search->scenario, index, entry, row, &usual))
        return;
    if (value == usual)
        return;
    opt_format(row, value, text, sizeof text);
    opt_format(row, usual, other, sizeof other);
    const struct deviation_said said = {
        .path = arena_format(&search->found->arena, "%s[%u].media", said_by->path, index),
        .word = row->name,
        .where = entry->place,
        .value = text,
        .common = other};
    const struct deviation_change change = {.of = DEVIATION_MEDIA_VALUE,
                                            .spot = {node, SCENARIO_ALL_PORTS},
                                            .index = index,
                                            .row = row,
                                            .common = usual};
    deviation_add(search, &said, &change);
}

static void add_medium(struct deviation_search *search, uint32_t node, uint32_t index,
                       const struct scenario_namespace *common)
{
    const struct scenario_namespace *entry = entry_of(search->scenario, node, index);
    const struct scenario_namespaces *said_by =
        search->scenario->origins->nodes[node].host->namespaces;
    if (common == NULL || is_same_kind(entry, common)) {
        for (const struct opt *row = entry->media->opts; row->name != NULL; row++)
            add_medium_row(search, node, index, row, common);
        return;
    }
    const struct deviation_said said = {
        .path = arena_format(&search->found->arena, "%s[%u]", said_by->path, index),
        .word = "media",
        .where = entry->place,
        .value = entry->profile,
        .common = common->profile};
    const struct deviation_change change = {
        .of = DEVIATION_MEDIA, .spot = {node, SCENARIO_ALL_PORTS}, .index = index, .like = common};
    deviation_add(search, &said, &change);
}

/* ------------------------------------------------------------------ values of namespaces */

/* Namespaces or subsystems of all targets, which have the same rows. */
struct alike {
    const struct opt *rows;
    enum deviation_of of;
};

static const struct alike namespaces_alike = {nvme_namespace_opts, DEVIATION_NAMESPACE_VALUE};
static const struct alike subsystems_alike = {nvme_subsystem_opts, DEVIATION_SUBSYSTEM_VALUE};

/* Capacities differ by design. */
static bool is_planned(const struct opt *row)
{
    return strcmp(row->name, "size") == 0 || strcmp(row->name, "lba-size") == 0;
}

static uint32_t count_of(const struct alike *alike, const struct scenario_host *host)
{
    return alike == &namespaces_alike ? host->namespace_count : host->subsystem_count;
}

static int64_t value_of(const struct alike *alike, const struct scenario_host *host, uint32_t index,
                        const struct opt *row)
{
    const void *params = alike == &namespaces_alike ? (const void *)host->namespaces[index].params
                                                    : (const void *)&host->subsystems[index].limits;
    return *opt_field(row, (void *)(uintptr_t)params);
}

/* Finds the value that more than half have. */
static struct deviation_vote vote_on(const struct alike *alike, const struct scenario *scenario,
                                     const struct opt *row)
{
    struct deviation_vote vote = {.members = 0};
    for (uint32_t i = 0; i < scenario->host_count; i++)
        for (uint32_t n = 0; n < count_of(alike, scenario->nodes[i].host); n++)
            deviation_vote(&vote, value_of(alike, scenario->nodes[i].host, n, row), 1);
    return vote;
}

static uint32_t holders_of(const struct alike *alike, const struct scenario *scenario,
                           const struct opt *row, int64_t value)
{
    uint32_t holders = 0;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        for (uint32_t n = 0; n < count_of(alike, scenario->nodes[i].host); n++)
            holders += value_of(alike, scenario->nodes[i].host, n, row) == value;
    return holders;
}

static void add_row(struct deviation_search *search, const struct alike *alike,
                    const struct deviation_change *change)
{
    const struct scenario *scenario = search->scenario;
    const struct scenario_host *host = scenario->nodes[change->spot.node].host;
    const struct loader_host *from = scenario->origins->nodes[change->spot.node].host;
    const bool space = alike == &namespaces_alike;
    const struct opt *row = change->row;
    char text[WORD_BYTES], other[WORD_BYTES];
    opt_format(row, value_of(alike, host, change->index, row), text, sizeof text);
    opt_format(row, change->common, other, sizeof other);
    const struct deviation_said said = {
        .path = arena_format(&search->found->arena, "%s[%u]",
                             space ? from->namespaces->path : from->names.subsystems_path,
                             change->index),
        .word = row->name,
        .where = space ? host->namespaces[change->index].place
                       : from->names.subsystems->items[change->index].value->place,
        .value = text,
        .common = other};
    deviation_add(search, &said, change);
}

static void check_row(struct deviation_search *search, const struct alike *alike,
                      const struct opt *row)
{
    const struct scenario *scenario = search->scenario;
    struct deviation_vote vote = vote_on(alike, scenario, row);
    vote.holders = holders_of(alike, scenario, row, vote.candidate);
    const int64_t common = deviation_won(&vote) ? vote.candidate : preset_of(row);
    if (holders_of(alike, scenario, row, common) == 0)
        return;
    for (uint32_t i = 0; i < scenario->host_count; i++)
        for (uint32_t n = 0; n < count_of(alike, scenario->nodes[i].host); n++)
            if (value_of(alike, scenario->nodes[i].host, n, row) != common)
                add_row(search, alike,
                        &(struct deviation_change){.of = alike->of,
                                                   .spot = {i, SCENARIO_ALL_PORTS},
                                                   .index = n,
                                                   .row = row,
                                                   .common = common});
}

static void check_rows(struct deviation_search *search, const struct alike *alike)
{
    for (const struct opt *row = alike->rows; row->name != NULL; row++)
        if (!is_planned(row))
            check_row(search, alike, row);
}

/* ------------------------------------------------------------------ media */

/* A kind of medium, and the medium that most of its targets have. */
struct kind {
    const struct scenario_namespace *first, *common;
};

/* If most targets have one medium, it is the common one of all kinds. Otherwise each is compared
 * with those of its own kind: the drives of a fast tier say nothing of those of a slow one. */
enum { KINDS_MAX = 16 };
struct kinds {
    const struct scenario_namespace *common;
    struct kind list[KINDS_MAX];
    uint32_t count;
};

static const struct scenario_namespace *common_of(struct kinds *kinds,
                                                  const struct scenario *scenario, uint32_t index,
                                                  const struct scenario_namespace *entry)
{
    if (kinds->common != NULL)
        return kinds->common;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (is_same_kind(kinds->list[i].first, entry))
            return kinds->list[i].common;
    if (kinds->count == KINDS_MAX)
        return NULL;
    kinds->list[kinds->count++] = (struct kind){entry, common_medium(scenario, index, entry)};
    return kinds->list[kinds->count - 1].common;
}

/* False: no target has an entry with this index. */
static bool check_entries(struct deviation_search *search, uint32_t index)
{
    const struct scenario *scenario = search->scenario;
    struct kinds kinds = {.common = common_medium(scenario, index, NULL)};
    bool any = false;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_namespace *entry = entry_of(scenario, i, index);
        if (entry == NULL)
            continue;
        any = true;
        const struct scenario_namespace *common = common_of(&kinds, scenario, index, entry);
        if (common == NULL || !is_same_medium(entry, common))
            add_medium(search, i, index, common);
    }
    return any;
}

void deviation_find_media(struct deviation_search *search)
{
    if (search->broad)
        return;
    check_rows(search, &namespaces_alike);
    check_rows(search, &subsystems_alike);
    for (uint32_t index = 0; check_entries(search, index); index++)
        ;
}

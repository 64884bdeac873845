/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/profile.h"
#include "scenarios/load/profile_switch.h"

#include "base/check.h"
#include "base/nearest.h"
#include "net/port/port.h"
#include "scenarios/embedded.h"
#include "scenarios/load/load.h"
#include "scenarios/load/scenario_fc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GBPS = 1000000000 };

static const char folder[] = "profiles/", ending[] = ".yaml";

/* Length of NAME in "profiles/NAME.yaml"; 0: another file. */
static size_t stem_length(const char *file)
{
    const size_t length = strlen(file), head = sizeof folder - 1, tail = sizeof ending - 1;
    if (length <= head + tail || strncmp(file, folder, head) != 0 ||
        strcmp(file + length - tail, ending) != 0)
        return 0;
    return length - head - tail;
}

static const struct embedded_file *find_embedded(const char *name)
{
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (stem_length(file->name) == strlen(name) && *name != '\0' &&
            strncmp(file->name + sizeof folder - 1, name, strlen(name)) == 0)
            return file;
    return NULL;
}

/* Rate in Gb/s of "profiles/generic-<Gb/s>g.yaml"; 0: another file. */
static int64_t rate_of_generic(const char *file)
{
    static const char head[] = "profiles/generic-";
    char *end;
    if (strncmp(file, head, sizeof head - 1) != 0)
        return 0;
    const int64_t rate = strtol(file + sizeof head - 1, &end, 10);
    return strcmp(end, "g.yaml") == 0 ? rate : 0;
}

static int64_t link_rate(const struct loader *loader, uint32_t host)
{
    const struct scenario_node *node = &loader->scenario->nodes[host];
    int64_t fastest = 0;
    for (uint16_t p = 0; p < node->outer_ports; p++) {
        const int64_t rate = scenario_rate(loader->nodes[host].port_blocks[p], node->link);
        if (node->ports[p].link != SCENARIO_NO_LINK && rate > fastest)
            fastest = rate;
    }
    return fastest;
}

const char *profile_for_host(struct loader *loader, uint32_t host)
{
    const int64_t rate = link_rate(loader, host);
    const int64_t least = rate == 0 ? 1 : (rate + GBPS - 1) / GBPS; /* 0: the host has no link */
    int64_t best = 0;
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        const int64_t of = rate_of_generic(file->name);
        if (of > 0 && (best < least ? of > best : of >= least && of < best))
            best = of;
    }
    CHECK(best > 0);
    return arena_format(loader->arena, "generic-%dg", (int)best);
}

bool profile_is_known(const char *name)
{
    return find_embedded(name) != NULL;
}

static const struct tree_file *hold_embedded(struct loader *loader,
                                             const struct embedded_file *file)
{
    return tree_hold(loader->arena, file->name, (const char *)file->bytes, file->length);
}

bool profile_is_path(const char *name)
{
    const size_t length = strlen(name), tail = sizeof ending - 1;
    return strchr(name, '/') != NULL ||
           (length > tail && strcmp(name + length - tail, ending) == 0);
}

static void unknown_profile(struct loader *loader, const struct tree_node *word)
{
    struct nearest nearest = nearest_to(word->text);
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++)
        if (stem_length(file->name) > 0)
            nearest_offer(&nearest, arena_text(loader->arena, file->name + sizeof folder - 1,
                                               stem_length(file->name)));
    tree_error(loader->diag, word, "there is no profile '%.64s'%s", word->text,
               nearest_hint(&nearest).text);
}

static bool read_profile(struct loader *loader, const struct tree_file *file, const char *kind,
                         struct profile *profile)
{
    static const char *const keys[] = {"stormglass-profile", "name",   "about", "kind",   "media",
                                       "calibrated",         "values", "nvme",  "target", NULL};
    const struct tree_node *root = tree_parse(loader->arena, file, 0, loader->diag);
    if (root == NULL || !block_only(root, keys, NULL, loader->diag))
        return false;
    const struct tree_node *version = scenario_word(loader, root, "stormglass-profile");
    const struct tree_node *name = scenario_word(loader, root, "name");
    const struct tree_node *is = scenario_word(loader, root, "kind");
    const struct tree_node *media = scenario_word(loader, root, "media");
    const struct tree_node *calibrated = scenario_map(loader, root, "calibrated");
    profile->values = scenario_map(loader, root, "values");
    profile->nvme = scenario_map(loader, root, "nvme");
    profile->target = scenario_map(loader, root, "target");
    if (version == NULL || strcmp(version->text, "1") != 0 || name == NULL || is == NULL ||
        profile->values == NULL) {
        tree_error(loader->diag, root,
                   "expected a profile: stormglass-profile: 1, a name, a kind and values");
        return false;
    }
    profile->name = name->text;
    profile->media = media == NULL ? NULL : media->text;
    if (calibrated != NULL && loader->scenario != NULL)
        calibrated_load(loader->arena, loader->diag, profile->name, calibrated,
                        &loader->scenario->calibrated);
    const struct tree_node *software = profile->nvme != NULL ? profile->nvme : profile->target;
    if (software != NULL && strcmp(is->text, "rnic") != 0 && strcmp(is->text, "tcp") != 0)
        tree_error(loader->diag, software,
                   "only a profile of kind rnic or tcp has nvme: and target:");
    else if (strcmp(is->text, kind) == 0)
        return true;
    else
        tree_error(loader->diag, is,
                   "expected a profile of kind %s, but '%.64s' is one of kind %.32s", kind,
                   name->text, is->text);
    return false;
}

bool profile_find(struct loader *loader, const struct tree_node *word, const char *kind,
                  struct profile *profile)
{
    *profile = (struct profile){0};
    const struct embedded_file *embedded = find_embedded(word->text);
    const struct tree_file *file = NULL;
    if (embedded != NULL)
        file = hold_embedded(loader, embedded);
    else if (profile_is_path(word->text))
        file = scenario_open(loader, word);
    else
        unknown_profile(loader, word);
    return file != NULL && read_profile(loader, file, kind, profile);
}

bool profile_find_own(struct loader *loader, const char *name, const char *kind,
                      struct profile *profile)
{
    const struct embedded_file *embedded = find_embedded(name);
    CHECK(embedded != NULL);
    *profile = (struct profile){0};
    return read_profile(loader, hold_embedded(loader, embedded), kind, profile);
}

bool profile_take_part(struct loader *loader, const struct profile *profile,
                       const struct tree_node *values, struct block *block)
{
    const struct block_load load = {
        .arena = loader->arena, .diag = loader->diag, .map = values, .profile = profile->name};
    return values == NULL || block_load(block, &load);
}

bool profile_take(struct loader *loader, const struct profile *profile, struct block *block)
{
    return profile_take_part(loader, profile, profile->values, block);
}

/* The mappings of a profile of that kind with the values of a section; false: none. */
static bool maps_of(const struct tree_node *root, const char *where, const struct tree_node **map)
{
    static const struct {
        const char *where, *kind, *map;
    } sections[] = {
        {"fabric.switch", "switch", "values"},         {"hosts.defaults.rnic", "rnic", "values"},
        {"hosts.defaults.nvme", "rnic", "nvme"},       {"hosts.defaults.target", "rnic", "target"},
        {"hosts.defaults.target", "target", "values"}, {"hosts.defaults.tcp", "tcp", "values"},
        {"hosts.defaults.nvme", "nvme", "values"},
    };
    const struct tree_node *kind = tree_get(root, "kind"), *media = tree_get(root, "media");
    char place[128];
    snprintf(place, sizeof place, "hosts.targets.namespaces.media{kind: %.32s}",
             media == NULL ? "" : media->text);
    *map = media != NULL && strcmp(where, place) == 0 ? tree_get(root, "values") : NULL;
    for (size_t i = 0; i < sizeof sections / sizeof sections[0] && *map == NULL; i++)
        if (strcmp(sections[i].where, where) == 0 && strcmp(sections[i].kind, kind->text) == 0)
            *map = tree_get(root, sections[i].map);
    return *map != NULL;
}

const struct tree_node *profile_tree(struct arena *arena, const char *name)
{
    const struct embedded_file *file = find_embedded(name);
    struct diag *diag = arena_take(arena, sizeof *diag);
    return file == NULL
               ? NULL
               : tree_parse(arena,
                            tree_hold(arena, file->name, (const char *)file->bytes, file->length),
                            0, diag);
}

static void offer_value(struct arena *arena, const struct embedded_file *file, const char *where,
                        const char *name, profile_value_fn *call, void *self)
{
    struct diag *diag = arena_take(arena, sizeof *diag);
    const struct tree_file *held =
        tree_hold(arena, file->name, (const char *)file->bytes, file->length);
    const struct tree_node *root = tree_parse(arena, held, 0, diag), *map;
    const struct tree_node *entry =
        root != NULL && maps_of(root, where, &map) ? tree_get(map, name) : NULL;
    struct profile_value value = {0};
    if (entry == NULL || !block_evidence(diag, entry, &value.origin))
        return;
    value.profile = tree_get(root, "name")->text;
    value.value = tree_get(entry, "value")->text;
    call(self, &value);
}

void profile_each_value(const char *where, const char *name, profile_value_fn *call, void *self)
{
    for (const struct embedded_file *file = embedded_files; file->name != NULL; file++) {
        struct arena arena = {0};
        if (stem_length(file->name) > 0)
            offer_value(&arena, file, where, name, call, self);
        arena_free(&arena);
    }
}

bool profile_switch(const char *name, const char *said_by, struct switch_params *params,
                    struct diag *diag)
{
    struct arena arena = {0};
    const struct scenario_input input = {.name = ""};
    struct loader loader = {.arena = &arena, .diag = diag, .input = &input, .home = said_by};
    struct block *block = scenario_switch_block(&loader, "fabric.switch");
    const struct tree_file *file = tree_hold(&arena, said_by, name, strlen(name));
    const struct tree_node word = {
        .kind = TREE_SCALAR,
        .place = {.file = said_by, .line = 1, .column = 1, .width = (int)strlen(name)},
        .file = file,
        .text = name,
    };
    struct profile profile;
    const bool found = profile_find(&loader, &word, "switch", &profile) &&
                       profile_take(&loader, &profile, block) && !diag_failed(diag);
    if (found)
        memcpy(params, block->params, sizeof *params);
    arena_free(&arena);
    return found;
}

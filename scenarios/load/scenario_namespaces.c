/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/load/scenario_namespaces.h"

#include "base/check.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "nvme/target/target.h"
#include "scenarios/load/load.h"
#include "scenarios/load/profile.h"

static const char default_media[] = "flash-tlc";

/* Identify lists the active namespace IDs in one page of 1024 entries; nvmet supports no more. */
enum { NAMESPACES_MAX = 1024 };

struct entry {
    int64_t count, ana_group;
};

const struct opt scenario_namespace_opts[] = {
    {"count", OPT_INT, offsetof(struct entry, count), "1", "1", "1024", NULL,
     "Number of identical namespaces that this entry defines.", "own; limit: nvmet, Linux 6.1",
     OPT_ACTS(FABRIC, ANY, TRACE)},
    {"ana-group", OPT_INT, offsetof(struct entry, ana_group), "1", "1", "128", NULL,
     "Number of the ANA group to which the namespaces of this entry belong.",
     "NVMe base 1.4, 8.20; limit: nvmet, Linux 6.1", OPT_ACTS(PATHS, ANY, TRACE)},
    {0}};

static void unknown_media(struct loader *loader, const struct tree_node *word)
{
    struct nearest nearest = nearest_to(word->text);
    for (int i = 0; media_kinds[i] != NULL; i++)
        nearest_offer(&nearest, media_kinds[i]->name);
    nearest_offer(&nearest, default_media);
    tree_error(loader->diag, word, "there is no medium '%.64s'%s", word->text,
               nearest_hint(&nearest).text);
}

static struct block *media_block(struct loader *loader, const struct media_ops *media,
                                 const char *path)
{
    return block_new(loader->arena, path, media->opts, media->params_bytes);
}

/* The media kind of a profile, with the profile's values loaded. */
static const struct media_ops *from_profile(struct loader *loader, const struct tree_node *word,
                                            const char *path, struct block **block)
{
    struct profile profile;
    const bool found = word == NULL ? profile_find_own(loader, default_media, "media", &profile)
                                    : profile_find(loader, word, "media", &profile);
    if (!found)
        return NULL;
    const struct media_ops *media = profile.media == NULL ? NULL : media_find(profile.media);
    if (media == NULL) {
        tree_error(loader->diag, profile.values,
                   "a profile of kind media needs media: the model that its values are for");
        return NULL;
    }
    *block = media_block(loader, media, path);
    profile_take(loader, &profile, *block);
    return media;
}

/* A profile takes precedence over a media kind of the same name. */
static const struct media_ops *find_media(struct loader *loader, const struct tree_node *word,
                                          const char *path, struct block **block)
{
    if (word == NULL || profile_is_known(word->text) || profile_is_path(word->text))
        return from_profile(loader, word, path, block);
    const struct media_ops *media = media_find(word->text);
    if (media != NULL)
        *block = media_block(loader, media, path);
    else
        unknown_media(loader, word);
    return media;
}

/* Loads `media:` as a word or as a mapping {kind: .., profile: .., values}. */
static const struct media_ops *load_media(struct loader *loader, const struct tree_node *entry,
                                          const char *path, struct scenario_namespace *made)
{
    static const char *const also[] = {"kind", "profile", NULL};
    const struct tree_node *written = tree_get(entry, "media"), *word = written;
    if (written != NULL && written->kind == TREE_MAP) {
        const struct tree_node *profile = scenario_word(loader, written, "profile");
        word = profile != NULL ? profile : scenario_word(loader, written, "kind");
    } else if (written != NULL && written->kind == TREE_LIST) {
        tree_error(loader->diag, written, "expected a medium such as flash-tlc");
        return NULL;
    }
    struct block *block = NULL;
    const struct media_ops *media = find_media(loader, word, path, &block);
    if (media == NULL)
        return NULL;
    if (written != NULL && written->kind == TREE_MAP)
        scenario_take(loader, block, written, also);
    made->media_params = block->params;
    made->media_values = block;
    made->profile = word == NULL ? default_media : word->text;
    const struct scenario_choice choice = {
        .path = path,
        .name = "profile",
        .word = made->profile,
        .preset = default_media,
        .about = "Source of values that the scenario does not set.",
        OPT_INERT,
        .where = word == NULL ? (struct diag_place){0} : word->place,
    };
    scenario_show_choice(loader, &choice);
    scenario_show(loader, block, false);
    return media;
}

/* Checks the number of drives that a layout needs. */
static void check_array(struct loader *loader, const struct tree_node *entry,
                        const struct array_params *array)
{
    const struct tree_node *layout = tree_get(entry, "layout"), *parity = tree_get(entry, "parity");
    if (array->layout != ARRAY_STRIPE && array->drives < 2)
        tree_error(loader->diag, layout != NULL ? layout : entry,
                   "layout %s needs at least 2 drives",
                   array->layout == ARRAY_MIRROR ? "mirror" : "parity");
    else if (array->copies == 1 || (array->copies > 1 && array->drives % array->copies != 0))
        tree_error(loader->diag,
                   tree_get(entry, "copies") != NULL ? tree_get(entry, "copies") : entry,
                   "expected copies: a divisor of the %lld %s, at least 2",
                   (long long)array->drives, plural(array->drives, "drive", "drives"));
    else if (array->layout == ARRAY_PARITY && array->parity >= array->drives)
        tree_error(loader->diag, parity != NULL ? parity : entry,
                   "expected parity: fewer strips than the %lld %s", (long long)array->drives,
                   plural(array->drives, "drive", "drives"));
}

static void load_entry(struct loader *loader, const char *path, const struct tree_node *entry,
                       struct scenario_namespace *made)
{
    static const char *const also[] = {"media", NULL};
    struct block *count =
        block_new(loader->arena, path, scenario_namespace_opts, sizeof(struct entry));
    struct block *params =
        block_new(loader->arena, path, nvme_namespace_opts, sizeof(struct nvme_namespace_params));
    const struct block *const known[] = {count, params, NULL};
    if (!block_only(entry, also, known, loader->diag))
        return;
    scenario_take_part(loader, count, entry, NULL);
    scenario_take_part(loader, params, entry, NULL);
    scenario_show(loader, count, false);
    scenario_show(loader, params, false);
    made->media = load_media(loader, entry, arena_format(loader->arena, "%s.media", path), made);
    made->params = params->params;
    check_array(loader, entry, &made->params->array);
    made->count = (uint32_t)((const struct entry *)count->params)->count;
    made->ana_group = (uint32_t)((const struct entry *)count->params)->ana_group;
    made->place = entry->place;
}

const struct scenario_namespaces *scenario_load_namespaces(struct loader *loader, const char *path,
                                                           const struct tree_node *written)
{
    struct scenario_namespaces *made = arena_take(loader->arena, sizeof *made);
    made->path = path;
    made->count = written->count;
    made->list = arena_array(loader->arena, written->count, sizeof *made->list);
    for (size_t i = 0; i < written->count; i++)
        load_entry(loader, arena_format(loader->arena, "%s[%zu]", path, i), written->items[i].value,
                   &made->list[i]);
    uint64_t count = 0;
    for (size_t i = 0; i < written->count; i++)
        count += made->list[i].count;
    if (count > NAMESPACES_MAX)
        tree_error(loader->diag, written, "%llu %s %s more than the limit of %d",
                   (unsigned long long)count, plural(count, "namespace", "namespaces"),
                   plural(count, "is", "are"), NAMESPACES_MAX);
    if (written->count == 0)
        tree_error(loader->diag, written, "expected at least one namespace");
    return made;
}

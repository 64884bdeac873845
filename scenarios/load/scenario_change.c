/* SPDX-License-Identifier: Apache-2.0
 * scenario_change - a scenario that changes some values of another one.
 *   stormglass: 1
 *   scenario: array.yaml            # relative to this file, or the name of a case
 *   set:                            # paths as for --set; applied in this order
 *     fabric.topology.spines: 4
 *     faults[+]: {kind: switch-down, where: spine0, at: 0s}
 * `set` may be a list of such mappings if a path is needed twice. `name` and `about` override those
 * of the other scenario. Files named in the other scenario are relative to it. */
#include "scenarios/load/scenario_load.h"

#include <string.h>

enum { TEMPLATES_MAX = 8 }; /* scenarios that change another one, nested */

static const char *const own_keys[] = {"name", "about", NULL};

/* Reports other keys of a changing scenario as errors. */
static void refuse_others(struct loader *loader, const struct tree_node *root)
{
    static const char *const keys[] = {"stormglass", "name", "about", "scenario", "set"};
    for (size_t i = 0; i < root->count; i++) {
        bool known = false;
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            known |= strcmp(root->items[i].key, keys[k]) == 0;
        if (!known)
            tree_message(loader->diag, DIAG_ERROR, root, root->items[i].key_place,
                         "with scenario:, only the keys name, about and set are allowed; write the "
                         "changes under set:");
    }
}

static bool is_read_already(const struct loader *loader, const char *name)
{
    for (size_t i = 0; i < loader->source_count; i++)
        if (strcmp(loader->sources[i].name, name) == 0)
            return true;
    return false;
}

/* Returns the tree of the other scenario, or NULL with messages. */
static struct tree_node *open_template(struct loader *loader, const struct tree_node *name)
{
    if (is_read_already(loader, name->text)) {
        tree_error(loader->diag, name, "%.64s changes itself, directly or through another scenario",
                   name->text);
        return NULL;
    }
    const struct tree_file *file = scenario_open_template(loader, name);
    if (file == NULL || !tree_is_kind(file, FILEKIND_SCENARIO, "a scenario", loader->diag))
        return NULL;
    struct tree_node *root = tree_parse(loader->arena, file, 0, loader->diag);
    if (root != NULL && root->kind != TREE_MAP)
        tree_error(loader->diag, root, "expected a mapping that begins with stormglass: 1");
    return root != NULL && root->kind == TREE_MAP ? root : NULL;
}

static struct tree_node *change_all(struct loader *loader, struct tree_node *root,
                                    const struct tree_node *map)
{
    if (map->kind != TREE_MAP) {
        tree_error(loader->diag, map, "expected a mapping of paths and values, not %s",
                   tree_kind_name(map));
        return NULL;
    }
    for (size_t i = 0; i < map->count && root != NULL; i++)
        root = tree_change(loader->arena, root, &map->items[i], loader->diag);
    return root;
}

static struct tree_node *change(struct loader *loader, struct tree_node *root,
                                const struct tree_node *own)
{
    const struct tree_node *set = tree_get(own, "set");
    for (size_t i = 0; own_keys[i] != NULL && root != NULL; i++)
        if (tree_get(own, own_keys[i]) != NULL)
            root = tree_change(loader->arena, root, tree_item(own, own_keys[i]), loader->diag);
    if (set == NULL || root == NULL)
        return root;
    if (set->kind != TREE_LIST)
        return change_all(loader, root, set);
    for (size_t i = 0; i < set->count && root != NULL; i++)
        root = change_all(loader, root, set->items[i].value);
    return root;
}

struct tree_node *scenario_change(struct loader *loader, struct tree_node *root)
{
    struct tree_node *own[TEMPLATES_MAX];
    int count = 0;
    while (root != NULL && root->kind == TREE_MAP && tree_get(root, "scenario") != NULL) {
        if (count == TEMPLATES_MAX) {
            tree_error(loader->diag, tree_get(root, "scenario"),
                       "more than %d levels of scenarios that change another one", TEMPLATES_MAX);
            return NULL;
        }
        refuse_others(loader, root);
        const struct tree_node *name = scenario_word(loader, root, "scenario");
        if (name == NULL || !tree_version(loader->diag, root, "stormglass"))
            return NULL;
        own[count++] = root;
        root = open_template(loader, name);
    }
    while (count > 0 && root != NULL)
        root = change(loader, root, own[--count]);
    return root;
}

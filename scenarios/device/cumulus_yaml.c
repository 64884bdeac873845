/* SPDX-License-Identifier: Apache-2.0
 * cumulus_yaml - reads the tree of `nv config show` and /etc/nvue.d/startup.yaml as NVUE commands:
 * each leaf below `set` is one command. */
#include "scenarios/device/cumulus_private.h"

#include <string.h>

bool cumulus_is_yaml(const struct tree_file *file)
{
    const char *at = file->text;
    while (*at == '#' || *at == '\n' || *at == '\r' || *at == ' ' || strncmp(at, "---", 3) == 0)
        at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
    return strncmp(at, "- header:", 9) == 0 || strncmp(at, "- set:", 6) == 0 ||
           strncmp(at, "set:", 4) == 0 || strncmp(at, "qos:", 4) == 0;
}

/* Emits the leaves below a node; `command` has the path of the node. */
static void emit_leaves(struct cumulus *cumulus, const struct tree_node *node,
                        struct command *command)
{
    const int count = command->count;
    command->place = node->place;
    if (count + 1 >= QOS_WORDS_MAX)
        return;
    for (size_t i = 0; node->kind != TREE_SCALAR && i < node->count; i++) {
        const struct tree_item *item = &node->items[i];
        if (item->key != NULL)
            command->words[command->count++] = item->key;
        command->words[command->count] = NULL;
        emit_leaves(cumulus, item->value, command);
        command->count = count;
    }
    if (node->kind == TREE_SCALAR && node->text[0] != '\0')
        command->words[command->count++] = node->text;
    command->words[command->count] = NULL;
    if (node->kind == TREE_SCALAR || node->count == 0)
        cumulus_command(cumulus, command);
    command->count = count;
}

void cumulus_yaml(struct cumulus *cumulus)
{
    struct device *device = cumulus->device;
    const struct tree_node *root = tree_parse(&device->arena, device->lines.file, 0, device->diag);
    if (root == NULL)
        return;
    const struct tree_node *set = tree_get(root, "set");
    for (size_t i = 0; root->kind == TREE_LIST && i < root->count && set == NULL; i++)
        set = tree_get(root->items[i].value, "set");
    struct command command = {.words = {"nv", "set"}, .count = 2};
    emit_leaves(cumulus, set == NULL ? root : set, &command);
}

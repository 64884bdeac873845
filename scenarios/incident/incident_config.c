/* SPDX-License-Identifier: Apache-2.0
 * incident_config - which switches' config_db.json is among the files, and where one of them sets a
 * member.  A file that is no JSON is none; sonic_import reports its errors. */
#include "base/memory.h"
#include "scenarios/format/json_tree.h"
#include "scenarios/incident/incident_private.h"

#include <stdlib.h>
#include <string.h>

static const struct tree_node *read_tree(struct incident_reader *reader,
                                         const struct incident_input *input)
{
    struct json_repeats repeats = {0};
    struct diag *diag = memory_zeroed(1, sizeof *diag); /* sonic_import reports it */
    const struct tree_file *file =
        tree_hold(reader->arena, input->name, input->text, input->length);
    const struct tree_node *root =
        json_tree(reader->arena, json_below_prompt(reader->arena, file), &repeats, diag);
    free(diag);
    return root;
}

/* Of the file itself, or of a dump of the database (sonic_undump). */
static const char *host_of(const struct tree_node *root)
{
    const struct tree_node *row = tree_get(tree_get(root, "DEVICE_METADATA"), "localhost");
    if (row == NULL)
        row = tree_get(tree_get(root, "DEVICE_METADATA|localhost"), "value");
    const struct tree_node *name = tree_get(row, "hostname");
    return name != NULL && name->kind == TREE_SCALAR ? name->text : NULL;
}

const struct incident_config *incident_config(const struct incident *incident, const char *host)
{
    for (size_t i = 0; i < incident->config_count; i++)
        if (strcmp(incident->configs[i].host, host) == 0)
            return &incident->configs[i];
    return NULL;
}

/* The member of the row, or of the first row that has it. */
static const struct tree_item *find_field(const struct tree_node *table, const char *row,
                                          const char *field)
{
    const struct tree_item *found = NULL;
    for (size_t i = 0; i < table->count && found == NULL; i++)
        if (table->items[i].key != NULL && (row == NULL || strcmp(table->items[i].key, row) == 0))
            found = tree_item(table->items[i].value, field);
    return found;
}

struct diag_place incident_config_place(const struct incident_config *config, const char *table,
                                        const char *row, const char *field)
{
    const struct tree_item *found = tree_item(config->root, table);
    const struct tree_node *rows = found == NULL ? NULL : found->value;
    const struct tree_item *at = rows == NULL || row == NULL ? NULL : tree_item(rows, row);
    found = at == NULL ? found : at;
    at = rows == NULL ? NULL : find_field(rows, row, field);
    found = at == NULL ? found : at;
    struct diag_place place = found == NULL ? config->root->place : found->key_place;
    place.file = config->file;
    return place;
}

void incident_list_configs(struct incident_reader *reader)
{
    struct incident *incident = reader->incident;
    for (size_t i = 0; i < reader->input_count; i++) {
        const struct incident_input *input = &reader->inputs[i];
        const struct tree_node *root = input->owner != NULL ? NULL : read_tree(reader, input);
        const char *host = root == NULL ? NULL : host_of(root);
        if (host == NULL || incident_config(incident, host) != NULL)
            continue;
        struct incident_config *slot =
            arena_push(reader->arena, (void **)(void *)&incident->configs, &incident->config_count,
                       sizeof *slot);
        *slot = (struct incident_config){.host = host, .file = input->name, .root = root};
    }
}

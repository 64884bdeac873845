/* SPDX-License-Identifier: Apache-2.0
 * sonic - the steps of an import, and its memory. */
#include "base/memory.h"
#include "scenarios/format/json_tree.h"
#include "scenarios/sonic/sonic_private.h"

#include <stdlib.h>
#include <string.h>

static void unset_settings(struct sonic_settings *settings)
{
    *settings = (struct sonic_settings){
        .buffer = SONIC_UNSET,
        .alpha = SONIC_UNSET,
        .alpha_lossy = SONIC_UNSET,
        .alpha_egress = SONIC_UNSET,
        .reserved = SONIC_UNSET,
        .reserved_lossy = SONIC_UNSET,
        .reserved_queue = SONIC_UNSET,
        .headroom = SONIC_UNSET,
        .headroom_pool = SONIC_UNSET,
        .headroom_ratio = SONIC_UNSET,
        .xoff = SONIC_UNSET,
        .xon = SONIC_UNSET,
        .xon_offset = SONIC_UNSET,
        .egress_limit = SONIC_UNSET,
        .lossy_pool = SONIC_UNSET,
        .egress_lossy_pool = SONIC_UNSET,
        .kmin = SONIC_UNSET,
        .kmax = SONIC_UNSET,
        .pmax = SONIC_UNSET,
        .detection = SONIC_UNSET,
        .restoration = SONIC_UNSET,
        .poll = SONIC_UNSET,
    };
    for (int q = 0; q < SONIC_PRIORITIES; q++)
        settings->weight[q] = SONIC_UNSET;
}

static const struct tree_file *text_of(struct sonic_import *import, const struct sonic_input *input)
{
    const struct tree_file *file;
    if (input->text == NULL)
        file = tree_read(&import->arena, input->name, import->diag);
    else
        file = tree_hold(&import->arena, input->name,
                         arena_text(&import->arena, input->text, input->length), input->length);
    if (file == NULL || file->length <= SONIC_BYTES_MAX)
        return file == NULL ? NULL : json_below_prompt(&import->arena, file);
    diag_add(import->diag, DIAG_ERROR, (struct diag_place){.file = file->name}, NULL,
             "the file is larger than %d MiB", SONIC_BYTES_MAX / 1024 / 1024);
    return NULL;
}

static bool read_switch(struct sonic_import *import, const struct tree_file *file)
{
    struct sonic_switch *node = &import->switches[import->switch_count];
    unset_settings(&node->settings);
    if (!sonic_read_switch(import, file, node))
        return false;
    import->switch_count++;
    return true;
}

/* Cables come first, because only a switch's ports in the fabric determine its settings. */
static void decide_settings(struct sonic_import *import)
{
    for (uint32_t i = 0; i < import->switch_count; i++) {
        struct sonic_switch *node = &import->switches[i];
        node->used = arena_array(&import->arena, node->port_count + 1, sizeof(struct sonic_port *));
        for (uint32_t p = 0; p < node->port_count; p++)
            if (node->ports[p].linked)
                node->used[node->used_count++] = &node->ports[p];
        sonic_qos(import, node);
        sonic_queues(import, node);
        sonic_buffers(import, node);
    }
}

/* Reads the switches first, whatever their position, because cables connect their ports. */
static bool read_files(struct sonic_import *import)
{
    const struct tree_file **files = import->files;
    for (size_t i = 0; i < import->file_count; i++)
        if (!sonic_is_cabling(files[i]) && !read_switch(import, files[i]))
            return false;
    if (import->switch_count == 0) {
        diag_add(import->diag, DIAG_ERROR,
                 (struct diag_place){.file = files[0]->name, .line = 1, .column = 1}, NULL,
                 "the files contain only cables: expected also the config_db.json of at least one "
                 "switch");
        return false;
    }
    for (size_t i = 0; i < import->file_count; i++)
        if (sonic_is_cabling(files[i])) {
            import->cabled = true;
            sonic_cabling(import, files[i]);
        }
    return !diag_failed(import->diag);
}

static bool read_all(struct sonic_import *import, const struct sonic_input *inputs, size_t count)
{
    if (count == 0 || count > SONIC_FILES_MAX) {
        diag_add(import->diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "expected from 1 to %d files", SONIC_FILES_MAX);
        return false;
    }
    import->switches = arena_array(&import->arena, count, sizeof *import->switches);
    import->files = arena_array(&import->arena, count, sizeof *import->files);
    for (; import->file_count < count; import->file_count++) {
        const struct tree_file *file = text_of(import, &inputs[import->file_count]);
        if (file == NULL)
            return false;
        import->files[import->file_count] = file;
    }
    return read_files(import);
}

static void write_notes(struct sonic_import *import, FILE *out)
{
    notes_print(&import->notes, "", out);
}

typedef void write_fn(struct sonic_import *import, FILE *out);

static char *written(struct sonic_import *import, write_fn *write)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = memory_stream(&text, &size);
    write(import, out);
    memory_stream_end(out);
    return text;
}

bool sonic_import(const struct sonic_ask *ask, struct sonic_result *result, struct diag *diag)
{
    struct sonic_import import = {.diag = diag, .verbose = ask->verbose};
    import.notes.arena = import.names.arena = &import.arena;
    *result = (struct sonic_result){0};
    if (read_all(&import, ask->inputs, ask->count))
        sonic_cables(&import);
    if (!diag_failed(diag))
        decide_settings(&import);
    const bool fine = !diag_failed(diag);
    if (fine)
        sonic_notes(&import);
    if (fine)
        *result = (struct sonic_result){.scenario = written(&import, sonic_write),
                                        .notes = written(&import, write_notes)};
    names_free(&import.names);
    arena_free(&import.arena);
    return fine;
}

void sonic_free(struct sonic_result *result)
{
    free(result->scenario);
    free(result->notes);
    *result = (struct sonic_result){0};
}

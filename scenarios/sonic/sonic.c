/* SPDX-License-Identifier: Apache-2.0
 * The steps of an import, and its memory. */
#include "base/memory.h"
#include "scenarios/sonic/sonic_private.h"

#include <stdlib.h>
#include <string.h>

static void unset(struct sonic_settings *settings)
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

static bool read_all(struct sonic_import *import, const struct sonic_input *inputs, size_t count)
{
    if (count == 0 || count > SONIC_FILES_MAX) {
        diag_add(import->diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "expected from 1 to %d files", SONIC_FILES_MAX);
        return false;
    }
    import->switches = arena_array(&import->arena, count, sizeof *import->switches);
    for (; import->switch_count < count; import->switch_count++) {
        struct sonic_switch *node = &import->switches[import->switch_count];
        unset(&node->settings);
        if (!sonic_read_switch(import, &inputs[import->switch_count], node))
            return false;
        sonic_qos(import, node);
        sonic_queues(import, node);
        sonic_buffers(import, node);
    }
    return !diag_failed(import->diag);
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

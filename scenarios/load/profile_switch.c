/* SPDX-License-Identifier: Apache-2.0
 * profile_switch - loads a profile into a separate block, in the same way as a scenario. */
#include "scenarios/load/profile_switch.h"

#include "scenarios/load/profile.h"

#include <string.h>

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

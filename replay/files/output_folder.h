/* SPDX-License-Identifier: Apache-2.0
 * output_folder - a folder of files whose names the program chooses.
 * The user names the folder, not the files.  So a file that something else wrote is never replaced:
 * the file .stormglass there lists what was written, and a name that is there but not on the list
 * is refused, as is a symbolic link.
 * Owner: output_folder_close.  Errors: errno; EEXIST: what is there is not this program's. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_FOLDER_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_FOLDER_H

#include "replay/files/output.h"

#include <limits.h>
#include <stdint.h>

struct output_folder {
    const char *path;
    const struct output_inputs *inputs; /* of the command */
    char **names;                       /* on the list */
    uint32_t count, room;
    char file[PATH_MAX]; /* what is being written, or could not be */
};

/* Makes it where there is none.  It is to be closed also after false. */
bool output_folder_open(struct output_folder *folder, const char *path,
                        const struct output_inputs *inputs);
void output_folder_close(struct output_folder *folder);

/* Whether this name may be written; false: errno. */
bool output_folder_may(struct output_folder *folder, const char *name);

/* Owner: output_end. */
bool output_folder_file(struct output_folder *folder, const char *name, struct output *output);

#endif

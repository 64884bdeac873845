/* SPDX-License-Identifier: Apache-2.0
 * output_folder - a folder of files whose names the program chooses.
 * The user names the folder, not the files, so files that something else wrote must never be
 * replaced. The file .stormglass in the folder lists what the program wrote; existing names that
 * are not listed are rejected, as are symbolic links.
 * Owner: output_folder_close. Errors: errno; EEXIST: the existing file is not this program's. */
#ifndef STORMGLASS_REPLAY_FILES_OUTPUT_FOLDER_H
#define STORMGLASS_REPLAY_FILES_OUTPUT_FOLDER_H

#include "replay/files/output.h"

#include <limits.h>
#include <stdint.h>

struct output_folder {
    const char *path;
    const struct output_inputs *inputs; /* files that the command reads */
    char **names;                       /* the list of written files */
    uint32_t count, room;
    char file[PATH_MAX]; /* path being written, or that failed */
};

/* Creates the folder if it does not exist. Call output_folder_close even after false. */
bool output_folder_open(struct output_folder *folder, const char *path,
                        const struct output_inputs *inputs);
void output_folder_close(struct output_folder *folder);

/* Whether this name may be written; false with errno if not. */
bool output_folder_may(struct output_folder *folder, const char *name);

/* Opens a file in the folder. Owner: output_end. */
bool output_folder_file(struct output_folder *folder, const char *name, struct output *output);

#endif

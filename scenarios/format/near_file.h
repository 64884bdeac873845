/* SPDX-License-Identifier: Apache-2.0
 * near_file - which file was meant by a name that none has: one of the same folder, of nearly that
 * name, or with an ending more.
 * Units: none.  Owner: the caller.  Errors: none; a folder that cannot be read has no files. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_NEAR_FILE_H
#define STORMGLASS_SCENARIOS_FORMAT_NEAR_FILE_H

enum { NEAR_FILE_BYTES = 512 };

struct near_file {
    char hint[NEAR_FILE_BYTES]; /* "; did you mean 'plans/array.yaml'?", or empty */
};

struct near_file near_file_to(const char *path);

#endif

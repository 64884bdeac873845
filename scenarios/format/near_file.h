/* SPDX-License-Identifier: Apache-2.0
 * near_file - suggests a file when a name does not exist: one in the same directory with a similar
 * name, or with an additional extension.
 * Units: none. Owner: the caller. Errors: none; an unreadable directory counts as empty. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_NEAR_FILE_H
#define STORMGLASS_SCENARIOS_FORMAT_NEAR_FILE_H

enum { NEAR_FILE_BYTES = 512 };

struct near_file {
    char hint[NEAR_FILE_BYTES]; /* "; did you mean 'plans/array.yaml'?", or empty */
};

struct near_file near_file_to(const char *path);

#endif

/* SPDX-License-Identifier: Apache-2.0
 * beside - an output file that is there whole or not at all.
 * It is written as PATH.new, and renamed when all went well; what PATH was before stays until then.
 * Owner: beside_end, which is due when beside_open gave a file.  Errors: errno. */
#ifndef STORMGLASS_REPORTS_BESIDE_H
#define STORMGLASS_REPORTS_BESIDE_H

#include <stdbool.h>
#include <stdio.h>

struct beside {
    FILE *out;
    const char *path; /* the caller's */
    char *name;
};

bool beside_open(struct beside *beside, const char *path);

/* Closes the file.  `well`: what was to be written is; then true when it bears its name.  Otherwise
 * nothing is left of it, and errno is that of what failed first. */
bool beside_end(struct beside *beside, bool well);

#endif

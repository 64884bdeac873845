/* SPDX-License-Identifier: Apache-2.0
 * parameters - tables of rows, and where they are. */
#ifndef STORMGLASS_CLI_PARAMETERS_H
#define STORMGLASS_CLI_PARAMETERS_H

#include "base/opt.h"

#include <stdbool.h>

struct parameter {
    const char *where; /* "fabric.switch"; "": the top of the file */
    const struct opt *row;
};

/* Calls back for each parameter in order until the function returns false. */
typedef bool parameters_fn(void *self, const struct parameter *parameter);
void parameters_each(parameters_fn *call, void *self);

/* Calls back for each path that a --set may begin with, once: lists by their first member, no kind
 * in braces, and the words that choose a kind. */
typedef bool parameters_path_fn(void *self, const char *path, const char *about);
void parameters_each_path(parameters_path_fn *call, void *self);

/* "fabric.switch.ecn-kmin" */
void parameters_path(const struct parameter *parameter, char *text, size_t size);

#endif

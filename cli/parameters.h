/* SPDX-License-Identifier: Apache-2.0
 * parameters - tables of parameters, and their paths. */
#ifndef STORMGLASS_CLI_PARAMETERS_H
#define STORMGLASS_CLI_PARAMETERS_H

#include "base/opt.h"

#include <stdbool.h>

struct parameter {
    const char *where; /* such as "fabric.switch"; "": the top of the file */
    const struct opt *row;
};

/* Calls `call` for each parameter, in order, until it returns false. */
typedef bool parameters_fn(void *self, const struct parameter *parameter);
void parameters_each(parameters_fn *call, void *self);

/* Calls `call` once for each path with which a --set may begin: lists with their first member,
 * without kinds in braces, and the keys that choose a kind. */
typedef bool parameters_path_fn(void *self, const char *path, const char *about);
void parameters_each_path(parameters_path_fn *call, void *self);

/* "fabric.switch.ecn-kmin" */
void parameters_path(const struct parameter *parameter, char *text, size_t size);

#endif

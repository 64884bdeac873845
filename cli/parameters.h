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

/* "fabric.switch.ecn-kmin" */
void parameters_path(const struct parameter *parameter, char *text, size_t size);

#endif

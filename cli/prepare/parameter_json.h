/* SPDX-License-Identifier: Apache-2.0
 * parameter_json - a parameter as an entry of explain-parameter --json. */
#ifndef STORMGLASS_CLI_PREPARE_PARAMETER_JSON_H
#define STORMGLASS_CLI_PREPARE_PARAMETER_JSON_H

#include "cli/parameters.h"
#include "reports/text/json.h"
#include "scenarios/format/block.h"

/* Writes entry `at` of the list `parameters`. `value` describes the format of values; `words` are
 * other notations for the parameters of the same table, ended by an empty one. */
void parameter_write_json(struct json *json, int at, const struct parameter *parameter,
                          const char *path, const char *value, const struct block_word *words);

#endif

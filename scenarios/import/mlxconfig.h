/* SPDX-License-Identifier: Apache-2.0
 * mlxconfig - what `mlxconfig -d DEVICE query` says of DCQCN, as a scenario's hosts.
 * Lines such as "RPG_AI_RATE_P1   5" or "CLAMP_TGT_RATE_P1  False(0)"; of several columns the last,
 * which is the next boot's.  Port 1 counts; what another port has else is reported.  What DCQCN has
 * there and not here is reported, all other settings only by their number.
 * Source:  names and units: NVIDIA DOCA "DCQCN CC Parameters", see cc_dcqcn.c.
 * Limits:  MLXCONFIG_BYTES_MAX.  Owner: the result is the caller's, mlxconfig_free.
 * Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_MLXCONFIG_H
#define STORMGLASS_SCENARIOS_IMPORT_MLXCONFIG_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum { MLXCONFIG_BYTES_MAX = 1024 * 1024 };

struct mlxconfig_result {
    char *yaml; /* "hosts: {defaults: {rnic: {congestion-control: {..}}}}", to go into a scenario */
    char *notes; /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* `text` NULL: the file of that name is read.  False when the diag holds an error; then the result
 * is empty. */
bool mlxconfig_import(const char *name, const char *text, size_t length,
                      struct mlxconfig_result *result, struct diag *diag);
void mlxconfig_free(struct mlxconfig_result *result);

#endif

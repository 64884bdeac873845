/* SPDX-License-Identifier: Apache-2.0
 * mlnx_qos - what `mlnx_qos -i DEVICE` says of a ConnectX's classes, as a scenario's hosts.
 * The map from DSCP to priority, which priorities pause, the receive buffer that the lossless ones
 * share, and the weights of traffic classes.  What has no counterpart is reported: trust in PCP,
 * rate limits, the cable's length.
 * Source:  mlnx_qos of mlnx-tools (its output), IEEE 802.1Q-2018 37 (ETS).
 * Limits:  MLNX_QOS_BYTES_MAX.  Owner: the result is the caller's, mlnx_qos_free.
 * Errors:  located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_MLNX_QOS_H
#define STORMGLASS_SCENARIOS_IMPORT_MLNX_QOS_H

#include "scenarios/format/diag.h"

#include <stddef.h>

enum { MLNX_QOS_BYTES_MAX = 1024 * 1024 };

struct mlnx_qos_result {
    char *yaml;  /* "hosts: {defaults: {rnic: {..}}}", to go into a scenario */
    char *notes; /* "FILE:LINE:COLUMN: note: sentence" lines, or empty */
};

/* `text` NULL: the file of that name is read.  False when the diag holds an error; then the result
 * is empty. */
bool mlnx_qos_import(const char *name, const char *text, size_t length,
                     struct mlnx_qos_result *result, struct diag *diag);
void mlnx_qos_free(struct mlnx_qos_result *result);

#endif

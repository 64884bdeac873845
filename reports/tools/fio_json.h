/* SPDX-License-Identifier: Apache-2.0
 * fio_json - the workloads of a run as fio writes its jobs with --output-format=json.
 * Both directions of a workload that reads and writes have the latency of the workload, unless all
 * commands were recorded (--record ios). The time of submission is part of clat_ns. */
#ifndef STORMGLASS_REPORTS_TOOLS_FIO_JSON_H
#define STORMGLASS_REPORTS_TOOLS_FIO_JSON_H

#include "replay/database/store.h"

#include <stdio.h>

/* Returns false if the database could not be read or the output not written. */
bool fio_json(struct store *store, FILE *out);

#endif

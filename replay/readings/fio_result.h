/* SPDX-License-Identifier: Apache-2.0
 * fio_result - results that fio's text and JSON share for one direction of a job.
 * The output does not say what the file is; it is assumed to be a namespace behind the RNIC.
 * Source: fio stat.c (show_ddir_status, add_ddir_status_json), 2.1 to 3.42. */
#ifndef STORMGLASS_REPLAY_READINGS_FIO_RESULT_H
#define STORMGLASS_REPLAY_READINGS_FIO_RESULT_H

#include "replay/readings/tool.h"

struct fio_result {
    struct diag_place where;
    bool write;
    bool mixed;                          /* other jobs of the group have their own results */
    int64_t bytes, depth, jobs;          /* block size, depth per job, number of jobs */
    struct reading_number iops, latency; /* of all jobs; latency in ps */
    struct reading_number all_iops;      /* of both directions */
    struct reading_number usr, sys;      /* percent of a CPU per job; step 0: not reported */
};

/* Adds a reading, unless there was no I/O. */
void fio_result_add(const struct tool_file *file, const struct fio_result *result);

#endif

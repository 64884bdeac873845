/* SPDX-License-Identifier: Apache-2.0
 * fio_result - what fio's text and its JSON say alike of one direction of a job.
 * What they do not say: what the file is.  It is taken for a namespace behind the RNIC.
 * Source: fio stat.c (show_ddir_status, add_ddir_status_json), 2.1 to 3.42. */
#ifndef STORMGLASS_REPLAY_READINGS_FIO_RESULT_H
#define STORMGLASS_REPLAY_READINGS_FIO_RESULT_H

#include "replay/readings/tool.h"

struct fio_result {
    struct diag_place where;
    bool write;
    bool mixed;                          /* other jobs of the group have results of their own */
    int64_t bytes, depth, jobs;          /* of a job: block and I/Os under way; how many of them */
    struct reading_number iops, latency; /* of all jobs; ps */
    struct reading_number all_iops;      /* of both directions */
    struct reading_number usr, sys;      /* percent of a CPU, of each job; steps 0: not said */
};

/* Adds a reading; nothing where there was no I/O. */
void fio_result_add(const struct tool_file *file, const struct fio_result *result);

#endif

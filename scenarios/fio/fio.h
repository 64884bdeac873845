/* SPDX-License-Identifier: Apache-2.0
 * fio - reads fio job files as NVMe workloads.
 * Source: fio 3.33, HOWTO "Job file format", "Job file parameters" and its option parser.
 * A job is a workload of kind nvme; its clones (numjobs) are instances with one controller and one
 * I/O queue each.
 * Every option of fio is a row of fio_option.def: used, without effect here (a note), or rejected
 * by name. Rejected as a whole: ${VARIABLE}, and jobs for engines that do no block I/O. All jobs
 * use the same namespace, whatever file they name.
 * `include NAME` reads a file in the job file's directory or below. Unlike in fio, it may occur
 * anywhere, and the file may have sections. A byte order mark is skipped.
 * Limits: 1 MiB including all included files, 8 levels of includes, 4 KiB per line, 4096 jobs
 * including their clones.
 * Owner of the result: the caller. Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_FIO_FIO_H
#define STORMGLASS_SCENARIOS_FIO_FIO_H

#include "scenarios/format/diag.h"
#include "scenarios/format/tree.h"
#include "scenarios/workload/wl_nvme.h"

#include <stddef.h>

enum {
    FIO_FILE_BYTES_MAX = 1 << 20,
    FIO_LINE_BYTES_MAX = 4096,
    FIO_JOBS_MAX = 4096,
    FIO_NAME_BYTES = 32
};

#define FIO_NO_JOB UINT32_MAX

/* Jobs that stop together with a job that has exitall: fio's exit_what. */
enum fio_exit { FIO_EXIT_NONE, FIO_EXIT_GROUP, FIO_EXIT_STONEWALL, FIO_EXIT_ALL };

struct fio_job {
    char name[FIO_NAME_BYTES]; /* unique in the file; letters, digits, '-', '_' and '.' */
    int line;                  /* line of its section */
    uint32_t copies;           /* numjobs: number of instances; workload_site.copy distinguishes
                                * them, from 0 */
    uint32_t barrier;          /* all jobs [0, barrier) finish before this one begins (stonewall) */
    uint32_t wait_for;         /* job that finishes before this one begins (wait_for), or
                                * FIO_NO_JOB */
    uint32_t group;            /* reporting group (new_group, stonewall), from 0 */
    enum fio_exit exit;        /* jobs to stop when this one has finished */
    time_ps start_delay;       /* delay after the job may begin */
    time_ps runtime;           /* TIME_NEVER: until its bytes are done */
    struct wl_nvme_params nvme;
};

struct fio_jobs {
    struct fio_job *jobs;
    uint32_t count;
};

/* An option set by the scenario instead of the file. */
struct fio_change {
    const char *job;                            /* name of the job; NULL: all jobs */
    const char *option, *text;                  /* as in a job file */
    struct diag_place option_place, text_place; /* for messages */
    const char *option_line, *text_line;        /* lines of these places */
};

struct fio_file {
    const char *name, *text;
    size_t length;
    const struct fio_change *changes; /* applied in order, after the options that the file sets
                                       * for a job */
    size_t change_count;
    /* Opens a file by its name in `include`; returns NULL if the file cannot be read. NULL:
     * includes are not allowed. */
    const struct tree_file *(*open)(void *self, const char *name);
    void *open_self;
};

/* `file` names the text in messages and must outlive the diag; `text` need not be terminated. False
 * if the diag has an error; then `out` is empty. */
bool fio_load(const char *file, const char *text, size_t length, struct fio_jobs *out,
              struct diag *diag);
bool fio_load_changed(const struct fio_file *file, struct fio_jobs *out, struct diag *diag);
void fio_free(struct fio_jobs *jobs);

/* Values of an option that determines the load: iodepth, numjobs, rate or rate_iops (of reads, of
 * writes). Returns the number of values; 0: another option. */
uint32_t fio_load_of(const struct fio_job *job, const char *option, int64_t values[WL_DIRECTIONS]);

bool fio_has_option(const char *name);

/* Calls the function for every option of fio, in the table's order, for documentation. `class` is
 * "used", "no meaning" or "refused"; alias may be NULL. Stops and returns false when the function
 * returns false. */
typedef bool fio_options_fn(void *self, const char *name, const char *alias, const char *class,
                            const char *about);
bool fio_options_each(fio_options_fn *call, void *self);

#endif

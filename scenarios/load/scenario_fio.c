/* SPDX-License-Identifier: Apache-2.0
 * `kind: fio`: the jobs of the file, each a workload with its own statistics. */
#include "scenarios/load/scenario_load.h"

#include "base/check.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static const char *job_name(struct loader *loader, const struct scenario_workload *base,
                            const struct fio_jobs *jobs, uint32_t index)
{
    return jobs->count == 1
               ? base->name
               : arena_format(loader->arena, "%s/%s", base->name, jobs->jobs[index].name);
}

/* The table of settings shows a job's rows as written in the line of its section. */
static void show_job(struct loader *loader, const struct scenario_workload *workload,
                     const struct fio_job *job, const char *file)
{
    struct block *block =
        block_new(loader->arena, arena_format(loader->arena, "workloads.%s", workload->name),
                  workload->ops->opts, workload->ops->params_bytes);
    CHECK(block->bytes == sizeof job->nvme);
    for (size_t i = 0; i < block->row_count; i++) {
        const int64_t value = *opt_field(&block->rows[i], (void *)(uintptr_t)&job->nvme);
        if (value != *opt_field(&block->rows[i], block->params))
            block->origins[i].where = (struct diag_place){file, job->line, 1, 1};
        *opt_field(&block->rows[i], block->params) = value;
    }
    scenario_show(loader, block, false);
}

static void add_jobs(struct loader *loader, const struct tree_node *entry,
                     const struct scenario_workload *base, const struct fio_jobs *jobs,
                     const char *file, struct scenario_workload_list *out)
{
    const uint32_t first = (uint32_t)out->count;
    struct fio_job *kept = arena_array(loader->arena, jobs->count, sizeof *kept);
    memcpy(kept, jobs->jobs, jobs->count * sizeof *kept);
    for (uint32_t i = 0; i < jobs->count; i++) {
        struct scenario_workload *added =
            arena_push(loader->arena, (void **)(void *)&out->list, &out->count, sizeof *added);
        *added = *base;
        added->name = job_name(loader, base, jobs, i);
        added->params = &kept[i].nvme;
        added->copies = kept[i].copies;
        added->turns = kept[i].copies;
        added->job = &kept[i];
        added->first_job = first;
        show_job(loader, added, &kept[i], file);
        if (strlen(added->name) >= WORKLOAD_NAME_BYTES)
            diag_add(loader->diag, DIAG_ERROR, (struct diag_place){file, kept[i].line, 1, 1}, NULL,
                     "the name '%.64s' is longer than %d", added->name, WORKLOAD_NAME_BYTES - 1);
        scenario_check_spaces(loader, entry, added);
    }
}

void scenario_add_fio(struct loader *loader, const struct tree_node *entry,
                      const struct scenario_workload *base, struct scenario_workload_list *out)
{
    const struct tree_node *name = scenario_word(loader, entry, "file");
    if (name == NULL) {
        tree_error(loader->diag, entry, "expected file: a fio job file");
        return;
    }
    const struct tree_file *file = scenario_open(loader, name);
    struct fio_jobs jobs;
    if (file == NULL || !fio_load(file->name, file->text, file->length, &jobs, loader->diag))
        return;
    if (jobs.count == 0)
        tree_error(loader->diag, name, "'%.64s' has no job", file->name);
    else
        add_jobs(loader, entry, base, &jobs, file->name, out);
    fio_free(&jobs);
}

/* SPDX-License-Identifier: Apache-2.0
 * fuzz_fio - any bytes as a fio job file.
 * What loads is played for a few steps.
 * Reads: scenarios/fio/fio*.c */
#include "base/check.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/wl_script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few steps of the job on a device of 4 TiB with blocks of 512 bytes. */
static void play(const struct fio_job *job)
{
    const struct wl_nvme_params *params = &job->nvme;
    const struct wl_region whole = {.bytes = INT64_C(1) << 42};
    const struct wl_region wanted = {.offset = params->offset, .bytes = params->size};
    struct wl_region region;
    if (!wl_plan_region(&params->fio.plan, 512, whole, wanted, &region))
        return;
    struct wl_script script;
    wl_script_init(&script, params, region, params->queue_depth, 0, rng_stream(1, "fuzz", "fio"));
    time_ps now = 0;
    int64_t under_way = 0;
    for (int i = 0; i < 100; i++) {
        const struct wl_step step = wl_script_next(&script, now, under_way);
        if (step.kind == WL_END)
            return;
        if (step.kind == WL_SLEEP)
            now = step.at;
        if (step.kind == WL_ISSUE) {
            CHECK(step.io.offset >= region.offset);
            CHECK(step.io.offset + step.io.bytes <= region.offset + region.bytes);
            under_way++;
        }
        if (step.kind == WL_WAIT) {
            now += PS_PER_US;
            wl_script_completed(&script, now, PS_PER_US);
            under_way--;
        }
    }
}

static const struct tree_file *open_itself(void *self, const char *name)
{
    (void)name;
    return self;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct fio_jobs jobs;
    diag = (struct diag){0};
    /* Every name leads to the same bytes: files include each other as deep as they may. */
    struct tree_file itself = {"fuzz.inc", (const char *)data, size};
    const struct fio_file file = {.name = "fuzz.fio",
                                  .text = (const char *)data,
                                  .length = size,
                                  .open = open_itself,
                                  .open_self = &itself};
    const bool good = fio_load_changed(&file, &jobs, &diag);
    CHECK(good == !diag_failed(&diag));
    CHECK(good == (jobs.count > 0));
    uint32_t copies = 0;
    for (uint32_t i = 0; i < jobs.count; i++) {
        const struct fio_job *job = &jobs.jobs[i];
        CHECK(job->copies > 0);
        CHECK(job->barrier <= i);
        CHECK(job->wait_for == FIO_NO_JOB || job->wait_for < i);
        copies += job->copies;
        if (i < 16)
            play(job);
    }
    CHECK(copies <= FIO_JOBS_MAX);
    fio_free(&jobs);
    return 0;
}

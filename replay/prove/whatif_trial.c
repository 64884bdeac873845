/* SPDX-License-Identifier: Apache-2.0
 * whatif_trial - processes and pipes. */
#include "replay/prove/whatif_trial.h"

#include "base/memory.h"
#include "replay/prove/relief.h"
#include "replay/run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AT_ONCE_MAX = 64 };

static double ratio(const struct result_workload *workload, const char *path)
{
    struct result_ratio value = {0, 1};
    return result_of_workload(workload, path, &value)
               ? (double)value.numerator / (double)value.denominator
               : 0;
}

/* Where there is a steady part its figures go before those of the whole; but a fault belongs to no
 * steady part, so that with faults the whole is looked at, also where one is left out. */
static void take_steady(struct trial_work *work, const struct steady *steady, bool faults)
{
    if (!steady->known || faults)
        return;
    if (steady->goodput_bps.value != STEADY_UNKNOWN)
        work->goodput_bps = (double)steady->goodput_bps.value;
    if (steady->mean.value != STEADY_UNKNOWN)
        work->latency_ps = (double)steady->mean.value;
}

static void take(struct whatif_trial *trial, const struct run *run, bool faults)
{
    const struct result *result = &run->result;
    struct trial_result *told = &trial->result;
    told->played = true;
    told->limit = result->limit;
    digest_format(&result->digest, told->digest);
    for (uint32_t i = 0; i < result->expectation_count && i < 32; i++)
        told->held |= result->expectations[i].held ? UINT32_C(1) << i : 0;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        struct trial_work *work = &trial->works[i];
        work->goodput_bps = ratio(workload, "goodput_bps");
        work->latency_ps = (double)result->limits[i].latency;
        take_steady(work, &workload->steady, faults);
        work->satisfied = result->limits[i].input.satisfied;
        for (int k = 0; k < BOTTLENECK_RESOURCES; k++) {
            work->used[k] = result->limits[i].input.uses[k].used;
            work->waiting[k] = result->limits[i].input.uses[k].waiting;
        }
    }
}

static void play(struct whatif_trial *trial, const struct scenario *base, time_ps until)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct scenario *scenario = relief_reload(base, trial->seed, diag);
    trial->result.changed = scenario != NULL;
    for (int i = 0; i < TRIAL_RELIEFS && scenario != NULL; i++)
        if (trial->reliefs[i].permille != RELIEF_NOTHING)
            trial->result.changed &=
                relief_apply(scenario, trial->reliefs[i].resource, trial->reliefs[i].permille) > 0;
    if (trial->result.changed) {
        const struct run_options options = {.unread = true, .until = until};
        struct run run;
        if (run_scenario(&run, scenario, &options, diag) == RUN_DONE) {
            take(trial, &run, base->fault_count > 0);
            trial->result.played = strcmp(run.result.status, "interrupted") != 0;
        }
        run_close(&run);
    }
    scenario_free(scenario);
    free(diag);
}

static bool write_all(int to, const void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t wrote = write(to, (const char *)what + done, size - done);
        if (wrote < 0 && errno != EINTR)
            return false;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

static bool read_all(int from, void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(from, (char *)what + done, size - done);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

struct child {
    struct whatif_trial *trial;
    pid_t process; /* 0: it was played here */
    int from;
};

static void begin(struct child *child, const struct scenario *scenario, time_ps until)
{
    struct whatif_trial *trial = child->trial;
    int ends[2];
    child->process = 0;
    child->from = -1;
    if (pipe(ends) != 0 || (child->process = fork()) < 0) {
        child->process = 0;
        play(trial, scenario, until);
        return;
    }
    if (child->process == 0) {
        close(ends[0]);
        play(trial, scenario, until);
        const size_t works = scenario->workload_count * sizeof *trial->works;
        const bool told = write_all(ends[1], &trial->result, sizeof trial->result) &&
                          write_all(ends[1], trial->works, works);
        _exit(told ? 0 : 1);
    }
    close(ends[1]);
    child->from = ends[0];
}

static bool end(struct child *child, const struct scenario *scenario)
{
    struct whatif_trial *trial = child->trial;
    int status = 0;
    if (child->process == 0)
        return true;
    const bool told =
        read_all(child->from, &trial->result, sizeof trial->result) &&
        read_all(child->from, trial->works, scenario->workload_count * sizeof *trial->works);
    close(child->from);
    while (waitpid(child->process, &status, 0) < 0 && errno == EINTR)
        ;
    return told && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool whatif_play(struct whatif_trial *trials, uint32_t count, const struct scenario *scenario,
                 time_ps until)
{
    struct child children[AT_ONCE_MAX];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t most = online < 1 ? 1 : online > AT_ONCE_MAX ? AT_ONCE_MAX : (uint32_t)online;
    bool well = true;
    for (uint32_t i = 0; i < count; i++)
        trials[i].works = memory_zeroed(scenario->workload_count, sizeof *trials[i].works);
    for (uint32_t begun = 0, ended = 0; ended < count; ended++) {
        for (; begun < count && begun - ended < most; begun++) {
            children[begun % most].trial = &trials[begun];
            begin(&children[begun % most], scenario, until);
        }
        well &= end(&children[ended % most], scenario);
    }
    return well;
}

void whatif_trials_free(struct whatif_trial *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(trials[i].works);
    free(trials);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge/run/measure.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* Values reported by the device for which the model has a parameter. */
static void ask_device(struct measurements *figures, const struct live_run *run)
{
    const struct verbs_device *device = live_device(run);
    const struct ibv_device_attr *attributes = verbs_real_attributes(device);
    struct arena *arena = &figures->arena;
    struct utsname kernel = {0};
    const char *fact;
    uname(&kernel);
    figures->device = arena_format(arena, "%s", verbs_real_name(device));
    figures->firmware = arena_format(arena, "%s", attributes->fw_ver);
    figures->kernel = arena_format(arena, "%s %s", kernel.sysname, kernel.release);
    if (verbs_real_path_mtu(device) > 0) {
        fact = arena_format(arena, "rnic.path-mtu=%uB", verbs_real_path_mtu(device));
        measurements_add(figures, &figures->facts, fact);
    }
    fact = arena_format(arena, "rnic.max-rd-atomic=%u",
                        (unsigned)verbs_real.max_rd_atomic(live_device(run)));
    measurements_add(figures, &figures->facts, fact);
}

/* False, with a sentence or with messages. */
static bool live_once(const struct measure_options *options, struct measurements *figures,
                      const struct scenario *scenario, uint32_t benchmark, struct diag *diag,
                      char error[STORE_ERROR_BYTES])
{
    struct benchmark_seen seen;
    char why[LIVE_WHY_BYTES];
    struct live_run *run = live_create(scenario, &options->run, diag, why);
    if (run == NULL) {
        snprintf(error, STORE_ERROR_BYTES, "%s", why);
        return false;
    }
    if (figures->facts.count == 0)
        ask_device(figures, run);
    benchmark_watch(&seen, live_stats(run, 0));
    const bool played = live_run(run);
    const bool whole = benchmark_read(&seen, live_stats(run, 0)) && played;
    if (!whole)
        snprintf(error, STORE_ERROR_BYTES, "%s was not completed: %.400s",
                 benchmark_names[benchmark],
                 played ? "an operation failed, or the peer does not answer" : live_error(run));
    else if (live_unsound(run) > 0)
        snprintf(error, STORE_ERROR_BYTES, "%s delivered wrong data", benchmark_names[benchmark]);
    else
        measurements_take(figures, benchmark, seen.figures);
    live_free(run);
    return error[0] == '\0';
}

static bool live_benchmark(const struct measure_options *options, struct measurements *figures,
                           uint32_t benchmark, struct diag *diag, char error[STORE_ERROR_BYTES])
{
    struct scenario *scenario =
        benchmark_load(benchmark_names[benchmark], options->sets.list, options->sets.count, diag);
    const bool fine =
        scenario != NULL && live_once(options, figures, scenario, benchmark, diag, error);
    scenario_free(scenario);
    return fine;
}

struct measurements *measure_device(const struct measure_options *options, struct diag *diag,
                                    char error[STORE_ERROR_BYTES])
{
    struct measurements *figures = measurements_new();
    error[0] = '\0';
    for (uint32_t i = 0; i < options->sets.count; i++)
        measurements_add(figures, &figures->sets, options->sets.list[i]);
    for (uint32_t repeat = 0; repeat < options->repeats; repeat++)
        for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
            if (options->on_run != NULL)
                options->on_run(options->self, benchmark_names[i], repeat);
            if (!live_benchmark(options, figures, i, diag, error)) {
                measurements_free(figures);
                return NULL;
            }
        }
    return figures;
}

/* SPDX-License-Identifier: Apache-2.0
 * calibration - the parameters to fit, and runs of the model with candidate values. */
#include "replay/calibrate/calibration.h"

#include "base/check.h"
#include "base/quantity.h"
#include "base/text.h"
#include "rnic/host/rnic.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Relative noise floor: a figure that repeats better than this gets no more weight. */
static const double repeats_well = 0.01;
/* Factor from the median absolute deviation to the standard deviation of a normal distribution. */
static const double deviation_of_distance = 1.4826;

/* The parameters to fit. A difference below `scale` does not matter. Parameters marked `like`
 * cannot be distinguished by any figure and are taken to be equal. */
static const struct sought {
    const char *path, *scale, *lower, *upper, *like;
} hardware[] =
    {
        {"rnic.tx-delay", "1us", "0ps", "1ms", NULL},
        {"rnic.rx-delay", "1us", "0ps", "1ms", "rnic.tx-delay"},
        {"rnic.read-delay", "1us", "0ps", "1ms", NULL},
        {"nvme.submit-cost", "1us", "0ps", "1ms", NULL},
        {"nvme.complete-cost", "1us", "0ps", "1ms", "nvme.submit-cost"},
        {"target.command-cost", "1us", "0ps", "1ms", NULL},
        {0},
},
  software[] = {
      {"rnic.cpu-interrupt", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-idle", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-tick", "10us", "0ps", "500us", NULL},
      {"rnic.cpu-send-packet", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-receive-packet", "1us", "0ps", "1ms", "rnic.cpu-send-packet"},
      {"rnic.cpu-respond-packet", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-send-byte", "1ns", "0ps", "1us", NULL},
      {"rnic.cpu-receive-byte", "1ns", "0ps", "1us", "rnic.cpu-send-byte"},
      {"rnic.cpu-send-ack", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-receive-ack", "1us", "0ps", "1ms", "rnic.cpu-send-ack"},
      {"rnic.cpu-complete", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-post", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-work-request", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-wake", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-loop", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-event", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-completion", "1us", "0ps", "1ms", NULL},
      {"rnic.cpu-register", "10us", "0ps", "1ms", NULL},
      {"rnic.cpu-fill-byte", "1ns", "0ps", "1us", NULL},
      {"rnic.cpu-look-byte", "1ns", "0ps", "1us", NULL},
      {"nvme.submit-cost", "1us", "0ps", "1ms", NULL},
      {"nvme.complete-cost", "1us", "0ps", "1ms", "nvme.submit-cost"},
      {"target.command-cost", "1us", "0ps", "1ms", NULL},
      {0},
};

/* Which figures of each benchmark are used, and which of those are fitted; the others are only
 * compared. */
static const unsigned steady = 1u << BENCHMARK_LATENCY | 1u << BENCHMARK_INTERVAL;

static unsigned looked_at(uint32_t benchmark)
{
    const char *name = benchmark_names[benchmark];
    const bool connects = strcmp(name, "send-small") == 0 || strcmp(name, "nvme-read") == 0;
    return steady | (connects ? 1u << BENCHMARK_CONNECT : 0);
}

enum { SETS_MAX = 2 * MEASUREMENTS_TEXTS_MAX + CALIBRATION_PARAMETERS_MAX + 1, SET_BYTES = 256 };

/* ------------------------------------------------------------------ the model */

struct sets {
    char texts[SETS_MAX][SET_BYTES];
    const char *list[SETS_MAX];
    uint32_t count;
};

__attribute__((format(printf, 2, 3))) static void add_set(struct sets *sets, const char *format,
                                                          ...)
{
    va_list args;
    CHECK(sets->count < SETS_MAX);
    char *text = sets->texts[sets->count];
    va_start(args, format);
    vsnprintf(text, SET_BYTES, format, args);
    va_end(args);
    sets->list[sets->count++] = text;
}

/* Later sets win, in this order: base profile, device facts, user, fitted values. */
static void make_sets(const struct calibration *calibration, struct sets *sets)
{
    const struct measurements *figures = calibration->figures;
    sets->count = 0;
    add_set(sets, "hosts.defaults.rnic.profile=%s", calibration->base);
    for (uint32_t i = 0; i < figures->facts.count; i++)
        add_set(sets, "hosts.defaults.%s", figures->facts.list[i]);
    for (uint32_t i = 0; i < figures->sets.count; i++)
        add_set(sets, "%s", figures->sets.list[i]);
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        const struct calibration_value *value = &calibration->values[i];
        char text[64];
        opt_format(value->row, value->value, text, sizeof text);
        add_set(sets, "hosts.defaults.%s=%s", value->path, text);
    }
}

static bool model_one(const struct sets *sets, uint32_t benchmark,
                      time_ps times[BENCHMARK_FIGURE_COUNT], struct diag *diag)
{
    struct scenario *scenario =
        benchmark_load(benchmark_names[benchmark], sets->list, sets->count, diag);
    const bool fine = scenario != NULL && benchmark_model(scenario, times, diag);
    scenario_free(scenario);
    return fine;
}

/* Command costs do not affect a benchmark without commands. */
static bool matters(const struct calibration_value *value, uint32_t benchmark)
{
    return text_begins(value->path, "rnic.") || text_begins(benchmark_names[benchmark], "nvme-");
}

static const struct calibration_play *find_play(const struct calibration_plays *played,
                                                const struct calibration_play *wanted)
{
    for (size_t i = played->count; i-- > 0;)
        if (memcmp(played->list[i].values, wanted->values, sizeof wanted->values) == 0)
            return &played->list[i];
    return NULL;
}

/* Runs a benchmark, or returns the cached result: the search varies one value after another and
 * repeats many requests. Returns NULL if it cannot run. */
static const struct calibration_play *play_once(struct calibration *calibration,
                                                const struct sets *sets, uint32_t benchmark,
                                                struct diag *diag)
{
    struct calibration_plays *played = &calibration->played[benchmark];
    struct calibration_play play = {0};
    for (uint32_t i = 0; i < calibration->value_count; i++)
        if (matters(&calibration->values[i], benchmark))
            play.values[i] = calibration->values[i].value;
    const struct calibration_play *before = find_play(played, &play);
    if (before != NULL)
        return before;
    if (!model_one(sets, benchmark, play.times, diag))
        return NULL;
    struct calibration_play *kept = arena_push(&calibration->arena, (void **)(void *)&played->list,
                                               &played->count, sizeof *kept);
    *kept = play;
    return kept;
}

bool calibration_model(struct calibration *calibration, struct diag *diag)
{
    struct sets sets;
    make_sets(calibration, &sets);
    calibration->evaluations++;
    for (uint32_t i = 0; i < calibration->shown_count;) {
        const uint32_t benchmark = calibration->shown[i].benchmark;
        const struct calibration_play *play = play_once(calibration, &sets, benchmark, diag);
        if (play == NULL)
            return false;
        for (; i < calibration->shown_count && calibration->shown[i].benchmark == benchmark; i++)
            calibration->shown[i].modelled = play->times[calibration->shown[i].figure];
    }
    return true;
}

/* ------------------------------------------------------------------ start */

static double in_units(const struct opt *row, const char *text)
{
    char why[OPT_WHY_BYTES];
    int64_t value;
    CHECK(opt_parse(row, text, &value, why));
    return (double)value;
}

static const struct scenario_setting *find_setting(const struct scenario *scenario,
                                                   const char *below)
{
    char path[96];
    snprintf(path, sizeof path, "hosts.defaults.%s", below);
    const struct scenario_setting *setting = scenario->settings;
    while (strcmp(setting->path, path) != 0)
        CHECK(++setting < scenario->settings + scenario->setting_count);
    return setting;
}

/* A row assembled from several tables ends with its own scenario row. */
static const struct opt *own_row(struct calibration *calibration, const struct opt *row)
{
    struct opt *own = arena_take(&calibration->arena, sizeof *own);
    *own = *row;
    return own;
}

static void add_value(struct calibration *calibration, const struct scenario *scenario,
                      const struct sought *sought)
{
    const struct scenario_setting *setting = find_setting(scenario, sought->path);
    CHECK(calibration->value_count < CALIBRATION_PARAMETERS_MAX);
    calibration->values[calibration->value_count++] = (struct calibration_value){
        .path = sought->path,
        .row = own_row(calibration, setting->row),
        .scale = in_units(setting->row, sought->scale),
        .lower = in_units(setting->row, sought->lower),
        .upper = in_units(setting->row, sought->upper),
        .base = setting->value,
        .value = setting->value,
        .like = sought->like,
    };
}

static bool is_sought(const struct calibration *calibration, const char *path)
{
    uint32_t i = 0;
    while (i < calibration->value_count && strcmp(calibration->values[i].path, path) != 0)
        i++;
    return i < calibration->value_count;
}

/* Keeps a setting that the profile must contain in addition to the fitted values, so that the
 * profile is complete by itself. */
static void keep_row(struct calibration *calibration, const struct scenario_setting *setting,
                     const char *name)
{
    struct arena *arena = &calibration->arena;
    char value[QUANTITY_TEXT_BYTES];
    opt_format(setting->row, setting->value, value, sizeof value);
    struct calibration_kept *kept = arena_push(arena, (void **)(void *)&calibration->kept,
                                               &calibration->kept_count, sizeof *kept);
    *kept = (struct calibration_kept){
        .name = arena_format(arena, "%s", name),
        .value = arena_format(arena, "%s", value),
        .evidence =
            setting->profile == NULL ? "assumed" : arena_format(arena, "%s", setting->evidence),
        .source = setting->profile == NULL ? "given" : arena_format(arena, "%s", setting->source),
    };
    for (uint32_t i = 0; i < calibration->figures->facts.count; i++)
        if (strcspn(calibration->figures->facts.list[i], "=") == strlen(name) + strlen("rnic.") &&
            strncmp(calibration->figures->facts.list[i] + strlen("rnic."), name, strlen(name)) ==
                0) {
            kept->evidence = "documented";
            kept->source = "the device's own attributes";
        }
}

static void keep_rows(struct calibration *calibration, const struct scenario *scenario)
{
    static const char section[] = "hosts.defaults.rnic.";
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        const char *path = setting->path, *name = path + strlen(section);
        if (strncmp(path, section, strlen(section)) == 0 && opt_find(rnic_opts, name) != NULL &&
            setting->where.file != NULL &&
            !is_sought(calibration, path + strlen("hosts.defaults.")))
            keep_row(calibration, setting, name);
    }
}

static void widen(struct calibration *calibration, const char *word,
                  const struct scenario_setting *setting)
{
    struct calibration_range *range = calibration->ranges;
    size_t left = calibration->range_count;
    for (; left > 0 && strcmp(range->word, word) != 0; left--)
        range++;
    if (left == 0) {
        range = arena_push(&calibration->arena, (void **)(void *)&calibration->ranges,
                           &calibration->range_count, sizeof *range);
        *range = (struct calibration_range){.word = arena_format(&calibration->arena, "%s", word),
                                            .row = own_row(calibration, setting->row),
                                            .low = setting->value,
                                            .high = setting->value};
    }
    range->low = setting->value < range->low ? setting->value : range->low;
    range->high = setting->value > range->high ? setting->value : range->high;
}

/* Records the range of work that the figures were measured with. */
static bool add_work(struct calibration *calibration, const struct sets *sets, uint32_t benchmark,
                     struct diag *diag)
{
    static const char section[] = "workloads.";
    enum quantity_kind kind;
    struct scenario *scenario =
        benchmark_load(benchmark_names[benchmark], sets->list, sets->count, diag);
    for (uint32_t i = 0; scenario != NULL && i < scenario->setting_count; i++) {
        const char *path = scenario->settings[i].path, *dot = strrchr(path, '.');
        if (strncmp(path, section, strlen(section)) == 0 && dot != NULL &&
            calibrated_quantity(dot + 1, &kind))
            widen(calibration, dot + 1, &scenario->settings[i]);
    }
    scenario_free(scenario);
    return scenario != NULL;
}

static void add_figures(struct calibration *calibration, uint32_t benchmark)
{
    for (int i = 0; i < BENCHMARK_FIGURE_COUNT; i++) {
        if ((looked_at(benchmark) & 1u << i) == 0)
            continue;
        const enum benchmark_figure figure = (enum benchmark_figure)i;
        const struct measurements_middle middle =
            measurements_middle(calibration->figures, benchmark, figure);
        const double spread = deviation_of_distance * middle.spread;
        const bool fits = (steady & 1u << i) != 0;
        CHECK(calibration->shown_count < CALIBRATION_FIGURES_MAX);
        calibration->shown[calibration->shown_count++] = (struct calibration_figure){
            .benchmark = benchmark,
            .figure = figure,
            .measured = middle.time,
            .spread = spread,
            .weight = fits ? repeats_well / hypot(repeats_well, spread) : 0,
            .trust = 1,
        };
    }
}

bool calibration_begin(struct calibration *calibration, const struct measurements *figures,
                       const char *base, struct diag *diag)
{
    struct sets sets;
    *calibration = (struct calibration){.figures = figures, .base = base};
    make_sets(calibration, &sets);
    struct scenario *scenario = benchmark_load(benchmark_names[0], sets.list, sets.count, diag);
    if (scenario == NULL)
        return false;
    const bool soft = find_setting(scenario, "rnic.software")->value != 0;
    for (const struct sought *sought = soft ? software : hardware; sought->path != NULL; sought++)
        add_value(calibration, scenario, sought);
    keep_rows(calibration, scenario);
    scenario_free(scenario);
    bool fine = true;
    for (uint32_t i = 0; i < BENCHMARK_COUNT && fine; i++) {
        if (figures->benchmarks[i].repeats == 0)
            continue;
        add_figures(calibration, i);
        fine = add_work(calibration, &sets, i, diag);
    }
    return fine;
}

void calibration_end(struct calibration *calibration)
{
    arena_free(&calibration->arena);
}

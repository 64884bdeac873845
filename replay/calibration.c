/* SPDX-License-Identifier: Apache-2.0
 * calibration - what is sought, and the search. */
#include "replay/calibration.h"

#include "base/check.h"
#include "base/quantity.h"
#include "replay/least_squares.h"
#include "rnic/rnic.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A figure that repeats better than this counts no more for it. */
static const double repeats_well = 0.01;
/* The model is trusted to this much at most, however well it fits. */
static const double trusted = 0.002;
/* A value that is not known to this share of itself (or of its scale) is not known. */
static const double known_to = 0.5;
/* From the middle absolute distance to a standard deviation, for a normal distribution. */
static const double deviation_of_distance = 1.4826;
static const double step = 0.02;

/* What is sought: less than half of the scale makes no difference to anybody.  No figure
 * tells one that is `like` another from it: they are taken to be equal. */
static const struct {
    const char *path, *scale, *lower, *upper, *like;
} sought[] = {
    {"rnic.tx-delay", "1us", "0ps", "1ms", NULL},
    {"rnic.rx-delay", "1us", "0ps", "1ms", "rnic.tx-delay"},
    {"rnic.read-delay", "1us", "0ps", "1ms", NULL},
    {"nvme.submit-cost", "1us", "0ps", "1ms", NULL},
    {"nvme.complete-cost", "1us", "0ps", "1ms", "nvme.submit-cost"},
    {"target.command-cost", "1us", "0ps", "1ms", NULL},
};

/* What is looked at of a benchmark, and what of it is fitted; the rest is only compared. */
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

/* Later ones win: the base, what the device says, what the user says, what is sought. */
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

static bool model_one(const struct calibration *calibration, const struct sets *sets,
                      uint32_t benchmark, time_ps times[BENCHMARK_FIGURE_COUNT], struct diag *diag)
{
    struct scenario *scenario = benchmark_load(benchmark_names[benchmark], sets->list, sets->count,
                                               calibration->files, diag);
    const bool fine = scenario != NULL && benchmark_model(scenario, times, diag);
    scenario_free(scenario);
    return fine;
}

bool calibration_model(struct calibration *calibration, struct diag *diag)
{
    struct sets sets;
    make_sets(calibration, &sets);
    calibration->evaluations++;
    for (uint32_t i = 0; i < calibration->shown_count;) {
        const uint32_t benchmark = calibration->shown[i].benchmark;
        time_ps times[BENCHMARK_FIGURE_COUNT];
        if (!model_one(calibration, &sets, benchmark, times, diag))
            return false;
        for (; i < calibration->shown_count && calibration->shown[i].benchmark == benchmark; i++)
            calibration->shown[i].modelled = times[calibration->shown[i].figure];
    }
    return true;
}

/* ------------------------------------------------------------------ beginning */

static double in_units(const struct opt *row, const char *text)
{
    char why[OPT_WHY_BYTES];
    int64_t value;
    CHECK(opt_parse(row, text, &value, why));
    return (double)value;
}

static void add_value(struct calibration *calibration, const struct scenario *scenario,
                      uint32_t index)
{
    char path[96];
    snprintf(path, sizeof path, "hosts.defaults.%s", sought[index].path);
    const struct scenario_setting *setting = scenario->settings;
    while (strcmp(setting->path, path) != 0)
        CHECK(++setting < scenario->settings + scenario->setting_count);
    CHECK(calibration->value_count < CALIBRATION_PARAMETERS_MAX);
    calibration->values[calibration->value_count++] = (struct calibration_value){
        .path = sought[index].path,
        .row = setting->row,
        .scale = in_units(setting->row, sought[index].scale),
        .lower = in_units(setting->row, sought[index].lower),
        .upper = in_units(setting->row, sought[index].upper),
        .base = setting->value,
        .value = setting->value,
        .like = sought[index].like,
    };
}

static bool is_sought(const struct calibration *calibration, const char *path)
{
    uint32_t i = 0;
    while (i < calibration->value_count && strcmp(calibration->values[i].path, path) != 0)
        i++;
    return i < calibration->value_count;
}

/* What a profile must say beside what is sought, so that it stands alone. */
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
        };
    }
}

bool calibration_begin(struct calibration *calibration, const struct measurements *figures,
                       const char *base, const struct scenario_source *file, struct diag *diag)
{
    struct sets sets;
    *calibration = (struct calibration){.figures = figures, .base = base, .files = file};
    make_sets(calibration, &sets);
    struct scenario *scenario =
        benchmark_load(benchmark_names[0], sets.list, sets.count, file, diag);
    if (scenario == NULL)
        return false;
    for (uint32_t i = 0; i < sizeof sought / sizeof sought[0]; i++)
        add_value(calibration, scenario, i);
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
        if (figures->benchmarks[i].repeats > 0)
            add_figures(calibration, i);
    keep_rows(calibration, scenario);
    scenario_free(scenario);
    return true;
}

void calibration_end(struct calibration *calibration)
{
    arena_free(&calibration->arena);
}

/* ------------------------------------------------------------------ the search */

/* The unknowns are the values that are still free, in their scales. */
struct search {
    struct calibration *calibration;
    struct diag *diag;
    uint32_t free[CALIBRATION_PARAMETERS_MAX]; /* their indices */
    double lower[CALIBRATION_PARAMETERS_MAX], upper[CALIBRATION_PARAMETERS_MAX];
    double x[CALIBRATION_PARAMETERS_MAX];
    double apart[CALIBRATION_PARAMETERS_MAX]; /* from another minimum as good; by value */
    double jacobian[CALIBRATION_PARAMETERS_MAX * CALIBRATION_FIGURES_MAX];
    struct least_squares problem;
};

/* Whether the second is taken to be equal to the first. */
static bool is_like(const struct calibration_value *of, const struct calibration_value *value)
{
    return value->like != NULL && strcmp(value->like, of->path) == 0;
}

static void put(const struct search *search, const double *x)
{
    struct calibration *calibration = search->calibration;
    for (uint32_t i = 0; i < search->problem.unknowns; i++) {
        struct calibration_value *value = &calibration->values[search->free[i]];
        value->value = llround(x[i] * value->scale);
        for (uint32_t v = 0; v < calibration->value_count; v++)
            if (is_like(value, &calibration->values[v]))
                calibration->values[v].value = value->value;
    }
}

static bool residuals(void *self, const double *x, double *out)
{
    struct search *search = self;
    struct calibration *calibration = search->calibration;
    put(search, x);
    if (!calibration_model(calibration, search->diag))
        return false;
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        out[i] = figure->weight * ((double)figure->modelled / (double)figure->measured - 1);
    }
    return true;
}

static void let_free(struct search *search, uint32_t index)
{
    const struct calibration_value *value = &search->calibration->values[index];
    const uint32_t i = search->problem.unknowns++;
    search->free[i] = index;
    search->lower[i] = value->lower / value->scale;
    search->upper[i] = value->upper / value->scale;
    search->x[i] = (double)value->value / value->scale;
}

static void fix(struct search *search, uint32_t unknown)
{
    struct least_squares *problem = &search->problem;
    struct calibration_value *value = &search->calibration->values[search->free[unknown]];
    const uint32_t after = problem->unknowns - unknown - 1, m = problem->equations;
    value->value = value->base;
    for (uint32_t v = 0; v < search->calibration->value_count; v++)
        if (is_like(value, &search->calibration->values[v]))
            search->calibration->values[v].value = search->calibration->values[v].base;
    memmove(&search->free[unknown], &search->free[unknown + 1], after * sizeof search->free[0]);
    memmove(&search->lower[unknown], &search->lower[unknown + 1], after * sizeof(double));
    memmove(&search->upper[unknown], &search->upper[unknown + 1], after * sizeof(double));
    memmove(&search->x[unknown], &search->x[unknown + 1], after * sizeof(double));
    memmove(&search->jacobian[(size_t)unknown * m], &search->jacobian[(size_t)(unknown + 1) * m],
            (size_t)after * m * sizeof(double));
    problem->unknowns--;
}

/* What one figure is off by: after the fit, or from one play to the next if that is more. */
static double noise_of(const struct search *search)
{
    const struct calibration *calibration = search->calibration;
    double off[CALIBRATION_FIGURES_MAX], after = 0, before = 0;
    uint32_t count = 0;
    CHECK(residuals(search->problem.self, search->x, off));
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        count += figure->weight > 0;
        after += off[i] * off[i];
        before += pow(figure->weight * figure->spread, 2);
    }
    const uint32_t free = search->problem.unknowns;
    after /= count > free ? count - free : 1;
    return sqrt(fmax(after, before / (count > 0 ? count : 1)));
}

/* The value's spread in its scale, and which benchmarks told it. */
static double spread_of(const struct search *search, uint32_t unknown, double noise,
                        uint32_t *benchmarks)
{
    const struct calibration *calibration = search->calibration;
    double part[CALIBRATION_FIGURES_MAX], share[BENCHMARK_COUNT] = {0};
    const double alone = least_squares_alone(&search->problem, search->jacobian, unknown, part);
    *benchmarks = 0;
    if (alone <= 0)
        return INFINITY;
    for (uint32_t i = 0; i < calibration->shown_count; i++)
        share[calibration->shown[i].benchmark] += pow(part[i] / alone, 2);
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++)
        *benchmarks |= share[i] > 0.15 ? 1u << i : 0;
    return noise / alone;
}

/* The unknown that the figures tell least; how much of it they leave open. */
static uint32_t least_told(const struct search *search, double noise, double *open)
{
    uint32_t worst = 0, benchmarks;
    *open = 0;
    for (uint32_t i = 0; i < search->problem.unknowns; i++) {
        const double share = spread_of(search, i, noise, &benchmarks) / fmax(search->x[i], 1);
        worst = share > *open ? i : worst;
        *open = fmax(*open, share);
    }
    return worst;
}

/* Fixes what the figures do not tell, one at a time; true when there was any. */
static bool fix_untold(struct search *search, double noise)
{
    for (bool any = false;; any = true) {
        double open;
        const uint32_t worst = least_told(search, fmax(noise, trusted), &open);
        if (open <= known_to)
            return any;
        fix(search, worst);
    }
}

static void tell(const struct search *search, double noise)
{
    struct calibration *calibration = search->calibration;
    for (uint32_t i = 0; i < search->problem.unknowns; i++) {
        struct calibration_value *value = &calibration->values[search->free[i]];
        value->determined = true;
        value->spread = value->scale * fmax(spread_of(search, i, noise, &value->benchmarks),
                                            search->apart[search->free[i]]);
        for (uint32_t v = 0; v < calibration->value_count; v++)
            if (is_like(value, &calibration->values[v])) {
                calibration->values[v].determined = true;
                calibration->values[v].spread = value->spread;
                calibration->values[v].benchmarks = value->benchmarks;
            }
    }
}

static double cost_of(struct search *search, const double *x)
{
    double off[CALIBRATION_FIGURES_MAX], sum = 0;
    if (!residuals(search, x, off))
        return INFINITY;
    for (uint32_t i = 0; i < search->problem.equations; i++)
        sum += off[i] * off[i];
    return sum;
}

/* Which end is the bottleneck of a deep queue may change on the way, so there are several minima:
 * the search begins with the base, and with everything fast, middling and slow.  When two are
 * nearly as good, nobody knows which is true, and the spread is as wide. */
enum { STARTS = 4 };
static const double starts[STARTS] = {0, 0.3, 3, 30};
static const double as_good = 2;

static void note_apart(struct search *search, double (*minima)[CALIBRATION_PARAMETERS_MAX],
                       const double *costs, int best)
{
    const double enough = as_good * costs[best] + search->problem.equations * trusted * trusted;
    memset(search->apart, 0, sizeof search->apart);
    for (int i = 0; i < STARTS; i++)
        for (uint32_t u = 0; u < search->problem.unknowns && costs[i] <= enough; u++) {
            double *apart = &search->apart[search->free[u]];
            *apart = fmax(*apart, fabs(minima[i][u] - minima[best][u]));
        }
}

static bool search_widely(struct search *search)
{
    double minima[STARTS][CALIBRATION_PARAMETERS_MAX], costs[STARTS];
    const uint32_t count = search->problem.unknowns;
    int best = 0;
    for (int i = 0; i < STARTS; i++) {
        memcpy(minima[i], search->x, sizeof minima[i]);
        for (uint32_t u = 0; u < count && i > 0; u++)
            minima[i][u] = fmin(starts[i], search->upper[u]);
        const bool fine = least_squares_solve(&search->problem, minima[i]);
        costs[i] = fine ? cost_of(search, minima[i]) : INFINITY;
        best = costs[i] < costs[best] ? i : best;
    }
    note_apart(search, minima, costs, best);
    memcpy(search->x, minima[best], sizeof minima[best]);
    return isfinite(costs[best]);
}

bool calibration_fit(struct calibration *calibration, const struct measurements *figures,
                     const char *base, const struct scenario_source *file, struct diag *diag)
{
    struct search search = {.calibration = calibration, .diag = diag};
    if (!calibration_begin(calibration, figures, base, file, diag))
        return false;
    search.problem = (struct least_squares){
        .equations = calibration->shown_count,
        .lower = search.lower,
        .upper = search.upper,
        .residuals = residuals,
        .self = &search,
        .step = step,
    };
    for (uint32_t i = 0; i < calibration->value_count; i++)
        if (calibration->values[i].like == NULL)
            let_free(&search, i);
    bool fine = search_widely(&search);
    do {
        fine = fine && least_squares_solve(&search.problem, search.x) &&
               least_squares_jacobian(&search.problem, search.x, search.jacobian);
        calibration->noise = fine ? noise_of(&search) : 0;
    } while (fine && fix_untold(&search, calibration->noise) && search.problem.unknowns > 0);
    if (!fine)
        return false;
    tell(&search, calibration->noise);
    put(&search, search.x);
    return calibration_model(calibration, diag);
}

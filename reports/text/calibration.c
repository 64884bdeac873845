/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text/calibration.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WORDS_BYTES = 256, LIST_BYTES = WORDS_BYTES / 2 };

/* "send-small, read-small" */
static const char *benchmarks_of(const struct calibration_value *value, char text[LIST_BYTES])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < BENCHMARK_COUNT && used < LIST_BYTES; i++)
        if ((value->benchmarks & 1u << i) != 0)
            used += (size_t)snprintf(text + used, LIST_BYTES - used, "%s%s", used == 0 ? "" : ", ",
                                     benchmark_names[i]);
    return text;
}

/* A spread has two significant digits. */
static int64_t two_digits(double value)
{
    int64_t whole = llround(value), unit = 1;
    while (whole / unit >= 100)
        unit *= 10;
    return (whole + unit / 2) / unit * unit;
}

static void write_value(const struct calibration_value *value, char text[QUANTITY_TEXT_BYTES],
                        char spread[QUANTITY_TEXT_BYTES])
{
    opt_format(value->row, value->value, text, QUANTITY_TEXT_BYTES);
    opt_format(value->row, two_digits(value->spread), spread, QUANTITY_TEXT_BYTES);
}

static double error_of(const struct calibration_figure *figure)
{
    return (double)figure->modelled / (double)figure->measured - 1;
}

/* ------------------------------------------------------------------ text */

/* Describes how a value was determined. */
static void reported_by(const struct calibration *calibration,
                        const struct calibration_value *value, char text[WORDS_BYTES])
{
    char words[LIST_BYTES];
    if (value->determined)
        snprintf(text, WORDS_BYTES, "%s", benchmarks_of(value, words));
    else if (value->value != value->base)
        snprintf(text, WORDS_BYTES,
                 "determined only together with others; the value closest to %.60s",
                 calibration->base);
    else
        snprintf(text, WORDS_BYTES, "not determined; taken from %.60s", calibration->base);
    const size_t used = strlen(text);
    if (value->like != NULL)
        snprintf(text + used, WORDS_BYTES - used, "; equal to %s", value->like);
}

static void text_values(const struct calibration *calibration, FILE *out)
{
    fprintf(out, "\nParameters                       value       spread  determined by\n");
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        const struct calibration_value *value = &calibration->values[i];
        char text[QUANTITY_TEXT_BYTES], spread[QUANTITY_TEXT_BYTES], reported[WORDS_BYTES];
        write_value(value, text, spread);
        reported_by(calibration, value, reported);
        fprintf(out, "  %-24s %13s  %11s  %s\n", value->path, text,
                value->determined ? spread : "-", reported);
    }
}

static void text_figures(const struct calibration *calibration, FILE *out)
{
    fprintf(out, "\nFigures                       measured    spread         model    error\n");
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        const struct calibration_figure *figure = &calibration->shown[i];
        fprintf(out, "  %-12s %-9s %11.3f us  %7.2f%%  %9.3f us  %+7.2f%%%s\n",
                benchmark_names[figure->benchmark], benchmark_figure_words[figure->figure],
                (double)figure->measured / 1e6, 100 * figure->spread,
                (double)figure->modelled / 1e6, 100 * error_of(figure),
                figure->weight <= 0   ? "  not fitted"
                : figure->trust < 0.5 ? "  contradicts the other figures"
                                      : "");
    }
}

/* Text from a device or file: only printable ASCII reaches the terminal. */
static void text_words(const char *words, FILE *out)
{
    for (; *words != '\0'; words++)
        fputc(*words >= ' ' && *words < 0x7F ? *words : '?', out);
}

static void text_device(const struct measurements *figures, FILE *out)
{
    text_words(figures->device, out);
    if (figures->firmware[0] != '\0')
        fputs(", firmware ", out);
    text_words(figures->firmware, out);
    fputs(", ", out);
    text_words(figures->kernel, out);
}

bool calibration_text(const struct calibration *calibration, FILE *out)
{
    fputs("Calibration of ", out);
    text_device(calibration->figures, out);
    fprintf(out, "; base %s\n", calibration->base);
    text_values(calibration, out);
    text_figures(calibration, out);
    fprintf(out, "\nMean error of the fitted figures: %.2f%% (all benchmarks simulated %u %s)\n",
            100 * calibration->noise, calibration->evaluations,
            plural(calibration->evaluations, "time", "times"));
    return fflush(out) == 0 && ferror(out) == 0;
}

/* ------------------------------------------------------------------ JSON */

static void json_key(const char *key, const char *value, FILE *out)
{
    fprintf(out, "\"%s\": ", key);
    json_string(out, value);
}

static void json_texts(const char *key, const struct measurements_texts *texts, FILE *out)
{
    fprintf(out, ",\n \"%s\": [", key);
    for (uint32_t i = 0; i < texts->count; i++) {
        fputs(i == 0 ? "" : ", ", out);
        json_string(out, texts->list[i]);
    }
    fputc(']', out);
}

static void json_times(const struct measurements_benchmark *of, int figure, FILE *out)
{
    fprintf(out, "%s\"%s_ps\": [", figure == 0 ? "" : ",\n    ", benchmark_figure_words[figure]);
    for (uint32_t i = 0; i < of->repeats; i++)
        fprintf(out, "%s%" PRId64, i == 0 ? "" : ", ", of->times[figure][i]);
    fputc(']', out);
}

static void json_figures(const struct measurements *figures, FILE *out)
{
    const char *between = "";
    fputs(",\n \"figures\": {", out);
    for (uint32_t i = 0; i < BENCHMARK_COUNT; i++) {
        if (figures->benchmarks[i].repeats == 0)
            continue;
        fprintf(out, "%s\n  \"%s\": {\n    ", between, benchmark_names[i]);
        for (int f = 0; f < BENCHMARK_FIGURE_COUNT; f++)
            json_times(&figures->benchmarks[i], f, out);
        fputc('}', out);
        between = ",";
    }
    fputc('}', out);
}

static void json_one_value(const struct calibration *calibration,
                           const struct calibration_value *value, FILE *out)
{
    char text[QUANTITY_TEXT_BYTES], spread[QUANTITY_TEXT_BYTES], reported[WORDS_BYTES];
    write_value(value, text, spread);
    fputs("\n    {", out);
    json_key("path", value->path, out);
    fprintf(out, ", \"determined\": %s, ", value->determined ? "true" : "false");
    json_key("value", text, out);
    if (value->determined) {
        fputs(", ", out);
        json_key("spread", spread, out);
    }
    reported_by(calibration, value, reported);
    fputs(", ", out);
    json_key("told_by", reported, out);
    fputc('}', out);
}

static void json_one_figure(const struct calibration_figure *figure, FILE *out)
{
    fprintf(out, "\n    {\"benchmark\": \"%s\", \"figure\": \"%s\", \"fitted\": %s,",
            benchmark_names[figure->benchmark], benchmark_figure_words[figure->figure],
            figure->weight > 0 ? "true" : "false");
    fprintf(out, " \"measured_ps\": %" PRId64 ", \"model_ps\": %" PRId64 ", \"error\": ",
            figure->measured, figure->modelled);
    json_real(out, error_of(figure));
    fputs(", \"spread\": ", out);
    json_real(out, figure->spread);
    fputc('}', out);
}

static void json_fit(const struct calibration *calibration, FILE *out)
{
    fputs(",\n \"fit\": {", out);
    json_key("base", calibration->base, out);
    fputs(", \"noise\": ", out);
    json_real(out, calibration->noise);
    fputs(",\n  \"parameters\": [", out);
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        json_one_value(calibration, &calibration->values[i], out);
    }
    fputs("],\n  \"residuals\": [", out);
    for (uint32_t i = 0; i < calibration->shown_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        json_one_figure(&calibration->shown[i], out);
    }
    fputs("]}", out);
}

bool calibration_json(const struct measurements *figures, const struct calibration *calibration,
                      FILE *out)
{
    json_open(out);
    fputs("\"stormglass-figures\": 1, ", out);
    json_key("device", figures->device, out);
    fputs(", ", out);
    json_key("firmware", figures->firmware, out);
    fputs(", ", out);
    json_key("kernel", figures->kernel, out);
    json_texts("facts", &figures->facts, out);
    json_texts("sets", &figures->sets, out);
    json_figures(figures, out);
    if (calibration != NULL)
        json_fit(calibration, out);
    fputs("}\n", out);
    return fflush(out) == 0 && ferror(out) == 0;
}

/* ------------------------------------------------------------------ profile */

/* The part of the key within a section such as "rnic.". */
static const char *key_in(const char *path, const char *section)
{
    const size_t length = strlen(section);
    return strncmp(path, section, length) == 0 && path[length] == '.' ? path + length + 1 : NULL;
}

static void profile_kept(const struct calibration_kept *kept, FILE *out)
{
    fprintf(out, "  %s: {value: \"%s\", evidence: %s, source: ", kept->name, kept->value,
            kept->evidence);
    json_string(out, kept->source);
    fputs("}\n", out);
}

static void profile_value(const struct calibration *calibration,
                          const struct calibration_value *value, const char *key, FILE *out)
{
    char text[QUANTITY_TEXT_BYTES], spread[QUANTITY_TEXT_BYTES], reported[WORDS_BYTES];
    write_value(value, text, spread);
    reported_by(calibration, value, reported);
    fprintf(out, "  %s: {value: %s, evidence: %s, source: \"%s%s%s\"}\n", key, text,
            value->determined             ? "measured"
            : value->value != value->base ? "inferred"
                                          : "assumed",
            reported, value->determined ? "; spread " : "", value->determined ? spread : "");
}

static bool has_section(const struct calibration *calibration, const char *section)
{
    bool any = false;
    for (uint32_t i = 0; i < calibration->value_count; i++)
        any |= key_in(calibration->values[i].path, section) != NULL;
    return any;
}

static void profile_section(const struct calibration *calibration, const char *section, FILE *out)
{
    for (uint32_t i = 0; i < calibration->value_count; i++) {
        const struct calibration_value *value = &calibration->values[i];
        const char *key = key_in(value->path, section);
        if (key != NULL)
            profile_value(calibration, value, key, out);
    }
}

static void profile_ranges(const struct calibration *calibration, FILE *out)
{
    fputs("calibrated: {", out);
    for (size_t i = 0; i < calibration->range_count; i++) {
        const struct calibration_range *range = &calibration->ranges[i];
        char low[QUANTITY_TEXT_BYTES], high[QUANTITY_TEXT_BYTES];
        opt_format(range->row, range->low, low, sizeof low);
        opt_format(range->row, range->high, high, sizeof high);
        fprintf(out, "%s%s: %s..%s", i == 0 ? "" : ", ", range->word, low, high);
    }
    fputs("}\n", out);
}

bool calibration_profile(const struct calibration *calibration, const char *name, FILE *out)
{
    static const char *const software[] = {"nvme", "target"};
    const struct measurements *figures = calibration->figures;
    fprintf(out, "# Written by stormglass calibrate.\nstormglass-profile: 1\nname: ");
    json_string(out, name);
    fputs("\nabout: ", out);
    char about[3 * WORDS_BYTES];
    snprintf(about, sizeof about, "%.80s, %.80s, over %.60s; mean error %.2f%%.", figures->device,
             figures->kernel, calibration->base, 100 * calibration->noise);
    json_string(out, about);
    fputs("\nkind: rnic\n", out);
    profile_ranges(calibration, out);
    fputs("values:\n", out);
    for (size_t i = 0; i < calibration->kept_count; i++)
        profile_kept(&calibration->kept[i], out);
    profile_section(calibration, "rnic", out);
    for (size_t i = 0; i < sizeof software / sizeof software[0]; i++)
        if (has_section(calibration, software[i])) {
            fprintf(out, "%s:\n", software[i]);
            profile_section(calibration, software[i], out);
        }
    return fflush(out) == 0 && ferror(out) == 0;
}

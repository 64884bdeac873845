/* SPDX-License-Identifier: Apache-2.0
 * compare_text - one function for each part of the text. */
#include "reports/text/compare_text.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "reports/text/paint.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { SETTINGS_MAX = 12, ROWS_MAX = 20 };

struct section {
    const struct compare *compare;
    FILE *out;
    struct paint paint;
};

struct words compare_value(enum figure_kind kind, double value)
{
    switch (figure_rows[kind].unit) {
    case FIGURE_TIME:
        return words_time(words_whole(value));
    case FIGURE_RATE:
        return words_rate(value);
    case FIGURE_COUNTED:
        break;
    }
    return words_short(value);
}

struct words compare_error_words(double error)
{
    struct words words;
    if (isinf(error))
        snprintf(words.text, sizeof words.text, "n/a");
    else if (error >= 9.95)
        snprintf(words.text, sizeof words.text, "x %.0f", 1 + error);
    else
        snprintf(words.text, sizeof words.text, "%+.1f%%", fabs(error) < 5e-4 ? 0 : 100 * error);
    return words;
}

static void write_head(const struct section *section, const char *words)
{
    fprintf(section->out, "\n%s%-16s%s", section->paint.bold, words, section->paint.off);
}

static void write_side(const struct section *section, int which)
{
    const struct compare_side *side = &section->compare->sides[which];
    fprintf(section->out, "  %-10s %s: ", which == 0 ? "model" : "measured", side->path);
    if (side->measured) {
        char date[32] = "";
        const time_t at = (time_t)side->started_unix_s;
        struct tm when;
        if (gmtime_r(&at, &when) != NULL)
            strftime(date, sizeof date, "%Y-%m-%d", &when);
        fprintf(section->out, "%s%s%s, Linux %s, %s, ", side->device,
                side->firmware[0] != '\0' ? ", firmware " : "", side->firmware, side->kernel, date);
    }
    fprintf(section->out, "stormglass %s\n", side->version);
}

static void write_settings(const struct section *section)
{
    const struct compare *compare = section->compare;
    if (compare->setting_count == 0)
        return;
    write_head(section, "Settings");
    fprintf(section->out, "%zu %s; the workload is the same\n", compare->setting_count,
            plural(compare->setting_count, "differs", "differ"));
    for (size_t i = 0; i < compare->setting_count && i < SETTINGS_MAX; i++)
        fprintf(section->out, "  %-40s %14s %14s\n", compare->settings[i].what,
                compare->settings[i].model, compare->settings[i].measured);
    if (compare->setting_count > SETTINGS_MAX)
        fprintf(section->out, "  %s... and %zu more%s\n", section->paint.dim,
                compare->setting_count - SETTINGS_MAX, section->paint.off);
}

static void write_row(const struct section *section, const struct compare_row *row)
{
    const char *colour = row->counts ? section->paint.bad : section->paint.dim;
    fprintf(section->out, "  %s%-10s %s%s\n            model     %s\n            measured  %s\n",
            colour, row->counts ? "differs" : "may differ", row->what, section->paint.off,
            row->model, row->measured);
}

static void write_protocol(const struct section *section)
{
    const struct compare *compare = section->compare;
    size_t shown = 0, apart = 0;
    write_head(section, "Protocol");
    if (compare->rows_different == 0)
        fprintf(section->out, "%sequal%s in all %zu compared %s\n", section->paint.good,
                section->paint.off, compare->rows_counting,
                plural(compare->rows_counting, "value", "values"));
    else
        fprintf(section->out, "%sdiffers%s in %zu of %zu compared %s\n", section->paint.bad,
                section->paint.off, compare->rows_different, compare->rows_counting,
                plural(compare->rows_counting, "value", "values"));
    for (size_t i = 0; i < compare->row_count; i++) {
        apart += !compare->rows[i].equal;
        if (!compare->rows[i].equal && shown < ROWS_MAX) {
            write_row(section, &compare->rows[i]);
            shown++;
        }
    }
    if (apart > shown)
        fprintf(section->out, "  %s... and %zu more%s\n", section->paint.dim, apart - shown,
                section->paint.off);
}

static void write_figure(const struct section *section, const struct compare_figure *figure,
                         enum figure_kind kind)
{
    fprintf(section->out, "    %-10s", figure_rows[kind].heading);
    if (!figure->known) {
        fputs("             -             -\n", section->out);
        return;
    }
    fprintf(section->out, "%14s%14s%12s", compare_value(kind, figure->model).text,
            compare_value(kind, figure->measured).text, compare_error_words(figure->error).text);
    if (figure->judged)
        fprintf(section->out, "   %s%s%s",
                figure->within ? section->paint.good : section->paint.bad,
                figure->within ? "within" : "beyond", section->paint.off);
    fputc('\n', section->out);
}

static void write_timing(const struct section *section)
{
    const struct compare *compare = section->compare;
    write_head(section, "Timing");
    fprintf(section->out, "  %12s%14s%12s\n", "model", "measured", "error");
    for (size_t i = 0; i < compare->workload_count; i++) {
        const struct compare_workload *workload = &compare->workloads[i];
        fprintf(section->out, "  %s  %s%s; %s%s%s%s\n", workload->model->name, section->paint.dim,
                workload->model->point, figure_range_name(workload->model->range),
                workload->model->outside[0] != '\0' ? ": " : "", workload->model->outside,
                section->paint.off);
        for (int k = 0; k < FIGURE_COUNT; k++)
            write_figure(section, &workload->figures[k], (enum figure_kind)k);
    }
}

static void write_verdict(const struct section *section)
{
    const struct compare *compare = section->compare;
    write_head(section, "Verdict");
    fprintf(section->out, "the protocol %s; %u of %u %s within %g%%\n",
            compare->rows_different == 0 ? "is equal" : "differs", compare->within, compare->judged,
            plural(compare->judged, "figure", "figures"), 100 * compare->options.tolerance);
}

bool compare_text(const struct compare *compare, FILE *out)
{
    const struct section section = {compare, out, paint_for(out)};
    fprintf(out, "%s%s%s  %s\n", section.paint.bold, compare->sides[0].scenario, section.paint.off,
            compare->sides[0].about);
    write_side(&section, 0);
    write_side(&section, 1);
    write_settings(&section);
    write_protocol(&section);
    write_timing(&section);
    write_verdict(&section);
    return ferror(out) == 0;
}

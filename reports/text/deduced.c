/* SPDX-License-Identifier: Apache-2.0
 * deduced - the text output. */
#include "reports/text/deduced.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "reports/text/deduced_words.h"

#include <math.h>

static void value_words(const struct deduced_parameter *parameter, int64_t value,
                        char text[QUANTITY_TEXT_BYTES])
{
    opt_format(parameter->row, value, text, QUANTITY_TEXT_BYTES);
}

static size_t count_of(const struct deduced *deduced, enum deduce_state state)
{
    size_t count = 0;
    for (int i = 0; i < DEDUCE_COUNT; i++)
        count += !deduced->parameters[i].absent && deduced->parameters[i].state == state;
    return count;
}

static bool text_names(const struct deduced *deduced, const struct reading *of, bool known,
                       const char *words, FILE *out)
{
    const char *before = words;
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        if (parameter->absent || !deduced_is_by(parameter, of) ||
            (parameter->state == DEDUCE_KNOWN) != known)
            continue;
        fprintf(out, "%s%s", before, parameter->path);
        before = ", ";
    }
    return before != words;
}

static void text_files(const struct deduced *deduced, FILE *out)
{
    const struct readings *readings = deduced->readings;
    fputs("\nFiles\n", out);
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        char name[DEDUCED_WORDS_BYTES];
        if (!deduced_is_first(readings, reading))
            continue;
        deduced_file_words(reading, name);
        fprintf(out, "  %s: ", name);
        const bool known = text_names(deduced, reading, true, "determines ", out);
        const bool bound =
            text_names(deduced, reading, false, known ? "; bounds " : "bounds ", out);
        fputs(known || bound ? "\n" : "determines no parameter\n", out);
    }
}

static void text_known(const struct deduced *deduced, FILE *out)
{
    if (count_of(deduced, DEDUCE_KNOWN) > 0)
        fprintf(out, "\nDetermined                      value  precision  determined by\n");
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES], precision[DEDUCED_WORDS_BYTES],
            source[DEDUCED_WORDS_BYTES];
        if (parameter->absent || parameter->state != DEDUCE_KNOWN)
            continue;
        value_words(parameter, parameter->value, value);
        deduced_precision_words(parameter, precision);
        deduced_source_words(parameter, source);
        fprintf(out, "  %-24s %10s  %9s  %s\n", parameter->path, value, precision, source);
    }
}

static void text_bounds(const struct deduced *deduced, FILE *out)
{
    if (count_of(deduced, DEDUCE_AT_MOST) + count_of(deduced, DEDUCE_AT_LEAST) > 0)
        fprintf(out, "\nOnly bounded\n");
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES], bound[QUANTITY_TEXT_BYTES], source[DEDUCED_WORDS_BYTES];
        if (parameter->absent)
            continue;
        if (parameter->state != DEDUCE_AT_MOST && parameter->state != DEDUCE_AT_LEAST)
            continue;
        value_words(parameter, parameter->value, value);
        value_words(parameter, parameter->bound, bound);
        deduced_source_words(parameter, source);
        fprintf(out, "  %-24s %s %s; the profile uses %s  (%s)\n", parameter->path,
                parameter->state == DEDUCE_AT_MOST ? "at most" : "at least", bound, value, source);
    }
}

static void text_open(const struct deduced *deduced, FILE *out)
{
    fprintf(out,
            "\nNot determined           value of %.40s, and a measurement that determines it\n",
            deduced->tcp ? "the profile" : deduced->base);
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES];
        if (parameter->absent || parameter->state == DEDUCE_KNOWN)
            continue;
        value_words(parameter, parameter->value, value);
        fprintf(out, "  %-24s %-13s  %s\n", parameter->path, value, parameter->settle);
    }
}

static void text_conflicts(const struct deduced *deduced, FILE *out)
{
    if (deduced->conflict_count > 0)
        fprintf(out, "\nContradictions\n");
    for (size_t i = 0; i < deduced->conflict_count; i++) {
        const struct deduced_conflict *conflict = &deduced->conflicts[i];
        char one[DEDUCED_WORDS_BYTES], other[DEDUCED_WORDS_BYTES] = "";
        deduced_reading_words(conflict->one, one);
        if (conflict->other != NULL)
            deduced_reading_words(conflict->other, other);
        fprintf(out, "  %s%s%s\n    %s\n", one, other[0] == '\0' ? "" : "; ", other,
                conflict->sentence);
    }
}

static void text_notes(const struct deduced *deduced, FILE *out)
{
    const struct readings *readings = deduced->readings;
    const char *heading = "\nNot used, because no parameter matches\n";
    for (size_t i = 0; i < readings->count; i++) {
        char words[DEDUCED_WORDS_BYTES];
        if (readings->list[i].kind != READING_NOTE)
            continue;
        deduced_reading_words(&readings->list[i], words);
        fprintf(out, "%s  %s: %s\n", heading, words, readings->list[i].value);
        heading = "";
    }
}

static void text_not_simulated(const struct deduced *deduced, FILE *out)
{
    const struct readings *readings = deduced->readings;
    const char *heading = "\nNot simulated\n";
    for (size_t i = 0; i < readings->count; i++) {
        const char *obstacle = deduce_obstacle(deduced, &readings->list[i]);
        char words[DEDUCED_WORDS_BYTES];
        if (obstacle == NULL)
            continue;
        deduced_reading_words(&readings->list[i], words);
        fprintf(out, "%s  %s: %s\n", heading, words, obstacle);
        heading = "";
    }
}

static void text_figures(const struct deduced *deduced, FILE *out)
{
    if (deduced->figure_count > 0)
        fprintf(out, "\nFigures                    measured        model    error\n");
    for (size_t i = 0; i < deduced->figure_count; i++) {
        const struct deduced_figure *figure = &deduced->figures[i];
        const double unit = 1e6;
        char words[DEDUCED_WORDS_BYTES];
        deduced_reading_words(figure->reading, words);
        fprintf(out, "  %20.4g %-6s %12.4g  %+7.1f%%  %s%s%s\n", figure->measured / unit,
                figure->is_rate ? "Mops/s" : "us", figure->modelled / unit,
                100 * deduced_error(figure), words, figure->held_out ? "; held out" : "",
                fabs(deduced_error(figure)) > deduced_missed ? "; not reproduced" : "");
    }
}

bool deduced_text(const struct deduced *deduced, FILE *out)
{
    char rate[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, deduced->rate, rate, sizeof rate);
    fprintf(out, "%zu %s from %zu file%s; base profile %s, link rate %s\n",
            deduced->readings->count, plural(deduced->readings->count, "reading", "readings"),
            deduced->readings->files, plural(deduced->readings->files, "", "s"), deduced->base,
            rate);
    text_files(deduced, out);
    text_known(deduced, out);
    text_bounds(deduced, out);
    text_conflicts(deduced, out);
    text_notes(deduced, out);
    text_not_simulated(deduced, out);
    text_open(deduced, out);
    text_figures(deduced, out);
    return fflush(out) == 0 && ferror(out) == 0;
}

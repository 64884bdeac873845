/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/text/deduced.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "reports/text/deduced_words.h"
#include "reports/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void value_words(const struct deduced_parameter *parameter, int64_t value,
                        char text[QUANTITY_TEXT_BYTES])
{
    opt_format(parameter->row, value, text, QUANTITY_TEXT_BYTES);
}

static size_t count_of(const struct deduced *deduced, enum deduce_state state)
{
    size_t count = 0;
    for (int i = 0; i < DEDUCE_COUNT; i++)
        count += deduced->parameters[i].state == state;
    return count;
}

/* ------------------------------------------------------------------ text */

static void text_known(const struct deduced *deduced, FILE *out)
{
    if (count_of(deduced, DEDUCE_KNOWN) > 0)
        fprintf(out, "\nDetermined                      value  precision  by\n");
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES], precision[DEDUCED_WORDS_BYTES],
            source[DEDUCED_WORDS_BYTES];
        if (parameter->state != DEDUCE_KNOWN)
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
        fprintf(out, "\nBounds only\n");
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES], bound[QUANTITY_TEXT_BYTES], source[DEDUCED_WORDS_BYTES];
        if (parameter->state != DEDUCE_AT_MOST && parameter->state != DEDUCE_AT_LEAST)
            continue;
        value_words(parameter, parameter->value, value);
        value_words(parameter, parameter->bound, bound);
        deduced_source_words(parameter, source);
        fprintf(out, "  %-24s %s %s, taken as %s  %s\n", parameter->path,
                parameter->state == DEDUCE_AT_MOST ? "at most" : "at least", bound, value, source);
    }
}

static void text_open(const struct deduced *deduced, FILE *out)
{
    fprintf(out, "\nNot determined           as %-12.40s  what would determine it\n",
            deduced->base);
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char value[QUANTITY_TEXT_BYTES];
        if (parameter->state == DEDUCE_KNOWN)
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
    const char *heading = "\nWithout a parameter\n";
    for (size_t i = 0; i < readings->count; i++) {
        char words[DEDUCED_WORDS_BYTES];
        if (readings->list[i].kind != READING_NOTE)
            continue;
        deduced_reading_words(&readings->list[i], words);
        fprintf(out, "%s  %s: %s\n", heading, words, readings->list[i].value);
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
        fprintf(out, "  %20.4g %-6s %12.4g  %+6.1f %%  %s%s\n", figure->measured / unit,
                figure->is_rate ? "Mops/s" : "us", figure->modelled / unit,
                100 * deduced_error(figure), words,
                fabs(deduced_error(figure)) > deduced_missed ? "; missed" : "");
    }
}

bool deduced_text(const struct deduced *deduced, FILE *out)
{
    char rate[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, deduced->rate, rate, sizeof rate);
    fprintf(out, "%zu readings of %zu file%s; base %s, link of %s\n", deduced->readings->count,
            deduced->readings->files, deduced->readings->files == 1 ? "" : "s", deduced->base,
            rate);
    text_known(deduced, out);
    text_bounds(deduced, out);
    text_conflicts(deduced, out);
    text_notes(deduced, out);
    text_open(deduced, out);
    text_figures(deduced, out);
    return fflush(out) == 0 && ferror(out) == 0;
}

/* ------------------------------------------------------------------ profile */

static void profile_row(const char *key, const char *value, const char *evidence,
                        const char *source, FILE *out)
{
    fprintf(out, "  %s: {value: \"%s\", evidence: %s, source: ", key, value, evidence);
    json_string(out, source == NULL ? "" : source);
    fputs("}\n", out);
}

/* A value that nobody wrote into the base stays nobody's. */
static void profile_parameter(const struct deduced_parameter *parameter, const char *key, FILE *out)
{
    char value[QUANTITY_TEXT_BYTES], source[DEDUCED_WORDS_BYTES];
    const bool own = parameter->state == DEDUCE_KNOWN || parameter->value != parameter->base;
    if (!own && !parameter->written)
        return;
    value_words(parameter, parameter->value, value);
    deduced_source_words(parameter, source);
    profile_row(key, value, own ? parameter->evidence : parameter->base_evidence,
                own ? source : parameter->source, out);
}

/* What belongs to a section: "rnic." */
static const char *key_in(const char *path, const char *section)
{
    const size_t length = strlen(section);
    return strncmp(path, section, length) == 0 ? path + length : NULL;
}

static void profile_section(const struct deduced *deduced, const char *section, FILE *out)
{
    for (size_t i = 0; i < deduced->kept_count; i++) {
        const struct deduced_kept *kept = &deduced->kept[i];
        if (key_in(kept->path, section) != NULL)
            profile_row(key_in(kept->path, section), kept->value, kept->evidence, kept->source,
                        out);
    }
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        if (key_in(parameter->path, section) != NULL)
            profile_parameter(parameter, key_in(parameter->path, section), out);
    }
}

bool deduced_profile(const struct deduced *deduced, const char *name, FILE *out)
{
    char *text;
    size_t size;
    static const char *const software[] = {"nvme", "target"};
    fprintf(out, "# Written by stormglass calibrate.\nstormglass-profile: 1\nname: ");
    json_string(out, name);
    fprintf(out, "\nabout: \"%zu readings of %zu files, over %s.\"\nkind: rnic\nvalues:\n",
            deduced->readings->count, deduced->readings->files, deduced->base);
    profile_section(deduced, "rnic.", out);
    for (size_t i = 0; i < sizeof software / sizeof software[0]; i++) {
        char section[16];
        snprintf(section, sizeof section, "%s.", software[i]);
        FILE *part = memory_stream(&text, &size);
        profile_section(deduced, section, part);
        memory_stream_end(part);
        if (size > 0)
            fprintf(out, "%s:\n%s", software[i], text);
        free(text);
    }
    return fflush(out) == 0 && ferror(out) == 0;
}

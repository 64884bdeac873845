/* SPDX-License-Identifier: Apache-2.0
 * deduced_json - deduced parameters for programs: JSON and CSV. */
#include "base/quantity.h"
#include "reports/text/csv.h"
#include "reports/text/deduced.h"
#include "reports/text/deduced_words.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>

static void key(const char *name, const char *value, FILE *out)
{
    fprintf(out, "\"%s\": ", name);
    json_string(out, value);
}

static void quantity(const char *name, const struct deduced_parameter *parameter, int64_t value,
                     FILE *out)
{
    char text[QUANTITY_TEXT_BYTES];
    opt_format(parameter->row, value, text, sizeof text);
    fputs(", ", out);
    key(name, text, out);
}

static void place(const struct reading *reading, FILE *out)
{
    fputs(", ", out);
    key("file", reading == NULL ? NULL : reading->where.file, out);
    fprintf(out, ", \"line\": ");
    if (reading == NULL)
        fputs("null", out);
    else
        fprintf(out, "%d", reading->where.line);
}

static const char *const states[] = {
    [DEDUCE_OPEN] = "open",
    [DEDUCE_AT_MOST] = "at-most",
    [DEDUCE_AT_LEAST] = "at-least",
    [DEDUCE_KNOWN] = "determined",
};

static void parameter(const struct deduced_parameter *of, FILE *out)
{
    const bool known = of->state == DEDUCE_KNOWN;
    fputs("\n  {", out);
    key("path", of->path, out);
    fputs(", ", out);
    key("state", states[of->state], out);
    quantity("value", of, of->value, out);
    quantity("base", of, of->base, out);
    if (of->state == DEDUCE_AT_MOST || of->state == DEDUCE_AT_LEAST)
        quantity("bound", of, of->bound, out);
    fputs(", \"spread\": ", out);
    json_real(out, known && of->measured && of->value > 0 ? of->spread / (double)of->value : 0);
    place(of->from, out);
    fputs(", ", out);
    key("how", of->how, out);
    fputs(", ", out);
    key("settled_by", known ? NULL : of->settle, out);
    fputc('}', out);
}

static void conflict(const struct deduced_conflict *of, FILE *out)
{
    fputs("\n  {", out);
    key("sentence", of->sentence, out);
    place(of->one, out);
    fputs(", \"other\": ", out);
    if (of->other == NULL)
        fputs("null", out);
    else {
        fputc('{', out);
        key("file", of->other->where.file, out);
        fprintf(out, ", \"line\": %d}", of->other->where.line);
    }
    fputc('}', out);
}

static void figure(const struct deduced_figure *of, FILE *out)
{
    fputs("\n  {", out);
    key("figure", of->is_rate ? "messages_per_second" : "latency_ps", out);
    place(of->reading, out);
    fputs(", ", out);
    key("verb", reading_verb_word(of->reading->work.verb), out);
    fprintf(out, ", \"bytes\": %" PRId64 ", \"measured\": ", of->reading->work.bytes);
    json_real(out, of->measured);
    fputs(", \"model\": ", out);
    json_real(out, of->modelled);
    fputs(", \"error\": ", out);
    json_real(out, deduced_error(of));
    fprintf(out, ", \"missed\": %s, \"held_out\": %s}",
            fabs(deduced_error(of)) > deduced_missed ? "true" : "false",
            of->held_out ? "true" : "false");
}

static void names(const struct deduced *deduced, const struct reading *by, bool known, FILE *out)
{
    const char *between = "";
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *of = &deduced->parameters[i];
        if (of->absent || !deduced_is_by(of, by) || (of->state == DEDUCE_KNOWN) != known)
            continue;
        fprintf(out, "%s\"%s\"", between, of->path);
        between = ", ";
    }
}

static void files(const struct deduced *deduced, FILE *out)
{
    const struct readings *readings = deduced->readings;
    const char *between = "";
    for (size_t i = 0; i < readings->count; i++) {
        if (!deduced_is_first(readings, &readings->list[i]))
            continue;
        fprintf(out, "%s\n  {", between);
        key("file", readings->list[i].where.file, out);
        fputs(", \"determines\": [", out);
        names(deduced, &readings->list[i], true, out);
        fputs("], \"bounds\": [", out);
        names(deduced, &readings->list[i], false, out);
        fputs("]}", out);
        between = ",";
    }
}

static void sentence_of(const struct reading *reading, const char *sentence, const char **between,
                        FILE *out)
{
    fprintf(out, "%s\n  {", *between);
    key("sentence", sentence, out);
    place(reading, out);
    fputc('}', out);
    *between = ",";
}

static void notes(const struct readings *readings, FILE *out)
{
    const char *between = "";
    for (size_t i = 0; i < readings->count; i++)
        if (readings->list[i].kind == READING_NOTE)
            sentence_of(&readings->list[i], readings->list[i].value, &between, out);
}

static void not_simulated(const struct deduced *deduced, FILE *out)
{
    const char *between = "";
    for (size_t i = 0; i < deduced->readings->count; i++) {
        const struct reading *reading = &deduced->readings->list[i];
        const char *obstacle = deduce_obstacle(deduced, reading);
        if (obstacle != NULL)
            sentence_of(reading, obstacle, &between, out);
    }
}

bool deduced_json(const struct deduced *deduced, FILE *out)
{
    json_open(out);
    key("base", deduced->base, out);
    fprintf(out, ", \"readings\": %zu, \"link_bps\": %" PRId64 ",\n \"files\": [",
            deduced->readings->count, deduced->rate);
    files(deduced, out);
    fputs("],\n \"parameters\": [", out);
    const char *between = "";
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        if (deduced->parameters[i].absent)
            continue;
        fputs(between, out);
        parameter(&deduced->parameters[i], out);
        between = ",";
    }
    fputs("],\n \"contradictions\": [", out);
    for (size_t i = 0; i < deduced->conflict_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        conflict(&deduced->conflicts[i], out);
    }
    fputs("],\n \"without_parameter\": [", out);
    notes(deduced->readings, out);
    fputs("],\n \"not_simulated\": [", out);
    not_simulated(deduced, out);
    fputs("],\n \"figures\": [", out);
    for (size_t i = 0; i < deduced->figure_count; i++) {
        fputs(i == 0 ? "" : ",", out);
        figure(&deduced->figures[i], out);
    }
    fputs("]}\n", out);
    return fflush(out) == 0 && ferror(out) == 0;
}

/* ------------------------------------------------------------------ CSV */

static void write_quantity(struct csv *csv, const struct deduced_parameter *of, bool known,
                           int64_t value)
{
    char text[QUANTITY_TEXT_BYTES];
    opt_format(of->row, value, text, sizeof text);
    csv_text(csv, known ? text : NULL);
}

static void write_parameter(struct csv *csv, const struct deduced_parameter *of)
{
    const bool known = of->state == DEDUCE_KNOWN, open = of->state == DEDUCE_OPEN;
    csv_text(csv, of->path);
    csv_text(csv, states[of->state]);
    write_quantity(csv, of, true, of->value);
    write_quantity(csv, of, true, of->base);
    write_quantity(csv, of, !known && !open, of->bound);
    csv_real(csv, known && of->measured && of->value > 0 ? of->spread / (double)of->value : 0);
    csv_text(csv, of->from == NULL ? NULL : of->from->where.file);
    if (of->from == NULL)
        csv_empty(csv);
    else
        csv_integer(csv, of->from->where.line);
    csv_text(csv, of->how);
    csv_text(csv, known ? NULL : of->settle);
    csv_end_row(csv);
}

bool deduced_csv(const struct deduced *deduced, FILE *out)
{
    struct csv csv;
    csv_table(&csv, out, "path,state,value,base,bound,spread,file,line,how,settled_by");
    for (int i = 0; i < DEDUCE_COUNT; i++)
        if (!deduced->parameters[i].absent)
            write_parameter(&csv, &deduced->parameters[i]);
    return fflush(out) == 0 && ferror(out) == 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * claims_svg - the cases of one claim as a bar chart.
 * A panel for each unit of the figures and each choice of the second axis. In it, a group of bars
 * for each choice of the first axis, and a bar for each figure. A dashed line is a limit of
 * true-if. Figures that are words have no bars. */
#include "cli/claims/claims_output.h"
#include "reports/draw/picture_style.h"

#include <string.h>

enum {
    LEFT = 24,
    NAMES = 240,
    PANEL = 250,
    GAP = 24,
    VALUE = 70, /* of a panel, for the value behind the longest bar */
    TOP = 118,
    TITLE = 30,
    BAR = 12,
    GROUP_GAP = 8,
    CHARACTERS = 150 /* of a line above the panels */
};

struct chart {
    const struct settled *settled;
    const struct claim *claim;
    uint32_t columns, groups; /* choices of the second and of the first axis */
    FILE *out;
};

static const char *style_of(uint32_t bar)
{
    static const char *const styles[] = {"switch", "data", "victim", "host", "lost", "ending"};
    return styles[bar % (sizeof styles / sizeof styles[0])];
}

static void put_text(FILE *out, const char *style, double x, double y, int size, const char *words)
{
    fprintf(out, "<g class=\"node %s\"><text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" fill=\"%s\">",
            style, x, y, size, picture_style(style)->light.text);
    picture_escape(out, words);
    fputs("</text></g>\n", out);
}

/* Breaks between words; returns the y of the next line. */
static double put_lines(const struct chart *chart, double y, const char *words)
{
    char line[CHARACTERS + 1];
    while (*words != '\0') {
        size_t length = strlen(words);
        if (length > CHARACTERS) {
            length = CHARACTERS;
            while (length > 0 && words[length] != ' ')
                length--;
            length = length == 0 ? CHARACTERS : length;
        }
        memcpy(line, words, length);
        line[length] = '\0';
        put_text(chart->out, "dim", LEFT, y, 12, line);
        words += length + strspn(words + length, " ");
        y += 16;
    }
    return y;
}

static uint32_t bars_of(const struct claim *claim, enum claim_unit unit)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < claim->figure_count; i++)
        count += claim->figures[i].unit == unit;
    return count;
}

static double group_height(const struct chart *chart, enum claim_unit unit)
{
    return bars_of(chart->claim, unit) * BAR + GROUP_GAP;
}

static double panel_height(const struct chart *chart, enum claim_unit unit)
{
    return TITLE + 16 + chart->groups * group_height(chart, unit) + GAP;
}

static double panel_x(uint32_t column)
{
    return LEFT + NAMES + (double)column * (PANEL + GAP);
}

/* The longest bar of a unit, in all panels, so that panels can be compared; at least its limits. */
static double largest(const struct chart *chart, enum claim_unit unit)
{
    const struct claim *claim = chart->claim;
    double most = 0;
    for (uint32_t i = 0; i < claim->case_count; i++)
        for (uint32_t f = 0; f < claim->figure_count; f++) {
            const struct settle_value *value = &chart->settled->cases[i].figures[f];
            if (claim->figures[f].unit == unit && value->known && value->number > most)
                most = value->number;
        }
    return most > 0 ? most : 1;
}

static void put_bar(const struct chart *chart, uint32_t index, uint32_t figure, double x, double y,
                    double most, const char *style)
{
    const struct settle_case *found = &chart->settled->cases[index];
    const struct settle_value *value = &found->figures[figure];
    const struct picture_colours *colours = &picture_style(style)->light;
    const bool none = found->state == SETTLE_CASE_NONE;
    const double share = none || !value->known || value->number < 0 ? 0 : value->number / most;
    char words[SETTLE_TEXT_BYTES];
    snprintf(words, sizeof words, "%s", none ? "not modeled" : value->text);
    fprintf(chart->out, "<g class=\"node %s\"><title>", style);
    picture_escape(chart->out, chart->claim->figures[figure].about);
    fputs(": ", chart->out);
    picture_escape(chart->out, words);
    fprintf(chart->out,
            "</title><path d=\"M%.1f %.1fh%.1fv%dh%.1fz\" fill=\"%s\" stroke=\"%s\"/></g>\n", x, y,
            share * (PANEL - VALUE), BAR - 2, -share * (PANEL - VALUE), colours->fill,
            colours->line);
    words[strcspn(words, "(")] = '\0'; /* without least and most of several seeds */
    put_text(chart->out, "plain", x + share * (PANEL - VALUE) + 4, y + BAR - 3, 10, words);
}

static void put_limits(const struct chart *chart, enum claim_unit unit, double x, double y,
                       double most)
{
    const struct claim *claim = chart->claim;
    for (uint32_t i = 0; i < claim->condition_count; i++) {
        const struct claim_condition *condition = &claim->conditions[i];
        const double limit = (double)condition->value / (double)claim_unit_scale(unit) / most;
        if (claim->figures[condition->figure].unit != unit || limit < 0 || limit > 1)
            continue;
        fprintf(chart->out,
                "<g class=\"edge lost\"><path d=\"M%.1f %.1fv%.1f\" stroke=\"%s\""
                " stroke-dasharray=\"4 3\" fill=\"none\"/></g>\n",
                x + limit * (PANEL - VALUE), y, chart->groups * group_height(chart, unit),
                picture_style("lost")->light.line);
    }
}

static void put_panel(const struct chart *chart, enum claim_unit unit, uint32_t column, double y)
{
    const struct claim *claim = chart->claim;
    const double x = panel_x(column), most = largest(chart, unit);
    char title[CLAIMS_CASE_BYTES];
    if (claim->axis_count > 1) {
        snprintf(title, sizeof title, "%s: %s", claim->axes[1].name,
                 claim->axes[1].choices[column].name);
        put_text(chart->out, "paper", x, y + TITLE, 12, title);
    }
    y += TITLE + 16;
    put_limits(chart, unit, x, y, most);
    for (uint32_t group = 0; group < chart->groups; group++) {
        const double at = y + group * group_height(chart, unit);
        uint32_t bar = 0;
        if (column == 0 && claim->axis_count > 0)
            put_text(chart->out, "plain", LEFT, at + BAR - 2, 12,
                     claim->axes[0].choices[group].name);
        for (uint32_t figure = 0; figure < claim->figure_count; figure++)
            if (claim->figures[figure].unit == unit) {
                put_bar(chart, group * chart->columns + column, figure, x, at + bar * BAR, most,
                        style_of(bar));
                bar++;
            }
    }
}

/* The figures of a unit, each in the color of its bars. */
static void put_key(const struct chart *chart, enum claim_unit unit, double y)
{
    uint32_t bar = 0;
    for (uint32_t i = 0; i < chart->claim->figure_count; i++) {
        const struct claim_figure *figure = &chart->claim->figures[i];
        if (figure->unit != unit)
            continue;
        const struct picture_colours *colours = &picture_style(style_of(bar))->light;
        const double x = LEFT + bar * (double)PANEL;
        fprintf(chart->out,
                "<g class=\"node %s\"><path d=\"M%.1f %.1fh12v10h-12z\" fill=\"%s\""
                " stroke=\"%s\"/></g>\n",
                style_of(bar), x, y, colours->fill, colours->line);
        put_text(chart->out, "plain", x + 18, y + 9, 12, figure->about);
        bar++;
    }
}

/* What a function of claims_output.h writes, as text. */
static void words_of(void (*write)(const struct chart *chart, FILE *out), const struct chart *chart,
                     char *words, size_t size)
{
    FILE *file = fmemopen(words, size, "w");
    words[0] = '\0';
    if (file == NULL)
        return;
    write(chart, file);
    fclose(file);
    words[size - 1] = '\0';
}

static void write_verdict(const struct chart *chart, FILE *out)
{
    fputs("Verdict: ", out);
    claims_verdict(chart->settled, out);
}

static void write_test(const struct chart *chart, FILE *out)
{
    fputs("The claim holds in a case if: ", out);
    claims_test(chart->claim, out);
}

static double put_head(const struct chart *chart)
{
    char words[SETTLE_CONDITION_BYTES + SETTLE_ERROR_BYTES];
    put_text(chart->out, "paper", LEFT, 30, 16, chart->claim->statement);
    words_of(write_verdict, chart, words, sizeof words);
    const double y = put_lines(chart, 54, words);
    words_of(write_test, chart, words, sizeof words);
    return put_lines(chart, y, words);
}

/* True for the first figure of a unit that has bars: panels are in the order of the figures. */
static bool begins_panels(const struct claim *claim, uint32_t figure)
{
    for (uint32_t i = 0; i < figure; i++)
        if (claim->figures[i].unit == claim->figures[figure].unit)
            return false;
    return claim->figures[figure].unit != CLAIM_WORD;
}

static double height_of(const struct chart *chart)
{
    double height = TOP;
    for (uint32_t i = 0; i < chart->claim->figure_count; i++)
        if (begins_panels(chart->claim, i))
            height += panel_height(chart, chart->claim->figures[i].unit);
    return height;
}

void claims_svg(const struct settled *settled, FILE *out)
{
    const struct claim *claim = settled->claim;
    const struct chart chart = {.settled = settled,
                                .claim = claim,
                                .columns = claim->axis_count > 1 ? claim->axes[1].count : 1,
                                .groups = claim->axis_count > 0 ? claim->axes[0].count : 1,
                                .out = out};
    const double width = panel_x(chart.columns > 3 ? chart.columns : 3), height = height_of(&chart);
    picture_begin_svg(out, width, height);
    double y = put_head(&chart);
    for (uint32_t i = 0; i < claim->figure_count; i++) {
        const enum claim_unit unit = claim->figures[i].unit;
        if (!begins_panels(claim, i))
            continue;
        put_key(&chart, unit, y);
        for (uint32_t column = 0; column < chart.columns; column++)
            put_panel(&chart, unit, column, y);
        y += panel_height(&chart, unit);
    }
    picture_end_svg(out);
}

/* SPDX-License-Identifier: Apache-2.0
 * picture_style - the colours of drawings, on a light page and on a dark one.
 * In an SVG they are variables, --sg-CLASS-fill and so on, so that a page that holds it may set
 * its own; the attributes beside them are those of the light page, for viewers without style
 * sheets.  Heat is for emphasis: the time itself is in a label or a hint. */
#ifndef STORMGLASS_REPORTS_DRAW_PICTURE_STYLE_H
#define STORMGLASS_REPORTS_DRAW_PICTURE_STYLE_H

#include <stdio.h>

struct picture_colours {
    const char *fill, *line, *text;
};

struct picture_style {
    const char *name;
    struct picture_colours light, dark;
};

enum { PICTURE_HEATS = 6 };

/* The row of the class that `names` begins with; the first row when there is none. */
const struct picture_style *picture_style(const char *names);

/* The heat of something that lasted for `part` of a run, "heat0" to "heat5". */
const char *picture_heat(double part);
/* The class of that heat, 0 to PICTURE_HEATS - 1, and what it stands for, in words. */
const char *picture_heat_class(int heat);
const char *picture_heat_words(int heat);

/* A <style> element with the rules of all classes. */
void picture_style_sheet(FILE *out);

/* As XML; what XML may not have becomes '?'. */
void picture_escape(FILE *out, const char *text);
/* In place, and markup stays. */
void picture_clean(char *text);

#endif

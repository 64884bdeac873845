/* SPDX-License-Identifier: Apache-2.0
 * picture_style - the colors of drawings on light and dark pages.
 * In an SVG they are CSS variables, --sg-CLASS-fill and so on, so that an enclosing page may set
 * its own. The attributes next to them are the light colors, for viewers without style sheets. Heat
 * only emphasizes: the time itself is in a label or tooltip. */
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

/* The row of the first class in `names`; the first row if there is none. */
const struct picture_style *picture_style(const char *names);

/* The heat class of something that lasted for the share `part` of a run, "heat0" to "heat5". */
const char *picture_heat(double part);
/* The class of a heat from 0 to PICTURE_HEATS - 1, and its description. */
const char *picture_heat_class(int heat);
const char *picture_heat_words(int heat);

/* Writes a <style> element with the rules of all classes. */
void picture_style_sheet(FILE *out);
/* Writes an SVG that is drawn without Graphviz: its head with the style sheet and the paper, and
 * its end. */
void picture_begin_svg(FILE *out, double width, double height);
void picture_end_svg(FILE *out);

/* Escapes text for XML; characters that XML does not allow become '?'. */
void picture_escape(FILE *out, const char *text);
/* Replaces disallowed characters in place and keeps markup. */
void picture_clean(char *text);

#endif

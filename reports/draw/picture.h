/* SPDX-License-Identifier: Apache-2.0
 * picture - boxes and lines, laid out and rendered by Graphviz.
 * Callers add nodes and edges with classes. A class is a row of colors (picture_style.h) for light
 * and dark pages. An SVG contains both and follows the reader's preference; other formats are
 * light. The same picture gives the same SVG on the same machine, because Graphviz's version and
 * comments are removed.
 * Units: points, y downwards. Names are plain text; whatever Graphviz would interpret is escaped
 * here. Owner: picture_free. graphviz.c is the only file that includes <graphviz/gvc.h>. */
#ifndef STORMGLASS_REPORTS_DRAW_PICTURE_H
#define STORMGLASS_REPORTS_DRAW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct picture;

enum picture_layout {
    PICTURE_PLACED, /* all nodes and edges have positions */
    PICTURE_LEFT,   /* in layers from left to right */
    PICTURE_DOWN,   /* in layers from top to bottom */
    PICTURE_CIRCLE  /* cycles drawn as circles */
};

enum picture_shape { PICTURE_BOX, PICTURE_PILL, PICTURE_TEXT };

struct picture_node {
    const char *name;  /* unique */
    const char *label; /* lines separated by \n */
    const char *style; /* classes separated by spaces; the first has the colors */
    const char *hint;  /* tooltip; NULL: none */
    enum picture_shape shape;
    bool left, bold;            /* of the label */
    double x, y, width, height; /* PICTURE_PLACED: center and size */
    double font;                /* size in points; 0: 10 */
};

struct picture_edge {
    const char *from, *to; /* names of nodes */
    const char *style, *hint;
    const char *label; /* NULL: none; not with PICTURE_PLACED */
    double width;      /* of the line; 0: 1 */
    bool arrow;
    double bend[8]; /* PICTURE_PLACED: x and y of the four points of a cubic curve */
};

/* `title` may be NULL. */
struct picture *picture_begin(enum picture_layout layout, const char *title);
void picture_free(struct picture *picture);

/* Nodes added from here on are in a frame with this heading, until the next call; NULL: no
 * frame. */
void picture_frame(struct picture *picture, const char *heading);
void picture_node(struct picture *picture, const struct picture_node *node);
void picture_edge(struct picture *picture, const struct picture_edge *edge);

/* "svg", "dot", "pdf" or "png" by the file name's extension; NULL if there is no known one. */
const char *picture_format(const char *path);

/* Returns false if this Graphviz does not support the format, or the output failed. */
bool picture_write(struct picture *picture, const char *format, FILE *out);

#endif

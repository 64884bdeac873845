/* SPDX-License-Identifier: Apache-2.0
 * picture - boxes and lines, laid out and drawn by Graphviz.
 * Whoever draws names nodes, edges and their classes; a class is a row of colours (picture_style.h)
 * for a light and a dark page.  An SVG carries both and follows the reader's choice; other formats
 * are light.  The same picture gives the same SVG on the same machine: what Graphviz says of itself
 * is taken out.
 * Units: points, y downwards.  Names are plain text; what Graphviz would interpret is escaped here.
 * Owner: picture_free.  graphviz.c is the only place that includes <graphviz/gvc.h>. */
#ifndef STORMGLASS_REPORTS_DRAW_PICTURE_H
#define STORMGLASS_REPORTS_DRAW_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct picture;

enum picture_layout {
    PICTURE_PLACED, /* every node and edge has its place */
    PICTURE_LEFT,   /* in layers from left to right */
    PICTURE_DOWN,   /* in layers from the top down */
    PICTURE_CIRCLE  /* circles as circles */
};

enum picture_shape { PICTURE_BOX, PICTURE_PILL, PICTURE_TEXT };

struct picture_node {
    const char *name;  /* unique */
    const char *label; /* lines are parted by \n */
    const char *style; /* class; several are parted by spaces, the first gives the colours */
    const char *hint;  /* shown when pointed at; NULL: none */
    enum picture_shape shape;
    bool left, bold;            /* the label's */
    double x, y, width, height; /* PICTURE_PLACED: the middle */
    double font;                /* 0: 10 */
};

struct picture_edge {
    const char *from, *to; /* names of nodes */
    const char *style, *hint;
    const char *label; /* NULL: none; not PICTURE_PLACED */
    double width;      /* of the line; 0: 1 */
    bool arrow;
    double bend[8]; /* PICTURE_PLACED: x and y of a cubic curve's four points */
};

/* `title` may be NULL. */
struct picture *picture_begin(enum picture_layout layout, const char *title);
void picture_free(struct picture *picture);

/* Nodes that follow are in a frame with this heading, until the next one; NULL: in none. */
void picture_frame(struct picture *picture, const char *heading);
void picture_node(struct picture *picture, const struct picture_node *node);
void picture_edge(struct picture *picture, const struct picture_edge *edge);

/* "svg", "dot", "pdf" or "png", as the ending of a file's name says; NULL: another one, or none. */
const char *picture_format(const char *path);

/* False: this Graphviz cannot draw the format, or the disk is full. */
bool picture_write(struct picture *picture, const char *format, FILE *out);

#endif

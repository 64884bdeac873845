/* SPDX-License-Identifier: Apache-2.0
 * picture - stub that draws nothing, because Debian has no Graphviz package for WebAssembly. A page
 * then lacks the drawings of Graphviz and has its own: the topology and the charts. */
#include "reports/draw/picture.h"

#include "base/memory.h"

#include <stdlib.h>

struct picture {
    char nothing;
};

struct picture *picture_begin(enum picture_layout layout, const char *title)
{
    (void)layout;
    (void)title;
    return memory_new(sizeof(struct picture));
}

void picture_free(struct picture *picture)
{
    free(picture);
}

void picture_frame(struct picture *picture, const char *heading)
{
    (void)picture;
    (void)heading;
}

void picture_node(struct picture *picture, const struct picture_node *node)
{
    (void)picture;
    (void)node;
}

void picture_edge(struct picture *picture, const struct picture_edge *edge)
{
    (void)picture;
    (void)edge;
}

bool picture_write(struct picture *picture, const char *format, FILE *out)
{
    (void)picture;
    (void)format;
    (void)out;
    return false;
}

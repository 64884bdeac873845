/* SPDX-License-Identifier: Apache-2.0
 * graphviz - a picture as a graph of libcgraph, rendered by libgvc. The libraries are loaded with
 * the first picture. */
#include "base/check.h"
#include "base/memory.h"
#include "replay/files/lazy.h"
#include "reports/draw/picture.h"
#include "reports/draw/picture_style.h"

#include <graphviz/gvc.h>
#include <stdlib.h>
#include <string.h>

#define FONT "Helvetica,Arial,sans-serif"

#define FUNCTIONS(F) F(gvContext) F(gvLayout) F(gvRenderData) F(gvFreeRenderData) F(gvFreeLayout)

static struct {
    FUNCTIONS(LAZY_POINTER)
} library;

static const struct lazy_function functions[] = {FUNCTIONS(LAZY_FUNCTION)};

enum { TEXT_BYTES = 512, POINTS = 72, FRAMES_MAX = 64 };

/* A single context for all pictures: libgvc's text measurement caches the last font across
 * contexts, and the cached font is freed with its context. */
static GVC_t *context;

struct picture {
    Agraph_t *graph, *frame; /* where nodes are added: the graph or a frame in it */
    enum picture_layout layout;
    unsigned frames;
};

/* The library declares parameters that it does not change as non-const. */
static char *unconst_text(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void set(void *object, const char *name, const char *value)
{
    agsafeset(object, unconst_text(name), unconst_text(value), unconst_text(""));
}

static void set_number(void *object, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.2f", value);
    set(object, name, text);
}

/* Escapes whatever Graphviz would interpret in a label or tooltip. */
static void set_text(void *object, const char *name, const char *text, bool left)
{
    char *escaped = memory_new(5 * strlen(text) + 4), *at = escaped;
    for (; *text != '\0'; text++) {
        if (*text == '\\')
            at = stpcpy(at, "\\\\");
        else if (*text == '&')
            at = stpcpy(at, "&amp;");
        else if (*text == '\n')
            at = stpcpy(at, left ? "\\l" : "\\n");
        else
            *at++ = *text;
    }
    strcpy(at, left ? "\\l" : "");
    picture_clean(escaped);
    set(object, name, escaped);
    free(escaped);
}

/* ------------------------------------------------------------------ names of frames */

/* The library orders subgraphs by their numbers, which it derives from addresses of names, so the
 * output would vary between runs. Frames therefore have their own numbers; all other names are left
 * to the library. Names must be the library's own strings, because it keeps properties in front of
 * them, such as whether they are HTML. */
static char *frame_names[FRAMES_MAX];

static unsigned frame_of(int kind, const char *name)
{
    unsigned number = 0;
    const bool is_frame = kind == AGRAPH && name != NULL && sscanf(name, "cluster%u", &number) == 1;
    return is_frame && number < FRAMES_MAX ? number : FRAMES_MAX;
}

static bool is_frame_id(int kind, IDTYPE id)
{
    return kind == AGRAPH && id % 2 == 0 && id > 0 && id <= 2 * FRAMES_MAX;
}

static long map_name(void *state, int kind, char *name, IDTYPE *id, int create)
{
    const unsigned frame = frame_of(kind, name);
    if (frame == FRAMES_MAX)
        return AgIdDisc.map(state, kind, name, id, create);
    if (frame_names[frame] == NULL)
        frame_names[frame] = agstrdup(NULL, name);
    *id = 2 * (frame + 1);
    return 1;
}

static char *name_of(void *state, int kind, IDTYPE id)
{
    return is_frame_id(kind, id) ? frame_names[id / 2 - 1] : AgIdDisc.print(state, kind, id);
}

static void free_name(void *state, int kind, IDTYPE id)
{
    if (!is_frame_id(kind, id))
        AgIdDisc.free(state, kind, id);
}

static Agraph_t *open_graph(void)
{
    static Agiddisc_t names;
    static Agdisc_t with = {.id = &names};
    names = AgIdDisc;
    names.map = map_name;
    names.print = name_of;
    names.free = free_name;
    return agopen(unconst_text("drawing"), Agdirected, &with);
}

/* ------------------------------------------------------------------ pictures */

struct picture *picture_begin(enum picture_layout layout, const char *title)
{
    struct picture *picture = memory_new(sizeof *picture);
    agseterr(AGMAX); /* picture_write reports errors */
    if (context == NULL) {
        lazy_need(lazy_gvc, functions, sizeof functions / sizeof functions[0]);
        context = library.gvContext();
    }
    picture->graph = picture->frame = open_graph();
    CHECK(context != NULL && picture->graph != NULL);
    picture->layout = layout;
    Agraph_t *graph = picture->graph;
    const struct picture_style *paper = picture_style("paper");
    set(graph, "bgcolor", paper->light.fill);
    set(graph, "fontcolor", paper->light.text);
    set(graph, "fontname", FONT);
    set(graph, "fontsize", "12");
    set(graph, "outputorder", "edgesfirst");
    set(graph, "pad", "0.25");
    set(graph, "labelloc", "t");
    set(graph, "labeljust", "l");
    set(graph, "rankdir", layout == PICTURE_LEFT ? "LR" : "TB");
    set(graph, "nodesep", layout == PICTURE_LEFT ? "0.12" : "0.35");
    set(graph, "ranksep", layout == PICTURE_LEFT ? "1.0" : "0.45");
    if (title != NULL)
        set_text(graph, "label", title, true);
    return picture;
}

void picture_free(struct picture *picture)
{
    if (picture == NULL)
        return;
    library.gvFreeLayout(context, picture->graph);
    agclose(picture->graph);
    free(picture);
}

void picture_frame(struct picture *picture, const char *heading)
{
    picture->frame = picture->graph;
    if (heading == NULL)
        return;
    char name[32];
    snprintf(name, sizeof name, "cluster%u", picture->frames++);
    const struct picture_style *style = picture_style("frame");
    picture->frame = agsubg(picture->graph, name, 1);
    CHECK(picture->frame != NULL);
    set_text(picture->frame, "label", heading, true);
    set(picture->frame, "style", "rounded,filled");
    set(picture->frame, "fillcolor", style->light.fill);
    set(picture->frame, "color", style->light.line);
    set(picture->frame, "fontcolor", style->light.text);
    set(picture->frame, "fontsize", "13");
    set(picture->frame, "margin", "14");
}

static void place_node(const struct picture *picture, Agnode_t *n, const struct picture_node *node)
{
    char at[80];
    if (picture->layout != PICTURE_PLACED)
        return;
    snprintf(at, sizeof at, "%.2f,%.2f", node->x, -node->y);
    set(n, "pos", at);
    set_number(n, "width", node->width / POINTS);
    set_number(n, "height", node->height / POINTS);
    set(n, "fixedsize", "true");
}

void picture_node(struct picture *picture, const struct picture_node *node)
{
    Agnode_t *n = agnode(picture->frame, unconst_text(node->name), 1);
    CHECK(n != NULL);
    const struct picture_style *style = picture_style(node->style);
    set(n, "shape", node->shape == PICTURE_TEXT ? "plaintext" : "box");
    set(n, "style", node->shape == PICTURE_TEXT ? "" : "rounded,filled");
    if (node->shape == PICTURE_BOX && node->height > 0 && node->height < 20)
        set(n, "style", "filled");
    set(n, "class", node->style);
    set(n, "fillcolor", strcmp(style->light.fill, "none") == 0 ? "transparent" : style->light.fill);
    set(n, "color", style->light.line);
    set(n, "fontcolor", style->light.text);
    set(n, "fontname", node->bold ? "Helvetica-Bold,Arial Bold,sans-serif" : FONT);
    set_number(n, "fontsize", node->font > 0 ? node->font : 10);
    set(n, "margin", node->shape == PICTURE_TEXT ? "0,0" : "0.12,0.06");
    set_number(n, "height", 0.3);
    set_number(n, "width", 0.5);
    set_text(n, "label", node->label, node->left);
    set_text(n, "tooltip", node->hint != NULL ? node->hint : node->name, false);
    place_node(picture, n, node);
}

void picture_edge(struct picture *picture, const struct picture_edge *edge)
{
    Agnode_t *from = agnode(picture->graph, unconst_text(edge->from), 0);
    Agnode_t *to = agnode(picture->graph, unconst_text(edge->to), 0);
    CHECK(from != NULL && to != NULL);
    Agedge_t *e = agedge(picture->graph, from, to, NULL, 1);
    CHECK(e != NULL);
    const struct picture_style *style = picture_style(edge->style);
    set(e, "class", edge->style);
    set(e, "color", style->light.line);
    set(e, "fontcolor", style->light.text);
    set(e, "fontname", FONT);
    set(e, "fontsize", "9");
    set(e, "arrowsize", "0.7");
    set(e, "dir", edge->arrow ? "forward" : "none");
    set_number(e, "penwidth", edge->width > 0 ? edge->width : 1);
    if (edge->label != NULL)
        set_text(e, "label", edge->label, false);
    if (edge->hint != NULL)
        set_text(e, "tooltip", edge->hint, false);
    if (picture->layout == PICTURE_PLACED) {
        char at[200];
        const double *b = edge->bend;
        snprintf(at, sizeof at, "%.2f,%.2f %.2f,%.2f %.2f,%.2f %.2f,%.2f", b[0], -b[1], b[2], -b[3],
                 b[4], -b[5], b[6], -b[7]);
        set(e, "pos", at);
    }
}

const char *picture_format(const char *path)
{
    static const char *const formats[] = {"svg", "dot", "pdf", "png"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(dot + 1, formats[i]) == 0)
            return formats[i];
    return NULL;
}

/* Removes comments, one of which contains Graphviz's version, and the DTD; inserts our style sheet
 * after the opening tag. */
static void write_svg(char *svg, FILE *out)
{
    picture_clean(svg);
    const char *at = strstr(svg, "<svg");
    const char *body = at == NULL ? NULL : strchr(at, '>');
    if (body == NULL)
        return;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fwrite(at, 1, (size_t)(body + 1 - at), out);
    fputc('\n', out);
    picture_style_sheet(out);
    at = body + 1 + (body[1] == '\n');
    for (const char *comment; (comment = strstr(at, "<!--")) != NULL;) {
        const char *end = strstr(comment, "-->");
        fwrite(at, 1, (size_t)(comment - at), out);
        if (end == NULL)
            return;
        at = end + 3 + (end[3] == '\n');
    }
    fputs(at, out);
}

bool picture_write(struct picture *picture, const char *format, FILE *out)
{
    static const char *const engines[] = {
        [PICTURE_PLACED] = "nop2",
        [PICTURE_LEFT] = "dot",
        [PICTURE_DOWN] = "dot",
        [PICTURE_CIRCLE] = "circo",
    };
    char *data = NULL;
    unsigned length = 0;
    if (library.gvLayout(context, picture->graph, engines[picture->layout]) != 0 ||
        library.gvRenderData(context, picture->graph, format, &data, &length) != 0 || data == NULL)
        return false;
    if (strcmp(format, "svg") == 0)
        write_svg(data, out);
    else
        fwrite(data, 1, length, out);
    library.gvFreeRenderData(data);
    return fflush(out) == 0 && !ferror(out);
}

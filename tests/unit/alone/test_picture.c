/* SPDX-License-Identifier: Apache-2.0
 * test_picture - boxes and lines have the place, size and shape that were given, as the SVG has
 * them. */
#include "base/memory.h"
#include "reports/draw/picture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Fonts and layouts that the libraries keep until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\nleak:libgvc\n";
}

/* The picture as SVG, which the caller frees; the picture is freed. */
static char *svg_of(struct picture *picture)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    assert_true(picture_write(picture, "svg", out));
    memory_stream_end(out);
    picture_free(picture);
    return text;
}

/* The group of a node or an edge, which its title begins. */
static const char *group_of(const char *svg, const char *title)
{
    char wanted[64];
    snprintf(wanted, sizeof wanted, "<title>%s</title>", title);
    const char *at = strstr(svg, wanted);
    assert_non_null(at);
    return at;
}

struct extent {
    double left, right, top, bottom;
};

/* All pairs x,y of the first path or polygon of a group. */
static struct extent extent_of(const char *group)
{
    const char *path = strstr(group, " d=\""), *polygon = strstr(group, " points=\"");
    const char *at = polygon == NULL || (path != NULL && path < polygon) ? path : polygon;
    assert_non_null(at);
    at = strchr(at, '"') + 1;
    struct extent extent = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    while (*at != '"') {
        char *end;
        const double x = strtod(at + strspn(at, "MC "), &end);
        assert_int_equal(*end, ',');
        const double y = strtod(end + 1, &end);
        extent.left = fmin(extent.left, x);
        extent.right = fmax(extent.right, x);
        extent.top = fmin(extent.top, y);
        extent.bottom = fmax(extent.bottom, y);
        at = end;
    }
    return extent;
}

/* A hundredth of a point where the caller places; Graphviz itself places at whole points. */
enum slack { PLACED, LAID_OUT };

static void assert_near(double got, double wanted, enum slack slack)
{
    if (fabs(got - wanted) > (slack == PLACED ? 0.02 : 1))
        fail_msg("%g instead of %g", got, wanted);
}

/* The middle, and both sides: twice as wide is twice as wide, and further down is a greater y. */
static void a_placed_box_has_its_place_and_size(void **state)
{
    (void)state;
    static const struct picture_node nodes[] = {
        {"low", "low", "host", NULL, PICTURE_BOX, .x = 100, .y = 50, .width = 64, .height = 30},
        {"flat", "", "host", NULL, PICTURE_BOX, .x = 300, .y = 90, .width = 32, .height = 12},
        {"high", "high", "host", NULL, PICTURE_BOX, .x = 200, .y = 10, .width = 128, .height = 60},
    };
    enum { NODES = sizeof nodes / sizeof nodes[0] };
    struct picture *picture = picture_begin(PICTURE_PLACED, NULL);
    for (int i = 0; i < NODES; i++)
        picture_node(picture, &nodes[i]);
    char *svg = svg_of(picture);
    const struct extent first = extent_of(group_of(svg, "low"));
    for (int i = 0; i < NODES; i++) {
        const struct extent box = extent_of(group_of(svg, nodes[i].name));
        assert_near(box.right - box.left, nodes[i].width, PLACED);
        assert_near(box.bottom - box.top, nodes[i].height, PLACED);
        assert_near((box.left + box.right) / 2 - (first.left + first.right) / 2,
                    nodes[i].x - nodes[0].x, PLACED);
        assert_near((box.top + box.bottom) / 2 - (first.top + first.bottom) / 2,
                    nodes[i].y - nodes[0].y, PLACED);
    }
    free(svg);
}

/* Four points of a curve, in the coordinates of the boxes. */
static void a_placed_line_has_its_points(void **state)
{
    (void)state;
    static const struct picture_node nodes[] = {
        {"a", "a", "host", NULL, PICTURE_BOX, .x = 0, .y = 0, .width = 20, .height = 20},
        {"b", "b", "host", NULL, PICTURE_BOX, .x = 200, .y = 100, .width = 20, .height = 20},
    };
    static const struct picture_edge edge = {
        "a", "b", "link", NULL, NULL, .width = 3, .bend = {10, 4, 70, 9, 130, 61, 190, 95}};
    struct picture *picture = picture_begin(PICTURE_PLACED, NULL);
    picture_node(picture, &nodes[0]);
    picture_node(picture, &nodes[1]);
    picture_edge(picture, &edge);
    char *svg = svg_of(picture);
    const struct extent a = extent_of(group_of(svg, "a"));
    const char *group = strstr(svg, "a&#45;&gt;b</title>");
    assert_non_null(group);
    const struct extent line = extent_of(group);
    assert_near(line.left - (a.left + a.right) / 2, 10, PLACED);
    assert_near(line.right - (a.left + a.right) / 2, 190, PLACED);
    assert_near(line.top - (a.top + a.bottom) / 2, 4, PLACED);
    assert_near(line.bottom - (a.top + a.bottom) / 2, 95, PLACED);
    const char *width = strstr(group, "stroke-width=\"");
    assert_non_null(width);
    assert_near(strtod(strchr(width, '"') + 1, NULL), 3, PLACED);
    free(svg);
}

/* Where Graphviz lays out, a box of little text is still half an inch by three tenths, whatever
 * fonts there are. */
static void a_box_has_a_least_size(void **state)
{
    (void)state;
    static const struct picture_node node = {"small", "x", "host", NULL, PICTURE_BOX, .font = 4};
    static const struct picture_node text = {"text", "x", "host", NULL, PICTURE_TEXT, .font = 4};
    struct picture *picture = picture_begin(PICTURE_DOWN, NULL);
    picture_node(picture, &node);
    picture_node(picture, &text);
    char *svg = svg_of(picture);
    const struct extent box = extent_of(group_of(svg, "small"));
    assert_near(box.right - box.left, 0.5 * 72, LAID_OUT);
    assert_near(box.bottom - box.top, 0.3 * 72, LAID_OUT);
    free(svg);
}

/* Layers go the way that the layout says, and are as far apart as it says. */
static void layers_go_right_or_down(void **state)
{
    (void)state;
    static const struct picture_node from = {"a", "a", "host", NULL, PICTURE_BOX, .font = 4};
    static const struct picture_node to = {"b", "b", "host", NULL, PICTURE_BOX, .font = 4};
    static const struct picture_node beside = {"c", "c", "host", NULL, PICTURE_BOX, .font = 4};
    static const struct picture_edge edges[] = {{"a", "b", "link"}, {"a", "c", "link"}};
    const struct {
        enum picture_layout layout;
        double apart, across; /* inches between layers, and between neighbors of a layer */
    } rows[] = {{PICTURE_LEFT, 1.0, 0.12}, {PICTURE_DOWN, 0.45, 0.35}};
    for (int i = 0; i < 2; i++) {
        struct picture *picture = picture_begin(rows[i].layout, NULL);
        picture_node(picture, &from);
        picture_node(picture, &to);
        picture_node(picture, &beside);
        picture_edge(picture, &edges[0]);
        picture_edge(picture, &edges[1]);
        char *svg = svg_of(picture);
        const struct extent a = extent_of(group_of(svg, "a")), b = extent_of(group_of(svg, "b")),
                            c = extent_of(group_of(svg, "c"));
        const bool right = rows[i].layout == PICTURE_LEFT;
        assert_near(right ? b.left - a.right : b.top - a.bottom, 72 * rows[i].apart, LAID_OUT);
        const double across = right ? fmax(c.top - b.bottom, b.top - c.bottom)
                                    : fmax(c.left - b.right, b.left - c.right);
        assert_near(across, 72 * rows[i].across, LAID_OUT);
        free(svg);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_placed_box_has_its_place_and_size),
        cmocka_unit_test(a_placed_line_has_its_points),
        cmocka_unit_test(a_box_has_a_least_size),
        cmocka_unit_test(layers_go_right_or_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

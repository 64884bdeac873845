/* SPDX-License-Identifier: Apache-2.0
 * The boxes of a drawn fabric: each node is in one, none lies on another, and what is large becomes
 * small. */
#include "replay/record/record_begin.h"
#include "reports/draw/fabric_map.h"
#include "reports/draw/picture_style.h"
#include "scenarios/load/load.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* `changes` is SQL for the database before it is drawn. */
static struct fabric_map *map_after(const char *topology, const char *changes)
{
    static struct diag diag;
    char text[1024], error[STORE_ERROR_BYTES];
    diag = (struct diag){0};
    const int length = snprintf(text, sizeof text,
                                "stormglass: 1\nname: test\nfabric: {topology: {%s}}\nworkloads:"
                                " [{name: w, kind: rdma-write, from: host0, to: host1}]\n",
                                topology);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = (size_t)length};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    const struct record_options with = {.until = TIME_NEVER, .threads = 1, .version = "test"};
    struct record_fabric fabric;
    record_fabric_init(&fabric, scenario);
    struct store *store = record_begin(&with, &fabric, error);
    assert_non_null(store);
    record_fabric_free(&fabric);
    store_exec(store, changes);
    struct fabric_map *map = fabric_map_read(store);
    assert_null(store_error(store));
    store_close(store);
    scenario_free(scenario);
    return map;
}

static struct fabric_map *map_of(const char *topology)
{
    return map_after(topology, "");
}

static bool apart(const struct fabric_box *a, const struct fabric_box *b)
{
    return fabs(a->x - b->x) >= (a->width + b->width) / 2 ||
           fabs(a->y - b->y) >= (a->height + b->height) / 2;
}

/* What holds for every drawing. */
static void check_map(const struct fabric_map *map)
{
    uint32_t members = 0, links = 0;
    for (uint32_t i = 0; i < map->box_count; i++) {
        const struct fabric_box *box = &map->boxes[i];
        members += box->members;
        links += box->links_inside;
        assert_true(box->x - box->width / 2 >= 0 && box->x + box->width / 2 <= map->width + 1e-6);
        assert_true(box->y + box->height / 2 <= map->height + 1e-6);
        for (uint32_t j = 0; j < i; j++)
            assert_true(apart(box, &map->boxes[j]));
    }
    for (uint32_t i = 0; i < map->line_count; i++) {
        const struct fabric_line *line = &map->lines[i];
        assert_true(line->a < line->b && line->b < map->box_count);
        links += line->links;
    }
    assert_int_equal(members, map->node_count);
    assert_int_equal(links, map->link_count);
    for (uint32_t i = 0; i < map->node_count; i++)
        assert_int_equal(map->boxes[map->nodes[i].box].row, map->nodes[i].row);
}

static void every_fabric_is_laid_out(void **state)
{
    static const char *const topologies[] = {
        "kind: single-switch, hosts: 2",
        "kind: single-switch, hosts: 200",
        "kind: single-switch, hosts: 201",
        "kind: leaf-spine, leaves: 3, spines: 5, hosts-per-leaf: 1",
        "kind: leaf-spine, leaves: 1, spines: 40, hosts-per-leaf: 2",
        "kind: leaf-spine, leaves: 60, spines: 8, hosts-per-leaf: 3",
        "kind: leaf-spine, leaves: 97, spines: 4, hosts-per-leaf: 4",
        "kind: fat-tree, k: 4",
        "kind: fat-tree, k: 10",
        "kind: explicit, hosts: [host0, host1], switches: [], links: [{ends: [host0, host1]}]",
        "kind: explicit, hosts: [host0, host1, x, y], switches: [a], links: [{ends: [x, y]},"
        " {ends: [host0, a]}, {ends: [host1, a]}]",
        "kind: explicit, hosts: [host0, host1], switches: [a, b, c], links: [{ends: [host0, a]},"
        " {ends: [host1, c]}, {ends: [a, b]}, {ends: [b, c]}, {ends: [c, a]}, {ends: [c, a]}]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        struct fabric_map *map = map_of(topologies[i]);
        check_map(map);
        fabric_map_free(map);
    }
}

static void generated_fabrics_keep_the_order_of_their_names(void **state)
{
    (void)state;
    struct fabric_map *map = map_of("kind: fat-tree, k: 6");
    for (uint32_t i = 1; i < map->node_count; i++) {
        const struct fabric_box *box = &map->boxes[map->nodes[i].box];
        const struct fabric_box *before = &map->boxes[map->nodes[i - 1].box];
        if (box->row == before->row && box->row > 0)
            assert_true(box->x > before->x);
    }
    assert_int_equal(map->rows, 4);
    fabric_map_free(map);
}

static void large_fabrics_become_few_boxes(void **state)
{
    (void)state;
    struct fabric_map *map = map_of("kind: leaf-spine, leaves: 8, spines: 2, hosts-per-leaf: 26");
    assert_int_equal(map->box_count, 8 + 2 + 8);
    fabric_map_free(map);
    map = map_of("kind: fat-tree, k: 16");
    assert_int_equal(map->box_count, 16 * 3 + 16);
    for (uint32_t i = 0; i < map->line_count; i++) { /* a pod's box meets its own below */
        const struct fabric_box *a = &map->boxes[map->lines[i].a],
                                *b = &map->boxes[map->lines[i].b];
        if (a->row < 3 && b->row < 3)
            assert_float_equal(a->x, b->x, 1e-6);
    }
    fabric_map_free(map);
}

/* ------------------------------------------------------------------ places */

static uint32_t crossings(const struct fabric_map *map)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->line_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct fabric_box *a = &map->boxes[map->lines[i].a],
                                    *b = &map->boxes[map->lines[i].b],
                                    *c = &map->boxes[map->lines[j].a],
                                    *d = &map->boxes[map->lines[j].b];
            const bool alike = a->row == c->row && b->row == d->row && a->row > 0 && b->row > 0;
            count += alike && (a->x - c->x) * (b->x - d->x) < 0;
        }
    return count;
}

/* The mean place of what a box is linked to in the row below; NAN: nothing. */
static double place_below(const struct fabric_map *map, uint32_t box)
{
    double sum = 0, count = 0;
    for (uint32_t i = 0; i < map->line_count; i++) {
        const struct fabric_line *line = &map->lines[i];
        const uint32_t peer = line->a == box ? line->b : line->a;
        if ((line->a != box && line->b != box) || map->boxes[peer].row + 1 != map->boxes[box].row)
            continue;
        for (uint32_t link = 0; link < line->links; link++, count++)
            sum += map->boxes[peer].x;
    }
    return sum / count;
}

/* Whoever stands left of another is linked to what is further left, or as far. */
static void assert_in_order(const char *what, const struct fabric_map *map)
{
    for (uint32_t i = 0; i < map->box_count; i++)
        for (uint32_t j = 0; j < map->box_count; j++) {
            const struct fabric_box *a = &map->boxes[i], *b = &map->boxes[j];
            if (a->row >= 2 && a->row == b->row && a->x < b->x &&
                place_below(map, i) > place_below(map, j) + 1e-6)
                fail_msg("%s: box %u is left of %u", what, i, j);
        }
}

/* Four leaves with a host each, four spines below a switch, and links among them. */
static struct fabric_map *map_of_spines(const char *links)
{
    char text[900];
    snprintf(text, sizeof text,
             "kind: explicit, hosts: [host0, host1, host2, host3],"
             " switches: [l0, l1, l2, l3, s0, s1, s2, s3, top], links: ["
             "{ends: [host0, l0]}, {ends: [host1, l1]}, {ends: [host2, l2]}, {ends: [host3, "
             "l3]}, {ends: [s0, top]}, {ends: [s1, top]}, {ends: [s2, top]}, {ends: [s3, top]},"
             " %s]",
             links);
    return map_of(text);
}

/* One to three cables to each of two leaves, for each spine. */
static void drawn_cables_have_their_weight(void **state)
{
    (void)state;
    uint32_t luck = 1;
    for (int i = 0; i < 40; i++) {
        char links[500] = "";
        for (unsigned spine = 0; spine < 4; spine++)
            for (int leaf = 0; leaf < 2; leaf++) {
                luck = luck * 1664525u + 1013904223u; /* Knuth, TAOCP 2, 3.3.4 */
                const unsigned to = (luck >> 16) % 2 + 2u * (unsigned)leaf,
                               count = (luck >> 24) % 3;
                for (unsigned cable = 0; cable <= count; cable++)
                    snprintf(links + strlen(links), sizeof links - strlen(links),
                             "%s{ends: [l%u, s%u]}", links[0] == '\0' ? "" : ", ", to, spine);
            }
        struct fabric_map *map = map_of_spines(links);
        check_map(map);
        assert_in_order(links, map);
        fabric_map_free(map);
    }
}

static void boxes_are_in_the_order_of_their_neighbours(void **state)
{
    static const struct {
        const char *links; /* of four leaves and four spines */
        bool plain;        /* it can be drawn without lines that cross */
    } rows[] = {
        /* Each leaf has a spine of its own. */
        {"{ends: [l0, s3]}, {ends: [l1, s1]}, {ends: [l2, s0]}, {ends: [l3, s2]}", true},
        /* Leaves move, too: two and two have a spine in common. */
        {"{ends: [l0, s0]}, {ends: [l2, s0]}, {ends: [l1, s1]}, {ends: [l3, s1]}", true},
        {"{ends: [l0, s2]}, {ends: [s2, l1]}, {ends: [l1, s0]}, {ends: [s0, l2]},"
         " {ends: [l2, s3]}, {ends: [s3, l3]}, {ends: [l3, s1]}",
         false},
        /* The mean is that of cables: s1 has one to the left and three to the right. */
        {"{ends: [l0, s1]}, {ends: [l3, s1]}, {ends: [l3, s1]}, {ends: [l3, s1]},"
         " {ends: [l0, s3]}, {ends: [l1, s3]}, {ends: [l2, s0]}, {ends: [l1, s2]}",
         false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fabric_map *map = map_of_spines(rows[i].links);
        check_map(map);
        assert_in_order(rows[i].links, map);
        if (rows[i].plain && crossings(map) != 0)
            fail_msg("%s: %u crossings", rows[i].links, (unsigned)crossings(map));
        fabric_map_free(map);
    }
}

static void assert_near(double got, double wanted)
{
    if (fabs(got - wanted) > 1e-6)
        fail_msg("%g instead of %g", got, wanted);
}

/* Rows are the same distance apart, the last of them at the top; each is in the middle, and so are
 * the hosts below their switch. */
static void rows_are_centred(void **state)
{
    static const char *const topologies[] = {
        "kind: leaf-spine, leaves: 3, spines: 5, hosts-per-leaf: 2",
        "kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 3",
        "kind: fat-tree, k: 4",
    };
    (void)state;
    for (size_t t = 0; t < sizeof topologies / sizeof topologies[0]; t++) {
        struct fabric_map *map = map_of(topologies[t]);
        double left[4], right[4], y[4] = {0}, host_sum = 0, leaf_sum = 0;
        uint32_t hosts = 0, leaves = 0;
        assert_in_range(map->rows, 3, 4);
        for (uint32_t row = 0; row < map->rows; row++)
            left[row] = INFINITY, right[row] = -INFINITY;
        for (uint32_t i = 0; i < map->box_count; i++) {
            const struct fabric_box *box = &map->boxes[i];
            left[box->row] = fmin(left[box->row], box->x);
            right[box->row] = fmax(right[box->row], box->x);
            y[box->row] = box->y;
            host_sum += box->row == 0 ? box->x - map->boxes[box->home].x : 0;
            hosts += box->row == 0;
            leaf_sum += box->row == 1 ? box->x : 0;
            leaves += box->row == 1;
        }
        assert_near(y[map->rows - 1], 0);
        for (uint32_t row = 1; row < map->rows; row++) {
            assert_near(left[row] + right[row], map->width);
            assert_true(y[row - 1] > y[row]);
            if (row > 1 && row + 1 < map->rows)
                assert_near(y[row - 1] - y[row], y[row] - y[row + 1]);
        }
        assert_near(host_sum / hosts, 0);
        assert_near(leaf_sum / leaves, map->width / 2);
        fabric_map_free(map);
    }
}

static uint32_t roots_after(const char *changes)
{
    struct fabric_map *map = map_after("kind: single-switch, hosts: 2", changes);
    uint32_t roots = 0;
    for (uint32_t i = 0; i < map->box_count; i++)
        roots += map->boxes[i].root;
    fabric_map_free(map);
    return roots;
}

/* A database can name any node. */
static void causes_that_are_no_node_are_left_out(void **state)
{
    (void)state;
#define CAUSE(node) "INSERT INTO pause_root VALUES(0, " node ", NULL, 3, 'congestion', 1, 1, '')"
    assert_int_equal(roots_after(CAUSE("0")), 1);
    assert_int_equal(roots_after(CAUSE("2")), 1);
    assert_int_equal(roots_after(CAUSE("3")), 0);
    assert_int_equal(roots_after(CAUSE("-1")), 0);
}

/* Parallel links are one line, and a link among the boxes of a row is one too. */
static void parallel_links_are_one_line(void **state)
{
    (void)state;
    struct fabric_map *map = map_of("kind: explicit, hosts: [host0, host1], switches: [a, b], "
                                    "links: [{ends: [host0, a]}, {ends: "
                                    "[host1, b]}, {ends: [a, b]}, {ends: [b, a]}, {ends: [a, b]}]");
    uint32_t most = 0;
    assert_int_equal(map->line_count, 3);
    for (uint32_t i = 0; i < map->line_count; i++)
        most = map->lines[i].links > most ? map->lines[i].links : most;
    assert_int_equal(most, 3);
    fabric_map_free(map);
}

/* A database that somebody made by hand: links to nowhere, and switches that nothing leads to. */
static void links_to_nowhere_are_left_out(void **state)
{
    static const struct store_beginning beginning = {
        .kind = STORE_RUN,
        .schema = "CREATE TABLE meta(simulated_ps, drain_ps);"
                  "CREATE TABLE node(node, name, kind); CREATE TABLE pause_root(position, node);"
                  "CREATE TABLE result(path, value);"
                  "CREATE TABLE link(link, a_node, a_port, b_node, b_port);"
                  "CREATE TABLE port(node, port, name, rate_bps);"
                  "CREATE TABLE counter(node, port, priority, name, value);"
                  "INSERT INTO node VALUES(0,'h','host'),(1,'s','switch'),(2,'t','switch');"
                  "INSERT INTO port VALUES(0,0,'h:p0',0),(1,0,'s:p0',-5),(9,0,'x',1);"
                  "INSERT INTO link VALUES(0,0,0,1,0),(1,0,0,9,0),(2,-1,0,1,0);"
                  "INSERT INTO pause_root VALUES(0, 77);"};
    char error[STORE_ERROR_BYTES];
    (void)state;
    struct store *store = store_create(NULL, &beginning, error);
    assert_non_null(store);
    struct fabric_map *map = fabric_map_read(store);
    assert_null(store_error(store));
    check_map(map);
    assert_int_equal(map->link_count, 1);
    assert_int_equal(map->line_count, 1);
    assert_int_equal(map->nodes[2].row, 1);
    fabric_map_free(map);
    store_close(store);
}

static void heat_rises_with_the_part(void **state)
{
    static const double parts[] = {0, 0.001, 0.01, 0.05, 0.2, 0.5, 2};
    static const int heats[] = {0, 1, 2, 3, 4, 5, 5};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        assert_string_equal(picture_heat(parts[i]), picture_heat_class(heats[i]));
    assert_string_equal(picture_style("victim of all")->name, "victim");
    assert_string_equal(picture_style("no such class")->name, "plain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fabric_is_laid_out),
        cmocka_unit_test(generated_fabrics_keep_the_order_of_their_names),
        cmocka_unit_test(large_fabrics_become_few_boxes),
        cmocka_unit_test(drawn_cables_have_their_weight),
        cmocka_unit_test(boxes_are_in_the_order_of_their_neighbours),
        cmocka_unit_test(rows_are_centred),
        cmocka_unit_test(causes_that_are_no_node_are_left_out),
        cmocka_unit_test(parallel_links_are_one_line),
        cmocka_unit_test(links_to_nowhere_are_left_out),
        cmocka_unit_test(heat_rises_with_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_grid - the cells of a grid, and what is no grid. */
#include "scenarios/vary/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] = "stormglass-grid: 1\n"
                           "name: sizes\n"
                           "scenario: base.yaml\n"
                           "vary:\n"
                           "  - {path: workloads.io.queue-depth, as: qd, values: [1, 16]}\n"
                           "  - {path: workloads.io.read, as: read, values: [100%, 0%, 70%]}\n"
                           "adjust:\n"
                           "  - {where: {qd: 16}, set: {workloads.io.count: 40}}\n"
                           "  - {where: {read: [0%, 70%], qd: 16}, set: {seed: 2}}\n";

static struct grid *load(const char *name, const char *source)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    struct grid *grid = grid_load(name, source, strlen(source), diag);
    diag_print(diag, stderr);
    assert_int_equal(grid != NULL, !diag_failed(diag));
    free(diag);
    return grid;
}

static void each_value_with_each(void **state)
{
    (void)state;
    struct grid *grid = load("folder/grid.yaml", text);
    assert_non_null(grid);
    assert_string_equal(grid->name, "sizes");
    assert_string_equal(grid->scenario, "folder/base.yaml");
    static const char *const names[] = {"qd1-read100",  "qd1-read0",  "qd1-read70",
                                        "qd16-read100", "qd16-read0", "qd16-read70"};
    assert_int_equal(grid->cell_count, 6);
    for (int i = 0; i < 6; i++)
        assert_string_equal(grid->cells[i].name, names[i]);
    assert_int_equal(grid->cells[2].set_count, 2);
    assert_string_equal(grid->cells[2].sets[0], "workloads.io.queue-depth=1");
    assert_string_equal(grid->cells[2].sets[1], "workloads.io.read=70%");
    assert_int_equal(grid->cells[2].at[0], 0);
    assert_int_equal(grid->cells[2].at[1], 2);
    grid_free(grid);
}

static void a_range_is_its_values(void **state)
{
    (void)state;
    static const char *const starts[] = {"{from: 1KiB, to: 16KiB, times: 4}",
                                         "{from: 5us, to: 11us, step: 3us}",
                                         "{from: 7, to: 7, step: 1}"};
    static const char *const values[][4] = {
        {"1KiB", "4KiB", "16KiB"}, {"5us", "8us", "11us"}, {"7"}};
    static const uint32_t counts[] = {3, 3, 1};
    for (int i = 0; i < 3; i++) {
        char source[512];
        sprintf(source,
                "stormglass-grid: 1\nname: n\nscenario: s\nvary:\n"
                "  - {path: a, as: a, values: %s}\n",
                starts[i]);
        struct grid *grid = load("grid.yaml", source);
        assert_non_null(grid);
        assert_int_equal(grid->axes[0].value_count, counts[i]);
        for (uint32_t k = 0; k < counts[i]; k++)
            assert_string_equal(grid->axes[0].values[k], values[i][k]);
        grid_free(grid);
    }
}

static void rules_apply_in_order_where_they_fit(void **state)
{
    (void)state;
    struct grid *grid = load("grid.yaml", text);
    assert_string_equal(grid->scenario, "base.yaml");
    assert_int_equal(grid->cells[3].set_count, 3);
    assert_string_equal(grid->cells[3].sets[2], "workloads.io.count=40");
    assert_int_equal(grid->cells[5].set_count, 4);
    assert_string_equal(grid->cells[5].sets[3], "seed=2");
    grid_free(grid);
}

struct wrong {
    const char *from, *to; /* in the text above */
    int line, column;
    const char *words;
};

static const struct wrong wrongs[] = {
    {"stormglass-grid: 1", "stormglass-grid: 2", 1, 18, "version 1"},
    {"stormglass-grid: 1", "stormglass-gird: 1", 1, 1, "stormglass-grid"},
    {"scenario: base.yaml\n", "", 1, 1, "scenario"},
    {"vary:", "wary:", 4, 1, "did you mean 'vary'"},
    {"adjust:", "adjusts:", 7, 1, "did you mean 'adjust'"},
    {"as: qd", "az: qd", 5, 38, "unknown key"},
    {"as: qd, ", "", 5, 5, "expected as"},
    {"as: qd", "as: [qd]", 5, 42, "expected a word"},
    {"as: qd", "as: \"q d\"", 5, 42, "a short name"},
    {"[1, 16]", "[]", 5, 54, "1 to 256 values"},
    {"[1, 16]", "[1, [16]]", 5, 58, "expected a value"},
    {"[1, 16]", "[1, \"$(rm x)\"]", 5, 58, "expected a value"},
    {"[1, 16]", "[1, 1]", 5, 58, "duplicate value"},
    {"[1, 16]", "[1, 16, 1/6]", 5, 3, "two cells"},
    {"as: read", "as: qd", 6, 5, "duplicate axis"},
    {"path: workloads.io.read", "path: workloads.io.queue-depth", 6, 5, "duplicate axis"},
    {"path: workloads.io.read", "path: workloads=io", 6, 12, "expected a path"},
    {"[1, 16]", "{from: 1, to: 16}", 5, 54, "expected step"},
    {"[1, 16]", "{from: 1, to: 16, by: 2}", 5, 72, "unknown key"},
    {"[1, 16]", "{from: 1, to: 16, step: 0}", 5, 78, "step: 1 or more"},
    {"[1, 16]", "{from: 1, to: 16, times: 1}", 5, 79, "step: 1 or more"},
    {"[1, 16]", "{from: 0, to: 16, times: 2}", 5, 79, "step: 1 or more"},
    {"[1, 16]", "{from: 2, to: 1, step: 1}", 5, 68, "at least the first"},
    {"[1, 16]", "{from: 1, to: 16B, step: 1}", 5, 54, "same unit"},
    {"[1, 16]", "{from: 1B, to: 16B, step: 1}", 5, 54, "same unit"},
    {"[1, 16]", "{from: 1.5, to: 16, step: 1}", 5, 61, "a whole number"},
    {"[1, 16]", "{from: x, to: 16, step: 1}", 5, 61, "a whole number"},
    {"[1, 16]", "{from: 0, to: 256, step: 1}", 5, 54, "1 to 256 values"},
    {"[1, 16]", "[1], better: higher", 5, 59, "unknown key"},
    {"{qd: 16}", "{bs: 16}", 8, 14, "no axis"},
    {"{qd: 16}", "{qd: 17}", 8, 18, "no value of the axis 'qd'"},
    {"set: {seed: 2}", "set: seed", 9, 45, "expected a mapping"},
};

/* A copy of the text with one change. */
static char *changed(const struct wrong *wrong)
{
    const char *at = strstr(text, wrong->from);
    assert_non_null(at);
    char *copy = malloc(sizeof text + strlen(wrong->to));
    assert_non_null(copy);
    sprintf(copy, "%.*s%s%s", (int)(at - text), text, wrong->to, at + strlen(wrong->from));
    return copy;
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        struct diag *diag = calloc(1, sizeof *diag);
        assert_non_null(diag);
        char *copy = changed(&wrongs[i]);
        assert_null(grid_load("grid.yaml", copy, strlen(copy), diag));
        const struct diag_message *first = &diag->messages[0];
        if (first->place.line != wrongs[i].line || first->place.column != wrongs[i].column ||
            strstr(first->text, wrongs[i].words) == NULL)
            fail_msg("%s -> %s: %d:%d: %s", wrongs[i].from, wrongs[i].to, first->place.line,
                     first->place.column, first->text);
        free(copy);
        free(diag);
    }
}

static void a_product_beyond_all_measure_is_refused(void **state)
{
    (void)state;
    char big[4096];
    size_t used = (size_t)sprintf(big, "stormglass-grid: 1\nname: n\nscenario: s\nvary:\n");
    for (int axis = 0; axis < 5; axis++) {
        used += (size_t)sprintf(big + used, "  - {path: a%d, as: a%d, values: [0", axis, axis);
        for (int i = 1; i < 10; i++)
            used += (size_t)sprintf(big + used, ", %d", i);
        used += (size_t)sprintf(big + used, "]}\n");
    }
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    assert_null(grid_load("grid.yaml", big, used, diag));
    assert_non_null(strstr(diag->messages[0].text, "more than 4096 cells"));
    free(diag);
}

/* A grid of one axis of two values, and a rule with so many settings for one of them. */
static struct grid *load_rule(unsigned settings, struct diag *diag)
{
    char source[4096];
    size_t used = (size_t)sprintf(source, "stormglass-grid: 1\nname: n\nscenario: s\nvary:\n"
                                          "  - {path: a, as: a, values: [0, 1]}\n"
                                          "adjust:\n"
                                          "  - where: {a: 1}\n"
                                          "    set: {");
    for (unsigned i = 0; i < settings; i++)
        used += (size_t)sprintf(source + used, "%sk%u: 1", i == 0 ? "" : ", ", i);
    used += (size_t)sprintf(source + used, "}\n");
    return grid_load("grid.yaml", source, used, diag);
}

/* 63 of a cell, its axis included; a rule of 64 is refused where its settings begin. */
static void a_cell_has_63_settings_at_most(void **state)
{
    (void)state;
    static const struct {
        unsigned settings;
        const char *words;
    } rows[] = {{1, NULL},
                {61, NULL},
                {62, NULL},
                {63, "a1 would have more than 63 settings"},
                {64, "more than 63 settings"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct diag *diag = calloc(1, sizeof *diag);
        assert_non_null(diag);
        struct grid *grid = load_rule(rows[i].settings, diag);
        const char *said = diag->messages[0].text;
        if ((grid == NULL) != (rows[i].words != NULL))
            fail_msg("%u settings: %s", rows[i].settings, said);
        if (grid != NULL) {
            assert_int_equal(grid->cells[0].set_count, 1);
            assert_int_equal(grid->cells[1].set_count, 1 + rows[i].settings);
            grid_free(grid);
        } else if (strstr(said, rows[i].words) == NULL) {
            fail_msg("%u settings: %s", rows[i].settings, said);
        } else if (rows[i].settings == 64) {
            assert_int_equal(diag->messages[0].place.line, 8);
            assert_int_equal(diag->messages[0].place.column, 10);
        }
        free(diag);
    }
}

static void names_are_fit_for_files(void **state)
{
    (void)state;
    const char *const names[] = {".hidden", "a123456789012345678901234567890123456789"};
    for (int i = 0; i < 2; i++) {
        char grid[2048];
        size_t used = (size_t)sprintf(grid, "stormglass-grid: 1\nname: n\nscenario: s\nvary:\n");
        for (int axis = 0; axis < 5; axis++)
            used += (size_t)sprintf(grid + used, "  - {path: a%d, as: %s%d, values: [0]}\n", axis,
                                    names[i], axis);
        struct diag *diag = calloc(1, sizeof *diag);
        assert_non_null(diag);
        assert_null(grid_load("grid.yaml", grid, used, diag));
        assert_non_null(strstr(diag->messages[0].text, "is not a valid file name"));
        free(diag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_with_each),
        cmocka_unit_test(a_range_is_its_values),
        cmocka_unit_test(a_cell_has_63_settings_at_most),
        cmocka_unit_test(rules_apply_in_order_where_they_fit),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(a_product_beyond_all_measure_is_refused),
        cmocka_unit_test(names_are_fit_for_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

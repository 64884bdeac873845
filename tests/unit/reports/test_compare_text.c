/* SPDX-License-Identifier: Apache-2.0
 * test_compare_text - each part of a comparison, lists at their limits, errors of any size. */
#include "reports/text/compare_text.h"

#include "base/memory.h"
#include "replay/database/words.h"
#include "reports/text/paint.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24 };

/* A comparison without a row, a setting and a workload. */
static struct compare empty(void)
{
    const struct compare_side side = {.path = "model.db",
                                      .scenario = "name",
                                      .about = "about it",
                                      .version = "1.2",
                                      .device = "",
                                      .kernel = "",
                                      .firmware = ""};
    struct compare compare = {.options = {.tolerance = 0.15}, .sides = {side, side}};
    compare.sides[1].path = "measured.db";
    compare.sides[1].scenario = "another name"; /* the heading is the model's */
    compare.sides[1].about = "about the other";
    return compare;
}

static char *text_of(const struct compare *compare)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    paint_set(PAINT_ALWAYS);
    assert_true(compare_text(compare, out));
    paint_set(PAINT_NEVER);
    memory_stream_end(out);
    /* Letters in place of escape sequences. */
    static const struct {
        const char *sequence, *letter;
    } paints[] = {{"\033[1m", "<b>"},
                  {"\033[2m", "<dim>"},
                  {"\033[32m", "<good>"},
                  {"\033[1;31m", "<bad>"},
                  {"\033[0m", "</>"}};
    char *readable = memory_zeroed(2 * length + 1, 1), *to = readable;
    for (const char *at = text; *at != '\0';) {
        size_t i = 0;
        while (i < 5 && strncmp(at, paints[i].sequence, strlen(paints[i].sequence)) != 0)
            i++;
        if (i == 5) {
            *to++ = *at++;
            continue;
        }
        at += strlen(paints[i].sequence);
        to = stpcpy(to, paints[i].letter);
    }
    free(text);
    return readable;
}

/* The text from a heading to the next one. */
static void assert_part(const struct compare *compare, const char *heading, const char *wanted)
{
    char *text = text_of(compare), head[64];
    snprintf(head, sizeof head, "<b>%s", heading);
    char *begin = strstr(text, head);
    assert_non_null(begin);
    char *end = strstr(begin, "\n\n");
    *(end != NULL ? end : begin + strlen(begin) - 1) = '\0';
    assert_string_equal(begin, wanted);
    free(text);
}

static void nothing_differs(void **state)
{
    (void)state;
    struct compare compare = empty();
    char *text = text_of(&compare);
    assert_string_equal(text,
                        "<b>name</>  about it\n"
                        "  model      model.db: stormglass 1.2\n"
                        "  measured   measured.db: stormglass 1.2\n"
                        "\n<b>Protocol        </><good>equal</> in all 0 compared values\n"
                        "\n<b>Timing          </>         model      measured       error\n"
                        "\n<b>Verdict         </>the protocol is equal; 0 of 0 figures within "
                        "15%\n");
    free(text);
    compare.sides[1].measured = true;
    compare.sides[1].device = "rxe0";
    compare.sides[1].kernel = "6.1";
    compare.sides[1].started_unix_s = 86400;
    text = text_of(&compare);
    assert_non_null(
        strstr(text, "  measured   measured.db: rxe0, Linux 6.1, 1970-01-02, stormglass 1.2\n"));
    free(text);
    compare.sides[1].firmware = "22.3";
    text = text_of(&compare);
    assert_non_null(strstr(text, "measured.db: rxe0, firmware 22.3, Linux 6.1, 1970-01-02, "));
    free(text);
}

static void settings_are_listed_up_to_twelve(void **state)
{
    (void)state;
    struct compare compare = empty();
    struct compare_row rows[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (struct compare_row){.what = "a.b", .model = "1", .measured = "2"};
    compare.settings = rows;
    for (size_t count = 0; count <= ROWS; count++) {
        compare.setting_count = count;
        char wanted[4096], *text = text_of(&compare);
        if (count == 0) {
            assert_null(strstr(text, "Settings"));
            free(text);
            continue;
        }
        free(text);
        int used = snprintf(wanted, sizeof wanted,
                            "<b>Settings        </>%zu differ%s; the workload is the same", count,
                            count == 1 ? "s" : "");
        for (size_t i = 0; i < count && i < 12; i++)
            used += snprintf(wanted + used, sizeof wanted - (size_t)used, "\n  %-40s %14s %14s",
                             "a.b", "1", "2");
        if (count > 12)
            snprintf(wanted + used, sizeof wanted - (size_t)used, "\n  <dim>... and %zu more</>",
                     count - 12);
        assert_part(&compare, "Settings", wanted);
    }
}

/* Every third row is equal, every second does not count. */
static void rows_are_listed_up_to_twenty(void **state)
{
    (void)state;
    struct compare compare = empty();
    struct compare_row rows[3 * ROWS];
    for (size_t i = 0; i < 3 * ROWS; i++)
        rows[i] = (struct compare_row){.what = "w: done",
                                       .model = "1",
                                       .measured = i % 3 == 0 ? "1" : "2",
                                       .equal = i % 3 == 0,
                                       .counts = i % 2 == 0};
    compare.rows = rows;
    compare.rows_counting = 1;
    assert_part(&compare, "Protocol",
                "<b>Protocol        </><good>equal</> in all 1 compared value");
    for (size_t count = 1; count <= 3 * ROWS; count++) {
        char wanted[8192];
        size_t differ = 0;
        compare.row_count = count;
        compare.rows_counting = count;
        compare.rows_different = 1;
        int used = snprintf(wanted, sizeof wanted,
                            "<b>Protocol        </><bad>differs</> in 1 of %zu compared value%s",
                            count, count == 1 ? "" : "s");
        for (size_t i = 0; i < count; i++)
            if (i % 3 != 0 && differ++ < 20)
                used +=
                    snprintf(wanted + used, sizeof wanted - (size_t)used,
                             "\n  %s w: done</>\n            model     1\n            measured  2",
                             i % 2 == 0 ? "<bad>differs   " : "<dim>may differ");
        if (differ > 20)
            snprintf(wanted + used, sizeof wanted - (size_t)used, "\n  <dim>... and %zu more</>",
                     differ - 20);
        assert_part(&compare, "Protocol", wanted);
    }
    char *text = text_of(&compare);
    assert_non_null(strstr(text, "the protocol differs; 0 of 0 figures within 15%\n"));
    free(text);
}

static void figures_have_errors_and_verdicts(void **state)
{
    (void)state;
    struct compare compare = empty();
    const struct figures_workload work[2] = {
        {.name = "w", .point = "queue-depth 1", .range = FIGURE_CALIBRATED, .outside = ""},
        {.name = "v",
         .point = "queue-depth 9",
         .range = FIGURE_EXTRAPOLATED,
         .outside = "queue-depth 9, fitted on 1 to 4"}};
    struct compare_workload workloads[2] = {{.model = &work[0], .measured = &work[0]},
                                            {.model = &work[1], .measured = &work[1]}};
    workloads[0].figures[FIGURE_P50] = (struct compare_figure){true, 2e6, 1e6, 1, true, false};
    workloads[0].figures[FIGURE_IOPS] = (struct compare_figure){true, 1000, 1000, 0, true, true};
    workloads[1].figures[FIGURE_GOODPUT] =
        (struct compare_figure){true, 1e9, 2e9, -0.5, false, false};
    compare.workloads = workloads;
    compare.workload_count = 2;
    compare.judged = 1;
    compare.within = 1;
    char wanted[4096];
    int used = snprintf(wanted, sizeof wanted,
                        "<b>Timing          </>         model      measured       error");
    for (int w = 0; w < 2; w++) {
        used += snprintf(wanted + used, sizeof wanted - (size_t)used, "\n  %s  <dim>%s; %s%s</>",
                         work[w].name, work[w].point, figure_range_name(work[w].range),
                         w == 0 ? "" : ": queue-depth 9, fitted on 1 to 4");
        for (int k = 0; k < FIGURE_COUNT; k++) {
            const char *line = "             -             -";
            if (w == 0 && k == FIGURE_P50)
                line = "       2.00 us      1.000 us     +100.0%   <bad>beyond</>";
            if (w == 0 && k == FIGURE_IOPS)
                line = "       1.000 k       1.000 k       +0.0%   <good>within</>";
            if (w == 1 && k == FIGURE_GOODPUT)
                line = "    1.000 Gb/s     2.00 Gb/s      -50.0%";
            used += snprintf(wanted + used, sizeof wanted - (size_t)used, "\n    %-10s%s",
                             figure_rows[k].heading, line);
        }
    }
    assert_part(&compare, "Timing", wanted);
    assert_part(&compare, "Verdict",
                "<b>Verdict         </>the protocol is equal; 1 of 1 figure within 15%");
}

static void errors_are_percentages_or_multiples(void **state)
{
    (void)state;
    static const struct {
        double error;
        const char *words;
    } rows[] = {{0, "+0.0%"},       {0.0004, "+0.0%"}, {-0.0004, "+0.0%"}, {0.0005, "+0.1%"},
                {-0.0006, "-0.1%"}, {0.123, "+12.3%"}, {9.94, "+994.0%"},  {9.95, "x 11"},
                {39, "x 40"},       {-1, "-100.0%"},   {INFINITY, "n/a"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(compare_error_words(rows[i].error).text, rows[i].words);
    assert_string_equal(compare_value(FIGURE_P99, 2e6).text, "2.00 us");
    assert_string_equal(compare_value(FIGURE_IOPS, 2e6).text, "2.00 M");
    assert_string_equal(compare_value(FIGURE_GOODPUT, 2e6).text, "2.00 Mb/s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_differs),
        cmocka_unit_test(settings_are_listed_up_to_twelve),
        cmocka_unit_test(rows_are_listed_up_to_twenty),
        cmocka_unit_test(figures_have_errors_and_verdicts),
        cmocka_unit_test(errors_are_percentages_or_multiples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

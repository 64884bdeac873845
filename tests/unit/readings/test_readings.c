/* SPDX-License-Identifier: Apache-2.0
 * What is read of files of other tools: each file of cases has texts, and what comes of them. */
#include "base/memory.h"
#include "replay/readings/tool.h"
#include "tests/unit/import/import_case.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put_number(FILE *out, const char *word, struct reading_number number)
{
    if (number.value > 0)
        fprintf(out, " %s %.9g+-%.3g", word, number.value, number.step);
}

static void put_count(FILE *out, const char *word, int64_t count)
{
    if (count > 0)
        fprintf(out, " %s %" PRId64, word, count);
}

static void put_reading(FILE *out, const struct reading *reading)
{
    static const char *const kinds[] = {"rate", "latency", "io", "setting", "note"};
    const struct reading_work *work = &reading->work;
    fprintf(out, "%d:%d %s %s", reading->where.line, reading->where.column, reading->tool,
            kinds[reading->kind]);
    if (reading->kind == READING_SETTING) {
        fprintf(out, " %s=%s\n", reading->path, reading->value);
        return;
    }
    if (reading->kind == READING_NOTE) {
        fprintf(out, " %s\n", reading->value);
        return;
    }
    fprintf(out, " %s %" PRId64, reading_verb_word(work->verb), work->bytes);
    put_count(out, "qps", work->qps);
    put_count(out, "depth", work->depth);
    put_count(out, "list", work->post_list);
    put_count(out, "mtu", work->mtu);
    put_count(out, "inline", work->inline_bytes);
    put_count(out, "reads", work->reads);
    fprintf(out, "%s%s",
            work->both_ways ? " both-ways"
            : work->mixed   ? " mixed"
                            : "",
            work->infiniband ? " ib" : "");
    put_number(out, "rate", reading->rate);
    put_number(out, "ps", reading->latency);
    put_number(out, "cpu-ps", reading->cpu);
    fputc('\n', out);
}

static char *answer(const char *text)
{
    struct readings readings = {0};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    char *made, *lines;
    size_t size;
    FILE *out = memory_stream(&made, &size);
    const bool fine = readings_read(&readings, "in", text, strlen(text), diag);
    for (size_t i = 0; fine && i < readings.count; i++)
        put_reading(out, &readings.list[i]);
    memory_stream_end(out);
    assert_int_equal(fine, !diag_failed(diag));
    lines = import_lines(made, NULL, diag);
    readings_free(&readings);
    free(diag);
    free(made);
    return lines;
}

static void perftest(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/perftest.txt");
}

static void perftest_json(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/perftest_json.txt");
}

static void lspci(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/lspci.txt");
}

static void ethtool(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/ethtool.txt");
}

static void mlxconfig(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/mlxconfig.txt");
}

static void fio(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/fio.txt");
}

static void fio_json(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/fio_json.txt");
}

static void fio_terse(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/fio_terse.txt");
}

static void spdk_perf(void **state)
{
    (void)state;
    import_check(answer, "tests/unit/readings/cases/spdk_perf.txt");
}

static void numbers_keep_their_precision(void **state)
{
    static const struct {
        const char *text;
        double value, step;
    } fine[] = {{"12", 12, 1},
                {"0.99", 0.99, 0.01},
                {".5", 0.5, 0.1},
                {"7.", 7, 1},
                {"2.632000", 2.632, 1e-6}};
    static const char *const none[] = {"",     ".",     "-1",  "+1",
                                       "1e3",  "1.2.3", "inf", "nan",
                                       "0x10", " 1",    "1 ",  "1234567890123456789012345"};
    struct reading_number number;
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
        assert_true(reading_number_parse(fine[i].text, strlen(fine[i].text), &number));
        assert_true(fabs(number.value - fine[i].value) < 1e-12);
        assert_true(fabs(number.step - fine[i].step) < 1e-12);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        if (reading_number_parse(none[i], strlen(none[i]), &number))
            fail_msg("'%s' was read as a number", none[i]);
}

static void a_file_of_nobody_is_refused(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *words;
        int line, column;
    } rows[] = {
        {"", 0, "not the output of a supported tool", 1, 1},
        {"root:x:0:0\n", 11, "not the output of a supported tool", 1, 1},
        {"{\"a\": 1}", 8, "not the output of a supported tool", 1, 1},
        {"#bytes\nab\0c", 11, "NUL", 2, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct readings readings = {0};
        struct diag *diag = memory_zeroed(1, sizeof *diag);
        assert_false(readings_read(&readings, "in", rows[i].text, rows[i].length, diag));
        assert_int_equal(diag->errors, 1);
        assert_non_null(strstr(diag->messages[0].text, rows[i].words));
        assert_int_equal(diag->messages[0].place.line, rows[i].line);
        assert_int_equal(diag->messages[0].place.column, rows[i].column);
        readings_free(&readings);
        free(diag);
    }
}

/* No file makes the list longer than it may be. */
static void too_many_figures_are_refused(void **state)
{
    struct readings readings = {0};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    (void)state;
    for (int i = 0; i <= READINGS_MAX; i++)
        readings_add(&readings, (struct reading){.where = {.file = "in", .line = i}}, diag);
    assert_int_equal(readings.count, READINGS_MAX);
    assert_int_equal(diag->errors, 1);
    readings_free(&readings);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perftest),
        cmocka_unit_test(perftest_json),
        cmocka_unit_test(lspci),
        cmocka_unit_test(ethtool),
        cmocka_unit_test(mlxconfig),
        cmocka_unit_test(fio),
        cmocka_unit_test(fio_json),
        cmocka_unit_test(fio_terse),
        cmocka_unit_test(spdk_perf),
        cmocka_unit_test(numbers_keep_their_precision),
        cmocka_unit_test(a_file_of_nobody_is_refused),
        cmocka_unit_test(too_many_figures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

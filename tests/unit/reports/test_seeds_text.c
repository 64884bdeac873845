/* SPDX-License-Identifier: Apache-2.0
 * test_seeds_text - which seeds are listed as not simulated and as failed, and how many. */
#include "reports/summary/seeds_text.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS_MOST = 64 };

/* A letter for each seed from 1 on: "+" held, "-" did not, "x" did not run. */
static char *printed(const char *letters)
{
    struct seeds_run runs[SEEDS_MOST];
    const struct scenario scenario = {.name = "name", .seed = 1};
    struct seeds seeds = {
        .scenario = &scenario, .runs = runs, .count = (uint32_t)strlen(letters), .jobs = 1};
    for (uint32_t i = 0; i < seeds.count; i++)
        runs[i] = (struct seeds_run){
            .seed = i + 1, .played = letters[i] != 'x', .held = letters[i] == '+'};
    char *text = NULL;
    size_t length = 0;
    FILE *out = memory_stream(&text, &length);
    assert_true(seeds_text(&seeds, out));
    memory_stream_end(out);
    return text;
}

/* The seeds behind `head`, or NULL; then it counts them. */
static void assert_listed(const char *text, const char *head, const char *seeds)
{
    const char *at = strstr(text, head);
    if ((at != NULL) != (seeds != NULL))
        fail_msg("'%s' is %s in: %s", head, at == NULL ? "not" : "wrongly", text);
    if (seeds != NULL)
        assert_memory_equal(at + strlen(head), seeds, strlen(seeds));
}

static void each_seed_is_in_the_list_of_its_end(void **state)
{
    (void)state;
    static const struct {
        const char *letters, *missing, *broken;
    } rows[] = {
        {"++++", NULL, NULL},
        {"+-+-", NULL, "2, 4: 2 of 4 "},
        {"x+++", "1: 1 of 4 ", NULL},
        {"-xx+-", "2, 3: 2 of 5 ", "1, 5: 2 of 5 "},
        {"--------------------+", NULL,
         "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20: 20 of 21 "},
        {"xxxxxxxxxxxxxxxxxxxxxx+",
         "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, ...: 22 of 23 ",
         NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = printed(rows[i].letters);
        assert_listed(text, "Not run: seeds ", rows[i].missing);
        assert_listed(text, "FAILED with seeds ", rows[i].broken);
        free(text);
    }
}

static char *printed_of(const struct seeds *seeds)
{
    static char *text;
    static size_t length;
    FILE *out = memory_stream(&text, &length);
    assert_true(seeds_text(seeds, out));
    memory_stream_end(out);
    return text;
}

/* Two workloads of three seeds: mean, half of the interval, worst value and its seed. */
static void each_workload_has_three_lines(void **state)
{
    (void)state;
    struct scenario_workload workloads[2] = {{.name = "first"}, {.name = "a name that is longer"}};
    const struct scenario scenario = {
        .name = "name", .seed = 7, .workloads = workloads, .workload_count = 2};
    struct seeds_run runs[3];
    double figures[6][SEEDS_FIGURE_COUNT] = {{0}};
    struct seeds seeds = {
        .scenario = &scenario, .runs = runs, .figures = figures, .count = 3, .jobs = 2};
    for (uint32_t i = 0; i < 3; i++)
        runs[i] = (struct seeds_run){.seed = 7 + i, .played = true, .held = true};
    for (uint32_t i = 0; i < 3; i++) /* the second workload is the same with each seed */
        for (int w = 0; w < 2; w++) {
            const double step = w == 0 ? i : 0;
            double *of = figures[2 * i + (uint32_t)w];
            of[SEEDS_IOPS] = 1000 + 100 * step;
            of[SEEDS_GOODPUT] = 1e9;
            of[SEEDS_LATENCY_MEAN] = 5000 + 1000 * step;
            of[SEEDS_LATENCY_P99] = 6000;
            of[SEEDS_LATENCY_P99_9] = 7000;
        }
    char wanted[2048], *text = printed_of(&seeds);
    snprintf(
        wanted, sizeof wanted,
        "name  3 seeds from 7 on, 2 in parallel; +- is half of the 95%% confidence interval\n"
        "\n%-20s%22s%22s%22s%22s%22s\n"
        "  %-18s%22s%22s%22s%22s%22s\n  %18s%22s%22s%22s%22s%22s\n  %18s%22d%22d%22d%22d%22d\n"
        "  %-18s%22s%22s%22s%22s%22s\n  %18s%22s%22s%22s%22s%22s\n  %18s%22d%22d%22d%22d%22d\n",
        "Workloads", "IOPS", "goodput", "mean", "p99", "p99.9",
        /* t of two degrees of freedom is 4.303: 4.303 * 100 / sqrt(3) is 248 of 1100 */
        "first", "1.100 k +- 23%", "1.000 Gb/s +- 0%", "6.00 us +- 41%", "6.00 us +- 0%",
        "7.00 us +- 0%", "worst", "1.000 k", "1.000 Gb/s", "7.00 us", "6.00 us", "7.00 us",
        "with seed", 7, 7, 9, 7, 7, "a name that is lon", "1.000 k +- 0%", "1.000 Gb/s +- 0%",
        "5.00 us +- 0%", "6.00 us +- 0%", "7.00 us +- 0%", "worst", "1.000 k", "1.000 Gb/s",
        "5.00 us", "6.00 us", "7.00 us", "with seed", 7, 7, 7, 7, 7);
    assert_string_equal(text, wanted);
    free(text);
    seeds.count = 1;
    text = printed_of(&seeds);
    assert_memory_equal(text, "name  1 seed from 7 on, 2 in", 28);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_workload_has_three_lines),
        cmocka_unit_test(each_seed_is_in_the_list_of_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_seed_is_in_the_list_of_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

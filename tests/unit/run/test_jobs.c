/* SPDX-License-Identifier: Apache-2.0
 * test_jobs - results by number, whoever ends first; a process that dies is begun again, once. */
#include "replay/run/jobs.h"

#include "replay/run/stop.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 20, BIG = 300000 /* more than a pipe takes at once */ };

struct bench {
    char folder[64]; /* of a file for each process that was begun */
    uint32_t ends, failed;
    uint32_t dies;  /* number that dies; COUNT: none */
    uint32_t times; /* so often */
};

struct answer {
    uint32_t index;
    unsigned char filled[BIG];
};

static uint32_t begun(const struct bench *bench, uint32_t index)
{
    char path[128];
    for (uint32_t times = 0;; times++) {
        snprintf(path, sizeof path, "%s/%u.%u", bench->folder, (unsigned)index, (unsigned)times);
        if (access(path, F_OK) == 0)
            continue;
        fclose(fopen(path, "w"));
        return times;
    }
}

static void play(void *self, uint32_t index, void *result)
{
    const struct bench *bench = self;
    struct answer *answer = result;
    const struct timespec moment = {.tv_nsec = index == 0 ? 30000000 : 0};
    nanosleep(&moment, NULL); /* the first ends last */
    for (size_t i = 0; i < BIG; i++)
        if (answer->filled[i] != 0)
            abort();
    if (index == bench->dies && begun(bench, index) < bench->times)
        _exit(0); /* without an answer */
    answer->index = index + 1;
    memset(answer->filled, (int)index + 1, BIG);
}

static void play_well(void *self, uint32_t index, void *result)
{
    struct answer *answer = result;
    (void)self;
    answer->index = index + 1;
    memset(answer->filled, (int)index + 1, BIG);
}

static void done(void *self, uint32_t index, bool well)
{
    struct bench *bench = self;
    (void)index;
    bench->ends++;
    bench->failed += !well;
}

static bool play_all(struct bench *bench, uint32_t at_once)
{
    struct answer *answers = calloc(COUNT, sizeof *answers);
    assert_non_null(answers);
    snprintf(bench->folder, sizeof bench->folder, "/tmp/test_jobs.XXXXXX");
    assert_non_null(mkdtemp(bench->folder));
    const struct jobs jobs = {bench, play, done, COUNT, at_once, answers, sizeof *answers};
    const bool well = jobs_play(&jobs);
    for (uint32_t i = 0; i < COUNT; i++) {
        const bool died = i == bench->dies && bench->times > 1;
        assert_int_equal(answers[i].index, died ? 0 : i + 1);
        assert_int_equal(answers[i].filled[BIG - 1], died ? 0 : i + 1);
    }
    assert_int_equal(bench->ends, COUNT);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", bench->folder);
    assert_int_equal(system(command), 0);
    free(answers);
    return well;
}

static void results_are_by_number(void **state)
{
    (void)state;
    static const uint32_t at_once[] = {1, 3, 0};
    for (int i = 0; i < 3; i++) {
        struct bench bench = {.dies = COUNT};
        assert_true(play_all(&bench, at_once[i]));
        assert_int_equal(bench.failed, 0);
    }
}

static void who_dies_once_is_played_again(void **state)
{
    (void)state;
    struct bench bench = {.dies = 7, .times = 1};
    assert_true(play_all(&bench, 2));
    assert_int_equal(bench.failed, 0);
}

static void who_dies_twice_is_told(void **state)
{
    (void)state;
    struct bench bench = {.dies = 7, .times = 2};
    assert_false(play_all(&bench, 2));
    assert_int_equal(bench.failed, 1);
}

/* An answer that cannot be one; the second one can, where `times` is 1. */
static bool is_sound(void *self, uint32_t index, const void *result)
{
    struct bench *bench = self;
    const struct answer *answer = result;
    return answer->index == index + 1 && (index != bench->dies || bench->times-- == 0);
}

static void what_cannot_be_an_answer_is_none(void **state)
{
    (void)state;
    for (uint32_t times = 1; times <= 2; times++) {
        struct bench bench = {.dies = 7, .times = times};
        struct answer *answers = calloc(COUNT, sizeof *answers);
        assert_non_null(answers);
        const struct jobs jobs = {.self = &bench,
                                  .play = play_well,
                                  .done = done,
                                  .count = COUNT,
                                  .at_once = 2,
                                  .results = answers,
                                  .bytes = sizeof *answers,
                                  .sound = is_sound};
        assert_int_equal(jobs_play(&jobs), times == 1);
        assert_int_equal(bench.failed, times - 1);
        assert_int_equal(answers[7].index, times == 1 ? 8 : 0);
        assert_int_equal(answers[7].filled[BIG - 1], times == 1 ? 8 : 0);
        free(answers);
    }
}

static void play_for_ever(void *self, uint32_t index, void *result)
{
    (void)self;
    (void)result;
    signal(SIGTERM, SIG_DFL);
    if (index == 0)
        kill(getppid(), SIGINT);
    for (;;)
        pause();
}

static bool is_enough(void *self)
{
    const struct bench *bench = self;
    return bench->ends > 0;
}

static void play_the_first(void *self, uint32_t index, void *result)
{
    (void)result;
    if (index > 0)
        play_for_ever(self, index, result);
}

static void what_is_enough_ends_all(void **state)
{
    (void)state;
    struct bench bench = {0};
    char answers[COUNT] = {0};
    const struct jobs jobs = {.self = &bench,
                              .play = play_the_first,
                              .done = done,
                              .enough = is_enough,
                              .count = COUNT,
                              .at_once = 2,
                              .results = answers,
                              .bytes = 1};
    assert_false(jobs_play(&jobs));
    /* Who ended is told when its place plays the next: both of these are stopped. */
    assert_int_equal(bench.ends, 3);
    assert_int_equal(bench.failed, 2);
}

static void a_stop_ends_all(void **state)
{
    (void)state;
    struct bench bench = {0};
    struct stop former;
    char answers[COUNT] = {0};
    const struct jobs jobs = {&bench, play_for_ever, done, COUNT, 2, answers, 1};
    stop_catch(&former);
    assert_false(jobs_play(&jobs));
    assert_int_equal(stop_asked(), SIGINT);
    stop_forget();
    stop_release(&former);
    assert_in_range(bench.ends, 1, 2);
    assert_int_equal(bench.failed, bench.ends);
}

static void at_once(void **state)
{
    (void)state;
    assert_int_equal(jobs_at_once(&(struct jobs){.count = 2, .at_once = 3}), 2);
    assert_int_equal(jobs_at_once(&(struct jobs){.count = 1000, .at_once = 3}), 3);
    assert_int_equal(jobs_at_once(&(struct jobs){.count = 1000, .at_once = 1000}),
                     JOBS_AT_ONCE_MAX);
    assert_in_range(jobs_at_once(&(struct jobs){.count = 1000}), 1, JOBS_AT_ONCE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_by_number),
        cmocka_unit_test(who_dies_once_is_played_again),
        cmocka_unit_test(who_dies_twice_is_told),
        cmocka_unit_test(what_cannot_be_an_answer_is_none),
        cmocka_unit_test(a_stop_ends_all),
        cmocka_unit_test(what_is_enough_ends_all),
        cmocka_unit_test(at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

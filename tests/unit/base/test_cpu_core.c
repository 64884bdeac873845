/* SPDX-License-Identifier: Apache-2.0
 * test_cpu_core - the turns of the users of a core. */
#include "base/cpu_core.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { JOBS = 6 };

struct bench;

struct user {
    struct bench *bench;
    struct cpu_job job;
    time_ps cost, begun, ended;
    int again; /* jobs that are added when one ends */
};

struct bench {
    struct fake_world world;
    struct cpu_core core;
    struct user users[JOBS];
};

static time_ps on_begin(void *self, time_ps now)
{
    struct user *user = self;
    user->begun = now;
    return user->cost;
}

static void on_end(void *self, time_ps now)
{
    struct user *user = self;
    user->ended = now;
    if (user->again-- > 0)
        cpu_core_add(&user->bench->core, &user->job);
}

static void open_bench(struct bench *bench)
{
    fake_init(&bench->world);
    cpu_core_init(&bench->core, &bench->world.env);
    for (int i = 0; i < JOBS; i++) {
        struct user *user = &bench->users[i];
        *user = (struct user){.bench = bench, .cost = 10 * (i + 1), .begun = -1, .ended = -1};
        user->job = (struct cpu_job){.begin = on_begin, .done = on_end, .self = user};
    }
}

static void close_bench(struct bench *bench)
{
    cpu_core_fini(&bench->core);
    fake_fini(&bench->world);
}

static void users_take_turns(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench);
    bench.users[0].again = 1;
    for (int i = 0; i < 3; i++)
        cpu_core_add(&bench.core, &bench.users[i].job);
    assert_true(cpu_job_begun(&bench.users[0].job));
    assert_false(cpu_job_begun(&bench.users[1].job));
    assert_int_equal(cpu_core_left(&bench.core, 0), 10);
    fake_run(&bench.world, 65);
    assert_int_equal(bench.users[1].begun, 10);
    assert_int_equal(bench.users[2].begun, 30);
    assert_int_equal(bench.users[0].begun, 60); /* its second job, behind the others */
    assert_int_equal(bench.core.busy, 70);
    assert_int_equal(cpu_core_left(&bench.core, 65), 5);
    fake_run(&bench.world, 100);
    assert_int_equal(bench.users[0].ended, 70);
    assert_int_equal(cpu_core_left(&bench.core, 100), 0);
    close_bench(&bench);
}

static void jobs_can_be_removed(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench);
    for (int i = 0; i < 5; i++)
        cpu_core_add(&bench.core, &bench.users[i].job);
    cpu_core_remove(&bench.users[4].job); /* the last */
    cpu_core_remove(&bench.users[2].job);
    cpu_core_remove(&bench.users[0].job); /* has begun: the core stays busy */
    cpu_core_remove(&bench.users[0].job); /* once more: nothing */
    cpu_core_add(&bench.core, &bench.users[5].job);
    fake_run(&bench.world, 1000);
    assert_int_equal(bench.users[0].ended, -1);
    assert_int_equal(bench.users[1].begun, 10);
    assert_int_equal(bench.users[2].begun, -1);
    assert_int_equal(bench.users[3].begun, 30);
    assert_int_equal(bench.users[4].begun, -1);
    assert_int_equal(bench.users[5].ended, 130);
    close_bench(&bench);
}

/* A hundred thousand jobs in a row need no stack. */
static void jobs_without_cost_end_at_once(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench);
    bench.users[0].cost = 0;
    bench.users[0].again = 100000;
    cpu_core_add(&bench.core, &bench.users[0].job);
    assert_int_equal(bench.users[0].again, -1);
    assert_int_equal(bench.users[0].ended, 0);
    assert_null(bench.users[0].job.core);
    close_bench(&bench);
}

static void an_end_forgets_all_jobs(void **state)
{
    (void)state;
    static struct bench bench;
    open_bench(&bench);
    for (int i = 0; i < 3; i++)
        cpu_core_add(&bench.core, &bench.users[i].job);
    cpu_core_fini(&bench.core);
    for (int i = 0; i < 3; i++)
        assert_null(bench.users[i].job.core);
    fake_run(&bench.world, 1000);
    assert_int_equal(bench.users[0].ended, -1);
    fake_fini(&bench.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_take_turns),
        cmocka_unit_test(jobs_can_be_removed),
        cmocka_unit_test(jobs_without_cost_end_at_once),
        cmocka_unit_test(an_end_forgets_all_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

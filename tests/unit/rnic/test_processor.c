/* SPDX-License-Identifier: Apache-2.0
 * The processor of a machine: levels, interruption, debts, ticks. */
#include "rnic/soft/processor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KIND = 40, JOBS = 8 };
#define US PS_PER_US

struct bench;

struct job {
    struct work work; /* first */
    struct bench *bench;
    time_ps cost;
    unsigned pieces; /* left */
    time_ps charges; /* by the effect */
    struct job
        *starts; /* by the effect, at `start_level` or, if PROCESSOR_LEVELS, where it belongs */
    int start_level;
    bool once; /* a piece, and the next when it is started again */
    time_ps done;
};

struct bench {
    struct node node; /* first */
    struct engine engine;
    struct processor processor;
    struct job jobs[JOBS];
    struct {
        struct job *job;
        int level;
    } later[JOBS]; /* by the argument of events of kind 0 */
};

static void on_event(struct node *node, const struct event *event)
{
    struct bench *bench = (struct bench *)(void *)node;
    if (event->kind == KIND)
        processor_on_event(&bench->processor, event);
    else
        processor_add(&bench->processor, &bench->later[event->argument].job->work,
                      (enum processor_level)bench->later[event->argument].level);
    processor_audit(&bench->processor);
}

static void audit(const struct node *node)
{
    (void)node;
}

static const struct node_ops ops = {.name = "bench", .on_event = on_event, .audit = audit};

static time_ps begin(struct work *work, time_ps now)
{
    (void)now;
    return ((struct job *)(void *)work)->cost;
}

static bool end(struct work *work, time_ps now)
{
    struct job *job = (struct job *)(void *)work;
    struct processor *processor = &job->bench->processor;
    job->done = now;
    if (job->charges > 0)
        processor_charge(processor, job->charges);
    if (job->starts != NULL && job->starts->pieces > 0)
        processor_add(processor, &job->starts->work,
                      job->start_level == PROCESSOR_LEVELS
                          ? processor_within(processor)
                          : (enum processor_level)job->start_level);
    return --job->pieces > 0 && !job->once;
}

static void set_up(struct bench *bench, time_ps idle, time_ps tick)
{
    *bench = (struct bench){0};
    engine_init(&bench->engine, 1);
    engine_add(&bench->engine, &bench->node, &ops, "bench");
    engine_start(&bench->engine);
    const struct processor_costs costs = {.idle = idle, .tick = tick, .tick_interval = PS_PER_MS};
    processor_init(&bench->processor, &bench->node, KIND, &costs);
    for (int i = 0; i < JOBS; i++)
        bench->jobs[i] = (struct job){
            .work = {.node = &bench->node, .begin = begin, .end = end},
            .bench = bench,
            .cost = 10 * US,
            .pieces = 1,
        };
}

static void add_at(struct bench *bench, time_ps at, int job, enum processor_level level)
{
    bench->later[job].job = &bench->jobs[job];
    bench->later[job].level = (int)level;
    node_post(&bench->node, bench->node.id, at, 0, 0, (uint64_t)job);
}

static void run(struct bench *bench)
{
    engine_run(&bench->engine, PS_PER_S);
    assert_null(bench->processor.running);
}

static void tear_down(struct bench *bench)
{
    engine_fini(&bench->engine);
}

static void test_first_come(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0, 0);
    bench.jobs[0].pieces = 2; /* keeps its place */
    add_at(&bench, 1 * US, 0, PROCESSOR_INTERRUPT);
    add_at(&bench, 2 * US, 1, PROCESSOR_INTERRUPT);
    add_at(&bench, 3 * US, 2, PROCESSOR_NESTED);
    run(&bench);
    assert_int_equal(bench.jobs[2].done, 21 * US); /* before the second piece */
    assert_int_equal(bench.jobs[0].done, 31 * US);
    assert_int_equal(bench.jobs[1].done, 41 * US);
    assert_int_equal(bench.processor.busy[PROCESSOR_INTERRUPT], 30 * US);
    assert_int_equal(bench.processor.busy[PROCESSOR_NESTED], 10 * US);
    tear_down(&bench);
}

static void test_interruption(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0, 0);
    add_at(&bench, 0, 0, PROCESSOR_PROCESS);
    add_at(&bench, 3 * US, 1, PROCESSOR_INTERRUPT);
    add_at(&bench, 4 * US, 2, PROCESSOR_CALL); /* waits for neither, but is next */
    add_at(&bench, 25 * US, 3, PROCESSOR_INTERRUPT);
    run(&bench);
    assert_int_equal(bench.jobs[1].done, 13 * US);
    assert_int_equal(bench.jobs[2].done, 23 * US);
    assert_int_equal(bench.jobs[3].done, 35 * US);
    assert_int_equal(bench.jobs[0].done, 40 * US); /* 3 + 2 + 5 us of its own */
    assert_int_equal(bench.processor.busy[PROCESSOR_PROCESS], 10 * US);
    tear_down(&bench);
}

static void test_effects(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0, 0);
    bench.jobs[0].charges = 5 * US;
    bench.jobs[0].starts = &bench.jobs[1]; /* after what is owed, before what waits */
    bench.jobs[0].start_level = PROCESSOR_LEVELS;
    add_at(&bench, 0, 0, PROCESSOR_INTERRUPT);
    add_at(&bench, 1 * US, 2, PROCESSOR_INTERRUPT);
    run(&bench);
    assert_int_equal(bench.jobs[1].done, 25 * US);
    assert_int_equal(bench.jobs[2].done, 35 * US);
    assert_int_equal(bench.jobs[1].work.level, PROCESSOR_NESTED);
    tear_down(&bench);
}

static void test_idle_and_ticks(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 2 * US, 7 * US);
    add_at(&bench, 985 * US, 0, PROCESSOR_PROCESS); /* 987 to 997: none */
    add_at(&bench, 986 * US, 1, PROCESSOR_PROCESS); /* over the tick at 1 ms */
    add_at(&bench, 5500 * US, 2, PROCESSOR_PROCESS);
    run(&bench);
    assert_int_equal(bench.jobs[0].done, 997 * US);
    assert_int_equal(bench.jobs[1].done, 1014 * US);
    assert_int_equal(bench.jobs[2].done, 5512 * US); /* ticks meanwhile were nobody's */
    tear_down(&bench);
}

/* Two works of packets that start each other without end: after ten rounds the process, which has
 * paid too little for them to be far ahead, keeps the processor until it is done. */
static void test_the_process_has_its_share(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0, 0);
    bench.processor.softirq.costs = (struct softirq_costs){
        .limit = 2 * PS_PER_MS, .slice = 3 * PS_PER_MS, .grain = PS_PER_MS, .tick = 4 * PS_PER_MS};
    for (int i = 0; i < 2; i++) {
        bench.jobs[i].pieces = 20;
        bench.jobs[i].starts = &bench.jobs[1 - i];
        bench.jobs[i].start_level = PROCESSOR_INTERRUPT;
        bench.jobs[i].once = true;
    }
    bench.jobs[2].pieces = 3;
    add_at(&bench, 0, 2, PROCESSOR_PROCESS);
    add_at(&bench, 5 * US, 0, PROCESSOR_INTERRUPT);
    run(&bench);
    assert_int_equal(bench.jobs[2].done, (5 + 10 * 10 + 25) * US);
    tear_down(&bench);
}

static void test_remove(void **state)
{
    struct bench bench;
    (void)state;
    set_up(&bench, 0, 0);
    add_at(&bench, 0, 0, PROCESSOR_INTERRUPT);
    add_at(&bench, 1 * US, 1, PROCESSOR_INTERRUPT);
    add_at(&bench, 2 * US, 2, PROCESSOR_INTERRUPT);
    engine_run(&bench.engine, 4 * US);
    processor_remove(&bench.processor, &bench.jobs[0].work); /* runs */
    processor_remove(&bench.processor, &bench.jobs[2].work); /* waits */
    run(&bench);
    assert_int_equal(bench.jobs[0].done, 0);
    assert_int_equal(bench.jobs[1].done, 14 * US);
    assert_int_equal(bench.jobs[2].done, 0);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_come), cmocka_unit_test(test_interruption),
        cmocka_unit_test(test_effects),    cmocka_unit_test(test_idle_and_ticks),
        cmocka_unit_test(test_remove),     cmocka_unit_test(test_the_process_has_its_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

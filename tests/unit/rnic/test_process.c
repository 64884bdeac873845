/* SPDX-License-Identifier: Apache-2.0
 * The process of a machine and the work of its protocols: what comes after what, and when.
 * Each step has a cost that is a power of two, so that a time tells which steps went before. */
#include "rnic/host/host.h"
#include "rnic/soft/machine.h"
#include "rnic/soft/soft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TIMERS = 100, QUEUES = 3, WORKS = 5, LOG = 2000 };
#define US PS_PER_US

struct bench;

struct bench_queue {
    struct process_queue queue; /* first */
    struct bench *bench;
    char letter;
};

struct bench_work {
    struct env_work work; /* first */
    struct bench *bench;
    char letter;
};

struct bench {
    struct host home;
    struct engine engine;
    struct machine machine;
    struct timer timers[TIMERS];
    struct bench_queue queues[QUEUES];
    struct bench_work works[WORKS];
    struct timer *again;           /* this timer asks for its turn once more when it fires */
    struct bench_queue *forgotten; /* by the completion of another queue */
    struct bench_work *working;    /* that a completion asks for */
    unsigned fired;
    char log[LOG]; /* a letter and a time in us for each thing that was done */
};

static struct bench bench;

static const struct soft_params costs = {
    .wake = 1 * US, .loop = 2 * US, .timer = 4 * US, .event = 8 * US, .completion = 16 * US};

static void note(char letter, time_ps now)
{
    const size_t length = strlen(bench.log);
    snprintf(bench.log + length, LOG - length, "%c%lld ", letter, (long long)(now / US));
}

static void on_event(struct node *node, const struct event *event)
{
    (void)node;
    CHECK(event->kind == HOST_EVENT_PROCESSOR);
    processor_on_event(&bench.machine.processor, event);
    processor_audit(&bench.machine.processor);
}

static void audit(const struct node *node)
{
    (void)node;
}

static const struct node_ops ops = {.name = "bench", .on_event = on_event, .audit = audit};

static void fire(void *self, time_ps now)
{
    struct timer *timer = self;
    assert_int_equal(timer->due, TIME_NEVER); /* it may be set anew */
    bench.fired++;
    note((char)('0' + (timer - bench.timers) % 10), now);
    if (bench.again == timer) {
        bench.again = NULL;
        timer->due = now;
        process_timer(&bench.machine.process, timer);
    }
}

static void deliver(struct process_queue *queue)
{
    const struct bench_queue *own = (struct bench_queue *)(void *)queue;
    note(own->letter, node_now(&bench.home.node));
    if (bench.forgotten != NULL)
        process_forget(&bench.machine.process, &bench.forgotten->queue);
    bench.forgotten = NULL;
    if (bench.working != NULL)
        machine_work(&bench.machine, &bench.working->work);
    bench.working = NULL;
}

/* b is another device's. */
static const void *letter_of(const struct process_queue *queue)
{
    return ((const struct bench_queue *)(const void *)queue)->letter == 'b' ? &bench : NULL;
}

static void worked(void *self)
{
    const struct bench_work *own = self;
    note(own->letter, node_now(&bench.home.node));
}

static void set_up(void)
{
    bench = (struct bench){0};
    engine_init(&bench.engine, 1);
    engine_add(&bench.engine, &bench.home.node, &ops, "bench");
    engine_start(&bench.engine);
    machine_init(&bench.machine, &bench.home, &costs);
    for (int i = 0; i < TIMERS; i++)
        bench.timers[i] = (struct timer){.self = &bench.timers[i], .fire = fire, .due = 0};
    for (int i = 0; i < QUEUES; i++) {
        bench.queues[i].queue.deliver = deliver;
        bench.queues[i].letter = (char)('a' + i);
    }
    for (int i = 0; i < WORKS; i++)
        bench.works[i] = (struct bench_work){
            .work = {.done = worked, .self = &bench.works[i], .cost = (1 + i) * US},
            .letter = (char)('A' + i)};
}

static void timer(int index)
{
    process_timer(&bench.machine.process, &bench.timers[index]);
}

static void complete(int index, int count)
{
    for (int i = 0; i < count; i++)
        process_notify(&bench.machine.process, &bench.queues[index].queue);
}

static void expect(const char *log)
{
    engine_run(&bench.engine, PS_PER_S);
    assert_string_equal(bench.log, log);
    assert_null(bench.machine.processor.running);
    assert_true(bench.machine.process.asleep);
}

static void tear_down(void)
{
    machine_fini(&bench.machine);
    engine_fini(&bench.engine);
}

/* Woken, two timers, once round the loop, asleep; nothing is paid while it sleeps. */
static void timers_fire_in_order(void **state)
{
    (void)state;
    set_up();
    timer(1);
    timer(0);
    expect("15 09 ");
    assert_int_equal(bench.machine.processor.busy[PROCESSOR_PROCESS], 11 * US);
    tear_down();
}

/* One that was cancelled or moved meanwhile costs its step and does not fire. */
static void timers_that_are_no_longer_due(void **state)
{
    (void)state;
    set_up();
    for (int i = 0; i < 3; i++)
        timer(i);
    bench.timers[0].due = TIME_NEVER;
    bench.timers[1].due = 10 * US; /* it would be told again then */
    for (int i = 0; i < 3; i++)
        assert_int_equal(bench.timers[i].pending, 1); /* its memory must stay */
    expect("213 ");
    assert_int_equal(bench.timers[1].due, 10 * US);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bench.timers[i].pending, 0);
    tear_down();
}

/* What comes while a round is under way has its turn in the next one. */
static void a_timer_set_by_a_timer_waits_a_round(void **state)
{
    (void)state;
    set_up();
    bench.again = &bench.timers[0];
    timer(0);
    timer(1);
    expect("05 19 015 ");
    tear_down();
}

/* More than there is room for, while the ring's beginning is in its middle. */
static void a_crowd_of_timers(void **state)
{
    (void)state;
    set_up();
    for (int i = 0; i < 10; i++)
        timer(i);
    engine_run(&bench.engine, 22 * US); /* five have fired */
    assert_int_equal(bench.fired, 5);
    for (int i = 10; i < TIMERS; i++)
        timer(i);
    engine_run(&bench.engine, PS_PER_S);
    assert_int_equal(bench.fired, TIMERS);
    const char *at = bench.log;
    for (int i = 0; i < TIMERS; i++) {
        assert_int_equal(*at, '0' + i % 10);
        at = strchr(at, ' ') + 1;
    }
    tear_down();
}

/* Two polls of up to 16, then the other queue, and the rest after a round. */
static void a_full_queue_lets_others_have_their_turn(void **state)
{
    (void)state;
    set_up();
    complete(0, 34);
    complete(1, 2);
    engine_run(&bench.engine, PS_PER_S);
    char letters[64] = "";
    unsigned count = 0;
    time_ps last = 0;
    for (const char *at = bench.log; *at != '\0'; at = strchr(at, ' ') + 1) {
        letters[count++] = *at;
        last = (time_ps)strtoll(at + 1, NULL, 10);
    }
    assert_string_equal(letters, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaabbaa");
    /* woken, two events, a loop, 36 completions */
    assert_int_equal(last, 1 + 2 * 8 + 2 + 36 * 16);
    tear_down();
}

/* A device has all its events in one turn, also that which comes meanwhile; the one that reported
 * last is the first. */
static void devices_have_turns(void **state)
{
    (void)state;
    set_up();
    bench.machine.process.device_of = letter_of;
    complete(0, 1);
    complete(1, 1);
    engine_run(&bench.engine, 26 * US);
    complete(2, 1); /* of the first device, whose turn is still to come */
    expect("b25 a49 c73 ");
    tear_down();
}

/* What comes while a completion's call is under way is in the next poll, without an event. */
static void a_poll_follows_the_calls_before(void **state)
{
    (void)state;
    set_up();
    complete(0, 1);
    bench.working = &bench.works[4]; /* 5 us */
    engine_run(&bench.engine, 28 * US);
    complete(0, 1);
    expect("a25 E30 a46 ");
    tear_down();
}

/* A poll that finds nothing ends it; the event comes again only for what arrives later. */
static void an_event_is_told_once(void **state)
{
    (void)state;
    set_up();
    complete(0, 3);
    expect("a25 a41 a57 ");
    assert_int_equal(bench.queues[0].queue.count, 0);
    bench.log[0] = '\0';
    complete(0, 1); /* woken anew, a second later */
    engine_run(&bench.engine, 2 * PS_PER_S);
    assert_string_equal(bench.log, "a1000025 ");
    tear_down();
}

/* Timers go before queues, and queues that wait for their turn before those with an event. */
static void timers_go_before_queues(void **state)
{
    (void)state;
    set_up();
    complete(0, 1);
    timer(0);
    expect("05 a29 ");
    tear_down();
}

/* A queue that goes away takes nothing with it but what it had. */
static void queues_are_forgotten(void **state)
{
    (void)state;
    for (int gone = 0; gone < QUEUES; gone++) { /* the one that is polled, or another */
        static const char *const logs[QUEUES] = {"a25 b49 c73 ", "a25 a41 c65 ", "a25 a41 b65 "};
        set_up();
        complete(0, 2);
        complete(1, 1);
        complete(2, 1);
        bench.forgotten = &bench.queues[gone];
        expect(logs[gone]);
        tear_down();
    }
}

static void forgotten_between_rounds(void **state)
{
    (void)state;
    set_up();
    complete(0, 40);
    complete(1, 40);
    complete(2, 1);
    engine_run(&bench.engine, (1 + 3 * 8 + 65 * 16 + 1) * US); /* all waited for their turn */
    bench.log[0] = '\0';
    process_forget(&bench.machine.process, &bench.queues[0].queue);
    engine_run(&bench.engine, PS_PER_S);
    assert_null(strchr(bench.log, 'a'));
    assert_non_null(strchr(bench.log, 'b'));
    assert_int_equal(bench.queues[1].queue.count, 0);
    assert_int_equal(bench.queues[0].queue.count, 8);
    tear_down();
}

static void kernel_timers_end_at_ticks(void **state)
{
    (void)state;
    const struct soft_params exact = {0}, ticking = {.timer_tick = 4 * PS_PER_MS};
    assert_int_equal(soft_timer(&exact, 5 * US, 640 * US), 645 * US);
    /* At least one tick, and one late. */
    assert_int_equal(soft_timer(&ticking, 5 * PS_PER_MS, 640 * US), 12 * PS_PER_MS);
    assert_int_equal(soft_timer(&ticking, 8 * PS_PER_MS, 640 * US), 16 * PS_PER_MS);
    /* 4.096 us x 2^19: 536 ticks, in a level of 64 each. */
    assert_int_equal(soft_timer(&ticking, 0, 4096 * PS_PER_NS << 19), 576 * 4 * PS_PER_MS);
}

/* ---- the work of protocols ---- */

static void work_is_done_in_order(void **state)
{
    (void)state;
    set_up();
    for (int i = 0; i < 3; i++)
        machine_work(&bench.machine, &bench.works[i].work);
    expect("A1 B3 C6 ");
    tear_down();
}

/* Each in its turn is taken back; what is asked for afterwards is done last. */
static void work_is_taken_back(void **state)
{
    (void)state;
    static const char letters[] = "ABCD";
    for (int gone = 0; gone < 4; gone++) {
        set_up();
        for (int i = 0; i < 3; i++)
            machine_work(&bench.machine, &bench.works[i].work);
        machine_work_cancel(&bench.machine, &bench.works[gone].work); /* the fourth was not asked */
        machine_work(&bench.machine, &bench.works[4].work);
        engine_run(&bench.engine, PS_PER_S);
        char expected[8] = "", done[16] = "";
        unsigned count = 0;
        for (int i = 0; i < 3; i++)
            if (i != gone)
                expected[count++] = letters[i];
        expected[count] = 'E';
        count = 0;
        for (const char *at = bench.log; *at != '\0'; at = strchr(at, ' ') + 1)
            done[count++] = *at;
        assert_string_equal(done, expected);
        tear_down();
    }
}

/* All of it is taken back: the machine is idle, and works again. */
static void all_work_is_taken_back(void **state)
{
    (void)state;
    set_up();
    machine_work(&bench.machine, &bench.works[0].work);
    machine_work_cancel(&bench.machine, &bench.works[0].work);
    machine_work_cancel(&bench.machine, &bench.works[0].work);
    expect("");
    machine_work(&bench.machine, &bench.works[1].work);
    engine_run(&bench.engine, 2 * PS_PER_S);
    assert_int_equal(bench.log[0], 'B');
    tear_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timers_fire_in_order),
        cmocka_unit_test(timers_that_are_no_longer_due),
        cmocka_unit_test(a_timer_set_by_a_timer_waits_a_round),
        cmocka_unit_test(a_crowd_of_timers),
        cmocka_unit_test(a_full_queue_lets_others_have_their_turn),
        cmocka_unit_test(kernel_timers_end_at_ticks),
        cmocka_unit_test(devices_have_turns),
        cmocka_unit_test(a_poll_follows_the_calls_before),
        cmocka_unit_test(an_event_is_told_once),
        cmocka_unit_test(timers_go_before_queues),
        cmocka_unit_test(queues_are_forgotten),
        cmocka_unit_test(forgotten_between_rounds),
        cmocka_unit_test(work_is_done_in_order),
        cmocka_unit_test(work_is_taken_back),
        cmocka_unit_test(all_work_is_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

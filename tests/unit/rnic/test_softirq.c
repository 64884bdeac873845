/* SPDX-License-Identifier: Apache-2.0
 * Packets and a process on one processor: passes, their end, and who has it then. */
#include "rnic/soft/softirq.h"

#include "base/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS PS_PER_MS
#define US PS_PER_US

static const struct softirq_costs costs = {
    .limit = 2 * MS, .slice = 3 * MS, .grain = MS, .tick = 4 * MS};

static struct softirq fresh(void)
{
    return (struct softirq){.costs = costs};
}

/* A round of one packet that takes `took`, begun at `now`, beside a process. */
static bool round_of(struct softirq *softirq, time_ps now, time_ps took)
{
    if (!softirq_packets_next(softirq, 1, false, SOFTIRQ_PROCESS, now))
        return false;
    softirq_spent(softirq, took, false);
    softirq_worked(softirq);
    return true;
}

static void test_packets_go_first(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    assert_true(softirq_interrupts(&softirq, false, MS));
    assert_true(round_of(&softirq, MS, US));
    assert_true(round_of(&softirq, MS + US, US));
    assert_false(softirq_packets_next(&softirq, 0, false, SOFTIRQ_PROCESS, MS + 2 * US));
}

static void test_without_limit_packets_always_go_first(void **state)
{
    struct softirq softirq = {0};
    (void)state;
    for (time_ps now = 0; now < 100 * MS; now += MS) {
        assert_true(round_of(&softirq, now, MS));
        assert_true(softirq_interrupts(&softirq, false, now));
    }
}

/* Each round is one of the ten; then the process, which paid little so far, goes on. */
static void test_ten_rounds(void **state)
{
    struct softirq softirq = fresh();
    int rounds = 0;
    (void)state;
    for (time_ps now = MS; round_of(&softirq, now, US); now += US)
        rounds++;
    assert_int_equal(rounds, 10);
    assert_false(softirq_interrupts(&softirq, false, MS + 11 * US)); /* the thread's business */
    assert_true(softirq_interrupts(&softirq, true, MS + 12 * US));   /* but for tasklets */
}

/* 2 ms are told in ticks of 4: the pass that began 1 ms before a tick ends with it. */
static void test_a_pass_ends_at_a_tick(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    assert_true(round_of(&softirq, 3 * MS, 500 * US));
    assert_true(round_of(&softirq, 3 * MS + 500 * US, 400 * US));
    assert_false(round_of(&softirq, 4 * MS, 0)); /* 0.9 ms ahead: less than the grain */
}

/* The process has paid 1.2 ms for packets that interrupted it: the thread takes over at once, and
 * when it has nothing left the process has the processor, and packets interrupt it again. */
static void test_the_thread_takes_over(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    assert_true(round_of(&softirq, 3 * MS, 1200 * US));
    assert_true(round_of(&softirq, 4200 * US, 100 * US));
    assert_int_equal(softirq.lead, 1100 * US);
    assert_false(softirq_packets_next(&softirq, 0, false, SOFTIRQ_PROCESS, 4300 * US));
    assert_true(softirq_interrupts(&softirq, false, 4310 * US));
}

/* The tick that falls into a pass has work of its own, which is the thread's: packets that come
 * then wait, until the call that was interrupted returns. */
static void test_a_tick_wakes_the_thread(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    softirq_spent(&softirq, 2 * MS, true);
    assert_true(softirq_packets_next(&softirq, 1, false, SOFTIRQ_CALL, 4 * MS - US));
    softirq_worked(&softirq);
    assert_false(softirq_packets_next(&softirq, 0, false, SOFTIRQ_CALL, 4 * MS + US));
    assert_false(softirq_interrupts(&softirq, false, 4 * MS + 10 * US));
    assert_false(softirq_packets_next(&softirq, 1, false, SOFTIRQ_CALL, 5 * MS));
    assert_true(softirq_packets_next(&softirq, 1, false, SOFTIRQ_PROCESS, 5500 * US));
    softirq_worked(&softirq);
    assert_false(softirq_packets_next(&softirq, 0, false, SOFTIRQ_PROCESS, 5600 * US));
    assert_true(softirq_interrupts(&softirq, false, 5700 * US));
}

/* Without a tick in it nothing is left of a pass. */
static void test_a_pass_between_ticks(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    softirq_spent(&softirq, 2 * MS, true);
    assert_true(softirq_packets_next(&softirq, 1, false, SOFTIRQ_CALL, 4 * MS + US));
    softirq_worked(&softirq);
    assert_false(softirq_packets_next(&softirq, 0, false, SOFTIRQ_CALL, 4 * MS + 15 * US));
    assert_true(softirq_interrupts(&softirq, false, 4 * MS + 20 * US));
}

/* A slice that ends within a call ends with it. */
static void test_a_call_is_not_preempted(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    for (time_ps now = MS; round_of(&softirq, now, US); now += US)
        continue;
    softirq_spent(&softirq, 8 * MS, true);
    for (time_ps now = 2 * MS; now < 9 * MS; now += 100 * US)
        assert_false(softirq_packets_next(&softirq, 1, false, SOFTIRQ_CALL, now));
    assert_true(softirq_packets_next(&softirq, 1, false, SOFTIRQ_PROCESS, 9 * MS));
}

/* Who slept for long comes back a slice behind, no more. */
static void test_credit_is_a_slice(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    softirq_spent(&softirq, 50 * MS, true);
    assert_true(round_of(&softirq, 51 * MS, US));
    assert_true(round_of(&softirq, 52 * MS, 0));
    assert_int_equal(softirq.lead, 3 * MS);
    softirq_spent(&softirq, 80 * MS, false); /* the thread's */
    softirq_process_woken(&softirq);
    assert_int_equal(softirq.lead, -3 * MS);
    assert_false(round_of(&softirq, 132 * MS, US)); /* far behind: at once */
}

/* A process that packets woke from sleep has paid for none of them. */
static void test_woken_by_packets(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    assert_true(softirq_packets_next(&softirq, 1, false, SOFTIRQ_ASLEEP, MS));
    softirq_process_woken(&softirq);
    softirq_spent(&softirq, 900 * US, false);
    softirq_worked(&softirq);
    assert_int_equal(softirq.lead, 0);
    assert_false(round_of(&softirq, 1900 * US, US)); /* after the round it is its time */
}

/* Two that always want the processor share it by slices, looked at at ticks. */
static void test_fair_shares(void **state)
{
    struct softirq softirq = fresh();
    time_ps process = 0, packets = 0;
    (void)state;
    for (time_ps now = 0; now < 4000 * MS; now += 100 * US) {
        if (round_of(&softirq, now, 100 * US)) {
            packets += 100 * US;
        } else {
            softirq_spent(&softirq, 100 * US, true);
            process += 100 * US;
        }
    }
    assert_in_range(process, 1990 * MS, 2010 * MS);
    assert_in_range(packets, 1990 * MS, 2010 * MS);
}

/* While the thread waits for its share, a tick is an interrupt for tasklets too. */
static void test_a_tick_serves_tasklets(void **state)
{
    struct softirq softirq = fresh();
    (void)state;
    for (time_ps now = MS; round_of(&softirq, now, US); now += US)
        continue;
    assert_false(softirq_packets_next(&softirq, 1, true, SOFTIRQ_PROCESS, 2 * MS));
    assert_true(softirq_packets_next(&softirq, 1, true, SOFTIRQ_PROCESS, 4 * MS + US));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packets_go_first),
        cmocka_unit_test(test_without_limit_packets_always_go_first),
        cmocka_unit_test(test_ten_rounds),
        cmocka_unit_test(test_a_pass_ends_at_a_tick),
        cmocka_unit_test(test_the_thread_takes_over),
        cmocka_unit_test(test_a_tick_wakes_the_thread),
        cmocka_unit_test(test_a_pass_between_ticks),
        cmocka_unit_test(test_a_call_is_not_preempted),
        cmocka_unit_test(test_credit_is_a_slice),
        cmocka_unit_test(test_woken_by_packets),
        cmocka_unit_test(test_fair_shares),
        cmocka_unit_test(test_a_tick_serves_tasklets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

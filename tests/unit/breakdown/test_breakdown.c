/* SPDX-License-Identifier: Apache-2.0
 * What commands of NVMe wait for, worked by hand (by_hand.h). */
#include "by_hand.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* The response to a read of 4 KiB: its data go before it, a slot on the wire of the target and,
 * but for the time that the response itself takes there, again on that of the switch. */
#define READ_RESPONSE                                                                              \
    PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),                                                \
        PART_IN(RESPONSE, SERIALISATION,                                                           \
                SLOT(WRITE_4K) + BITS(WRITE_4K) - BITS(RESPONSE_INV) + 2 * BITS(RESPONSE_INV)),    \
        PART_IN(RESPONSE, PROPAGATION, 2 * CABLE), PART_IN(RESPONSE, SWITCHING, PIPELINE)

#define HOST_AND_TARGET                                                                            \
    PART_IN(SUBMIT, HOST_CPU, 1 * US), PART_IN(TARGET, TARGET_CPU, 1 * US),                        \
        PART_IN(COMPLETE, HOST_CPU, 1 * US)

static void an_idle_read(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), HOST_AND_TARGET, CAPSULE(COMMAND),
                   PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
}

static void two_reads_at_once(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 2, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
    /* A microsecond behind at the host's CPU, and so at the target's, which is free by then; the
     * medium serves one at a time. */
    CHECK_LIFE(by_hand_life(1), HOST_AND_TARGET, PART_IN(SUBMIT, HOST_CPU, 1 * US),
               CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA_WAIT, 9 * US),
               PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
}

static void three_reads_at_once(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 3, count: 3, queues: 1}]\n");
    assert_int_equal(by_hand_count(), 3);
    /* Three at the medium, each 10 us: the third waits for two of them, less its delay. */
    CHECK_LIFE(by_hand_life(2), HOST_AND_TARGET, PART_IN(SUBMIT, HOST_CPU, 2 * US),
               CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA_WAIT, 18 * US),
               PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
}

static void two_hosts_at_one_target(void **state)
{
    (void)state;
    by_hand_play("workloads: [{name: w, kind: nvme, from: [host0, host2], to: host1, read: 100%, "
                 "block-size: 4KiB, queue-depth: 1, count: 1, start: 1ms}]\n");
    assert_int_equal(by_hand_count(), 2);
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
    /* Both capsules reach the switch at one moment: the second waits for a slot of the first, and
     * that much later the core, if there is one for both, is still at the first. */
    const struct breakdown_life *second = by_hand_life(1);
    assert_int_equal(second->ps[BREAKDOWN_IN_COMMAND][BREAKDOWN_QUEUED], SLOT(COMMAND));
    assert_int_equal(second->ps[BREAKDOWN_IN_MEDIUM][BREAKDOWN_MEDIA_WAIT] +
                         second->ps[BREAKDOWN_IN_TARGET][BREAKDOWN_TARGET_WAIT],
                     10 * US - SLOT(COMMAND));
    assert_int_equal(second->place_count, 1);
    assert_int_equal(second->places[0].queued_ps, SLOT(COMMAND));
    assert_int_equal(second->places[0].paused_ps, 0);
}

static void a_write_in_its_capsule(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 0%, block-size: 4KiB, "
        "queue-depth: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* Two packets, of 4096 and 64 bytes: the second waits for the first at the host and, less its
     * own bits, at the switch. */
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), HOST_AND_TARGET, CAPSULE(COMMAND),
                   PART_IN(COMMAND, SERIALISATION, SLOT(MIDDLE) + BITS(MIDDLE) - BITS(COMMAND)),
                   PART_IN(MEDIUM, MEDIA, 10 * US), PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),
                   ACROSS(RESPONSE, RESPONSE));
}

static void a_write_whose_data_are_fetched(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 0%, block-size: 8KiB, "
        "queue-depth: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), HOST_AND_TARGET, CAPSULE(COMMAND),
                   PART_IN(FETCH, RNIC, DOORBELL + FETCH + COMPLETION), ACROSS(FETCH, READ_REQUEST),
                   PART_IN(FETCH, SERIALISATION, SLOT(DATA_4K)), ACROSS(FETCH, DATA_4K),
                   PART_IN(MEDIUM, MEDIA, 10 * US), PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),
                   ACROSS(RESPONSE, RESPONSE_INV));
}

/* Segments of 4200 B: around their payload 18 B of Ethernet, 20 of IPv4, 20 of TCP, 12 of
 * timestamps. An interrupt takes 2 us, of which the core idles one; a batch to send takes 1 us, one
 * to receive 3 us, and 2 us if the thread that reads has to be woken. */
#define TCP_COSTS                                                                                  \
    "  overrides: [{where: host*, tcp: {interrupt-delay: 1us, interrupt-cost: 1us, "               \
    "wakeup-cost: 2us, rx-batch-cost: 3us, rx-segment-cost: 0ns, copy-cost: 0ns, tx-batch-cost: "  \
    "1us}, "                                                                                       \
    "rnic: {pcie-generation: off}}]\n"
#define SEGMENT(payload) (70 + (payload))
#define PDU_TO_TARGET(phase)                                                                       \
    PART_IN(phase, HOST_CPU, 1 * US), PART_IN(phase, COMPLETION, 1 * US),                          \
        PART_IN(phase, TARGET_WAIT, 1 * US), PART_IN(phase, TARGET_CPU, 5 * US)
#define PDU_TO_HOST(phase)                                                                         \
    PART_IN(phase, TARGET_CPU, 1 * US), PART_IN(phase, COMPLETION, 1 * US),                        \
        PART_IN(phase, HOST_CPU, 6 * US)

static void a_write_over_tcp(void **state)
{
    (void)state;
    by_hand_play(TCP_COSTS "workloads: [{name: w, kind: nvme, transport: tcp, from: host0, to: "
                           "host1, read: 0%, block-size: 2KiB, queue-depth: 1, count: 2, "
                           "start: 1ms}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* Both begin with a window of 10 segments and no delayed ACK in their way. */
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, PDU_TO_TARGET(COMMAND),
               ACROSS(COMMAND, SEGMENT(72 + 2048)), PART_IN(MEDIUM, MEDIA, 10 * US),
               PDU_TO_HOST(RESPONSE), ACROSS(RESPONSE, SEGMENT(24)));
}

static void a_target_that_stands_still(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 1, count: 1, start: 1ms}]\n"
        "faults: [{kind: target-stall, where: host1, at: 900us, for: 200us}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* The capsule is heard of while the target stands still. */
    const time_ps heard = 1 * US + DOORBELL + 2 * BITS(COMMAND) + 2 * CABLE + PIPELINE + COMPLETION;
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, CAPSULE(COMMAND),
               PART_IN(COMMAND, STALLED, 100 * US - heard), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

static void more_than_the_queue_holds(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: host0, nvme: {queue-size: 3}}]\n"
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 3, count: 3}]\n");
    assert_int_equal(by_hand_count(), 3);
    /* Two entries: the third begins when the first is done, that of the medium 10 us after it. */
    const time_ps first = by_hand_life(0)->completed_at - by_hand_life(0)->issued_at;
    assert_int_equal(first, 13 * US + 2 * (DOORBELL + COMPLETION) + by_hand_across(COMMAND) +
                                by_hand_across(RESPONSE_INV) + SLOT(WRITE_4K) + BITS(WRITE_4K) -
                                BITS(RESPONSE_INV));
    CHECK_LIFE(by_hand_life(2), HOST_AND_TARGET, PART_IN(SUBMIT, DEPTH, first), CAPSULE(COMMAND),
               PART_IN(MEDIUM, MEDIA_WAIT, 20 * US - first), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

static void a_read_split_into_three_commands(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: host0, nvme: {max-transfer: 4KiB, queue-size: 2}}]\n"
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 12KiB, "
        "queue-depth: 1, count: 1}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* One entry: the last of the three commands waits for the whole of two idle reads. */
    const time_ps idle = 13 * US + 2 * (DOORBELL + COMPLETION) + by_hand_across(COMMAND) +
                         by_hand_across(RESPONSE_INV) + SLOT(WRITE_4K) + BITS(WRITE_4K) -
                         BITS(RESPONSE_INV);
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, PART_IN(SUBMIT, DEPTH, 2 * idle), CAPSULE(COMMAND),
               PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
}

static void two_workloads_between_the_same_two(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: a, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 1, count: 1}, {name: b, kind: nvme, from: host0, to: host1, read: 100%, "
        "block-size: 4KiB, queue-depth: 1, count: 1}]\n");
    assert_int_equal(by_hand_count(), 2);
    assert_int_equal(by_hand_life(0)->workload, 0);
    assert_int_equal(by_hand_life(1)->workload, 1);
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
    /* Connected later by less than the medium takes; each has a queue and CPUs of its own. */
    const time_ps later = by_hand_life(1)->issued_at - by_hand_life(0)->issued_at;
    CHECK_LIFE(by_hand_life(1), HOST_AND_TARGET, CAPSULE(COMMAND),
               PART_IN(MEDIUM, MEDIA_WAIT, 10 * US - later), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

static void a_target_that_crashes_and_comes_back(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: host0, nvme: {reconnect-delay: 1ms, io-timeout: 2ms}}]\n"
        "workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
        "queue-depth: 1, count: 2, start: 1ms}]\n"
        "drain: 1s\n"
        "faults: [{kind: target-crash, where: host1, at: 1010us, for: 500us}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* All that the first took beyond what the second did. */
    const time_ps lost = by_hand_life(0)->completed_at - by_hand_life(0)->issued_at -
                         (by_hand_life(1)->completed_at - by_hand_life(1)->issued_at);
    assert_true(lost > PS_PER_MS);
    CHECK_LIFE(by_hand_life(0), HOST_AND_TARGET, PART_IN(SUBMIT, RECONNECTING, lost),
               CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
    CHECK_LIFE(by_hand_life(1), HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_read),
        cmocka_unit_test(two_reads_at_once),
        cmocka_unit_test(three_reads_at_once),
        cmocka_unit_test(two_hosts_at_one_target),
        cmocka_unit_test(a_write_in_its_capsule),
        cmocka_unit_test(a_write_whose_data_are_fetched),
        cmocka_unit_test(a_write_over_tcp),
        cmocka_unit_test(a_target_that_stands_still),
        cmocka_unit_test(more_than_the_queue_holds),
        cmocka_unit_test(a_read_split_into_three_commands),
        cmocka_unit_test(two_workloads_between_the_same_two),
        cmocka_unit_test(a_target_that_crashes_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

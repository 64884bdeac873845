/* SPDX-License-Identifier: Apache-2.0
 * What messages without NVMe wait for, worked by hand (by_hand.h). */
#include "by_hand.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Until the sender of what has arrived knows. */
#define ACKNOWLEDGED ACROSS(ACKNOWLEDGE, ACK), PART_IN(ACKNOWLEDGE, RNIC, COMPLETION)

static void a_write_of_one_packet(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 3}]\n");
    assert_int_equal(by_hand_count(), 3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
                   ACKNOWLEDGED);
}

static void a_send_of_one_packet(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-send, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, SEND_1K),
                   ACKNOWLEDGED);
}

static void a_message_that_waits_for_its_core(void **state)
{
    (void)state;
    by_hand_play_set(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 9, rate: 1000000, count: 3, start: 1ms}]\n",
        (const char *const[]){"hosts.defaults.rnic.post-cost=3us", NULL});
    assert_int_equal(by_hand_count(), 3);
    /* Due each microsecond, posted each three. */
    for (uint32_t i = 0; i < 3; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, HOST_CPU, (time_ps)i * 2 * US),
                   PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_message_that_is_answered(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-ping-pong, from: host0, to: host1, message-size: "
        "1KiB, outstanding: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* There and back alike, until each end's user has it. */
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL + COMPLETION),
                   ACROSS(MESSAGE, SEND_1K), PART_IN(ANSWER, RNIC, DOORBELL + COMPLETION),
                   ACROSS(ANSWER, SEND_1K));
}

static void an_answer_before_the_acknowledgment(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-ping-pong, from: host0, to: host1, message-size: "
        "1KiB, outstanding: 1, count: 1, start: 1ms}]\n"
        "drain: 1s\n"
        "faults: [{kind: drop-every, where: host1, at: 1ms, for: 1200ns, n: 1, frames: all}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* The only ACK of the message is lost: it is sent again after the ACK timeout. */
    const struct breakdown_life *life = by_hand_life(0);
    assert_true(life->ps[BREAKDOWN_IN_ANSWER][BREAKDOWN_ACK] > 67 * PS_PER_MS);
    assert_int_equal(life->ps[BREAKDOWN_IN_ANSWER][BREAKDOWN_RETRANSMISSION], 0);
}

static void a_write_of_three_packets(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 12KiB, "
        "outstanding: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* The first has 16 bytes more than the others: at the switch they catch up with it by those. */
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL),
                   PART_IN(MESSAGE, SERIALISATION, SLOT(WRITE_4K) + SLOT(MIDDLE) + 16 * BYTE),
                   ACROSS(MESSAGE, MIDDLE), ACKNOWLEDGED);
}

static void a_read_of_one_packet(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-read, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL + FETCH + COMPLETION),
                   ACROSS(MESSAGE, READ_REQUEST), ACROSS(MESSAGE, RESPONSE_1K));
}

static void a_second_write_waits_for_the_first(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 2, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               ACKNOWLEDGED);
    CHECK_LIFE(by_hand_life(1), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, QUEUED, SLOT(WRITE_1K)), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
    assert_int_equal(by_hand_life(1)->place_count, 1); /* at its own host's port */
}

static void a_read_beyond_those_that_may_be_under_way(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: [host0, host1], rnic: {max-rd-atomic: 1}}]\n"
        "workloads: [{name: w, kind: rdma-read, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 2, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    const time_ps first = by_hand_across(READ_REQUEST) + FETCH + by_hand_across(RESPONSE_1K);
    /* As long as the first request is on the wire nobody asks why the second does not go. */
    CHECK_LIFE(by_hand_life(1), PART_IN(MESSAGE, RNIC, DOORBELL + FETCH + COMPLETION),
               PART_IN(MESSAGE, QUEUED, SLOT(READ_REQUEST)),
               PART_IN(MESSAGE, WINDOW, first - SLOT(READ_REQUEST)), ACROSS(MESSAGE, READ_REQUEST),
               ACROSS(MESSAGE, RESPONSE_1K));
}

static void two_writes_meet_at_an_egress(void **state)
{
    (void)state;
    by_hand_play("workloads: [{name: w, kind: rdma-write, from: [host0, host2], to: host1, "
                 "message-size: 1KiB, outstanding: 1, count: 1, start: 1ms}]\n");
    assert_int_equal(by_hand_count(), 2);
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               ACKNOWLEDGED);
    CHECK_LIFE(by_hand_life(1), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, QUEUED, SLOT(WRITE_1K)), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_lost_packet_is_sent_again(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 1, start: 1ms}]\n"
        "drain: 1s\n"
        "faults: [{kind: drop-every, where: host0, at: 1ms, for: 1us, n: 1, frames: data}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* The whole ACK timeout, 4.096 us * 2^14, lies between the two. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, RETRANSMISSION, (time_ps)4096 * PS_PER_NS << 14),
               ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_pause_on_the_way(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 1, start: 1ms}]\n"
        "faults: [{kind: pause-storm, where: host1, at: 900us, for: 200us}]\n");
    assert_int_equal(by_hand_count(), 1);
    const struct breakdown_life *life = by_hand_life(0);
    /* It arrives at the switch's port towards host1 after the doorbell, its bits, the cable and the
     * pipeline, and leaves when its port obeys host1's XON, which takes its bits and a cable. */
    const time_ps arrives = DOORBELL + BITS(WRITE_1K) + CABLE + PIPELINE;
    const time_ps ends = 100 * US + BITS(64) + CABLE + OBEYS;
    CHECK_LIFE(life, PART_IN(MESSAGE, RNIC, DOORBELL), PART_IN(MESSAGE, PAUSED, ends - arrives),
               ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
    assert_int_equal(life->place_count, 1);
    assert_int_equal(life->places[0].priority, 3);
}

static void a_receive_buffer_that_drains_slowly(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 1, start: 1ms}]\n"
        "faults: [{kind: slow-receiver, where: host1, at: 900us, for: 1ms, drain: 1%}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* 1 Gb/s: 8 ns for each byte of the frame. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               PART_IN(MESSAGE, RECEIVER, (time_ps)WRITE_1K * 8 * PS_PER_NS), ACKNOWLEDGED);
}

static void a_read_of_three_packets(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-read, from: host0, to: host1, message-size: 12KiB, "
        "outstanding: 1, count: 1}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* FIRST and LAST have an AETH, so at the switch nothing catches up. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL + FETCH + COMPLETION),
               ACROSS(MESSAGE, READ_REQUEST),
               PART_IN(MESSAGE, SERIALISATION, SLOT(DATA_4K) + SLOT(MIDDLE)),
               ACROSS(MESSAGE, DATA_4K));
}

static void a_send_without_a_receive(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: [host0, host1], rnic: {min-rnr-timer: 14}}]\n"
        "workloads: [{name: w, kind: rdma-send, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 2, receives: 1, receive-delay: 20us, count: 2}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* Code 14 is 1.28 ms.  The NAK has the PSN of the message, but is not its ACK. */
    CHECK_LIFE(by_hand_life(1), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, QUEUED, SLOT(SEND_1K)),
               PART_IN(MESSAGE, RETRANSMISSION, by_hand_across(SEND_1K) + by_hand_across(ACK)),
               PART_IN(MESSAGE, RNR, 1280 * US), ACROSS(MESSAGE, SEND_1K), ACKNOWLEDGED);
}

#define FIRST_PACKET_IS_LOST                                                                       \
    "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 12KiB, "        \
    "outstanding: 1, count: 1, start: 1ms}]\n"                                                     \
    "drain: 1s\n"                                                                                  \
    "faults: [{kind: drop-every, where: host0, at: 1ms, for: 500ns, n: 1, frames: data}"

static void a_lost_first_packet(void **state)
{
    (void)state;
    by_hand_play(FIRST_PACKET_IS_LOST "]\n");
    assert_int_equal(by_hand_count(), 1);
    /* The second is refused and all three are sent again: the last as much later than the first
     * time as the first. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, RETRANSMISSION,
                       SLOT(WRITE_4K) + by_hand_across(MIDDLE) + by_hand_across(ACK)),
               PART_IN(MESSAGE, SERIALISATION, SLOT(WRITE_4K) + SLOT(MIDDLE) + 16 * BYTE),
               ACROSS(MESSAGE, MIDDLE), ACKNOWLEDGED);
}

static void copies_in_a_receive_buffer_that_drains_slowly(void **state)
{
    (void)state;
    by_hand_play(FIRST_PACKET_IS_LOST
                 ", {kind: slow-receiver, where: host1, at: 900us, for: 15ms, drain: 1%}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* 1 Gb/s.  The second is refused when it is out of the buffer; then come what was the third,
     * and the three again, of which the last has arrived long before its turn. */
    const time_ps middle = (time_ps)MIDDLE * 8 * PS_PER_NS, first = (time_ps)WRITE_4K * 8000;
    const time_ps arrives =
        by_hand_across(ACK) + SLOT(WRITE_4K) + SLOT(MIDDLE) + 16 * BYTE + by_hand_across(MIDDLE);
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, RETRANSMISSION,
                       SLOT(WRITE_4K) + by_hand_across(MIDDLE) + middle + by_hand_across(ACK)),
               PART_IN(MESSAGE, SERIALISATION, SLOT(WRITE_4K) + SLOT(MIDDLE) + 16 * BYTE),
               ACROSS(MESSAGE, MIDDLE),
               PART_IN(MESSAGE, RECEIVER, middle + first + 2 * middle - arrives), ACKNOWLEDGED);
}

static void a_lost_message_before_another(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 2, count: 2, start: 1ms}]\n"
        "drain: 1s\n"
        "faults: [{kind: drop-every, where: host0, at: 1ms, for: 350ns, n: 1, frames: data}]\n");
    assert_int_equal(by_hand_count(), 2);
    /* The NAK that the second causes has the PSN of the first, but is not its ACK. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, RETRANSMISSION,
                       SLOT(WRITE_1K) + by_hand_across(WRITE_1K) + by_hand_across(ACK)),
               ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_software_rnic(void **state)
{
    (void)state;
    by_hand_play(
        "  overrides: [{where: [host0, host1], rnic: {software: true, cpu-post: 2us, "
        "cpu-work-request: 1us}}]\n"
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 1}]\n");
    assert_int_equal(by_hand_count(), 1);
    /* No doorbell and no latency of hardware; packets cost nothing by these values. */
    CHECK_LIFE(by_hand_life(0), PART_IN(MESSAGE, HOST_CPU, 3 * US), ACROSS(MESSAGE, WRITE_1K),
               ACROSS(ACKNOWLEDGE, ACK));
}

/* The pacer's: what a queue pair that sent nothing for a while may send at once. */
enum { CREDIT = 4200 };

static void a_write_that_dcqcn_holds(void **state)
{
    (void)state;
    /* What waits is marked: that is the first message, which meets another host's.  One CNP halves
     * the rate, and no other comes. */
    by_hand_play_set(
        "workloads:\n"
        "  - {name: w, kind: rdma-write, from: host0, to: host1, message-size: 20KiB, rate: 10000, "
        "count: 3}\n"
        "  - {name: other, kind: rdma-write, from: host2, to: host1, message-size: 512KiB, "
        "outstanding: 1, count: 1, start: 20us}\n",
        (const char *const[]){"fabric.switch.ecn-kmin=0B", "fabric.switch.ecn-kmax=1B",
                              "hosts.defaults.rnic.congestion-control="
                              "{kind: dcqcn, cnp-interval: 1s, rate-timer: 1s}",
                              NULL});
    assert_int_equal(by_hand_count(), 4);
    /* At 50 Gb/s each byte takes twice its time.  After a rest the first 4200 bytes are free: the
     * last of five packets leaves when those before it are paid. */
    const time_ps before = SLOT(WRITE_4K) + 3 * SLOT(MIDDLE);
    const time_ps paid = 2 * (before - (time_ps)CREDIT * BYTE);
    for (uint32_t i = 2; i < 4; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL),
                   PART_IN(MESSAGE, SERIALISATION, before), PART_IN(MESSAGE, HELD, paid - before),
                   ACROSS(MESSAGE, MIDDLE), ACKNOWLEDGED);
}

static void a_switch_that_cuts_through(void **state)
{
    (void)state;
    by_hand_play_set(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 2}]\n",
        (const char *const[]){"fabric.switch.forwarding=cut-through", NULL});
    assert_int_equal(by_hand_count(), 2);
    /* The switch has the header when 64 bytes are there. */
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL),
                   PART_IN(MESSAGE, SERIALISATION, BITS(64) + BITS(WRITE_1K)),
                   PART_IN(MESSAGE, PROPAGATION, 2 * CABLE), PART_IN(MESSAGE, SWITCHING, PIPELINE),
                   PART_IN(ACKNOWLEDGE, SERIALISATION, BITS(64) + BITS(ACK)),
                   PART_IN(ACKNOWLEDGE, PROPAGATION, 2 * CABLE),
                   PART_IN(ACKNOWLEDGE, SWITCHING, PIPELINE),
                   PART_IN(ACKNOWLEDGE, RNIC, COMPLETION));
}

/* From 100 Gb/s to 25 Gb/s, where a byte takes four times as long. */
static void two_rates_on_the_path(void **state)
{
    (void)state;
    by_hand_play_set(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 12KiB, "
        "outstanding: 1, count: 2}]\n",
        (const char *const[]){"fabric.overrides=[{where: host1-switch0, rate: 25Gbps}]", NULL});
    assert_int_equal(by_hand_count(), 2);
    /* The packets before the last are its own message's: it waits for them at the slower wire. */
    for (uint32_t i = 0; i < 2; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, RNIC, DOORBELL),
                   PART_IN(MESSAGE, SERIALISATION,
                           BITS(WRITE_4K) + 4 * (SLOT(WRITE_4K) + SLOT(MIDDLE) + BITS(MIDDLE))),
                   PART_IN(MESSAGE, PROPAGATION, 2 * CABLE), PART_IN(MESSAGE, SWITCHING, PIPELINE),
                   PART_IN(ACKNOWLEDGE, SERIALISATION, 5 * BITS(ACK)),
                   PART_IN(ACKNOWLEDGE, PROPAGATION, 2 * CABLE),
                   PART_IN(ACKNOWLEDGE, SWITCHING, PIPELINE),
                   PART_IN(ACKNOWLEDGE, RNIC, COMPLETION));
}

/* Asked for every microsecond, one at a time: each waits for those before it. */
static void a_message_waits_for_the_depth(void **state)
{
    (void)state;
    by_hand_play(
        "workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
        "outstanding: 1, count: 3, rate: 1000000}]\n");
    assert_int_equal(by_hand_count(), 3);
    const time_ps whole = DOORBELL + by_hand_across(WRITE_1K) + by_hand_across(ACK) + COMPLETION;
    assert_true(whole > US);
    for (uint32_t i = 0; i < 3; i++)
        CHECK_LIFE(by_hand_life(i), PART_IN(MESSAGE, DEPTH, i * (whole - US)),
                   PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_of_one_packet),
        cmocka_unit_test(a_send_of_one_packet),
        cmocka_unit_test(a_message_that_waits_for_its_core),
        cmocka_unit_test(a_message_that_is_answered),
        cmocka_unit_test(an_answer_before_the_acknowledgment),
        cmocka_unit_test(a_write_of_three_packets),
        cmocka_unit_test(a_read_of_one_packet),
        cmocka_unit_test(a_second_write_waits_for_the_first),
        cmocka_unit_test(a_read_beyond_those_that_may_be_under_way),
        cmocka_unit_test(two_writes_meet_at_an_egress),
        cmocka_unit_test(a_lost_packet_is_sent_again),
        cmocka_unit_test(a_pause_on_the_way),
        cmocka_unit_test(a_receive_buffer_that_drains_slowly),
        cmocka_unit_test(a_read_of_three_packets),
        cmocka_unit_test(a_send_without_a_receive),
        cmocka_unit_test(a_lost_first_packet),
        cmocka_unit_test(copies_in_a_receive_buffer_that_drains_slowly),
        cmocka_unit_test(a_lost_message_before_another),
        cmocka_unit_test(a_software_rnic),
        cmocka_unit_test(a_write_that_dcqcn_holds),
        cmocka_unit_test(a_switch_that_cuts_through),
        cmocka_unit_test(two_rates_on_the_path),
        cmocka_unit_test(a_message_waits_for_the_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

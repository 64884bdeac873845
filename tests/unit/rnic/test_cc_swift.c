/* SPDX-License-Identifier: Apache-2.0
 * Swift against algorithm 1 and the target delay of the paper, worked by hand. */
#include "rnic/cc/cc_kinds.h"
#include "rnic/cc/cc_swift.h"
#include "rnic/cc/pacer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define GBPS   INT64_C(1000000000)
#define US     PS_PER_US
#define PACKET (UINT64_C(1) << 32) /* of a window */
#define BYTES  4158u

struct sender {
    struct pacer pacer;
    struct cc_swift_params params;
    struct cc_site site;
};

static struct cc_swift *swift(struct sender *sender)
{
    return (struct cc_swift *)(void *)sender->pacer.flight->state;
}

static void start(struct sender *sender)
{
    cc_presets(cc_find("swift"), &sender->params);
    sender->params.base_target = 20 * US;
    sender->params.hop_scaling = 3 * US;
    sender->params.fs_range = 0;
    sender->site = (struct cc_site){&cc_swift, 100 * GBPS, &sender->params};
    pacer_init(&sender->pacer, &sender->site, BYTES);
}

static time_ps ack(struct sender *sender, time_ps rtt, unsigned hops, uint32_t packets, time_ps now)
{
    struct cc_ack heard = {.rtt = rtt, .hops = (uint8_t)hops};
    sender->pacer.flight->new_packets = packets;
    return pacer_on_ack(&sender->pacer, &sender->site, &heard, now);
}

/* Given a window and a delay, expect a window; the target is 20 us, and 3 us for each switch. */
static void test_acks(void **state)
{
    (void)state;
    static const struct {
        uint64_t cwnd;
        time_ps rtt;
        unsigned hops, packets;
        uint64_t expect;
    } rows[] = {
        {10 * PACKET, 10 * US, 0, 1, 10 * PACKET + PACKET / 10}, /* w += ai n / w */
        {10 * PACKET, 10 * US, 0, 5, 10 * PACKET + PACKET / 2},
        {PACKET / 2, 10 * US, 0, 1, PACKET / 2 + PACKET},        /* w < 1: w += ai n */
        {10 * PACKET, 22 * US, 1, 1, 10 * PACKET + PACKET / 10}, /* 23 us with a switch */
        {10 * PACKET, 25 * US, 0, 1, 8400 * PACKET / 1000},      /* 1 - 0.8 x 5 / 25 = 0.84 */
        {10 * PACKET, 20 * US, 0, 1, 10 * PACKET},               /* at the target: times 1 */
        {10 * PACKET, 500 * US, 0, 1, 5 * PACKET},               /* no more than max-mdf */
        {1000 * PACKET, 10 * US, 0, 7, 1000 * PACKET},           /* max-cwnd */
        {PACKET / 64, 500 * US, 0, 1, PACKET / 100},             /* min-cwnd */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sender sender;
        start(&sender);
        swift(&sender)->cwnd = rows[i].cwnd;
        ack(&sender, rows[i].rtt, rows[i].hops, rows[i].packets, PS_PER_S);
        assert_in_range(swift(&sender)->cwnd, rows[i].expect - 2, rows[i].expect + 2);
        pacer_fini(&sender.pacer, &sender.site);
    }
}

/* One decrease in a round-trip time, by delay or by loss. */
static void test_once_per_rtt(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    ack(&sender, 500 * US, 0, 1, 1000 * US);
    assert_int_equal(swift(&sender)->cwnd, 5 * PACKET);
    ack(&sender, 500 * US, 0, 1, 1400 * US);
    pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_SEQUENCE, 1450 * US);
    assert_int_equal(swift(&sender)->cwnd, 5 * PACKET);
    ack(&sender, 500 * US, 0, 1, 1500 * US);
    assert_int_equal(swift(&sender)->cwnd, 5 * PACKET / 2);
    pacer_fini(&sender.pacer, &sender.site);
}

/* Timeouts decrease as losses do, the fifth in a row sets the smallest window; an ACK starts the
 * count again; a receiver that is not ready is no loss. */
static void test_losses(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_RNR, 1 * US);
    assert_int_equal(swift(&sender)->cwnd, 10 * PACKET);
    for (int i = 0; i < 4; i++)
        pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_TIMEOUT, (1 + i) * 100 * US);
    assert_int_equal(swift(&sender)->cwnd, 10 * PACKET / 16);
    ack(&sender, 0, 0, 1, 450 * US); /* of a packet that was sent again: no delay is known */
    assert_int_equal(swift(&sender)->cwnd, 10 * PACKET / 16);
    pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_TIMEOUT, 470 * US); /* the first, not fifth */
    assert_int_equal(swift(&sender)->cwnd, 10 * PACKET / 32);
    swift(&sender)->cwnd = 512 * PACKET;
    for (int i = 0; i < 3; i++)
        pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_TIMEOUT, 480 * US);
    pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_SEQUENCE, 490 * US); /* the count ends */
    pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_TIMEOUT, 495 * US);
    assert_int_equal(swift(&sender)->cwnd, 16 * PACKET);
    for (int i = 0; i < 5; i++)
        pacer_on_nak(&sender.pacer, &sender.site, CC_NAK_TIMEOUT, 500 * US);
    assert_int_equal(swift(&sender)->cwnd, PACKET / 100);
    pacer_fini(&sender.pacer, &sender.site);
}

/* alpha / sqrt(w) + beta between its ends: with 0.25 and 4 packets, 1/sqrt is 2 and 0.5, so at one
 * packet a third of the range. */
static void test_flow_scaling(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    sender.params.fs_range = 90 * US;
    sender.params.fs_min_cwnd = INT64_C(250000000000000);
    sender.params.fs_max_cwnd = INT64_C(4000000000000000);
    static const struct {
        uint64_t cwnd;
        time_ps expect;
    } rows[] = {{PACKET / 8, 110 * US},
                {PACKET / 4, 110 * US},
                {PACKET, 50 * US},
                {4 * PACKET, 20 * US},
                {9 * PACKET, 20 * US}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_in_range(cc_swift_target(&sender.params, rows[i].cwnd, 0), rows[i].expect - 1,
                        rows[i].expect);
    assert_in_range(cc_swift_target(&sender.params, PACKET, 3), 59 * US - 1, 59 * US);
    pacer_fini(&sender.pacer, &sender.site);
}

/* From one packet on the window alone holds back; below it packets are rtt / w apart. */
static void test_pacing(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    assert_int_equal(ack(&sender, 10 * US, 0, 1, 1000 * US), PACER_UNLIMITED);
    assert_int_equal(sender.pacer.flight->window, 10 * BYTES);
    swift(&sender)->cwnd = PACKET; /* halved: a packet in 2 x 500 us */
    assert_int_equal(ack(&sender, 500 * US, 0, 1, 2000 * US), 2000 * US);
    assert_int_equal(sender.pacer.flight->window, BYTES);
    const time_ps next = pacer_sent(&sender.pacer, &sender.site, BYTES - PACER_WIRE_GAP, 2000 * US);
    assert_in_range(next, 2999 * US, 3001 * US);
    pacer_fini(&sender.pacer, &sender.site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_acks),   cmocka_unit_test(test_once_per_rtt),
        cmocka_unit_test(test_losses), cmocka_unit_test(test_flow_scaling),
        cmocka_unit_test(test_pacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

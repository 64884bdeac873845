/* SPDX-License-Identifier: Apache-2.0
 * HPCC against algorithm 1 of the paper, worked by hand: one link of 80 Gb/s, 10 bytes in a
 * nanosecond, and T = 10 us, so that a bandwidth-delay product is 100 000 bytes. */
#include "rnic/cc/cc_hpcc.h"
#include "rnic/cc/cc_kinds.h"
#include "rnic/cc/pacer.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define LINE UINT64_C(80000000000)
#define US   PS_PER_US
#define ONE  (UINT64_C(1) << 32)

enum { BDP = 100000, W_AI = 80 };

struct sender {
    struct pacer pacer;
    struct cc_hpcc_params params;
    struct cc_site site;
    struct telemetry link;
};

static struct cc_hpcc *hpcc(struct sender *sender)
{
    return (struct cc_hpcc *)(void *)sender->pacer.flight->state;
}

static void start(struct sender *sender)
{
    *sender = (struct sender){.link = {.path = 1, .hops = 1}};
    cc_presets(cc_find("hpcc"), &sender->params);
    sender->params.base_rtt = 10 * US;
    sender->site = (struct cc_site){&cc_hpcc, LINE, &sender->params};
    pacer_init(&sender->pacer, &sender->site, 1000);
}

/* The link has sent `bytes` more in the time, and has a queue. */
static uint64_t ack(struct sender *sender, time_ps span, uint64_t bytes, uint64_t queue)
{
    struct telemetry_hop *hop = &sender->link.hop[0];
    *hop = (struct telemetry_hop){hop->at + span, LINE, hop->wire_bytes + bytes, queue};
    struct cc_ack heard = {.telemetry = &sender->link};
    pacer_on_ack(&sender->pacer, &sender->site, &heard, hop->at);
    return sender->pacer.flight->window;
}

static void test_start(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    assert_int_equal(sender.pacer.flight->window, BDP);
    assert_int_equal(sender.pacer.rate, LINE);
    assert_int_equal(ack(&sender, 1 * US, 5000, 70000), BDP); /* only leaves its telemetry */
    pacer_fini(&sender.pacer, &sender.site);
}

/* Given what a link sent in one T and its least queue, expect U and the window. */
static void test_utilisation(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes, queue_before, queue;
        uint64_t parts; /* U in hundredths */
        uint64_t window;
    } rows[] = {
        {BDP, 0, 0, 100, 95000 + W_AI},           /* W = Wc 0.95 / 1 + W_AI */
        {BDP, 50000, 90000, 150, 63333 + W_AI},   /* the smaller of the queues counts */
        {BDP, 90000, 50000, 150, 63333 + W_AI},   /* whichever it is */
        {BDP, 100000, 100000, 200, 47500 + W_AI}, /* 0.95 / 2 */
        {95000, 0, 0, 95, BDP},                   /* at eta: times 1, and no more than B T */
        {50000, 0, 0, 50, BDP},                   /* below it only W_AI is added */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sender sender;
        start(&sender);
        ack(&sender, 1 * US, 0, rows[i].queue_before);
        const uint64_t window = ack(&sender, 10 * US, rows[i].bytes, rows[i].queue);
        assert_in_range(hpcc(&sender)->utilisation, rows[i].parts * ONE / 100 - 1,
                        rows[i].parts * ONE / 100);
        assert_in_range(window, rows[i].window - 1, rows[i].window);
        pacer_fini(&sender.pacer, &sender.site);
    }
}

/* U moves by tau / T: a fifth of a T at u = 1 makes it 0.2; a tau above T is T. */
static void test_average(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    ack(&sender, 1 * US, 0, 0);
    ack(&sender, 2 * US, 20000, 0);
    assert_in_range(hpcc(&sender)->utilisation, ONE / 5 - 1, ONE / 5);
    ack(&sender, 5 * US, 50000, 0); /* 0.2 / 2 + 1 / 2 */
    assert_in_range(hpcc(&sender)->utilisation, ONE * 6 / 10 - 2, ONE * 6 / 10);
    ack(&sender, 40 * US, 100000, 0);
    assert_in_range(hpcc(&sender)->utilisation, ONE / 4 - 1, ONE / 4);
    pacer_fini(&sender.pacer, &sender.site);
}

/* Within a round-trip time every ACK starts from the same reference; maxStage additive increases,
 * then the window follows the utilisation upwards. */
static void test_stages(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    struct flight *flight = sender.pacer.flight;
    ack(&sender, 1 * US, 0, 0);
    flight->acked = 1;
    flight->bytes = 10000;
    const uint64_t quarter = ack(&sender, 10 * US, 4 * BDP, 0); /* u = 4 */
    assert_in_range(quarter, 23750 + W_AI - 1, 23750 + W_AI);
    assert_int_equal(hpcc(&sender)->reference, quarter);
    flight->acked = 5000; /* of what was under way then: no new reference */
    const uint64_t half = quarter * 95 / 200 + W_AI;
    assert_in_range(ack(&sender, 10 * US, 2 * BDP, 0), half - 1, half);
    assert_int_equal(hpcc(&sender)->reference, quarter);
    for (unsigned i = 1; i <= 5; i++) {
        flight->acked += 20000;
        assert_int_equal(ack(&sender, 10 * US, BDP / 2, 0), quarter + i * W_AI);
        assert_int_equal(hpcc(&sender)->stage, i);
    }
    flight->acked += 20000;
    const uint64_t followed = (quarter + 5 * W_AI) * 95 / 50 + W_AI;
    assert_in_range(ack(&sender, 10 * US, BDP / 2, 0), followed - 1, followed);
    assert_int_equal(hpcc(&sender)->stage, 0);
    flight->bytes = 0;
    pacer_fini(&sender.pacer, &sender.site);
}

/* Another path, and an ACK without telemetry, change no window. */
static void test_path(void **state)
{
    (void)state;
    struct sender sender;
    start(&sender);
    ack(&sender, 1 * US, 0, 0);
    ack(&sender, 10 * US, 2 * BDP, 0);
    const uint64_t window = sender.pacer.flight->window;
    struct cc_ack none = {0};
    pacer_on_ack(&sender.pacer, &sender.site, &none, 20 * US);
    assert_int_equal(sender.pacer.flight->window, window);
    sender.link.path = 2;
    assert_int_equal(ack(&sender, 10 * US, 0, 0), window);
    /* The rate is W / T. */
    assert_int_equal(sender.pacer.rate, window * 8 * 100000);
    pacer_fini(&sender.pacer, &sender.site);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),   cmocka_unit_test(test_utilisation),
        cmocka_unit_test(test_average), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

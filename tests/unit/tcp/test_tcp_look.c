/* SPDX-License-Identifier: Apache-2.0
 * test_tcp_look - what an observer sees of connections that wait. */
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DELAY = 10 * PS_PER_US };

/* A send buffer that does not hold two segments waits for each ACK that the receiver delays. */
static void test_look_at_delayed_ack(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    struct tcp_look look;
    pair->sides[0].params.send_buffer = pair->sides[0].params.send_buffer_max = 1448;
    pair->sides[1].params.quick_acks = 0;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, 10 * PS_PER_MS);
    tcp_pair_send(pair, 0, 2 * 1448, 4);
    tcp_pair_run(pair, 100 * PS_PER_US);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.window, 1);
    assert_int_equal(look.delayed, 0); /* the ACK may still be on its way */
    tcp_pair_run(pair, 20 * PS_PER_MS);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.window + look.loss, 0);
    assert_int_equal(look.delayed, 1);
    tcp_pair_run(pair, 25 * PS_PER_MS);
    tcp_look(pair->sides[0].tcp, &look);
    assert_int_equal(look.delayed, 0);
    tcp_pair_free(pair);
}

/* Moments of 60 in which a message of that size waits behind a larger one. */
static unsigned moments_behind(uint32_t first, uint32_t second)
{
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    const uint32_t sizes[] = {first, second};
    unsigned behind = 0;
    pair->sides[0].params.initial_window = 1000;
    pair->sides[0].params.tx_batch_cost = 5 * PS_PER_US; /* of at most 64 KiB */
    pair->sides[0].params.send_buffer = pair->sides[0].params.send_buffer_max = 4 << 20;
    pair->sides[1].params.receive_buffer = pair->sides[1].params.receive_buffer_max = 4 << 20;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    for (int i = 0; i < 2; i++) {
        tcp_stream_ops.mark(pair->sides[0].conn, PROBE_STREAM_POSTED, sizes[i]);
        tcp_pair_send(pair, 0, sizes[i], 4);
        tcp_stream_ops.mark(pair->sides[0].conn, PROBE_STREAM_BUFFERED, 0);
    }
    for (int moment = 0; moment < 60; moment++) {
        struct tcp_look look;
        tcp_pair_run(pair, PS_PER_US);
        tcp_look(pair->sides[0].tcp, &look);
        behind += look.behind;
    }
    tcp_pair_free(pair);
    return behind;
}

static void test_look_at_messages(void **state)
{
    (void)state;
    assert_in_range(moments_behind(1 << 19, 4096), 30, 45); /* eight batches */
    assert_int_equal(moments_behind(4096, 1 << 19), 0);
    assert_int_equal(moments_behind(1 << 18, 1 << 18), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look_at_delayed_ack),
        cmocka_unit_test(test_look_at_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

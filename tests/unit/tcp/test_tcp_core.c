/* SPDX-License-Identifier: Apache-2.0
 * test_tcp_core - the time that the cores of TCP take. */
#include "tests/unit/tcp/tcp_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DELAY (10 * PS_PER_US)

static void test_cost_of_the_core(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    pair->sides[1].params.interrupt_cost = 2 * PS_PER_US;
    pair->sides[1].params.rx_batch_cost = PS_PER_US;
    pair->sides[1].params.rx_segment_cost = 100 * PS_PER_NS;
    pair->sides[1].params.copy_cost = 1024 * PS_PER_NS;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    const time_ps busy = tcp_busy(pair->sides[1].tcp), from = pair->engine.now;
    tcp_pair_send(pair, 0, 1000, 4);
    tcp_pair_run(pair, PS_PER_MS);
    const time_ps cost = 2 * PS_PER_US + PS_PER_US + 100 * PS_PER_NS + 1000 * PS_PER_NS;
    assert_int_equal(tcp_busy(pair->sides[1].tcp) - busy, cost);
    assert_int_equal(tcp_pair_nth(pair, 1, false, 0)->at, from + 1090 * 80 + DELAY + cost);
    tcp_pair_free(pair);
}

/* Of 1,000 bytes, with 4 MiB of operations and 1 MiB of cache, three in four are cold; digests. */
static void test_cost_of_cold_memory_and_digests(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    struct tcp_params *params = &pair->sides[1].params;
    params->copy_cost = 1024 * PS_PER_NS;
    params->cold_copy_cost = 5 * 1024 * PS_PER_NS;
    params->digest_cost = 512 * PS_PER_NS;
    params->cache = 1 << 20;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    struct stream_device *device = tcp_device(pair->sides[1].tcp);
    const time_ps costs[] = {1000, 4000, 4500, 1500};
    for (int i = 0; i < 4; i++) {
        if (i == 1 || i == 3)
            tcp_stream_ops.expect(device, i == 1 ? 4 << 20 : -(4 << 20));
        else if (i == 2)
            tcp_stream_ops.digest(pair->sides[1].conn);
        const time_ps busy = tcp_busy(pair->sides[1].tcp);
        tcp_pair_send(pair, 0, 1000, 4);
        tcp_pair_run(pair, PS_PER_MS);
        assert_int_equal(tcp_busy(pair->sides[1].tcp) - busy, costs[i] * PS_PER_NS);
    }
    /* What is sent takes the time of its digest, too. */
    const time_ps busy = tcp_busy(pair->sides[1].tcp);
    tcp_pair_send(pair, 1, 1000, 4);
    tcp_pair_run(pair, PS_PER_MS);
    assert_int_equal(tcp_busy(pair->sides[1].tcp) - busy, 500 * PS_PER_NS);
    tcp_pair_free(pair);
}

/* An idle core wakes the reading thread once for each interrupt that finds it idle. */
static void test_wakeup_of_an_idle_core(void **state)
{
    (void)state;
    struct tcp_pair *pair = tcp_pair_new(DELAY);
    struct tcp_params *params = &pair->sides[1].params;
    params->interrupt_delay = 20 * PS_PER_US;
    params->interrupt_cost = PS_PER_US;
    params->wakeup_cost = 5 * PS_PER_US;
    params->rx_batch_cost = PS_PER_US;
    tcp_pair_connect(pair);
    tcp_pair_run(pair, PS_PER_MS);
    pair->log_count = 0;
    const time_ps busy = tcp_busy(pair->sides[1].tcp), from = pair->engine.now;
    tcp_pair_send(pair, 0, 1000, 4);
    tcp_pair_run(pair, 10 * PS_PER_US); /* before the interrupt, which is for both */
    tcp_pair_send(pair, 0, 448, 4);
    tcp_pair_run(pair, PS_PER_MS);
    const time_ps cost = (1 + 5 + 1) * PS_PER_US;
    assert_int_equal(tcp_pair_nth(pair, 1, false, 0)->at,
                     from + 1090 * 80 + DELAY + 20 * PS_PER_US + cost);
    assert_int_equal(tcp_busy(pair->sides[1].tcp) - busy, cost + PS_PER_US);
    tcp_pair_free(pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_of_the_core),
        cmocka_unit_test(test_cost_of_cold_memory_and_digests),
        cmocka_unit_test(test_wakeup_of_an_idle_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

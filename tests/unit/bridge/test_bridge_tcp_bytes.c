/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_tcp_bytes - garbage at the port of agreements, and arbitrary bytes at both ports of a
 * bridge that listens for TCP. */
#include "base/rng.h"
#include "bridge/agree/agree_wire.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/bridge/tcp_intruder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 40, BYTES = 512 };

/* ---- the port of agreements ---- */

static void test_agreement_port(void **state)
{
    static const unsigned char garbage[][12] = {
        {"GET / HTTP/"},
        {'s', 'g', 'a', 'g', 9, 0, 0, 0},
        {'s', 'g', 'a', 'g', 1, 0, 0xFF, 0xFF},
        {'s', 'g', 'a', 'g', 1, 0, 57, 0},
        {'s', 'g', 'a', 'g', 4, 0, 1, 0, 7},
        {'s', 'g', 'a', 'g', 2, 0, 0, 0},
    };
    struct tcp_intruder intruder;
    (void)state;
    tcp_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        unsigned char bytes[8 + 57] = {0};
        memcpy(bytes, garbage[i], sizeof garbage[i]);
        tcp_intruder_connect(&intruder, 0, AGREE_PORT);
        tcp_intruder_send(&intruder, 0, bytes, sizeof bytes);
        assert_true(intruder.conns[0].ended);
        assert_int_equal(intruder.conns[0].answered, 0);
    }
    /* A frame with a request of another version is answered, and rejected. */
    const struct agree_request request = {.version = AGREE_VERSION + 1};
    unsigned char frame[8 + AGREE_REQUEST_BYTES] = {'s', 'g', 'a', 'g', 1, 0, AGREE_REQUEST_BYTES};
    struct agree_answer answer;
    agree_write_request(&request, frame + 8);
    tcp_intruder_connect(&intruder, 0, AGREE_PORT);
    tcp_intruder_send(&intruder, 0, frame, sizeof frame);
    assert_int_equal(intruder.conns[0].answered, 8 + AGREE_ANSWER_BYTES);
    assert_int_equal(intruder.conns[0].answer[4], 3);
    assert_true(agree_read_answer(intruder.conns[0].answer + 8, AGREE_ANSWER_BYTES, &answer));
    assert_int_equal(answer.verdict, AGREE_OTHER_VERSION);
    /* It does not close; the connection is reset all the same. */
    const struct stream_real_counters *counters =
        stream_real_counters(verbs_tcp_streams(intruder.target_device));
    assert_int_equal(counters->open, 1);
    tcp_intruder_run(&intruder, 1500 * PS_PER_MS);
    assert_int_equal(counters->open, 0);
    tcp_intruder_close(&intruder);
}

/* ---- any bytes ---- */

static void test_any_bytes(void **state)
{
    struct tcp_intruder intruder;
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rng rng = rng_stream(seed, "tcp", "intruder");
        uint8_t bytes[BYTES];
        for (unsigned i = 0; i < BYTES; i++)
            bytes[i] = (uint8_t)rng_below(&rng, 256);
        fuzz_input("bridge_tcp", bytes, sizeof bytes);
        tcp_intruder_open(&intruder);
        tcp_intruder_play(&intruder, bytes, sizeof bytes);
        tcp_intruder_close(&intruder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agreement_port),
        cmocka_unit_test(test_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

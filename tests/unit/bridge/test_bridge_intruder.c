/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_intruder - what a listening bridge does with garbage: it refuses with the right
 * status, and goes on serving others. */
#include "base/rng.h"
#include "bridge/agree/agree_wire.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/wire.h"
#include "scenarios/workload/wl_rdma.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/bridge/bridge_intruder.h"
#include "tests/unit/bridge/fake_rdma.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 60, BYTES = 1024 };

/* Private data of NVMe's REQ, and the status of the refusal (fabrics 7.3.6.2). */
static void test_private_data_are_refused_by_status(void **state)
{
    (void)state;
    static const struct {
        uint16_t format, qid, hrqsize, hsqsize, sts;
    } cases[] = {
        {1, 0, 32, 31, NVME_CM_INVALID_FORMAT},      {0xFFFF, 0, 32, 31, NVME_CM_INVALID_FORMAT},
        {0, 0xFFFF, 32, 31, NVME_CM_INVALID_QID},    {0, 0, 0, 31, NVME_CM_INVALID_HRQSIZE},
        {0, 0, 32, 0xFFFF, NVME_CM_INVALID_HSQSIZE},
    };
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned char bytes[NVME_CM_REQUEST_BYTES] = {0};
        wire_put16(bytes, cases[i].format);
        wire_put16(bytes + 2, cases[i].qid);
        wire_put16(bytes + 4, cases[i].hrqsize);
        wire_put16(bytes + 6, cases[i].hsqsize);
        bridge_intruder_connect(&intruder, 0, NVME_RDMA_PORT, bytes, sizeof bytes);
        assert_true(intruder.conns[0].down && !intruder.conns[0].up);
        assert_int_equal(intruder.conns[0].status, NVME_CM_REJECT_REASON);
        assert_int_equal(wire_get16(intruder.conns[0].answer + 2), cases[i].sts);
    }
    bridge_intruder_close(&intruder);
}

static void test_capsules_of_wrong_length_end_the_connection(void **state)
{
    (void)state;
    static const unsigned char bytes[8192] = {0x7F};
    static const size_t lengths[] = {0, 1, 63, 8192};
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        bridge_intruder_connect_well(&intruder, 0, NVME_RDMA_PORT);
        assert_true(intruder.conns[0].up);
        bridge_intruder_send(&intruder, 0, bytes, lengths[i]);
        assert_int_equal(intruder.conns[0].answered, 0);
        assert_true(intruder.conns[0].down);
    }
    bridge_intruder_connect_well(&intruder, 0, NVME_RDMA_PORT);
    bridge_intruder_send(&intruder, 0, bytes, NVME_SQE_BYTES); /* an opcode that is none */
    assert_true(intruder.conns[0].up && intruder.conns[0].answered <= 1);
    bridge_intruder_close(&intruder);
}

/* Where bridges agree: other versions hear so, what is no request hears nothing at all. */
static void test_requests_to_agree(void **state)
{
    (void)state;
    struct agree_request request = {.version = AGREE_VERSION + 1};
    unsigned char bytes[AGREE_REQUEST_BYTES];
    struct agree_answer answer;
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    agree_write_request(&request, bytes);
    bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
    assert_true(intruder.conns[0].down && !intruder.conns[0].up);
    assert_true(agree_read_answer(intruder.conns[0].answer, AGREE_ANSWER_BYTES, &answer));
    assert_int_equal(answer.verdict, AGREE_OTHER_VERSION);
    memset(bytes, 0xA5, sizeof bytes);
    bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
    assert_true(intruder.conns[0].down && !intruder.conns[0].up);
    bridge_intruder_connect_well(&intruder, 0, AGREE_PORT);
    assert_true(intruder.conns[0].up);
    bridge_intruder_send(&intruder, 0, bytes, sizeof bytes); /* more than a moment has room */
    assert_true(intruder.conns[0].down);
    bridge_intruder_close(&intruder);
}

/* Requests for buffers that no workload of the scenario has take no memory, however many come. */
static void test_a_flood_of_requests_for_memory(void **state)
{
    (void)state;
    struct bridge_intruder intruder;
    unsigned char bytes[VERBS_REQ_PRIVATE_MAX] = {0};
    bridge_intruder_open(&intruder);
    unsigned alive = 0;
    for (unsigned i = 0; i < 1000; i++) {
        const struct wl_rdma_request request = {.opcode =
                                                    i % 2 == 0 ? IBV_WR_RDMA_WRITE : IBV_WR_SEND,
                                                .outstanding = WL_RDMA_OUTSTANDING_MAX,
                                                .message_bytes = WL_RDMA_MESSAGE_MAX,
                                                .receives = i % 3};
        wl_rdma_encode_request(&request, bytes);
        bridge_intruder_connect(&intruder, i % INTRUDER_CONNS, WORKLOAD_RDMA_PORT, bytes,
                                sizeof bytes);
        assert_true(intruder.conns[i % INTRUDER_CONNS].down);
        if (i == 2 * INTRUDER_CONNS)
            alive =
                fake_rdma_alive(); /* the intruder's own, and what is left of the last request */
        assert_true(i < 2 * INTRUDER_CONNS || fake_rdma_alive() == alive);
    }
    bridge_intruder_connect_well(&intruder, 0, WORKLOAD_RDMA_PORT);
    assert_true(intruder.conns[0].up);
    bridge_intruder_close(&intruder);
}

/* Of the requests that a workload has the target accepts as many as its queue pairs need, and again
 * as many for a host that restarts. */
static void test_more_connections_than_the_scenario_has(void **state)
{
    (void)state;
    enum { QPS = 2, ROOM = 2 * QPS };
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    for (unsigned i = 0; i < ROOM; i++) {
        bridge_intruder_connect_well(&intruder, i, WORKLOAD_RDMA_PORT);
        assert_true(intruder.conns[i].up);
    }
    bridge_intruder_connect_well(&intruder, ROOM, WORKLOAD_RDMA_PORT);
    assert_true(intruder.conns[ROOM].down && !intruder.conns[ROOM].up);
    bridge_intruder_leave(&intruder, 0);
    bridge_intruder_connect_well(&intruder, 0, WORKLOAD_RDMA_PORT);
    assert_true(intruder.conns[0].up);
    bridge_intruder_close(&intruder);
}

static void test_anything(void **state)
{
    (void)state;
    const char *seeds = getenv("INTRUDER_SEEDS"), *first = getenv("INTRUDER_SEED");
    const unsigned begin = first != NULL ? (unsigned)atoi(first) : 1;
    const unsigned count = seeds != NULL ? (unsigned)atoi(seeds) : SEEDS;
    for (unsigned seed = begin; seed - begin < count; seed++) {
        printf("seed %u\n", seed);
        fflush(stdout);
        struct rng rng = rng_stream(seed, "intruder", "bytes");
        uint8_t bytes[BYTES];
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)rng_below(&rng, 256);
        const size_t used = 1 + rng_below(&rng, sizeof bytes);
        struct bridge_intruder intruder;
        fuzz_input("bridge", bytes, used);
        bridge_intruder_open(&intruder);
        bridge_intruder_play(&intruder, bytes, used);
        bridge_intruder_close(&intruder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_private_data_are_refused_by_status),
        cmocka_unit_test(test_capsules_of_wrong_length_end_the_connection),
        cmocka_unit_test(test_requests_to_agree),
        cmocka_unit_test(test_a_flood_of_requests_for_memory),
        cmocka_unit_test(test_more_connections_than_the_scenario_has),
        cmocka_unit_test(test_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

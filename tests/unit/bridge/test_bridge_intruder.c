/* SPDX-License-Identifier: Apache-2.0
 * test_bridge_intruder - what a listening bridge does with garbage: it refuses with the right
 * status, and goes on serving others. */
#include "base/rng.h"
#include "bridge/agree/agree_proof.h"
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
#include <sys/resource.h>

#include <cmocka.h>

/* AddressSanitizer keeps freed memory for a while, so a program's size says nothing: gcc and clang
 * name it differently. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#elif defined __SANITIZE_ADDRESS__
#define SANITIZED
#endif

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
    unsigned char long_bytes[AGREE_MOMENT_BYTES + 1] = {0};
    bridge_intruder_send(&intruder, 0, long_bytes, sizeof long_bytes); /* more than there is room */
    assert_true(intruder.conns[0].down);
    bridge_intruder_close(&intruder);
}

/* Nothing that a stranger asks reveals the scenario, joins it or sets its moment 0: not on another
 * machine without a secret, and nowhere without the secret of the target. */
static void test_strangers_learn_nothing(void **state)
{
    (void)state;
    static const struct {
        bool secret, local, proven;
        enum agree_question question;
        enum agree_verdict verdict;
    } rows[] = {
        {false, false, false, AGREE_JOIN, AGREE_NOT_LOCAL},
        {false, false, false, AGREE_COMPARE, AGREE_NOT_LOCAL},
        {false, false, false, AGREE_CHALLENGE, AGREE_NOT_LOCAL},
        {false, true, true, AGREE_JOIN, AGREE_NO_SECRET},
        {true, true, false, AGREE_JOIN, AGREE_SECRET_NEEDED},
        {true, false, false, AGREE_COMPARE, AGREE_SECRET_NEEDED},
        {true, false, false, AGREE_CHALLENGE, AGREE_CHALLENGED},
        {true, true, true, AGREE_JOIN, AGREE_WRONG_SECRET},
        {true, false, true, AGREE_COMPARE, AGREE_WRONG_SECRET},
    };
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    const struct access none = {0}, local = intruder.access;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char why[ACCESS_WHY_BYTES];
        unsigned char bytes[AGREE_REQUEST_BYTES];
        struct agree_answer answer;
        const struct agree_request request = {.version = AGREE_VERSION,
                                              .question = rows[i].question,
                                              .proven = rows[i].proven,
                                              .digest = intruder.plan.digest,
                                              .lines = intruder.plan.count};
        intruder.access = rows[i].local ? local : none;
        if (rows[i].secret)
            assert_true(access_set_secret(&intruder.access, "sixteen letters!", 16, why));
        agree_write_request(&request, bytes);
        bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
        assert_true(intruder.conns[0].down && !intruder.conns[0].up);
        assert_true(agree_read_answer(intruder.conns[0].answer, AGREE_ANSWER_BYTES, &answer));
        assert_int_equal(answer.verdict, rows[i].verdict);
        assert_int_equal(answer.lines, 0);
        assert_string_equal(answer.text, "");
    }
    assert_true(intruder.state.joined == 0 && intruder.state.zero == TIME_NEVER);
    intruder.access = local;
    bridge_intruder_close(&intruder);
}

/* A tag that somebody overheard is of no use from another address, nor for moments. */
static void test_an_overheard_request(void **state)
{
    (void)state;
    struct bridge_intruder intruder;
    char why[ACCESS_WHY_BYTES];
    unsigned char bytes[AGREE_REQUEST_BYTES], nonce[AGREE_NONCE_BYTES];
    struct agree_answer answer;
    struct agree_request request = {.version = AGREE_VERSION, .question = AGREE_CHALLENGE};
    bridge_intruder_open(&intruder);
    assert_true(access_set_secret(&intruder.access, "sixteen letters!", 16, why));
    agree_write_request(&request, bytes);
    bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
    assert_true(agree_read_answer(intruder.conns[0].answer, AGREE_ANSWER_BYTES, &answer));
    assert_int_equal(answer.verdict, AGREE_CHALLENGED);
    request = (struct agree_request){.version = AGREE_VERSION,
                                     .question = AGREE_JOIN,
                                     .proven = true,
                                     .digest = intruder.plan.digest,
                                     .lines = intruder.plan.count};
    agree_write_request(&request, bytes);
    agree_prove_request(&intruder.access, answer.nonce, bytes);
    bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
    assert_true(intruder.conns[0].up); /* so far the request is as good as the first time */
    const struct agree_moment begin = {.kind = AGREE_BEGIN, .zero = PS_PER_S};
    unsigned char moment[AGREE_MOMENT_BYTES];
    agree_write_moment(&begin, moment);
    bridge_intruder_send(&intruder, 0, moment, sizeof moment);
    assert_true(intruder.conns[0].down);
    assert_true(intruder.state.joined == 0 && intruder.state.zero == TIME_NEVER);
    const unsigned char key[ACCESS_KEY_BYTES] = {1}; /* challenges go by address and time */
    unsigned char other[AGREE_NONCE_BYTES];
    agree_challenge(key, 1, 0, 0, nonce);
    agree_challenge(key, 2, 0, 0, other);
    assert_memory_not_equal(nonce, other, sizeof nonce);
    agree_challenge(key, 1, 100 * PS_PER_S, 0, other);
    assert_memory_not_equal(nonce, other, sizeof nonce);
    bytes[20] ^= 1; /* another digest */
    bridge_intruder_connect(&intruder, 0, AGREE_PORT, bytes, sizeof bytes);
    assert_true(agree_read_answer(intruder.conns[0].answer, AGREE_ANSWER_BYTES, &answer));
    assert_int_equal(answer.verdict, AGREE_WRONG_SECRET);
    intruder.access.secret = false;
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

/* Queues of NVMe that never say whose they are: the oldest makes room for the next one, so they
 * take the memory of a few, and somebody with manners still gets in. */
static void test_a_flood_of_silent_queues(void **state)
{
    (void)state;
    struct bridge_intruder intruder;
    unsigned char bytes[VERBS_REQ_PRIVATE_MAX] = {0};
    const struct nvme_cm_request request = {.qid = 1, .hrqsize = 128, .hsqsize = 127};
    unsigned alive = 0;
    bridge_intruder_open(&intruder);
    nvme_fabrics_encode_request(&request, bytes);
    for (unsigned i = 0; i < 200; i++) {
        bridge_intruder_connect(&intruder, i % INTRUDER_CONNS, NVME_RDMA_PORT, bytes, sizeof bytes);
        assert_true(intruder.conns[i % INTRUDER_CONNS].up);
        unsigned open = 0;
        for (unsigned c = 0; c < INTRUDER_CONNS; c++)
            open += intruder.conns[c].up && !intruder.conns[c].down;
        assert_int_equal(open, i + 1 < INTRUDER_STRANGERS ? i + 1 : INTRUDER_STRANGERS);
        if (i == 2 * INTRUDER_CONNS)
            alive = fake_rdma_alive();
        assert_true(i < 2 * INTRUDER_CONNS || fake_rdma_alive() <= alive);
    }
    bridge_intruder_close(&intruder);
}

/* A host connects all its I/O queues before it sends the first Connect: they are no strangers. */
static void test_more_queues_than_strangers(void **state)
{
    (void)state;
    struct bridge_pair pair;
    bridge_pair_init(&pair);
    pair.host_params.queues = 4 * INTRUDER_STRANGERS;
    pair.target_params.strangers = INTRUDER_STRANGERS;
    bridge_pair_open(&pair);
    bridge_pair_start(&pair);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(nvme_host_queues(pair.host), 4 * INTRUDER_STRANGERS);
    bridge_pair_fini(&pair);
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

/* 1,000 requests for 1 GiB on each port, in the form of that port and as bytes of no form: all
 * three ports serve afterwards, and the process has taken less than 200 MB. */
static void test_a_flood_on_each_port(void **state)
{
    (void)state;
    static const uint16_t ports[] = {NVME_RDMA_PORT, WORKLOAD_RDMA_PORT, AGREE_PORT};
    enum { PORTS = 3, FLOOD = 1000 };
    struct bridge_intruder intruder;
    bridge_intruder_open(&intruder);
    for (unsigned i = 0; i < PORTS * FLOOD; i++) {
        unsigned char bytes[VERBS_REQ_PRIVATE_MAX] = {0};
        const uint16_t port = ports[i % PORTS];
        const struct wl_rdma_request memory = {.opcode = IBV_WR_RDMA_WRITE,
                                               .outstanding = WL_RDMA_OUTSTANDING_MAX,
                                               .message_bytes = WL_RDMA_MESSAGE_MAX};
        const struct nvme_cm_request queue = {.qid = 1, .hrqsize = 128, .hsqsize = 127};
        const struct agree_request join = {.version = AGREE_VERSION,
                                           .question = AGREE_JOIN,
                                           .digest = intruder.plan.digest,
                                           .lines = intruder.plan.count};
        if (i / PORTS % 4 == 3)
            memset(bytes, 0xFF, sizeof bytes);
        else if (port == WORKLOAD_RDMA_PORT)
            wl_rdma_encode_request(&memory, bytes);
        else if (port == NVME_RDMA_PORT)
            nvme_fabrics_encode_request(&queue, bytes);
        else
            agree_write_request(&join, bytes);
        bridge_intruder_connect(&intruder, i % INTRUDER_CONNS, port, bytes, sizeof bytes);
    }
    for (unsigned i = 0; i < PORTS; i++) {
        bridge_intruder_connect_well(&intruder, i, ports[i]);
        assert_true(intruder.conns[i].up);
    }
#ifndef SANITIZED
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_in_range(usage.ru_maxrss, 1, 200 * 1000);
#endif
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
        cmocka_unit_test(test_strangers_learn_nothing),
        cmocka_unit_test(test_an_overheard_request),
        cmocka_unit_test(test_a_flood_of_requests_for_memory),
        cmocka_unit_test(test_a_flood_of_silent_queues),
        cmocka_unit_test(test_a_flood_on_each_port),
        cmocka_unit_test(test_more_queues_than_strangers),
        cmocka_unit_test(test_more_connections_than_the_scenario_has),
        cmocka_unit_test(test_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

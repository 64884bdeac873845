/* SPDX-License-Identifier: Apache-2.0
 * The queue pair's arithmetic and its state machine. */
#include "rnic/qp/qp.h"

#include "rnic/host/rnic.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_psn(void **state)
{
    static const struct {
        uint32_t a, b;
        int32_t diff;
    } rows[] = {
        {5, 5, 0},
        {6, 5, 1},
        {5, 6, -1},
        {0, 0xFFFFFF, 1},
        {0xFFFFFF, 0, -1},
        {2, 0xFFFFFE, 4},
        {0x7FFFFF, 0, 0x7FFFFF},
        {0x800001, 0, -0x7FFFFF},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(psn_diff(rows[i].a, rows[i].b), rows[i].diff);
    assert_int_equal(psn_add(0xFFFFFF, 2), 1);
    assert_int_equal(psn_ahead(3, 3), 0);
    assert_int_equal(psn_ahead(2, PSN_MASK), 3 * PSN_AHEAD);
    assert_int_equal(psn_ahead(PSN_WINDOW, 0), PSN_WINDOW * PSN_AHEAD);
    assert_int_equal(psn_count(0, 1024), 1);
    assert_int_equal(psn_count(1024, 1024), 1);
    assert_int_equal(psn_count(1025, 1024), 2);
    assert_int_equal(psn_count(UINT32_C(0x80000000), 256), 0x800000);
}

/* Every edge of the list is taken, every other refused. */
static void test_states(void **state)
{
    static const struct {
        enum ibv_qp_state from, to;
    } edges[] = {
#define EDGE(a, b, when) {IBV_QPS_##a, IBV_QPS_##b},
#include "rnic/qp/qp_state.def"
#undef EDGE
    };
    const size_t count = sizeof edges / sizeof edges[0];
    size_t legal = 0;
    (void)state;
    for (enum ibv_qp_state from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
        for (enum ibv_qp_state to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++)
            legal += qp_edge_is_legal(from, to);
    assert_int_equal(legal, count);
    for (size_t i = 0; i < count; i++)
        assert_true(qp_edge_is_legal(edges[i].from, edges[i].to));
    assert_false(qp_edge_is_legal(IBV_QPS_RESET, IBV_QPS_RTS));
    assert_false(qp_edge_is_legal(IBV_QPS_ERR, IBV_QPS_RTS));
    assert_string_equal(qp_state_name(IBV_QPS_RTR), "RTR");
    assert_string_equal(qp_state_name(IBV_QPS_UNKNOWN), "UNKNOWN");
}

static void test_codes(void **state)
{
    (void)state;
    assert_int_equal(qp_rnr_time(0), 655360 * PS_PER_US);
    assert_int_equal(qp_rnr_time(1), 10 * PS_PER_US);
    assert_int_equal(qp_rnr_time(5), 60 * PS_PER_US);
    assert_int_equal(qp_rnr_time(25), 61440 * PS_PER_US);
    assert_int_equal(qp_rnr_time(31), 491520 * PS_PER_US);
    /* Each pair of codes from 2 on: a power of two, and half as much again. */
    for (unsigned code = 2; code < 32; code++) {
        const time_ps power = (time_ps)10 * PS_PER_US << code / 2;
        assert_int_equal(qp_rnr_time(code), code % 2 == 0 ? power : power + power / 2);
        assert_int_equal(qp_rnr_time(code + 32), qp_rnr_time(code));
    }
    for (enum ibv_mtu mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++)
        assert_int_equal(qp_mtu_code(qp_mtu_bytes(mtu)), mtu);
    assert_int_equal(qp_mtu_bytes(IBV_MTU_1024), 1024);
    assert_int_equal(qp_mtu_bytes(0), 0);
    assert_int_equal(qp_mtu_code(1500), 0);
}

/* v = 17 * 18 = 306: label 306, port 0xC000 | 306. Larger: worked through by hand with 64-bit
 * shifts. */
static void test_source_port(void **state)
{
    (void)state;
    assert_int_equal(qp_udp_source_port(17, 18), 0xC000 | 306);
    assert_int_equal(qp_udp_source_port(0x123456, 0xABCDEF),
                     qp_udp_source_port(0xABCDEF, 0x123456));
    /* 0x100000 * 0x100000 = 2^40; ^= >> 20 sets bit 20; ^= >> 40 sets bit 0: label 1. */
    assert_int_equal(qp_udp_source_port(0x100000, 0x100000), 0xC001);
    /* 0x4000 * 1: bit 14 folds down to bit 0. */
    assert_int_equal(qp_udp_source_port(0x4000, 1), 0xC001);
    assert_int_not_equal(qp_entropy(1, 2, 0xC000), qp_entropy(2, 1, 0xC000));
    assert_int_not_equal(qp_entropy(1, 2, 0xC000), qp_entropy(1, 2, 0xC001));
    assert_int_equal(qp_entropy_port(qp_entropy(1, 2, 0xC123), 1, 2), 0xC123);
}

static void test_memory(void **state)
{
    (void)state;
    struct mr_table table;
    mr_table_init(&table);
    struct mr *a = mr_create(&table, 8192, IBV_ACCESS_REMOTE_READ, VERBS_BYTES);
    struct mr *b = mr_create(&table, 100, IBV_ACCESS_REMOTE_WRITE, VERBS_BULK);
    const uint64_t at = a->verbs.addr;
    const uint32_t key = a->verbs.rkey;
    assert_true(b->verbs.addr >= at + 8192);
    assert_ptr_equal(mr_local(&table, a->verbs.lkey, at + 8000, 192), a);
    assert_null(mr_local(&table, a->verbs.lkey, at + 8000, 193));
    assert_null(mr_local(&table, a->verbs.lkey, at - 1, 1));
    assert_null(mr_local(&table, a->verbs.lkey + 256 * 7, at, 1));
    assert_ptr_equal(mr_remote(&table, key, at, 8192, IBV_ACCESS_REMOTE_READ), a);
    assert_null(mr_remote(&table, key, at, 8192, IBV_ACCESS_REMOTE_WRITE));
    mr_renew(a);
    assert_null(mr_remote(&table, key, at, 1, IBV_ACCESS_REMOTE_READ));
    assert_non_null(mr_remote(&table, a->verbs.rkey, at, 1, IBV_ACCESS_REMOTE_READ));
    assert_true(mr_invalidate(&table, a->verbs.rkey));
    assert_false(mr_invalidate(&table, a->verbs.rkey));
    assert_null(mr_remote(&table, a->verbs.rkey, at, 1, IBV_ACCESS_REMOTE_READ));
    for (int i = 0; i < 600; i++) { /* the key byte never becomes the lkey's */
        mr_renew(a);
        assert_int_not_equal(a->verbs.rkey, a->verbs.lkey);
    }
    mr_free(&table, a);
    assert_null(mr_local(&table, key & ~255u, at, 1));
    mr_table_fini(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_psn),    cmocka_unit_test(test_states),
        cmocka_unit_test(test_codes),  cmocka_unit_test(test_source_port),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

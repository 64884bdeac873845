/* SPDX-License-Identifier: Apache-2.0
 * A published carving of a switch's memory. */
#include "tests/unit/net/star.h"

#include "net/switch/switch_carve.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* DCQCN (SIGCOMM 2015), section 4: B = 12 MB, n = 32 ports, 8 priorities, 22.4 KB in flight each:
 * t_PFC = (B - 8 n t) / 8 n and, with beta = 8, t_ECN = beta (B - 8 n t) / (8 n (beta + 1)). */
static void the_paper_s_thresholds_come_from_the_plan(void **state)
{
    (void)state;
    struct switch_params params;
    switch_presets(&params);
    params.buffer = 12000000;
    params.ports = 32;
    params.cell = 1;
    params.headroom = 22400;
    params.pfc_priorities = 0xFF;
    struct switch_plan plan;
    char why[128];
    switch_plan_begin(&plan, &params);
    const struct headroom_link link = {.rate = INT64_C(40000000000), .cell = 1};
    for (int i = 0; i < 32; i++)
        switch_plan_link(&plan, &link);
    assert_true(switch_plan_end(&plan, 32, why, sizeof why));
    assert_int_equal(plan.lossless_pool, 6265600);
    assert_int_equal(plan.lossless_pool / (8 * 32), 24475);
    assert_int_equal(plan.lossless_pool * 8 / (8 * 32 * (8 + 1)), 21755);
}

/* Headroom grows by what the link carries while the peer responds, and by two of the largest
 * frames: that of the peer which has begun, and the one that delays the PAUSE frame. */
static void headroom_follows_the_peers_response_and_mtu(void **state)
{
    (void)state;
    static const struct {
        time_ps response;
        int64_t mtu;
    } peers[] = {{0, 1500}, {PS_PER_US, 1500}, {3 * PS_PER_US, 1500}, {0, 4500}};
    int64_t headrooms[4];
    for (int i = 0; i < 4; i++) {
        struct engine engine;
        struct frame_pool frames;
        struct pump pumps[2];
        struct port_params params;
        struct switch_params about;
        opt_presets(port_opts, &params);
        params.rate = INT64_C(100000000000);
        engine_init(&engine, 1);
        frame_pool_init(&frames);
        params.pfc_response = 50 * PS_PER_US;
        params.mtu = 9000;
        pump_init(&pumps[0], &engine, "switch", &params, &frames);
        params.pfc_response = peers[i].response;
        params.mtu = peers[i].mtu;
        pump_init(&pumps[1], &engine, "host", &params, &frames);
        port_join(&pumps[0].port, pump_ingress, &pumps[1].port, pump_ingress);
        switch_presets(&about);
        about.cell = 1;
        const struct headroom_link link = switch_link(&about, &pumps[0].port);
        headrooms[i] = headroom_auto(&link);
        engine_fini(&engine);
        frame_pool_fini(&frames);
    }
    /* 1 us and 3 us at 100 Gb/s, without preambles and gaps; twice the largest frame. */
    assert_in_range(headrooms[1] - headrooms[0], 12250, 12500);
    assert_in_range(headrooms[2] - headrooms[0], 36750, 37500);
    assert_in_range(headrooms[3] - headrooms[0], 6000, 6200);
}

static int64_t up(int64_t bytes, int64_t cell)
{
    return (bytes + cell - 1) / cell;
}

/* Each limit is in whole cells: what is granted is not less than asked for, what is held to is not
 * more. */
static void a_switch_has_the_memory_that_its_parameters_say(void **state)
{
    (void)state;
    static const int64_t cells[] = {1, 208, 256};
    for (int i = 0; i < 3; i++) {
        static struct star star;
        const int64_t cell = cells[i];
        star_presets(&star);
        struct switch_params *params = &star.params;
        params->cell = cell;
        params->reserved = 1001;
        params->reserved_lossy = 2003;
        params->reserved_queue = 3005;
        params->alpha = 111;
        params->alpha_lossy = 222;
        params->alpha_egress = 333;
        params->lossy_pool = 250000;
        params->egress_limit = 70001;
        params->xon = 5003;
        params->xon_offset = 6007;
        params->headroom = 30001;
        params->pfc_priorities = 0x18;
        star_init(&star);
        const struct buffer *buffer = &star.swtch.buffer;
        assert_int_equal(buffer->cell, cell);
        assert_int_equal(buffer->group_count, PUMPS * PRIORITIES);
        assert_int_equal(buffer->alpha[true], 111);
        assert_int_equal(buffer->alpha[false], 222);
        assert_int_equal(buffer->egress.alpha, 333);
        assert_int_equal(buffer->egress.reserved, up(3005, cell));
        assert_int_equal(buffer->queue_limit, up(70001, cell));
        assert_int_equal(buffer->xon, 5003 / cell);
        assert_int_equal(buffer->xon_offset, up(6007, cell));
        int64_t kept = 0;
        for (uint32_t g = 0; g < buffer->group_count; g++) {
            const struct buffer_group *group = &buffer->groups[g];
            const bool lossless = (0x18 >> g % PRIORITIES & 1) != 0;
            assert_int_equal(group->place.port, g / PRIORITIES);
            assert_int_equal(group->place.priority, g % PRIORITIES);
            assert_int_equal(group->lossless, lossless);
            assert_int_equal(group->reserved, up(lossless ? 1001 : 2003, cell));
            assert_int_equal(group->headroom, lossless ? up(30001, cell) : 0);
            assert_ptr_equal(group->pool,
                             &buffer->pools[lossless ? BUFFER_POOL_LOSSLESS : BUFFER_POOL_LOSSY]);
            kept += group->reserved + group->headroom;
        }
        const int64_t shared = buffer->pools[0].size + buffer->pools[1].size;
        assert_int_equal(buffer->total, params->buffer / cell);
        assert_in_range(buffer->pools[BUFFER_POOL_LOSSY].size, shared / 4 - 1, shared / 4 + 1);
        assert_true(shared + kept <= buffer->total);
        star_fini(&star);
    }
}

static void without_limits_there_are_none(void **state)
{
    (void)state;
    static struct star star;
    star_presets(&star);
    star.params.egress_limit = SWITCH_EGRESS_LIMIT_NONE;
    star.params.lossy_pool = 0;
    star_init(&star);
    const struct buffer *buffer = &star.swtch.buffer;
    assert_int_equal(buffer->queue_limit, UINT32_MAX);
    for (uint32_t g = 0; g < buffer->group_count; g++)
        assert_ptr_equal(buffer->groups[g].pool, &buffer->pools[BUFFER_POOL_LOSSLESS]);
    star_fini(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_s_thresholds_come_from_the_plan),
        cmocka_unit_test(headroom_follows_the_peers_response_and_mtu),
        cmocka_unit_test(a_switch_has_the_memory_that_its_parameters_say),
        cmocka_unit_test(without_limits_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

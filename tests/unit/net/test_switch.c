/* SPDX-License-Identifier: Apache-2.0
 * A switch between pumps: memory, pauses, headroom (V07), marking, scheduling, paths. */
#include "base/drop.h"
#include "net/switch/buffer_static.h"
#include "tests/unit/net/star.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

static void send(struct star *star, int from, int to, uint64_t frames)
{
    star->pumps[from].destination = (uint32_t)to;
    star->pumps[from].to_send = frames;
}

/* Two links of 3 m, 1526 bytes at 80 ps twice, 300 ns in the switch. */
static void store_and_forward_by_hand(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.latency = 300 * PS_PER_NS;
    star_init(&star);
    send(&star, 0, 1, 1);
    pump_start(&star.pumps[0], 0);
    engine_run(&star.engine, PS_PER_MS);
    assert_int_equal(star.pumps[1].first_arrival, 2 * (1526 * 80 + 15150) + 300000);
    star_fini(&star);
}

/* Cut-through: the switch waits for 64 bytes and the preamble, not for the frame. */
static void cut_through_by_hand(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.forwarding = 1;
    star_init(&star);
    send(&star, 0, 1, 1);
    pump_start(&star.pumps[0], 0);
    engine_run(&star.engine, PS_PER_MS);
    assert_int_equal(star.pumps[1].first_arrival, 72 * 80 + 15150 + 1526 * 80 + 15150);
    star_fini(&star);
}

/* Bits that come more slowly than they would leave are waited for, but for the shortest frames. */
static void cut_through_waits_for_a_slower_wire(void **state)
{
    (void)state;
    static const struct {
        int64_t in, out; /* Gbit/s */
        uint16_t bytes;
        time_ps until_sent;
    } rows[] = {
        {10, 100, 1506, (8 + 1506) * 800}, {100, 10, 1506, 72 * 80},
        {10, 10, 1506, 72 * 800},          {10, 100, 65, (8 + 65) * 800},
        {10, 100, 64, 72 * 800},           {25, 100, 100, (8 + 100) * 320},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct star star;
        star_presets(&star);
        star.params.forwarding = 1;
        star.rates[0] = rows[i].in * 1000000000;
        star.rates[1] = rows[i].out * 1000000000;
        star_init(&star);
        star.pumps[0].bytes = rows[i].bytes;
        send(&star, 0, 1, 1);
        pump_start(&star.pumps[0], 0);
        engine_run(&star.engine, PS_PER_MS);
        const time_ps wire = (time_ps)(rows[i].bytes + 8) * 8000 / rows[i].out;
        const time_ps expected = rows[i].until_sent + 15150 + wire + 15150;
        if (star.pumps[1].first_arrival != expected)
            fail_msg("row %zu: %lld, not %lld", i, (long long)star.pumps[1].first_arrival,
                     (long long)expected);
        star_fini(&star);
    }
}

/* What a group may hold follows from its class: lossless ones have headroom, others their pool. */
static void every_group_has_the_limits_of_its_class(void **state)
{
    (void)state;
    for (int own_pool = 0; own_pool < 2; own_pool++) {
        struct star star;
        star_presets(&star);
        star.params.pfc_priorities = 1u << 3 | 1u << 5;
        star.params.cell = 256;
        star.params.reserved = 1000;       /* 4 cells */
        star.params.reserved_lossy = 2000; /* 8 */
        star.params.headroom = 25600;      /* 100 */
        star.params.lossy_pool = own_pool ? PPM / 4 : 0;
        star_init(&star);
        const struct buffer *buffer = &star.swtch.buffer;
        for (uint16_t port = 0; port < PUMPS; port++)
            for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
                const struct buffer_group *group = &buffer->groups[port * PRIORITIES + priority];
                const bool lossless = priority == 3 || priority == 5;
                assert_int_equal(group->lossless, lossless);
                assert_int_equal(group->headroom, lossless ? 100 : 0);
                assert_int_equal(group->reserved, lossless ? 4 : 8);
                assert_int_equal(group->place.port, port);
                assert_int_equal(group->place.priority, priority);
                assert_ptr_equal(group->pool,
                                 &buffer->pools[!lossless && own_pool ? BUFFER_POOL_LOSSY
                                                                      : BUFFER_POOL_LOSSLESS]);
            }
        star_fini(&star);
    }
}

struct boundary {
    uint64_t drops;
    int64_t headroom_peak; /* bytes */
};

/* V07: the egress is blocked, the sender runs at line rate, reverse frames hold the pause up; one
 * phase. */
static struct boundary boundary_of(int64_t cell, int64_t headroom, uint16_t bytes, struct rng *rng)
{
    struct star star;
    star_presets(&star);
    star.port.length = 100000; /* mm */
    star.port.mtu = 4140;
    star.port.pfc_response = 394 * 5120; /* 394 quanta of 5.12 ns, IEEE 802.3 annex 31D */
    struct buffer_static_params *fixed = switch_choose_policy(&star.params, "static");
    fixed->xoff = 60000;
    star.params.headroom = headroom;
    star.params.cell = cell;
    star_init(&star);
    const struct probe_pause block = {.at = 0, .priority = 3, .xoff = true};
    star.pumps[0].bytes = bytes;
    star.pumps[1].bytes = 4158;
    send(&star, 0, 1, UINT64_MAX);
    send(&star, 1, 0, UINT64_MAX);
    star.pumps[1].tos = 0;
    port_pfc_assert(&star.pumps[1].port, 3, &block);
    engine_run(&star.engine, 4 * PS_PER_US);
    pump_start(&star.pumps[0], 5 * PS_PER_US + (time_ps)rng_below(rng, 1000000));
    pump_start(&star.pumps[1], 5 * PS_PER_US + (time_ps)rng_below(rng, 1000000));
    engine_run(&star.engine, 30 * PS_PER_US);
    const struct buffer *buffer = &star.swtch.buffer;
    const struct boundary result = {star.swtch.counters.dropped_lossless,
                                    buffer_bytes(buffer, buffer->headroom_peak)};
    star_fini(&star);
    return result;
}

static struct boundary boundary(int64_t headroom, struct rng *rng)
{
    return boundary_of(1, headroom, 4158, rng);
}

/* C * (2 L 5.05 ns/m + reverse frame + pause + response) + one frame; no phase of 1000 needs more,
 * and with a frame less some phase drops. */
static void headroom_boundary(void **state)
{
    (void)state;
    struct rng rng = rng_stream(7, "test", "phases");
    const int64_t frame = 4178;
    const int64_t loop_ps = 2 * 505000 + frame * 80 + 84 * 80 + 394 * 5120;
    const int64_t bound = loop_ps / 80 + frame;
    int64_t peak = 0;
    for (int i = 0; i < 1000; i++) {
        const struct boundary enough = boundary(bound, &rng);
        assert_int_equal(enough.drops, 0);
        peak = enough.headroom_peak > peak ? enough.headroom_peak : peak;
    }
    assert_in_range(peak, bound - frame, bound);
    uint64_t dropping = 0;
    for (int i = 0; i < 200; i++)
        dropping += boundary(bound - frame, &rng).drops > 0;
    assert_true(dropping > 0);
}

/* The automatic headroom holds whatever happens on this link: large frames, the smallest, and those
 * that just do not fit one cell more.  In small frames they need several times the bytes that they
 * have. */
static void automatic_headroom_is_enough(void **state)
{
    (void)state;
    static const uint16_t sizes[] = {4158, 66, 256 + 1, 2 * 256 + 1};
    struct rng rng = rng_stream(8, "test", "phases");
    for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
        for (int i = 0; i < 100; i++)
            assert_int_equal(boundary_of(256, SWITCH_HEADROOM_AUTO, sizes[size], &rng).drops, 0);
    assert_int_equal(boundary_of(256, 60000, 4158, &rng).drops, 0);
    assert_true(boundary_of(256, 60000, 66, &rng).drops > 0);
}

/* Three pumps into one port: nobody loses a frame, all pause, nothing is left behind. */
static void incast_is_lossless(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.buffer = 4 << 20;
    star.params.ports = PUMPS;
    star_init(&star);
    star.engine.hostile = true;
    for (int i = 1; i <= 3; i++) {
        send(&star, i, 0, 2000);
        pump_start(&star.pumps[i], 0);
    }
    engine_run(&star.engine, 20 * PS_PER_MS);
    assert_int_equal(star.pumps[0].received, 6000);
    assert_int_equal(star.swtch.counters.dropped_lossless, 0);
    for (int i = 1; i <= 3; i++)
        assert_true(star.swtch.ports[i].pauses[3].tx_xoff > 0);
    assert_int_equal(star.swtch.buffer.used, 0);
    assert_int_equal(star.frames.frames.taken, 0);
    star_fini(&star);
}

/* Without headroom a lossless class still pauses, and what comes after is a loss of a lossless
 * class. */
static void lossless_without_headroom_pauses_and_drops(void **state)
{
    (void)state;
    const struct boundary none = boundary(0, &(struct rng){.key = 9});
    assert_true(none.drops > 0);
    assert_int_equal(none.headroom_peak, 0);
}

/* Incast in a lossy class drops at the egress queue, and pauses nobody. */
static void lossy_incast_drops(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.buffer = 1 << 20;
    star.params.ports = PUMPS;
    star_init(&star);
    star.engine.hostile = true;
    for (int i = 1; i <= 3; i++) {
        star.pumps[i].tos = 0;
        send(&star, i, 0, 2000);
        pump_start(&star.pumps[i], 0);
    }
    engine_run(&star.engine, 20 * PS_PER_MS);
    const uint64_t dropped = star.swtch.counters.dropped[PROBE_DROP_EGRESS];
    assert_true(dropped > 0);
    assert_int_equal(star.swtch.port_counters[0].queue_dropped[0], dropped);
    assert_int_equal(star.swtch.counters.dropped[PROBE_DROP_BUFFER], 0);
    assert_int_equal(star.swtch.counters.dropped_lossless, 0);
    assert_int_equal(star.pumps[0].received + dropped, 6000);
    assert_int_equal(star.swtch.ports[1].pfc_frames_tx, 0);
    const struct probe_drop *drop = &star.last_drop;
    assert_int_equal(drop->cause, PROBE_DROP_EGRESS);
    assert_int_equal(drop->egress, 0);
    assert_false(drop->lossless);
    assert_true(drop->occupancy >= drop->threshold && drop->threshold > 0);
    assert_int_equal(drop->headroom_limit, 0);
    star_fini(&star);
}

/* Two lossy and two lossless pumps meet: the lossy ones drop, the others lose nothing, whether they
 * share a pool or not. */
static void lossless_neighbours_of_lossy_lose_nothing(void **state)
{
    (void)state;
    for (int own_pool = 0; own_pool < 2; own_pool++) {
        struct star star;
        star_presets(&star);
        star.params.buffer = 2 << 20;
        star.params.ports = PUMPS;
        star.params.lossy_pool = own_pool * PPM / 4;
        star.params.alpha_egress = 8 * PPM;
        star.params.reserved_queue = 1792;
        star.params.weight[0] = star.params.weight[3] = 1;
        star_init(&star);
        star.engine.hostile = true;
        for (int i = 1; i <= 4; i++) {
            star.pumps[i].tos = i <= 2 ? 0 : 26 << 2;
            send(&star, i, 0, 3000);
            pump_start(&star.pumps[i], 0);
        }
        engine_run(&star.engine, 30 * PS_PER_MS);
        const struct switch_counters *counters = &star.swtch.counters;
        const uint64_t dropped =
            counters->dropped[PROBE_DROP_EGRESS] + counters->dropped[PROBE_DROP_BUFFER];
        assert_true(dropped > 0);
        assert_int_equal(counters->dropped_lossless, 0);
        assert_int_equal(star.pumps[0].received + dropped, 12000);
        assert_true(star.swtch.ports[3].pauses[3].tx_xoff > 0);
        assert_int_equal(star.swtch.ports[1].pfc_frames_tx, 0);
        assert_int_equal(star.swtch.buffer.used, 0);
        assert_int_equal(star.swtch.buffer.egress.used, 0);
        star_fini(&star);
    }
}

/* A limit at the egress makes even a lossless class drop, and the drop says so. */
static void egress_limit_drops_lossless_frames(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.egress_limit = 25600;
    star_init(&star);
    for (int i = 1; i <= 2; i++) {
        send(&star, i, 0, 100);
        pump_start(&star.pumps[i], 0);
    }
    engine_run(&star.engine, PS_PER_MS);
    assert_true(star.swtch.counters.dropped_lossless > 0);
    assert_int_equal(star.last_drop.cause, PROBE_DROP_EGRESS);
    assert_true(star.last_drop.lossless);
    assert_int_equal(star.last_drop.threshold, 25600);
    assert_in_range(star.last_drop.occupancy, 25600, 25600 + 1536);
    assert_in_range(star.swtch.ports[0].prios[3].cells_peak, 100, 106);
    star_fini(&star);
}

/* Two weighted priorities share 3 to 1 while both have frames; a strict one takes what it wants. */
static void weights_share_the_wire(void **state)
{
    (void)state;
    struct star star;
    star_presets(&star);
    star.params.weight[3] = 75;
    star.params.weight[0] = 25;
    star.params.pfc_priorities = 0xFF;
    star_init(&star);
    star.pumps[1].tos = 26 << 2;
    star.pumps[2].tos = 0;
    for (int i = 1; i <= 2; i++) {
        send(&star, i, 0, UINT64_MAX);
        pump_start(&star.pumps[i], 0);
    }
    engine_run(&star.engine, 5 * PS_PER_MS);
    const uint64_t heavy = star.swtch.ports[0].prios[3].tx_frames,
                   light = star.swtch.ports[0].prios[0].tx_frames;
    assert_in_range(heavy * 1000 / (heavy + light), 745, 755);
    star_fini(&star);
}

/* Below kmin nothing is marked, above kmax all is. */
static void marking_follows_the_queue(void **state)
{
    (void)state;
    for (int above = 0; above < 2; above++) {
        struct star star;
        star_presets(&star);
        star.params.ecn_kmin = above ? 0 : 10000000;
        star.params.ecn_kmax = above ? 1 : 20000000;
        star_init(&star);
        for (int i = 1; i <= 2; i++) {
            star.pumps[i].tos = 26 << 2 | ECN_ECT0;
            send(&star, i, 0, 100);
            pump_start(&star.pumps[i], 0);
        }
        engine_run(&star.engine, PS_PER_MS);
        assert_int_equal(star.pumps[0].received, 200);
        /* The first frame leaves at once, the second finds an empty queue: neither is marked. */
        assert_int_equal(star.pumps[0].marked, above ? 198 : 0);
        star_fini(&star);
    }
}

/* A queue behind a pause grows above 4 GiB, as one in HBM may: every frame counts, and every one
 * above kmax is marked. */
static void a_queue_above_4_gib_is_counted_and_marked(void **state)
{
    (void)state;
    enum { FRAMES = 300000, BYTES = 16018, KMAX = 1 << 20 };
    const int64_t queued = (int64_t)FRAMES * BYTES;
    struct star star;
    star_presets(&star);
    star.port.mtu = BYTES - WIRE_ETHERNET_BYTES;
    star.params.buffer = INT64_C(16) << 30;
    star.params.cell = 1 << 14;
    star.params.ecn_kmin = star.params.ecn_kmax = KMAX;
    struct buffer_static_params *fixed = switch_choose_policy(&star.params, "static");
    fixed->xoff = INT64_C(8) << 30;
    star_init(&star);
    const struct probe_pause block = {.priority = 3, .xoff = true};
    port_pfc_assert(&star.pumps[0].port, 3, &block);
    star.pumps[1].bytes = BYTES;
    star.pumps[1].tos = 26 << 2 | ECN_ECT0;
    send(&star, 1, 0, FRAMES);
    pump_start(&star.pumps[1], PS_PER_US);
    engine_run(&star.engine, PS_PER_S);
    const struct port_prio *prio = &star.swtch.ports[0].prios[3];
    assert_true(queued > UINT32_MAX);
    assert_int_equal(star.pumps[1].sent, FRAMES);
    assert_int_equal(prio->bytes, queued);
    assert_int_equal(prio->peak, queued);
    assert_int_equal(star.swtch.counters.ecn_marked, FRAMES - (KMAX / BYTES + 1));
    star_fini(&star);
}

static void keep_first_pause(void *self, const struct probe_pause *pause)
{
    struct probe_pause *kept = self;
    if (kept->at == 0)
        *kept = *pause;
}

/* Pumps 1 and 2 take nothing.  Pump 0 has 10 frames for 1 and then many for 2; pump 3 has 5 for 1.
 * What pauses pump 0 is its own 10 and the rest of the threshold, and by a dynamic threshold all
 * that waits, alpha times. */
static void pause_names_the_queues_that_are_full(void **state)
{
    (void)state;
    for (int policy = 0; policy < 2; policy++) {
        struct star star;
        star_presets(&star);
        struct buffer_static_params *fixed = switch_choose_policy(&star.params, "static");
        fixed->xoff = 60000;
        if (policy == 0)
            switch_choose_policy(&star.params, "dynamic");
        star.params.alpha = 2000; /* ppm */
        star.params.cell = 1;
        star_init(&star);
        struct probe_pause reported = {0};
        struct probe probe = probe_none;
        probe.self = &reported;
        probe.pause = keep_first_pause;
        star.swtch.ports[0].probe = &probe;
        const struct probe_pause block = {.at = 0, .priority = 3, .xoff = true};
        port_pfc_assert(&star.pumps[1].port, 3, &block);
        port_pfc_assert(&star.pumps[2].port, 3, &block);
        engine_run(&star.engine, 4 * PS_PER_US);
        send(&star, 3, 1, 5);
        pump_start(&star.pumps[3], 5 * PS_PER_US);
        send(&star, 0, 1, 10);
        pump_start(&star.pumps[0], 5 * PS_PER_US);
        engine_run(&star.engine, 20 * PS_PER_US);
        assert_int_equal(reported.at, 0);
        send(&star, 0, 2, 200);
        pump_start(&star.pumps[0], 21 * PS_PER_US);
        engine_run(&star.engine, 60 * PS_PER_US);
        const int64_t frame = star.pumps[0].bytes, alpha = policy == 0 ? star.params.alpha : 0;
        assert_true(reported.xoff && reported.port == 0 && reported.egress == 2);
        assert_int_equal(reported.reason_count, 2);
        assert_int_equal(reported.reasons[0].egress, 2);
        assert_int_equal(reported.reasons[1].egress, 1);
        assert_int_equal(reported.reasons[1].queued, 15 * frame);
        assert_int_equal(reported.reasons[1].weight, 10 * frame + 15 * frame * alpha / PPM);
        const int64_t second = reported.reasons[0].queued;
        assert_int_equal(reported.reasons[0].weight, second + second * alpha / PPM);
        assert_int_equal(reported.occupancy, 10 * frame + second - star.params.reserved);
        star_fini(&star);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store_and_forward_by_hand),
        cmocka_unit_test(cut_through_by_hand),
        cmocka_unit_test(cut_through_waits_for_a_slower_wire),
        cmocka_unit_test(every_group_has_the_limits_of_its_class),
        cmocka_unit_test(headroom_boundary),
        cmocka_unit_test(automatic_headroom_is_enough),
        cmocka_unit_test(incast_is_lossless),
        cmocka_unit_test(lossless_without_headroom_pauses_and_drops),
        cmocka_unit_test(lossy_incast_drops),
        cmocka_unit_test(lossless_neighbours_of_lossy_lose_nothing),
        cmocka_unit_test(egress_limit_drops_lossless_frames),
        cmocka_unit_test(weights_share_the_wire),
        cmocka_unit_test(marking_follows_the_queue),
        cmocka_unit_test(a_queue_above_4_gib_is_counted_and_marked),
        cmocka_unit_test(pause_names_the_queues_that_are_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

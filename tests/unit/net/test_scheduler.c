/* SPDX-License-Identifier: Apache-2.0
 * A switch's scheduler under random weights, frame sizes and pauses: shares, strictness, and that
 * the wire never idles while something may leave. */
#include "net/switch/switch.h"
#include "tests/unit/net/pump.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <string.h>

/* Pump 0 takes what the others send; pump n sends priority n. */
enum { PUMPS = 7, LARGEST = 4218, QUANTUM = 512 };

struct star {
    struct engine engine;
    struct frame_pool frames;
    struct swtch swtch;
    struct pump pumps[PUMPS];
    struct switch_params params;
    struct rng rng;
    unsigned paused;   /* now */
    unsigned returned; /* were paused before */
};

static void star_join(struct star *star, const struct port_params *port)
{
    struct route_link links[PUMPS];
    uint8_t forwards[PUMPS + 1] = {1};
    uint32_t endpoint_node[PUMPS];
    uint16_t endpoint_port[PUMPS] = {0};
    for (uint16_t i = 0; i < PUMPS; i++) {
        char name[] = "pump0";
        name[4] = (char)('0' + i);
        links[i] = (struct route_link){0, i + 1u, i, 0};
        endpoint_node[i] = i + 1u;
        pump_init(&star->pumps[i], &star->engine, name, port, &star->frames);
        star->pumps[i].endpoint = i;
        star->pumps[i].tos = (uint8_t)(i << 5);
        port_join(&star->swtch.ports[i], switch_ingress(&star->swtch), &star->pumps[i].port,
                  pump_ingress);
    }
    const struct route_graph graph = {PUMPS + 1,     links,         PUMPS, forwards,
                                      endpoint_node, endpoint_port, PUMPS};
    struct route_table tables[PUMPS + 1] = {0};
    route_compute(&graph, tables);
    star->swtch.routes = tables[0];
}

/* Every priority lossless, so that each queue always has something. */
static void star_init(struct star *star, const int64_t weight[PRIORITIES], uint64_t seed)
{
    struct port_params port, ports[PUMPS];
    memset(star, 0, sizeof *star);
    star->rng = rng_stream(seed, "test", "scheduler");
    opt_presets(port_opts, &port);
    switch_presets(&star->params);
    port.mtu = 4200;
    star->params.pfc_priorities = 0xFF;
    star->params.ports = 1;
    memcpy(star->params.weight, weight, sizeof star->params.weight);
    for (int i = 0; i < PUMPS; i++)
        ports[i] = port;
    engine_init(&star->engine, seed);
    frame_pool_init(&star->frames);
    switch_init(&star->swtch, &star->engine, "switch0", &star->params, PUMPS, ports, &star->frames,
                &probe_none);
    star_join(star, &port);
    char why[128];
    assert_true(switch_carve(&star->swtch, why, sizeof why));
    engine_start(&star->engine);
    for (int i = 1; i < PUMPS; i++)
        pump_start(&star->pumps[i], 0);
}

static void star_fini(struct star *star)
{
    star->swtch.node.ops->audit(&star->swtch.node);
    assert_int_equal(star->swtch.counters.dropped_lossless, 0);
    switch_fini(&star->swtch);
    engine_fini(&star->engine);
    frame_pool_fini(&star->frames);
}

/* Runs on; every microsecond each pump draws another size of its frames. */
static void run_for(struct star *star, time_ps span)
{
    const time_ps end = star->engine.now + span;
    while (star->engine.now < end) {
        for (int i = 1; i < PUMPS; i++)
            star->pumps[i].bytes =
                (uint16_t)(rng_below(&star->rng, 2) == 0 ? 64 + rng_below(&star->rng, LARGEST - 63)
                                                         : LARGEST);
        const time_ps next = star->engine.now + PS_PER_US;
        engine_run(&star->engine, next < end ? next : end);
    }
}

/* The receiver pauses these priorities, and no others; returns when the switch obeys. */
static void pause_only(struct star *star, unsigned mask)
{
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        const struct probe_pause why = {
            .at = star->engine.now, .priority = i, .xoff = (mask >> i & 1) != 0};
        if (why.xoff)
            port_pfc_assert(&star->pumps[0].port, i, &why);
        else
            port_pfc_release(&star->pumps[0].port, i, &why);
    }
    star->returned = star->paused & ~mask;
    star->paused = mask;
    while (star->swtch.ports[0].paused != mask)
        run_for(star, 10 * PS_PER_NS);
}

struct sent {
    uint64_t bytes[PRIORITIES], frames[PRIORITIES];
};

static struct sent sent_in(struct star *star, time_ps span)
{
    const struct port_prio *prios = star->swtch.ports[0].prios;
    struct sent sent;
    for (int i = 0; i < PRIORITIES; i++)
        sent.bytes[i] = prios[i].tx_bytes, sent.frames[i] = prios[i].tx_frames;
    run_for(star, span);
    for (int i = 0; i < PRIORITIES; i++) {
        sent.bytes[i] = prios[i].tx_bytes - sent.bytes[i];
        sent.frames[i] = prios[i].tx_frames - sent.frames[i];
    }
    return sent;
}

/* Service over quantum of x may be ahead of y's by one turn and a frame of each, the bound of
 * deficit round robin; a turn more when y is just back and has the rest of an interrupted one. */
static void expect_not_ahead(const struct star *star, const struct sent *sent, int x, int y)
{
    const int64_t qx = star->params.weight[x] * QUANTUM, qy = star->params.weight[y] * QUANTUM;
    const int64_t turns = (star->returned >> y & 1) != 0 ? 2 : 1;
    const int64_t ahead = (int64_t)sent->bytes[x] * qy - (int64_t)sent->bytes[y] * qx;
    if (ahead > turns * qx * qy + LARGEST * (qx + qy))
        fail_msg("queue %d: %llu bytes with weight %lld, but %d: %llu with %lld", x,
                 (unsigned long long)sent->bytes[x], (long long)star->params.weight[x], y,
                 (unsigned long long)sent->bytes[y], (long long)star->params.weight[y]);
}

static void expect_shares(const struct star *star, const struct sent *sent)
{
    for (int x = 1; x < PUMPS; x++)
        for (int y = 1; y < PUMPS; y++)
            if (x != y && ((1u << x | 1u << y) & star->paused) == 0)
                expect_not_ahead(star, sent, x, y);
}

/* What left in a span is the span, to a frame. */
static void expect_busy(const struct star *star, const struct sent *sent, time_ps span)
{
    time_ps wire = 0;
    for (int i = 0; i < PRIORITIES; i++) {
        assert_true((star->paused >> i & 1) == 0 || sent->frames[i] == 0);
        wire += (time_ps)(sent->bytes[i] + sent->frames[i] * WIRE_GAP_BYTES) * 80;
    }
    assert_in_range(wire, span - LARGEST * 80, span + LARGEST * 80);
}

static void draw_weights(struct rng *rng, uint64_t most, int64_t weight[PRIORITIES])
{
    memset(weight, 0, PRIORITIES * sizeof *weight);
    for (int i = 1; i < PUMPS; i++)
        weight[i] = 1 + (int64_t)rng_below(rng, most);
}

static void shares_follow_the_weights_through_pauses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct rng rng = rng_stream(seed, "test", "weights");
        struct star star;
        int64_t weight[PRIORITIES];
        draw_weights(&rng, seed % 2 == 0 ? 20 : 100, weight);
        star_init(&star, weight, seed);
        run_for(&star, 100 * PS_PER_US);
        for (int slice = 0; slice < 12; slice++) {
            const unsigned mask = (unsigned)rng_below(&rng, 64) * 2 & 0x7E;
            const time_ps span = (time_ps)(20 + rng_below(&rng, 80)) * PS_PER_US;
            pause_only(&star, mask == 0x7E ? 0x7C : mask);
            const struct sent sent = sent_in(&star, span);
            expect_shares(&star, &sent);
            expect_busy(&star, &sent, span);
        }
        star_fini(&star);
    }
}

/* Queues 1 and 2 are never paused: however often the others come and go, these two keep to their
 * weights within one turn over the whole run. */
static void pauses_of_others_shift_no_share(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        struct rng rng = rng_stream(seed, "test", "others");
        struct star star;
        struct sent sum = {0};
        int64_t weight[PRIORITIES];
        draw_weights(&rng, 50, weight);
        star_init(&star, weight, seed);
        run_for(&star, 100 * PS_PER_US);
        const struct port_prio *prios = star.swtch.ports[0].prios;
        const uint64_t before[] = {0, prios[1].tx_bytes, prios[2].tx_bytes};
        for (int slice = 0; slice < 60; slice++) {
            pause_only(&star, (unsigned)rng_below(&rng, 16) << 3);
            run_for(&star, (time_ps)(1 + rng_below(&rng, 12)) * PS_PER_US);
        }
        for (int i = 1; i <= 2; i++)
            sum.bytes[i] = prios[i].tx_bytes - before[i];
        expect_not_ahead(&star, &sum, 1, 2);
        expect_not_ahead(&star, &sum, 2, 1);
        star_fini(&star);
    }
}

/* The highest strict priority that may send takes all; while it is paused the next one does, and
 * then the weighted ones. */
static void strict_starves_and_a_pause_feeds(void **state)
{
    static const struct {
        unsigned paused;
        int winner;
    } rows[] = {{0, 6}, {1 << 6, 5}, {1 << 6 | 1 << 5, 0}, {1 << 5, 6}, {1 << 4, 6}, {0, 6}};
    static const int64_t weight[PRIORITIES] = {0, 10, 20, 30, 40, 0, 0, 0};
    const time_ps span = 100 * PS_PER_US;
    (void)state;
    struct star star;
    star_init(&star, weight, 1);
    run_for(&star, 100 * PS_PER_US);
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        pause_only(&star, rows[row].paused);
        run_for(&star, PS_PER_US); /* what was on the wire */
        const struct sent sent = sent_in(&star, span);
        expect_busy(&star, &sent, span);
        for (int i = 1; i < PUMPS; i++)
            assert_true(rows[row].winner == 0 || (sent.frames[i] > 0) == (i == rows[row].winner));
        star.paused |= 1 << 5 | 1 << 6; /* no shares of theirs */
        if (rows[row].winner == 0)
            expect_shares(&star, &sent);
    }
    star_fini(&star);
}

/* A class that was away for a millisecond gets its share from then on, and no more. */
static void a_returning_class_is_owed_nothing(void **state)
{
    static const int64_t weight[PRIORITIES] = {0, 25, 25, 25, 25, 25, 25, 0};
    (void)state;
    struct star star;
    star_init(&star, weight, 2);
    run_for(&star, 100 * PS_PER_US);
    for (int i = 0; i < 20; i++) {
        pause_only(&star, 1 << 3);
        run_for(&star, 50 * PS_PER_US + (time_ps)rng_below(&star.rng, 5000000));
        pause_only(&star, 0);
        const struct sent sent = sent_in(&star, 12 * PS_PER_US);
        expect_shares(&star, &sent);
    }
    star_fini(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_follow_the_weights_through_pauses),
        cmocka_unit_test(pauses_of_others_shift_no_share),
        cmocka_unit_test(strict_starves_and_a_pause_feeds),
        cmocka_unit_test(a_returning_class_is_owed_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

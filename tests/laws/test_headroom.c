/* SPDX-License-Identifier: Apache-2.0
 * What headroom must be, on links of every speed (V07, V24).
 *   - the need that plays find is the formula's: a cell less and some phase loses a frame
 *   - the bound loses nothing, whatever the frames' sizes are and however they follow each other
 *   - on long links the need is what the cable holds both ways, and something fixed */
#include "base/rng.h"
#include "net/trial/headroom_proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t gbps[] = {10, 25, 40, 50, 100, 200, 400, 800};

enum { SPEEDS = sizeof gbps / sizeof gbps[0], MIX = 12 };

static struct headroom_link link_of(int64_t rate_gbps, int64_t meters)
{
    return (struct headroom_link){
        .rate = rate_gbps * 1000000000,
        .length = meters * 1000,
        .propagation = meters * 5050,
        .mtu = 4200,
        .peer_mtu = 4200,
        .lossless_mtu = 4200,
        .response = 500 * PS_PER_NS,
        .latency = 300 * PS_PER_NS,
        .cell = 1,
        .smallest = HEADROOM_SMALLEST_FRAME,
        .largest = UINT16_MAX,
    };
}

static void must_hold(const struct headroom_link *link, int64_t frame, unsigned phases)
{
    struct headroom_proof proof;
    headroom_prove(link, frame, phases, &proof);
    if (!proof.holds)
        fail_msg("%lld b/s, %lld ps, MTU %lld and %lld, response %lld, latency %lld, cell %lld, "
                 "%s: frames of %lld need %lld, but %lld were found",
                 (long long)link->rate, (long long)link->propagation, (long long)link->mtu,
                 (long long)link->peer_mtu, (long long)link->response, (long long)link->latency,
                 (long long)link->cell, link->dynamic ? "dynamic" : "static", (long long)frame,
                 (long long)proof.exact, (long long)proof.found);
    assert_true(proof.found <= headroom_auto(link));
    assert_true(proof.drops > 0);
}

/* Shaving one cell is found at every port speed. */
static void a_cell_less_loses_at_every_speed(void **state)
{
    (void)state;
    static const int64_t meters[] = {3, 100}, cells[] = {1, 208};
    for (int i = 0; i < SPEEDS * 4; i++) {
        struct headroom_link link = link_of(gbps[i / 4], meters[i % 2]);
        link.cell = cells[i / 2 % 2];
        int64_t sizes[HEADROOM_SIZES];
        const unsigned count = headroom_sizes(&link, sizes);
        for (unsigned n = 0; n < count; n++) {
            link.dynamic = false;
            must_hold(&link, sizes[n], 4);
            link.dynamic = true;
            must_hold(&link, sizes[n], 4);
        }
    }
}

/* A length that is often a whole number of bytes, so that events fall together. */
static time_ps any_time(struct rng *rng, time_ps most, int64_t rate)
{
    const time_ps byte = 8 * PS_PER_S / rate;
    const time_ps time = (time_ps)rng_below(rng, (uint64_t)most);
    return rng_below(rng, 2) == 0 ? time : time / byte * byte;
}

static struct headroom_link any_link(struct rng *rng)
{
    struct headroom_link link = link_of(gbps[rng_below(rng, SPEEDS)], 3);
    if (rng_below(rng, 8) == 0)
        link.rate = INT64_C(1000000000) + (int64_t)rng_below(rng, UINT64_C(400000000000));
    link.propagation = 1000 + any_time(rng, 2 * PS_PER_US, link.rate);
    link.response = rng_below(rng, 4) == 0 ? 0 : any_time(rng, 2 * PS_PER_US, link.rate);
    link.latency = any_time(rng, PS_PER_US, link.rate);
    link.mtu = 256 + (int64_t)rng_below(rng, 9000);
    link.peer_mtu = 256 + (int64_t)rng_below(rng, 9000);
    link.cell = rng_below(rng, 2) == 0 ? 1 : 1 + (int64_t)rng_below(rng, 300);
    link.dynamic = rng_below(rng, 2) == 0;
    return link;
}

static int64_t any_frame(struct rng *rng, const struct headroom_link *link)
{
    const uint64_t sizes = (uint64_t)(headroom_largest(link) - link->smallest + 1);
    return link->smallest + (int64_t)rng_below(rng, sizes);
}

/* So long an ingress latency that a frame would begin in the moment of the silence, a byte before
 * it, or a byte after. */
static void touch(struct rng *rng, struct headroom_link *link, int64_t frame)
{
    const time_ps byte = 8 * PS_PER_S / link->rate;
    link->propagation = (link->propagation + byte - 1) / byte * byte;
    link->response = link->response / byte * byte;
    const int64_t wire = link->mtu + 38 + 60 + (2 * link->propagation + link->response) / byte;
    const int64_t next = (wire / (frame + 20) + 1) * (frame + 20);
    link->latency = (next - wire + (int64_t)rng_below(rng, 3) - 1) * byte;
}

static void any_link_holds(void **state)
{
    (void)state;
    struct rng rng = rng_stream(1, "test", "links");
    for (int i = 0; i < 200; i++) {
        struct headroom_link link = any_link(&rng);
        const int64_t frame = any_frame(&rng, &link);
        if (i % 2 == 0)
            touch(&rng, &link, frame);
        must_hold(&link, frame, 2);
    }
}

/* Sizes of a mix: any; or, what is worst for cells, the worst ones and sometimes a largest. */
static void any_mix(struct rng *rng, const struct headroom_link *link, int64_t mix[MIX])
{
    int64_t sizes[HEADROOM_SIZES];
    const unsigned count = headroom_sizes(link, sizes);
    const bool any = rng_below(rng, 2) == 0;
    for (int i = 0; i < MIX; i++)
        mix[i] = any ? any_frame(rng, link) : sizes[rng_below(rng, count)];
}

static void no_mix_needs_more_than_the_bound(void **state)
{
    (void)state;
    struct rng rng = rng_stream(2, "test", "mixes");
    for (int i = 0; i < 400; i++) {
        const struct headroom_link link = any_link(&rng);
        int64_t mix[MIX];
        any_mix(&rng, &link, mix);
        assert_int_equal(headroom_drops(&link, mix, MIX, headroom_auto(&link), 2), 0);
    }
}

/* 126 KB for each kilometer at 100 Gb/s, 505 KB at 400, and V07's fixed part. */
static void long_links(void **state)
{
    (void)state;
    static const int64_t meters[] = {100, 1000, 10000, 40000, 80000};
    for (int i = 0; i < 10; i++) {
        const int64_t speed = i % 2 == 0 ? 100 : 400, length = meters[i / 2];
        const struct headroom_link link = link_of(speed, length);
        const int64_t cable = 2 * length * 5050 * speed / 8000;
        const int64_t fixed = 4238 + 84 + 800 * speed / 8 + 4218;
        struct headroom_proof proof;
        headroom_prove(&link, 4218, 1, &proof);
        assert_true(proof.holds);
        assert_true(labs(proof.found - cable - fixed) <= (cable + fixed) / 100 + 4218);
        printf("%3lld Gb/s %6lld m: %9lld B found, %9lld on the cable\n", (long long)speed,
               (long long)length, (long long)proof.found, (long long)cable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_less_loses_at_every_speed),
        cmocka_unit_test(any_link_holds),
        cmocka_unit_test(no_mix_needs_more_than_the_bound),
        cmocka_unit_test(long_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

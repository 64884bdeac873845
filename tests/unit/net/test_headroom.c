/* SPDX-License-Identifier: Apache-2.0
 * Headroom: published methods to the byte (V06), the model's own terms by hand, and the need that
 * plays find. */
#include "net/trial/headroom_proof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct headroom_link link_of(int64_t gbps, int64_t meters, int64_t mtu)
{
    return (struct headroom_link){
        .rate = gbps * 1000000000,
        .length = meters * 1000,
        .propagation = meters * 5050,
        .mtu = mtu,
        .peer_mtu = mtu,
        .lossless_mtu = mtu,
        .response = 500 * PS_PER_NS,
        .latency = 300 * PS_PER_NS,
        .cell = 1,
        .smallest = HEADROOM_SMALLEST_FRAME,
        .largest = UINT16_MAX,
    };
}

static struct headroom_sum by(const char *name, const struct headroom_link *link)
{
    const struct headroom_method *method = headroom_methods;
    while (method->name != NULL && strcmp(method->name, name) != 0)
        method++;
    assert_non_null(method->name);
    const struct headroom_sum sum = headroom_by(method, link);
    int64_t terms = 0;
    for (unsigned i = 0; i < sum.count; i++)
        terms += sum.terms[i].bytes;
    assert_int_equal(terms, sum.bytes);
    return sum;
}

/* Linux port_buffer.c by hand: (301 + 216 * m / 100) * Mb/s / 1000 + 272 * MTU / 100. */
static void mlx5_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        int64_t gbps, meters, mtu, expect;
    } rows[] = {{100, 100, 4096, 62841},  {400, 100, 4096, 217941}, {400, 5, 4096, 135541},
                {40, 5, 1500, 16520},     {25, 5, 1500, 16520},     {100, 300, 9216, 119967},
                {200, 300, 4096, 200941}, {400, 300, 9216, 404667}, {10, 5, 1500, 16520}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct headroom_link link = link_of(rows[i].gbps, rows[i].meters, rows[i].mtu);
        assert_int_equal(by("mlx5", &link).bytes, rows[i].expect);
        assert_int_equal(headroom_mlx5(rows[i].gbps * 1000, rows[i].meters, rows[i].mtu),
                         rows[i].expect);
    }
}

/* The script's figure, and the table that is shipped beside it within 5 %. */
static void sonic_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        int64_t gbps, meters, dynamic, shipped;
    } rows[] = {{100, 5, 36864, 37888}, {100, 40, 40960, 43008}, {100, 300, 73728, 75776},
                {400, 5, 71680, 73728}, {400, 40, 89088, 91136}, {400, 300, 217088, 225280}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct headroom_link link = link_of(rows[i].gbps, rows[i].meters, 9216);
        link.lossless_mtu = 1500;
        assert_int_equal(by("sonic-dynamic", &link).bytes, rows[i].dynamic);
        assert_int_equal(by("sonic-static", &link).bytes, rows[i].shipped);
        assert_true(labs(rows[i].dynamic - rows[i].shipped) * 20 <= rows[i].shipped);
    }
}

/* All packets small: cells of 144 for packets of 64 are 2.25 times the bytes, up to cells of 128 it
 * is 2 * cell / (1 + cell). */
static void sonic_counts_cells(void **state)
{
    (void)state;
    struct headroom_link link = link_of(100, 40, 9216);
    link.lossless_mtu = 1500;
    link.small_packets = PPM;
    link.cell = 144;
    const int64_t delay = 9216 + 394 * 64; /* and 4932.18 bytes of cable */
    assert_int_equal(by("sonic-dynamic", &link).bytes,
                     (1500 + ((delay + 4932) * 9 + 3) / 4 + 1023) / 1024 * 1024);
    link.cell = 96;
    assert_int_equal(by("sonic-dynamic", &link).bytes,
                     (1500 + (delay + 4932) * 192 / 97 + 1 + 1023) / 1024 * 1024);
}

static void sonic_table_has_no_row(void **state)
{
    (void)state;
    const struct headroom_link copied = link_of(400, 1500, 9216), fast = link_of(800, 5, 9216),
                               far = link_of(100, 2001, 9216), between = link_of(100, 100, 9216);
    assert_false(by("sonic-static", &copied).known);
    assert_false(by("sonic-static", &fast).known);
    assert_false(by("sonic-static", &far).known);
    assert_int_equal(by("sonic-static", &between).bytes, 75776);
    assert_string_equal(by("sonic-static", &between).note, "table row for 300 m");
}

/* Bit times of the source, and the figure that the DCQCN paper gives for 40 Gb/s, 22.4 KB. */
static void ieee_to_the_byte(void **state)
{
    (void)state;
    static const struct {
        int64_t gbps, meters, frame, expect;
    } rows[] = {{40, 100, 1518, 21856}, {10, 2, 9216, 24469},    {10, 300, 1518, 12798},
                {25, 100, 9216, 28337}, {100, 100, 9216, 86992}, {100, 300, 1518, 96596}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct headroom_link link = link_of(rows[i].gbps, rows[i].meters, rows[i].frame - 18);
        assert_int_equal(by("ieee", &link).bytes, rows[i].expect);
        assert_null(by("ieee", &link).note);
    }
    const struct headroom_link fast = link_of(800, 5, 1500);
    assert_non_null(by("ieee", &fast).note);
}

static void simple_rules(void **state)
{
    (void)state;
    struct headroom_link link = link_of(100, 100, 9216);
    assert_int_equal(by("gist", &link).bytes, 35272);
    link.propagation = 500 * PS_PER_NS;
    assert_int_equal(by("hpcc", &link).bytes, 18750);
    assert_int_equal(by("2xbdp", &link).bytes, 12500);
    struct headroom_link odd = link_of(25, 100, 9216); /* whole bytes first: 3 * 21.875 is 65 */
    odd.propagation = 7 * PS_PER_NS + 999;
    assert_int_equal(by("hpcc", &odd).bytes, 3 * 21);
}

static void responses(void **state)
{
    (void)state;
    assert_int_equal(headroom_ieee_quanta(INT64_C(10000000000)), 60);
    assert_int_equal(headroom_sonic_quanta(INT64_C(10000000000)), 67);
    assert_int_equal(headroom_ieee_quanta(INT64_C(100000000000)), 394);
    assert_int_equal(headroom_ieee_quanta(INT64_C(800000000000)), 0);
    assert_int_equal(headroom_quanta_ps(394, INT64_C(100000000000)), 394 * 5120);
}

/* V07's set-up: 4178 + 72 - 12 and 3027.28 us at 80 ps are 42079 bytes of wire; the eleventh frame
 * of 4178 begins 41780 bytes after the first. */
static struct headroom_link v07(void)
{
    struct headroom_link link = link_of(100, 100, 4140);
    link.response = 394 * 5120;
    link.latency = 0;
    return link;
}

static void own_terms_by_hand(void **state)
{
    (void)state;
    struct headroom_link link = v07();
    const int64_t wire = 4178 + 72 - 12 + (2 * 505000 + 394 * 5120) / 80;
    assert_int_equal(wire, 42079);
    assert_int_equal(headroom_exact(&link, 4158), 11 * 4158);
    assert_int_equal(headroom_auto(&link), wire * 4158 / 4178 + 4158);
    link.dynamic = true;
    assert_int_equal(headroom_exact(&link, 4158), 12 * 4158);
    assert_int_equal(headroom_auto(&link), wire * 4158 / 4178 + 2 * 4158);
    link.cell = 144; /* 145 bytes take two cells and 165 bytes of wire, 66 one and 86: the former */
    assert_int_equal(headroom_exact(&link, 145), (wire / 165 + 2) * 288);
    assert_int_equal(headroom_auto(&link), wire * 2 / 165 * 144 + 2 * 29 * 144);
    link.cell = 254; /* 255 bytes take two cells and 275 bytes of wire: the latter */
    assert_int_equal(headroom_auto(&link), wire / 86 * 254 + 2 * 17 * 254);
}

/* The larger of the two MTUs never fills memory: the other end cuts it off. */
static void giants_take_no_memory(void **state)
{
    (void)state;
    struct headroom_link link = v07();
    link.peer_mtu = 9216;
    assert_int_equal(headroom_largest(&link), 4158);
    link.peer_mtu = 1500;
    assert_int_equal(headroom_largest(&link), 1518);
}

/* V07: over 1,000 phases the boundary is the formula's, and within one MTU of 46.3 KB. */
static void boundary_over_thousand_phases(void **state)
{
    (void)state;
    const struct headroom_link link = v07();
    struct headroom_proof proof;
    headroom_prove(&link, 4158, 1000, &proof);
    assert_true(proof.holds);
    assert_int_equal(proof.found, 45738);
    assert_in_range(proof.found, 46278 - 4178, 46278 + 4178);
    assert_int_equal(proof.drops, 1);
    assert_in_range(proof.losing, 1, 999);
}

/* What a search finds and how many plays it takes: its phases are those of a whole frame. */
static void searches_are_the_same_always(void **state)
{
    (void)state;
    static const struct {
        int64_t gbps, meters, mtu, frame;
        unsigned phases;
        bool dynamic;
        const char *found; /* bytes, frames lost below them, of how many phases, the worst, plays */
    } rows[] = {
        {100, 40, 4200, 4174, 1, false, "21760 B 1 of 2 at 0 in 17"},
        {100, 40, 4200, 4174, 2, false, "21760 B 1 of 3 at 0 in 19"},
        {100, 40, 4200, 4174, 7, false, "21760 B 1 of 6 at 0 in 29"},
        {100, 40, 4200, 4174, 7, true, "26112 B 1 of 6 at 0 in 31"},
        {100, 40, 9216, 1500, 16, false, "26112 B 1 of 2 at 0 in 49"},
        {100, 40, 9216, 1500, 16, true, "27648 B 1 of 2 at 0 in 49"},
        {400, 3, 4200, 4218, 32, true, "52224 B 1 of 27 at 0 in 81"},
        {25, 300, 1500, 64, 8, false, "41472 B 1 of 2 at 0 in 31"},
        {100, 0, 1500, 1518, 3, false, "12288 B 1 of 4 at 0 in 17"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char found[100];
        struct headroom_link link = link_of(rows[i].gbps, rows[i].meters, rows[i].mtu);
        struct headroom_proof proof;
        link.cell = 256;
        link.dynamic = rows[i].dynamic;
        headroom_prove(&link, rows[i].frame, rows[i].phases, &proof);
        snprintf(found, sizeof found, "%lld B %llu of %u at %lld in %llu", (long long)proof.found,
                 (unsigned long long)proof.drops, proof.losing, (long long)proof.phase,
                 (unsigned long long)proof.plays);
        assert_string_equal(found, rows[i].found);
    }
}

/* A frame that would begin in the picosecond of the silence begins, whether the frame before it
 * began before or after the pause was heard. */
static void ties_are_the_worst(void **state)
{
    (void)state;
    static const time_ps responses_ps[] = {0, 1538 * 80, 1538 * 80 + 80};
    for (int i = 0; i < 3; i++) {
        struct headroom_link link = link_of(100, 100, 1500);
        link.response = responses_ps[i];
        const int64_t fixed = 1538 + 60 + (2 * link.propagation + link.response) / 80;
        link.latency = ((fixed + 1537) / 1538 * 1538 - fixed) * 80;
        struct headroom_proof proof;
        headroom_prove(&link, 1518, 2, &proof);
        assert_true(proof.holds);
        assert_int_equal(proof.found, ((fixed + 1537) / 1538 + 1) * 1518);
    }
}

/* The largest frame, the smallest, and one byte more than whole cells of it; or the middle, where a
 * byte is a cell.  Each is tried once. */
static void sizes_to_try(void **state)
{
    (void)state;
    static const struct {
        int64_t smallest, mtu, cell;
        unsigned count;
        int64_t sizes[HEADROOM_SIZES];
    } rows[] = {
        {66, 1500, 1, 3, {1518, 66, (66 + 1518) / 2 + 1}},
        {66, 1500, 20, 3, {1518, 66, (66 + 1518) / 2 + 1}}, /* a gap is as long */
        {66, 1500, 21, 3, {1518, 66, 85}},
        {66, 1500, 144, 3, {1518, 66, 145}},
        {144, 1500, 144, 3, {1518, 144, 145}},
        {145, 1500, 144, 3, {1518, 145, 289}},
        {66, 1500, 2048, 2, {1518, 66}},
        {66, 1500, 1516, 3, {1518, 66, 1517}},
        {66, 1500, 1517, 2, {1518, 66}},
        {1518, 1500, 144, 1, {1518}},
        {9000, 1500, 144, 1, {1518}},
        {1517, 1500, 1, 2, {1518, 1517}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct headroom_link link = link_of(100, 100, rows[i].mtu);
        link.smallest = rows[i].smallest;
        link.cell = rows[i].cell;
        int64_t sizes[HEADROOM_SIZES];
        assert_int_equal(headroom_sizes(&link, sizes), rows[i].count);
        for (unsigned n = 0; n < rows[i].count; n++)
            assert_int_equal(sizes[n], rows[i].sizes[n]);
    }
}

/* What is found loses nothing, a cell less does, in as many phases as are said; more headroom than
 * that never loses. */
static void what_is_found_is_the_boundary(void **state)
{
    (void)state;
    for (int row = 0; row < 6; row++) {
        struct headroom_link link = v07();
        const int64_t frame = row % 2 == 0 ? 4158 : 145;
        const unsigned phases = row < 2 ? 3 : 1;
        link.cell = row < 4 ? 144 : 1000;
        link.dynamic = row == 3;
        struct headroom_proof proof;
        headroom_prove(&link, frame, phases, &proof);
        assert_int_equal(proof.frame, frame);
        assert_int_equal(proof.exact, headroom_exact(&link, frame));
        assert_int_equal(proof.phases, phases + 2);
        assert_int_equal(proof.found % link.cell, 0);
        assert_true(proof.found > 0 && proof.plays > 2 * proof.phases);
        assert_int_equal(headroom_drops(&link, &frame, 1, proof.found, phases), 0);
        assert_int_equal(headroom_drops(&link, &frame, 1, 2 * proof.found, phases), 0);
        const uint64_t lost = headroom_drops(&link, &frame, 1, proof.found - link.cell, phases);
        assert_in_range(lost, proof.losing, proof.losing * proof.drops);
        assert_in_range(proof.losing, 1, proof.phases);
    }
}

/* Without room every frame that comes is lost, whichever of a mix comes first, and what suffices
 * for every mix loses none. */
static void a_mix_of_sizes_needs_the_bound(void **state)
{
    (void)state;
    static const int64_t mixes[][3] = {{4158, 66, 145}, {66, 4158, 145}, {145, 145, 66}};
    struct headroom_link link = v07();
    link.cell = 144;
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        assert_int_equal(headroom_drops(&link, mixes[i], 3, headroom_auto(&link), 2), 0);
        const uint64_t none = headroom_drops(&link, mixes[i], 3, 0, 2);
        const uint64_t half = headroom_drops(&link, mixes[i], 3, 20 * 144, 2);
        assert_true(half > 0 && half < none);
    }
    /* Eleven frames in each of four phases. */
    static const int64_t equal[] = {4158};
    link.cell = 1;
    assert_in_range(headroom_drops(&link, equal, 1, 0, 2), 4 * 10, 4 * 11);
}

/* 4 million frames, and 256 MiB of them. */
static void a_loop_that_is_too_long_is_not_played(void **state)
{
    (void)state;
    static const struct {
        int64_t microseconds, cell, frame;
        bool can;
    } rows[] = {
        {5, 1, 4158, true},      {21500, 1, 4158, true}, /* 269 MB on the wire, 267 in memory */
        {21600, 1, 4158, false}, {12800, 144, 66, true}, /* 160 MB on the wire, 268 in cells */
        {13000, 144, 66, false}, {27400, 1, 62, true},   /* 4.18 million of them */
        {27600, 1, 62, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct headroom_link link = v07();
        link.cell = rows[i].cell;
        link.response = rows[i].microseconds * PS_PER_US;
        link.propagation = 0;
        assert_int_equal(headroom_can_prove(&link, rows[i].frame), rows[i].can);
        link.latency = link.response / 2; /* the parts of the loop count alike */
        link.response -= link.latency;
        assert_int_equal(headroom_can_prove(&link, rows[i].frame), rows[i].can);
        link.propagation = link.latency / 2;
        link.latency = 0;
        assert_int_equal(headroom_can_prove(&link, rows[i].frame), rows[i].can);
    }
}

/* Frames of one size need what is exact for them, and with small ones without end no more than the
 * bound for every mix; a few small ones are in between.  By hand at 100G and 40 m: 19,348 B of wire
 * are four frames of 4174 B and gaps, the last one and one that meets a lowered threshold. */
static void frames_that_are_sent_are_counted(void **state)
{
    (void)state;
    struct headroom_link link = link_of(100, 40, 4200);
    link.cell = 256;
    link.dynamic = true;
    for (int64_t size = 512; size <= 4218; size += 19) {
        struct headroom_frames frames = {&size, 1, HEADROOM_SMALLEST_FRAME, 0};
        const int64_t alone = headroom_for(&link, &frames);
        assert_int_equal(alone, headroom_exact(&link, size));
        frames.smalls = 10;
        const int64_t few = headroom_for(&link, &frames);
        frames.smalls = 1 << 20;
        const int64_t many = headroom_for(&link, &frames);
        assert_true(alone <= few && few <= many && many <= headroom_auto(&link));
    }
    static const int64_t full[] = {4158, 4174};
    const struct headroom_frames data = {full, 2, HEADROOM_SMALLEST_FRAME, 0};
    assert_int_equal(headroom_for(&link, &data), 6 * 17 * 256);
    const struct headroom_frames only_small = {NULL, 0, HEADROOM_SMALLEST_FRAME, 7};
    assert_int_equal(headroom_for(&link, &only_small), 7 * 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mlx5_to_the_byte),
        cmocka_unit_test(sonic_to_the_byte),
        cmocka_unit_test(sonic_counts_cells),
        cmocka_unit_test(sonic_table_has_no_row),
        cmocka_unit_test(ieee_to_the_byte),
        cmocka_unit_test(simple_rules),
        cmocka_unit_test(responses),
        cmocka_unit_test(own_terms_by_hand),
        cmocka_unit_test(giants_take_no_memory),
        cmocka_unit_test(boundary_over_thousand_phases),
        cmocka_unit_test(searches_are_the_same_always),
        cmocka_unit_test(ties_are_the_worst),
        cmocka_unit_test(sizes_to_try),
        cmocka_unit_test(what_is_found_is_the_boundary),
        cmocka_unit_test(a_mix_of_sizes_needs_the_bound),
        cmocka_unit_test(frames_that_are_sent_are_counted),
        cmocka_unit_test(a_loop_that_is_too_long_is_not_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * What every congestion control owes, whatever its idea: each name of cc.def is held to it.
 *   - it sets no rate above the line's, at any time
 *   - equal flows share a link: none has less than a third of the mean, and the link is not idle
 *   - when the others have gone the flow that is left comes back to nearly the line rate
 *   - the digest is the same for one, two and three executors
 *   - every ACK lost for a time: all completes after it; lost for ever: the queue pair says so
 *   - every packet marked, and every CNP lost or none: all completes */
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"
#include "tests/unit/rnic/rnic_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 5, TEXT_BYTES = 2048 };
#define LINE_BPS UINT64_C(10000000000)
#define MS       PS_PER_MS
#define US       PS_PER_US

/* ------------------------------------------------------------------ four to one */

static struct world *build(const char *name, const char *others, uint32_t executors)
{
    static struct diag diag;
    static const char ethernet[] =
        "  host-links: {rate: 10Gbps, delay: 1us, mtu: 4218B}\n"
        "  switch: {buffer: 8MB, pfc: {priorities: [3], headroom: auto},\n"
        "           ecn: {kmin: 20KB, kmax: 200KB, pmax: 10%}}\n";
    static const char infiniband[] =
        "  kind: infiniband\n  host-links: {rate: 10Gbps, delay: 1us, mtu: 4096B}\n";
    char text[TEXT_BYTES];
    diag = (struct diag){0};
    snprintf(
        text, sizeof text,
        "stormglass: 1\nname: conformance\nduration: 200ms\nfabric:\n"
        "  topology: {kind: single-switch, hosts: %d}\n%s"
        "hosts: {defaults: {rnic: {profile: ideal, congestion-control: %s, path-mtu: 4096B}}}\n"
        "workloads:\n"
        "  - {name: one, kind: rdma-write, from: host1, to: host0, message-size: 64KiB,\n"
        "     outstanding: 4}\n"
        "  - {name: others, kind: rdma-write, from: \"host2..host4\", to: host0,\n"
        "     message-size: 64KiB, outstanding: 4%s}\n",
        HOSTS, cc_find(name)->ops->link == CC_INFINIBAND ? infiniband : ethernet, name, others);
    const struct scenario_input input = {
        .name = "conformance.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", name, diag.messages[0].text);
    uint32_t executor_of[HOSTS + 1];
    for (uint32_t i = 0; i <= HOSTS; i++)
        executor_of[i] = i % executors;
    const struct world_division division = {executors, executor_of};
    struct world *world = world_build_divided(scenario, &probe_none, &division, &diag);
    if (world == NULL)
        fail_msg("%s: %s", name, diag.messages[0].text);
    world->engine.hostile = false;
    return world;
}

static void discard(struct world *world)
{
    struct scenario *scenario = (struct scenario *)(uintptr_t)world->scenario;
    world_free(world);
    scenario_free(scenario);
}

static struct rnic *rnic_of(const struct world *world, uint32_t host)
{
    return world_host(world, host)->rnics[0];
}

/* Plays on, and looks at every rate now and then. */
static void play(struct world *world, time_ps until)
{
    for (time_ps at = world->engine.now; at < until; at += 500 * US) {
        world_run(world, at + 500 * US);
        for (uint32_t host = 0; host < HOSTS; host++) {
            const struct rnic *rnic = rnic_of(world, host);
            for (uint32_t i = 0; i < rnic->qps.used; i++) {
                const struct pacer *pacer = &rnic->qp_slots[i].pacer;
                const struct cc_view view = pacer_view(pacer, &rnic->cc_site, world->engine.now);
                assert_in_range(view.rate_bps, 1, LINE_BPS);
                assert_in_range(view.target_bps, 1, LINE_BPS);
            }
        }
    }
}

/* What the host's sends came to in the time, as a share of the line rate in percent. */
static uint64_t share(struct world *world, uint32_t host, uint64_t before, time_ps span)
{
    const uint64_t bits = (rnic_of(world, host)->counters.message_bytes - before) * 8;
    return bits * 100 / (LINE_BPS / 1000 * (uint64_t)(span / MS));
}

static void equal_flows_share(void **state)
{
    (void)state;
    enum { SETTLED = 20, SPAN = 30 };
    for (const struct cc_preset *cc = cc_list; cc->name != NULL; cc++) {
        struct world *world = build(cc->name, "", 1);
        uint64_t before[HOSTS], sum = 0, least = 100;
        play(world, SETTLED * MS);
        for (uint32_t i = 1; i < HOSTS; i++)
            before[i] = rnic_of(world, i)->counters.message_bytes;
        play(world, (SETTLED + SPAN) * MS);
        for (uint32_t i = 1; i < HOSTS; i++) {
            const uint64_t has = share(world, i, before[i], SPAN * MS);
            sum += has;
            least = has < least ? has : least;
        }
        print_message("%-14s %3u%% of the line, the least flow %2u%%\n", cc->name, (unsigned)sum,
                      (unsigned)least);
        assert_in_range(sum, 60, 100);
        assert_true(least * 3 * (HOSTS - 1) >= sum);
        discard(world);
    }
}

static void the_last_one_recovers(void **state)
{
    (void)state;
    enum { SETTLED = 120, SPAN = 10 };
    for (const struct cc_preset *cc = cc_list; cc->name != NULL; cc++) {
        struct world *world = build(cc->name, ", start: 1ms, stop: 5ms", 1);
        play(world, 5 * MS);
        const uint64_t at_end = rnic_of(world, 1)->counters.message_bytes;
        play(world, SETTLED * MS);
        const uint64_t before = rnic_of(world, 1)->counters.message_bytes;
        assert_true(before > at_end);
        play(world, (SETTLED + SPAN) * MS);
        const uint64_t has = share(world, 1, before, SPAN * MS);
        print_message("%-14s back at %u%% of the line\n", cc->name, (unsigned)has);
        assert_in_range(has, 80, 100);
        discard(world);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (const struct cc_preset *cc = cc_list; cc->name != NULL; cc++) {
        struct digest digests[3];
        for (uint32_t executors = 1; executors <= 3; executors++) {
            struct world *world = build(cc->name, ", start: 1ms, stop: 3ms", executors);
            play(world, 4 * MS);
            digests[executors - 1] = engine_digest(&world->engine);
            discard(world);
        }
        assert_memory_equal(&digests[0], &digests[1], sizeof digests[0]);
        assert_memory_equal(&digests[0], &digests[2], sizeof digests[0]);
    }
}

/* ------------------------------------------------------------------ what gets lost */

enum { WRITES = 40, PACKETS = 16, MTU = 1024 };

static struct pair *two(const char *name)
{
    struct pair_params params;
    pair_presets(&params);
    params.cc = name;
    params.port.rate = (int64_t)LINE_BPS;
    params.rnic.path_mtu = MTU;
    params.rnic.timeout = 6; /* 262 us */
    params.rnic.ack_interval = 4;
    struct pair *pair = pair_make(&params);
    pair->engine.hostile = false;
    pair_connect(pair);
    struct verbs_mr *from = pair_mr(pair, 0, PACKETS * MTU, VERBS_BULK);
    struct verbs_mr *to = pair_mr(pair, 1, PACKETS * MTU, VERBS_BULK);
    for (int i = 0; i < WRITES; i++)
        assert_int_equal(pair_post(pair, 0, IBV_WR_RDMA_WRITE, from, to, IBV_SEND_SIGNALED), 0);
    return pair;
}

static bool lose_acks(struct pair *pair, const struct pair_frame *frame)
{
    return frame->opcode == FRAME_RC_ACKNOWLEDGE && frame->at < (time_ps)pair->lose_state;
}

static bool lose_cnps(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->opcode == FRAME_CNP;
}

static bool mark_data(struct pair *pair, const struct pair_frame *frame)
{
    (void)pair;
    return frame->payload > 0;
}

static void all_complete(struct pair *pair, const char *name)
{
    pair_run(pair, 400 * MS);
    if (pair->ends[0].wc_count != WRITES)
        fail_msg("%s: %u of %d are complete", name, pair->ends[0].wc_count, WRITES);
    for (unsigned i = 0; i < WRITES; i++)
        pair_expect_wc(pair, 0, i, IBV_WC_SUCCESS, IBV_WC_RDMA_WRITE);
    pair_free(pair);
}

static void acks_are_lost(void **state)
{
    (void)state;
    for (const struct cc_preset *cc = cc_list; cc->name != NULL; cc++) {
        struct pair *pair = two(cc->name);
        pair->lose = lose_acks;
        pair->lose_state = (uint64_t)(1 * MS);
        all_complete(pair, cc->name);
        pair = two(cc->name);
        pair->lose = lose_acks;
        pair->lose_state = INT64_MAX;
        pair_run(pair, 400 * MS);
        pair_expect_wc(pair, 0, 0, IBV_WC_RETRY_EXC_ERR, IBV_WC_RDMA_WRITE);
        assert_int_equal(pair->ends[0].wc_count, WRITES);
        pair_free(pair);
    }
}

static void all_is_marked(void **state)
{
    (void)state;
    for (const struct cc_preset *cc = cc_list; cc->name != NULL; cc++)
        for (int lost = 0; lost < 2; lost++) {
            struct pair *pair = two(cc->name);
            pair->mark = mark_data;
            pair->lose = lost ? lose_cnps : NULL;
            all_complete(pair, cc->name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_flows_share),     cmocka_unit_test(the_last_one_recovers),
        cmocka_unit_test(threads_do_not_matter), cmocka_unit_test(acks_are_lost),
        cmocka_unit_test(all_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * A workload that is done concerns others `lookahead` later, to the picosecond. */
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"
#include "tests/unit/net/port_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ the links */

/* 3 m of fiber, then 8 + 62 bytes at 80 ps.  A switch adds its ingress to all but PFC: 8 + 64. */
static void a_peer_feels_nothing_sooner(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 100, 0);
    assert_int_equal(port_reach(&pair.a.port), 15150 + 70 * 80);
    assert_int_equal(pair.engine.lookahead, 15150 + 70 * 80);
    const struct port_ingress ingress = {.latency = 300000}, host = {0};
    port_join(&pair.a.port, host, &pair.b.port, ingress);
    assert_int_equal(port_reach(&pair.a.port), 15150 + 72 * 80);
    const struct port_ingress early = {.latency = 100, .cut_through = 14};
    port_join(&pair.a.port, host, &pair.b.port, early);
    assert_int_equal(port_reach(&pair.a.port), 15150 + 100 + 22 * 80);
    assert_int_equal(pair.engine.lookahead, 15150 + 100 + 22 * 80);
    pair_fini(&pair);
}

/* A rate that leaves fractions: rounded down, for the remainder may already be carried. */
static void fractions_round_down(void **state)
{
    (void)state;
    struct pair pair;
    pair_init(&pair, 3, 0);
    assert_int_equal(port_reach(&pair.a.port), 15150 + 70 * 8000 / 3);
    pair_fini(&pair);
}

/* ------------------------------------------------------------------ the engine */

struct cutter {
    struct node node;
    unsigned ran;
    time_ps cut_at; /* asked for by the first event */
};

static void on_cutter(struct node *node, const struct event *event)
{
    (void)event;
    struct cutter *cutter = (struct cutter *)node;
    if (cutter->ran++ == 0)
        engine_cut(node->engine, cutter->cut_at);
}

static void audit_cutter(const struct node *node)
{
    (void)node;
}

static const struct node_ops cutter_ops = {
    .name = "cutter", .on_event = on_cutter, .audit = audit_cutter};

/* One event each 10 ps; those up to `cut` are executed, the others by the next engine_run. */
static void a_run_ends_where_it_is_cut(void **state)
{
    (void)state;
    for (time_ps cut = 100; cut <= 1020; cut += 10) {
        struct engine engine;
        struct cutter cutter = {.cut_at = cut};
        engine_init(&engine, 1);
        engine_add(&engine, &cutter.node, &cutter_ops, "cutter");
        engine_link(&engine, 91);
        engine_start(&engine);
        for (time_ps at = 10; at <= 1000; at += 10)
            node_post(&cutter.node, 0, at, 0, 0, 0);
        assert_int_equal(engine_run(&engine, 1010), cut < 1000);
        assert_int_equal(cutter.ran, cut < 1000 ? cut / 10 : 100);
        assert_int_equal(engine.now, cut < 1010 ? cut : 1010);
        assert_false(engine_run(&engine, 2000));
        assert_int_equal(cutter.ran, 100);
        engine_fini(&engine);
    }
}

/* ------------------------------------------------------------------ the world */

static const char text[] = "stormglass: 1\nname: t\nduration: 20ms\n"
                           "fabric:\n  topology: {kind: single-switch, hosts: 2}\n"
                           "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, "
                           "namespaces: [{media: \"null\"}]}}\n"
                           "workloads:\n"
                           "  - {name: f, kind: fio, file: jobs.fio, from: host1, to: host0}\n";

static const char jobs[] = "[global]\nbs=4k\nsize=1m\nrw=write\n"
                           "[first]\nnumber_ios=40\nnumjobs=2\n"
                           "[second]\nstonewall\nnumber_ios=7\nnumjobs=3\n";

static struct scenario *load(void)
{
    static struct diag diag;
    const struct scenario_source beside = {"jobs.fio", jobs, strlen(jobs)};
    const struct scenario_input input = {
        .name = "t.yaml", .text = text, .length = strlen(text), .files = &beside, .file_count = 1};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

static struct world *build(const struct scenario *scenario)
{
    static struct diag diag;
    struct world *world = world_build(scenario, &probe_none, &diag);
    assert_non_null(world);
    world->engine.hostile = false;
    return world;
}

/* Of a run up to `at`, of which that moment's world deeds are a part. */
typedef bool fact_fn(const struct world *world, bool over);

static bool first_is_idle(const struct world *world, bool over)
{
    (void)over;
    return world->stats[0].completed == 80 && world_busy(world) == 0;
}

static bool second_has_begun(const struct world *world, bool over)
{
    (void)over;
    return world_busy(world) == 3 || world->stats[1].issued > 0;
}

static bool second_is_idle(const struct world *world, bool over)
{
    (void)over;
    return world->stats[1].completed == 21 && world_busy(world) == 0;
}

static bool is_over(const struct world *world, bool over)
{
    (void)world;
    return over;
}

static bool holds_at(const struct scenario *scenario, fact_fn *fact, time_ps at)
{
    struct world *world = build(scenario);
    const bool over = !world_run(world, at);
    const bool holds = fact(world, over);
    world_free(world);
    return holds;
}

/* The first moment in (from, to] at which the fact holds, as it then does until `to`. */
static time_ps first_at(const struct scenario *scenario, fact_fn *fact, time_ps from, time_ps to)
{
    while (to - from > 1) {
        const time_ps half = from + (to - from) / 2;
        if (holds_at(scenario, fact, half))
            to = half;
        else
            from = half;
    }
    return to;
}

/* Each of the moments is sought by runs that end at ever other moments: where a run is cut into
 * pieces changes nothing. */
static void the_next_begins_and_the_run_ends_a_lookahead_later(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct world *whole = build(scenario);
    while (world_run(whole, TIME_NEVER))
        ;
    const time_ps end = whole->engine.now, ahead = whole->engine.lookahead;
    assert_true(ahead > 0 && ahead < PS_PER_US);
    const time_ps done = first_at(scenario, second_is_idle, 0, end - 1);
    assert_int_equal(first_at(scenario, is_over, done, end + PS_PER_MS), end);
    assert_int_equal(end, done + ahead);
    const time_ps begun = first_at(scenario, second_has_begun, 0, done - 1);
    const time_ps idle = first_at(scenario, first_is_idle, 0, begun - 1);
    assert_int_equal(begun, idle + ahead);

    struct world *pieces = build(scenario);
    for (time_ps at = idle - 3; world_run(pieces, at); at += at < begun + 3 ? 1 : 777777)
        ;
    const struct digest a = engine_digest(&whole->engine), b = engine_digest(&pieces->engine);
    assert_memory_equal(&a, &b, sizeof a);
    assert_int_equal(pieces->engine.now, end);
    world_free(pieces);
    world_free(whole);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_peer_feels_nothing_sooner),
        cmocka_unit_test(fractions_round_down),
        cmocka_unit_test(a_run_ends_where_it_is_cut),
        cmocka_unit_test(the_next_begins_and_the_run_ends_a_lookahead_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The rows of the account of time, and what verdicts say by it, against the lives themselves: the
 * run is played again, and every life is added up here. */
#include "base/memory.h"
#include "replay/database/store.h"
#include "replay/database/words.h"
#include "replay/record/observe.h"
#include "replay/run/fabric.h"
#include "replay/run/run.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* host0 takes little out of its receive buffer, so that those who send to it are paused; reads wait
 * for a medium that serves one at a time, and in `alone` nobody is in anybody's way. */
static const char text[] =
    "stormglass: 1\n"
    "name: rows\n"
    "duration: 200us\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 11}\n"
    "  host-links: {rate: 100Gbps, mtu: 4200B}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: ideal, congestion-control: none, path-mtu: 4096B}}\n"
    "  overrides: [{where: host0, rnic: {drain: 10Gbps}}]\n"
    "  targets: {where: host1, namespaces: [{media: {kind: fixed, read-latency: 10us,\n"
    "    write-latency: 20us, parallel: 1}}]}\n"
    "workloads:\n"
    "  - {name: hot, kind: rdma-write, from: \"host2..host4\", to: host0, message-size: 64KiB,\n"
    "     outstanding: 2}\n"
    "  - {name: mixed, kind: nvme, from: [host5, host2], to: host1, read: 60%, block-size: 8KiB,\n"
    "     queue-depth: 4}\n"
    "  - {name: alone, kind: rdma-write, from: host6, to: host7, message-size: 4KiB,\n"
    "     outstanding: 1}\n"
    "  - {name: full, kind: rdma-write, from: [host8, host9], to: host10, message-size: 16KiB,\n"
    "     outstanding: 8}\n"
    "  - {name: late, kind: rdma-write, from: host6, to: host7, start: 199us}\n";

enum { HOT, MIXED, ALONE, FULL, LATE, WORKLOADS, MEMBERS = 3, PORTS_MAX = 22, LIVES_MAX = 4096 };

static struct scenario *scenario;
static struct run run;
static struct store *store;
static struct explain_fabric fabric;
static struct breakdown_life *lives;
static uint32_t life_count;

static void on_life(void *self, const struct breakdown_life *life)
{
    (void)self;
    assert_true(life_count < LIVES_MAX);
    lives[life_count++] = *life;
}

static void play_again(struct diag *diag)
{
    struct observe observe;
    observe_init(&observe, &fabric, scenario->workload_count,
                 &(struct observe_wishes){.waits = true, .acks = true});
    breakdown_hear(observe.waits, on_life, NULL);
    struct world *world = world_build(scenario, &observe.probe, diag);
    assert_non_null(world);
    while (world_run(world, world->engine.now + PS_PER_MS))
        ;
    observe_finish(&observe, world->engine.now);
    world_free(world);
    observe_fini(&observe);
}

static int set_up(void **state)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "t", .text = text, .length = sizeof text - 1};
    const struct run_options options = {.until = TIME_NEVER, .threads = 1, .waits = true};
    (void)state;
    scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    assert_int_equal(run_scenario(&run, scenario, &options, &diag), RUN_DONE);
    store = record_store(run.record);
    fabric_init(&fabric, scenario);
    lives = memory_zeroed(LIVES_MAX, sizeof *lives);
    play_again(&diag);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(lives);
    fabric_fini(&fabric);
    assert_true(run_close(&run));
    scenario_free(scenario);
    return 0;
}

__attribute__((format(printf, 1, 2))) static int64_t ask(const char *format, ...)
{
    char sql[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sql, sizeof sql, format, arguments);
    va_end(arguments);
    return store_ask_int(store, sql, 0);
}

/* ------------------------------------------------------------------ sums of lives */

/* Of a workload, and of an operation unless it is BREAKDOWN_OPERATIONS. */
struct sum {
    int64_t count, latency, ps[BREAKDOWN_PHASES][BREAKDOWN_PARTS];
};

static struct sum sum_of(uint32_t workload, enum breakdown_operation operation, int64_t member)
{
    struct sum sum = {0};
    for (uint32_t i = 0; i < life_count; i++) {
        const struct breakdown_life *life = &lives[i];
        if (life->workload != workload || (member >= 0 && life->member != member) ||
            (operation != BREAKDOWN_OPERATIONS && life->operation != operation))
            continue;
        sum.count++;
        sum.latency += life->completed_at - life->issued_at;
        for (int k = 0; k < BREAKDOWN_PHASES * BREAKDOWN_PARTS; k++)
            sum.ps[k / BREAKDOWN_PARTS][k % BREAKDOWN_PARTS] +=
                life->ps[k / BREAKDOWN_PARTS][k % BREAKDOWN_PARTS];
    }
    return sum;
}

static int64_t part_of(const struct sum *sum, enum breakdown_part part)
{
    int64_t ps = 0;
    for (int phase = 0; phase < BREAKDOWN_PHASES; phase++)
        ps += sum->ps[phase][part];
    return ps;
}

/* ------------------------------------------------------------------ rows */

static void check_operation(uint32_t workload, enum breakdown_operation operation)
{
    const struct sum sum = sum_of(workload, operation, -1);
    const char *key = breakdown_operation_key(operation);
    assert_int_equal(ask("SELECT sum(count) FROM wait_total WHERE workload=%u AND operation='%s'",
                         workload, key),
                     sum.count);
    assert_int_equal(
        ask("SELECT sum(latency_ps) FROM wait_total WHERE workload=%u AND operation='%s'", workload,
            key),
        sum.latency);
    assert_int_equal(
        ask("SELECT sum(paused_ps) FROM wait_total WHERE workload=%u AND operation='%s'", workload,
            key),
        part_of(&sum, BREAKDOWN_PAUSED));
    assert_int_equal(
        ask("SELECT sum(queued_ps) FROM wait_total WHERE workload=%u AND operation='%s'", workload,
            key),
        part_of(&sum, BREAKDOWN_QUEUED));
    for (int i = 0; i < BREAKDOWN_PHASES * BREAKDOWN_PARTS; i++) {
        const enum breakdown_phase phase = (enum breakdown_phase)(i / BREAKDOWN_PARTS);
        const enum breakdown_part part = (enum breakdown_part)(i % BREAKDOWN_PARTS);
        const int64_t ps = sum.ps[phase][part];
        assert_int_equal(ask("SELECT sum(sum_ps) FROM wait WHERE workload=%u AND operation='%s' "
                             "AND position=%d AND phase='%s' AND part='%s'",
                             workload, key, i, breakdown_phase_key(phase),
                             breakdown_part_key(part)),
                         ps);
        assert_int_equal(ask("SELECT count(*) FROM wait WHERE workload=%u AND operation='%s' AND "
                             "position=%d",
                             workload, key, i),
                         ps != 0);
    }
}

static void each_operation_has_the_sum_of_its_lives(void **state)
{
    (void)state;
    assert_true(sum_of(MIXED, BREAKDOWN_READ, -1).count > 5);
    assert_true(sum_of(MIXED, BREAKDOWN_WRITE, -1).count > 2);
    for (uint32_t w = 0; w < WORKLOADS; w++)
        for (int i = 0; i < BREAKDOWN_OPERATIONS; i++)
            check_operation(w, (enum breakdown_operation)i);
    assert_int_equal(ask("SELECT count(*) FROM wait_total"), WORKLOADS + 1);
}

/* Those of the last buckets of the latency's histogram, until they are a hundredth: no part of the
 * others is theirs, and each that is slower than one of them is one. */
static void the_slowest_are_a_hundredth_and_none_is_slower(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < WORKLOADS; w++)
        for (int i = 0; i < BREAKDOWN_OPERATIONS; i++) {
            const enum breakdown_operation operation = (enum breakdown_operation)i;
            const char *key = breakdown_operation_key(operation);
            const int64_t count = sum_of(w, operation, -1).count;
            const int64_t slow = ask("SELECT sum(slow_count) FROM wait_total WHERE workload=%u AND "
                                     "operation='%s'",
                                     w, key);
            const int64_t whole = ask("SELECT sum(sum_ps) FROM wait_slow WHERE workload=%u AND "
                                      "operation='%s'",
                                      w, key);
            assert_true(slow * 100 >= count && slow <= count);
            int64_t left = slow, floor = INT64_MAX, sum = 0;
            while (left > 0) { /* one after another, the slowest first */
                int64_t next = -1, same = 0;
                for (uint32_t k = 0; k < life_count; k++) {
                    const int64_t latency = lives[k].completed_at - lives[k].issued_at;
                    if (lives[k].workload != w || lives[k].operation != operation ||
                        latency >= floor)
                        continue;
                    same = latency > next ? 1 : same + (latency == next);
                    next = latency > next ? latency : next;
                }
                assert_true(next >= 0 && same <= left);
                sum += next * same;
                left -= same;
                floor = next;
            }
            assert_int_equal(whole, sum);
        }
    assert_int_equal(ask("SELECT count(*) FROM wait_slow WHERE sum_ps=0"), 0);
}

static void parts_of_the_slowest_stand_at_their_own_place(void **state)
{
    (void)state;
    for (int part = 0; part < BREAKDOWN_PARTS; part++) {
        const char *key = breakdown_part_key((enum breakdown_part)part);
        assert_int_equal(
            ask("SELECT count(*) FROM wait_slow WHERE (position=%d)<>(part='%s')", part, key), 0);
        assert_int_equal(breakdown_part_find(key), part);
    }
    assert_int_equal(breakdown_part_find("nothing"), BREAKDOWN_PARTS);
}

static void each_member_has_its_own_lives(void **state)
{
    (void)state;
    int64_t members = 0;
    for (uint32_t w = 0; w < WORKLOADS; w++)
        for (uint32_t m = 0; m < MEMBERS; m++) {
            const struct sum sum = sum_of(w, BREAKDOWN_OPERATIONS, m);
            members += sum.count > 0;
            if (sum.count == 0)
                continue;
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[m];
            assert_int_equal(ask("SELECT count FROM wait_member WHERE workload=%u AND member=%u "
                                 "AND from_node=%u AND to_node=%u",
                                 w, m, pair->from, pair->to),
                             sum.count);
            assert_int_equal(
                ask("SELECT latency_ps FROM wait_member WHERE workload=%u AND member=%u", w, m),
                sum.latency);
            for (int i = 0; i < BREAKDOWN_PARTS; i++) {
                const enum breakdown_part part = (enum breakdown_part)i;
                assert_int_equal(ask("SELECT sum(sum_ps) FROM wait_member_part WHERE workload=%u "
                                     "AND member=%u AND position=%d AND part='%s'",
                                     w, m, i, breakdown_part_key(part)),
                                 part_of(&sum, part));
            }
        }
    assert_int_equal(members, 3 + 2 + 1 + 2 + 1);
    assert_int_equal(ask("SELECT count(*) FROM wait_member"), members);
    assert_int_equal(ask("SELECT count(*) FROM wait_member_part WHERE sum_ps=0"), 0);
}

/* By workload, operation, port and priority. */
static void each_place_has_what_was_waited_for_there(void **state)
{
    (void)state;
    int64_t rows = 0;
    for (int i = 0; i < WORKLOADS * BREAKDOWN_OPERATIONS * PORTS_MAX; i++) {
        const uint32_t w = (uint32_t)i / PORTS_MAX / BREAKDOWN_OPERATIONS,
                       port = (uint32_t)i % PORTS_MAX;
        const enum breakdown_operation operation =
            (enum breakdown_operation)(i / PORTS_MAX % BREAKDOWN_OPERATIONS);
        int64_t paused = 0, queued = 0;
        for (uint32_t k = 0; k < life_count; k++)
            for (uint32_t p = 0; p < lives[k].place_count; p++) {
                const struct breakdown_place *place = &lives[k].places[p];
                if (lives[k].workload != w || lives[k].operation != operation ||
                    place->port != port)
                    continue;
                assert_int_equal(place->priority, 3);
                paused += place->paused_ps;
                queued += place->queued_ps;
            }
        if (paused + queued == 0)
            continue;
        rows++;
        const uint32_t node = fabric.node_of[port];
        assert_int_equal(ask("SELECT paused_ps FROM wait_place WHERE workload=%u AND operation='%s'"
                             " AND node=%u AND port=%u AND priority=3",
                             w, breakdown_operation_key(operation), node,
                             port - fabric.first_port[node]),
                         paused);
        assert_int_equal(ask("SELECT queued_ps FROM wait_place WHERE workload=%u AND operation='%s'"
                             " AND node=%u AND port=%u AND priority=3",
                             w, breakdown_operation_key(operation), node,
                             port - fabric.first_port[node]),
                         queued);
    }
    assert_true(rows > 5);
    assert_int_equal(ask("SELECT count(*) FROM wait_place"), rows);
}

/* ------------------------------------------------------------------ what is said by it */

static void the_sums_are_values_of_the_result(void **state)
{
    (void)state;
    for (uint32_t w = 0; w < WORKLOADS; w++)
        for (int i = 0; i < BREAKDOWN_OPERATIONS; i++) {
            const struct sum sum = sum_of(w, (enum breakdown_operation)i, -1);
            char path[100];
            snprintf(path, sizeof path, "workloads[%u].waits.%s", w,
                     breakdown_operation_key((enum breakdown_operation)i));
            assert_int_equal(ask("SELECT value FROM result WHERE path='%s.count'", path),
                             sum.count);
            if (sum.count == 0)
                continue;
            assert_int_equal(ask("SELECT value FROM result WHERE path='%s.latency_ps'", path),
                             sum.latency);
            assert_int_equal(
                ask("SELECT value FROM result WHERE path='%s.slowest.count'", path),
                ask("SELECT sum(slow_count) FROM wait_total WHERE workload=%u AND operation='%s'",
                    w, breakdown_operation_key((enum breakdown_operation)i)));
            for (int k = 0; k < BREAKDOWN_PARTS; k++) {
                const char *key = breakdown_part_key((enum breakdown_part)k);
                assert_int_equal(
                    ask("SELECT value FROM result WHERE path='%s.parts_ps.%s'", path, key),
                    part_of(&sum, (enum breakdown_part)k));
                assert_int_equal(
                    ask("SELECT value FROM result WHERE path='%s.slowest.parts_ps.%s'", path, key),
                    ask("SELECT sum(sum_ps) FROM wait_slow WHERE workload=%u AND operation='%s' "
                        "AND part='%s'",
                        w, breakdown_operation_key((enum breakdown_operation)i), key));
            }
        }
}

/* ", most at switch0:p10": where lives of the workload were queued longest. */
static const char *place_of(uint32_t workload)
{
    static char found[100];
    int64_t queued[PORTS_MAX] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < life_count; i++)
        for (uint32_t p = 0; p < lives[i].place_count && lives[i].workload == workload; p++)
            queued[lives[i].places[p].port] += lives[i].places[p].queued_ps;
    for (uint32_t port = 1; port < PORTS_MAX; port++)
        most = queued[port] > queued[most] ? port : most;
    assert_true(queued[most] > 0);
    const uint32_t node = fabric.node_of[most];
    snprintf(found, sizeof found, ", most at %s:p%u", fabric.names[node],
             most - fabric.first_port[node]);
    return found;
}

static void says(const struct bottleneck *found, const struct sum *sum, enum breakdown_part part,
                 const char *place)
{
    char expected[300];
    snprintf(expected, sizeof expected, "%s%s: %s of an operation's time",
             breakdown_part_words(part), place,
             words_percent((double)part_of(sum, part), (double)sum->latency).text);
    assert_string_equal(found->account, expected);
}

static void the_verdict_says_which_part_and_where(void **state)
{
    (void)state;
    static const struct {
        uint32_t workload;
        enum bottleneck_resource resource;
        enum breakdown_part part;
        bool placed;
    } rows[] = {
        {HOT, BOTTLENECK_RECEIVER, BREAKDOWN_RECEIVER, false},
        {MIXED, BOTTLENECK_MEDIA, BREAKDOWN_MEDIA_WAIT, false},
        {ALONE, BOTTLENECK_DEPTH, BREAKDOWN_SERIALISATION, false},
        {FULL, BOTTLENECK_LINK, BREAKDOWN_QUEUED, true},
    };
    struct sum all = {0};
    for (uint32_t w = 0; w < WORKLOADS; w++) {
        const struct sum sum = sum_of(w, BREAKDOWN_OPERATIONS, -1);
        all.latency += sum.latency;
        for (int i = 0; i < BREAKDOWN_PARTS; i++)
            all.ps[0][i] += part_of(&sum, (enum breakdown_part)i);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct sum sum = sum_of(rows[i].workload, BREAKDOWN_OPERATIONS, -1);
        const struct bottleneck *found = &run.result.limits[rows[i].workload].found;
        assert_int_equal(found->resource, rows[i].resource);
        says(found, &sum, rows[i].part, rows[i].placed ? place_of(rows[i].workload) : "");
    }
    says(&run.result.limit, &all, BREAKDOWN_QUEUED, place_of(FULL));
    assert_int_equal(ask("SELECT count(*) FROM result WHERE path='bottleneck_account'"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_the_sum_of_its_lives),
        cmocka_unit_test(the_slowest_are_a_hundredth_and_none_is_slower),
        cmocka_unit_test(parts_of_the_slowest_stand_at_their_own_place),
        cmocka_unit_test(each_member_has_its_own_lives),
        cmocka_unit_test(each_place_has_what_was_waited_for_there),
        cmocka_unit_test(the_sums_are_values_of_the_result),
        cmocka_unit_test(the_verdict_says_which_part_and_where),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

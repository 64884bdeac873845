/* SPDX-License-Identifier: Apache-2.0
 * The totals of a run, counted a second time from what the probe tells meanwhile: frames on
 * wires, pauses and how long they held, drops by cause, marks; and of workloads from each I/O. */
#include "base/drop.h"
#include "replay/database/words.h"
#include "replay/record/collect.h"
#include "replay/run/fabric.h"
#include "replay/usage/usages.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 32, PORTS = 16 };

struct tally {
    struct probe probe; /* what the world is given; the observer's comes behind it */
    struct observe observe;
    const struct scenario *scenario;
    time_ps blocked_since[NODES][PORTS][PRIORITIES]; /* 0: not stopped */
    time_ps sent_ps[NODES][PORTS];                   /* frames on the wire, with their gaps */
    struct result_totals totals, counted;            /* so far; when the totals were taken */
    int64_t ios, bytes_read, bytes_written;
};

static struct tally tally;

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct result_totals *totals = &tally.totals;
    (void)self;
    switch ((enum probe_drop_cause)drop->cause) {
    case PROBE_DROP_BUFFER:
    case PROBE_DROP_EGRESS:
    case PROBE_DROP_RX_BUFFER:
        totals->drops_lossless += drop->lossless;
        totals->drops_lossy += !drop->lossless;
        break;
    case PROBE_DROP_MTU:
        totals->drops_mtu++;
        break;
    case PROBE_DROP_INJECTED:
        totals->drops_injected++;
        break;
    case PROBE_DROP_WATCHDOG:
        totals->drops_watchdog++;
        break;
    case PROBE_DROP_LIFETIME:
        totals->drops_lifetime++;
        break;
    case PROBE_DROP_LINK_DOWN:
        totals->drops_link_down++;
        break;
    case PROBE_DROP_NO_ROUTE:
        totals->drops_no_route++;
        break;
    case PROBE_DROP_TTL:
        totals->drops_ttl++;
        break;
    case PROBE_DROP_CORRUPT:
        totals->drops_corrupt++;
        break;
    default:
        fail_msg("cause %u was not expected", drop->cause);
    }
    tally.observe.probe.drop(tally.observe.probe.self, drop);
}

static void over(time_ps since, time_ps now)
{
    tally.totals.pfc_paused_ps += now - since;
    if (now - since > tally.totals.pfc_longest_pause_ps)
        tally.totals.pfc_longest_pause_ps = now - since;
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    time_ps *since = &tally.blocked_since[blocked->node][blocked->port][blocked->priority];
    (void)self;
    if (!blocked->blocked && *since != 0)
        over(*since, blocked->at);
    if (!blocked->blocked || *since == 0)
        *since = blocked->blocked ? blocked->at : 0;
    tally.observe.probe.blocked(tally.observe.probe.self, blocked);
}

static void on_frame(void *self, const struct probe_frame *frame)
{
    const bool host = tally.scenario->nodes[frame->node].kind == SCENARIO_HOST;
    (void)self;
    tally.sent_ps[frame->node][frame->port] += frame->wire_ps;
    tally.totals.packet_hops++;
    tally.totals.packets += host || frame_is_mac_control(frame->frame);
    if (!frame_is_mac_control(frame->frame))
        return;
    for (int i = 0; i < PRIORITIES; i++) {
        if ((frame->frame->classes >> i & 1) == 0)
            continue;
        tally.totals.pfc_pause_frames += frame->frame->quanta[i] > 0;
        tally.totals.pfc_resume_frames += frame->frame->quanta[i] == 0;
    }
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    (void)self;
    tally.ios++;
    tally.bytes_read += io->opcode == 2 ? io->bytes : 0;
    tally.bytes_written += io->opcode == 1 ? io->bytes : 0;
    tally.observe.probe.host_io(tally.observe.probe.self, io);
}

/* Plays it to its end with both counting; the result of the one under test. */
static struct result play(const char *text)
{
    static struct diag diag;
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    tally = (struct tally){.probe = probe_none};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    struct explain_fabric fabric;
    fabric_init(&fabric, scenario);
    observe_init(&tally.observe, &fabric, scenario->workload_count, &(struct observe_wishes){0});
    tally.scenario = scenario;
    tally.probe = tally.observe.probe;
    tally.probe.drop = on_drop;
    tally.probe.blocked = on_blocked;
    tally.probe.frame = on_frame;
    tally.probe.host_io = on_host_io;
    struct world *world = world_build(scenario, &tally.probe, &diag);
    assert_non_null(world);
    struct usages usages;
    usages_init(&usages, world);
    while (usages.next != TIME_NEVER && world_run(world, usages.next))
        usages_take(&usages);
    while (world_run(world, world->engine.now + PS_PER_MS))
        ;
    usages_end(&usages, world->engine.now, scenario->duration);
    observe_finish(&tally.observe, world->engine.now);
    struct route_table *routes = world_routes(world);
    const struct collect collect = {.scenario = scenario,
                                    .stats = world->stats,
                                    .routes = routes,
                                    .world = world,
                                    .observe = &tally.observe,
                                    .usages = &usages,
                                    .now = world->engine.now,
                                    .window_end = scenario->duration,
                                    .until = TIME_NEVER};
    struct result result = {0};
    collect_result(&collect, &result);
    usages_fini(&usages);
    free(routes);
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t port = 0; port < scenario->nodes[node].port_count; port++)
            for (int i = 0; i < PRIORITIES; i++)
                if (tally.blocked_since[node][port][i] != 0) {
                    tally.totals.pfc_paused_at_end++;
                    over(tally.blocked_since[node][port][i], world->engine.now);
                }
    tally.counted = tally.totals; /* the end of a world breaks connections */
    world_free(world);
    observe_fini(&tally.observe);
    fabric_fini(&fabric);
    scenario_free(scenario);
    return result;
}

/* What the probe tells of; the rest is the engine's, or needs the inside of a switch. */
static void compare(const struct result_totals *counted, const struct result_totals *reported)
{
#define SAME(member) assert_int_equal(reported->member, counted->member)
    SAME(packets);
    SAME(packet_hops);
    SAME(drops_lossless);
    SAME(drops_lossy);
    SAME(drops_mtu);
    SAME(drops_corrupt);
    SAME(drops_watchdog);
    SAME(drops_link_down);
    SAME(drops_no_route);
    SAME(drops_ttl);
    SAME(drops_injected);
    SAME(pfc_pause_frames);
    SAME(pfc_resume_frames);
    SAME(pfc_paused_ps);
    SAME(pfc_longest_pause_ps);
    SAME(pfc_paused_at_end);
#undef SAME
}

#define HEAD "stormglass: 1\nname: totals\nduration: 1ms\n"
#define STAR(switch_more)                                                                          \
    "fabric: {topology: {kind: single-switch, hosts: 5},\n"                                        \
    "         switch: {buffer: 2MB, ports: 1, policy: static, xoff: 60KB" switch_more "}}\n"
#define INCAST                                                                                     \
    "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: host0, namespaces: [{media: "    \
    "\"null\"}]}}\n"                                                                               \
    "workloads:\n"                                                                                 \
    "  - {name: r, kind: nvme, from: \"host1..host4\", to: host0, read: 50%, block-size: 16KiB,\n" \
    "     queue-depth: 8}\n"

static const char *const texts[] = {
    HEAD STAR("") INCAST,
    /* pauses that end late, and drops of all sorts */
    HEAD STAR("") INCAST
    "faults: [{at: 100us, for: 200us, kind: pause-storm, priority: 3, where: "
    "host1}, {at: 500us, for: 100us, kind: link-down, where: host2},\n"
    "         {at: 300us, for: 100us, kind: drop-every, n: 50, where: host3}]\n",
    HEAD STAR(", pfc: {priorities: [4]}") INCAST
    "  - {name: w, kind: rdma-write, from: \"host1..host4\", to: host0, message-size: 256KiB, "
    "outstanding: 8}\n",
    HEAD "drain: 0s\n" STAR("") INCAST
    "faults: [{at: 900us, kind: pause-storm, priority: 3, where: host0}]\n",
};

static void totals_are_what_was_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct result result = play(texts[i]);
        compare(&tally.counted, &result.totals);
        const struct result_workload *workload = &result.workloads[0];
        assert_true(tally.ios > 100 || i == 2);
        assert_true(tally.counted.pfc_paused_ps > 0 || i == 2);
        assert_int_equal(tally.counted.drops_injected > 0, i == 1);
        assert_int_equal(tally.counted.drops_link_down > 0, i == 1);
        assert_int_equal(tally.counted.drops_lossy > 0, i == 2);
        assert_int_equal(tally.counted.pfc_paused_at_end > 0, i == 3);
        assert_int_equal(workload->completed + workload->failed, tally.ios);
        assert_int_equal(workload->issued, tally.ios + workload->unfinished);
        assert_int_equal(workload->bytes, workload->bytes_read + workload->bytes_written);
        if (workload->failed == 0) {
            assert_int_equal(workload->bytes_read, tally.bytes_read);
            assert_int_equal(workload->bytes_written, tally.bytes_written);
        }
        result_free(&result);
    }
}

/* Whose words are of which node and port: between the switch and host4, in either direction. */
static void the_busiest_link_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *workload, *words;
        uint32_t node;
    } rows[] = {
        {"kind: rdma-write, from: host4, to: host2", "busiest link: host4:p0 to switch0, ", 4},
        {"kind: rdma-read, from: host2, to: host4", "busiest link: host4:p0 to switch0, ", 4},
        {"kind: rdma-write, from: host2, to: host4", "busiest link: host2:p0 to switch0, ", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD STAR("") "workloads: [{name: w, %s, message-size: 4KiB, outstanding: 1}]\n",
                 rows[i].workload);
        struct result result = play(text);
        const int64_t sent = tally.sent_ps[rows[i].node][0] * PPM / PS_PER_MS;
        const int64_t used = result.limits[0].input.uses[BOTTLENECK_LINK].used;
        assert_true(sent > PPM / 20);
        assert_in_range(used, sent * 9 / 10, sent * 11 / 10);
        if (strstr(result.limit.text, rows[i].words) == NULL)
            fail_msg("'%s' in '%s'", rows[i].words, result.limit.text);
        result_free(&result);
    }
}

/* ------------------------------------------------------------------ drops of a place */

static void drops_are_summed_by_place_and_cause(void **state)
{
    (void)state;
    static const uint32_t first_port[] = {0, 4, 8};
    static const struct explain_fabric fabric = {.node_count = 2, .first_port = first_port};
    struct probe_drop drop = {.at = 5,
                              .node = 1,
                              .port = 2,
                              .priority = 3,
                              .cause = PROBE_DROP_BUFFER,
                              .egress = 1,
                              .frame_bytes = 100,
                              .lossless = true};
    struct observe observe;
    observe_init(&observe, &fabric, 0, &(struct observe_wishes){0});
    const struct probe *probe = &observe.probe;
    probe->drop(probe->self, &drop);
    struct probe_drop others[] = {drop, drop, drop, drop, drop};
    others[0].node = 0;
    others[1].port = 3;
    others[2].priority = 4;
    others[3].cause = PROBE_DROP_INJECTED;
    others[4].lossless = false;
    for (size_t i = 0; i < 5; i++)
        probe->drop(probe->self, &others[i]);
    drop.at = 9;
    drop.frame_bytes = 60;
    drop.egress = 3; /* a frame came in by its port, wherever it would have left */
    probe->drop(probe->self, &drop);
    assert_int_equal(observe.drop_count, 6);
    assert_int_equal(observe.drops[0].frames, 2);
    assert_int_equal(observe.drops[0].bytes, 160);
    assert_int_equal(observe.drops[0].first, 5);
    assert_int_equal(observe.drops[0].last, 9);
    for (size_t i = 0; i < 5; i++) {
        const struct observe_drops *drops = &observe.drops[i + 1];
        assert_int_equal(drops->node, others[i].node);
        assert_int_equal(drops->port, others[i].port);
        assert_int_equal(drops->priority, others[i].priority);
        assert_int_equal(drops->cause, others[i].cause);
        assert_int_equal(drops->lossless, others[i].lossless);
        assert_int_equal(drops->frames, 1);
    }
    assert_int_equal(observe_dropped(&observe, PROBE_DROP_BUFFER, true), 5);
    assert_int_equal(observe_dropped(&observe, PROBE_DROP_BUFFER, false), 1);
    assert_int_equal(observe_dropped(&observe, PROBE_DROP_INJECTED, true), 1);
    assert_int_equal(observe_dropped(&observe, PROBE_DROP_MTU, true), 0);
    drop.cause = PROBE_DROP_MTU; /* it did not fit the port that it would have left by */
    probe->drop(probe->self, &drop);
    assert_int_equal(observe.drops[6].port, 3);
    drop.egress = UINT16_MAX; /* there is none */
    probe->drop(probe->self, &drop);
    assert_int_equal(observe.drops[7].port, 2);
    observe_fini(&observe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_what_was_told),
        cmocka_unit_test(the_busiest_link_is_named),
        cmocka_unit_test(drops_are_summed_by_place_and_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

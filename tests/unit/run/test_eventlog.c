/* SPDX-License-Identifier: Apache-2.0
 * test_eventlog - events of a small fabric in words, and which of them are kept. */
#include "net/frame/frame.h"
#include "replay/run/eventlog.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "stormglass: 1\n"
    "name: log\n"
    "duration: 20us\n"
    "fabric: {topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2}}\n"
    "workloads: [{name: w, kind: rdma-write, from: host1, to: host2, message-size: 4KiB,\n"
    "  count: 2}]\n";

struct fixture {
    struct diag diag;
    struct scenario *scenario;
    struct world *world;
};

static int set_up(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    const struct scenario_input input = {.name = "log", .text = text, .length = sizeof text - 1};
    fixture->scenario = scenario_load(&input, &fixture->diag);
    diag_print(&fixture->diag, stderr);
    assert_non_null(fixture->scenario);
    fixture->world = world_build(fixture->scenario, &probe_none, &fixture->diag);
    assert_non_null(fixture->world);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    world_free(fixture->world);
    scenario_free(fixture->scenario);
    free(fixture);
    return 0;
}

static uint32_t node_of(const struct fixture *fixture, const char *name)
{
    uint32_t node = 0;
    while (strcmp(fixture->scenario->nodes[node].name, name) != 0)
        assert_true(++node < fixture->scenario->node_count);
    return node;
}

static void an_event_has_words(void **state)
{
    static const struct {
        const char *node;
        struct eventlog_event event;
        const char *port, *what;
    } rows[] = {
        {"leaf0",
         {.port = 2,
          .kind = NET_EVENT_ARRIVAL,
          .opcode = FRAME_RC_SEND_ONLY,
          .bytes = 1090,
          .source = 3,
          .destination = 0,
          .qpn = 17,
          .psn = 5},
         "leaf0:p2",
         "RC_SEND_ONLY from host3 to host0 arrives (QP 17, PSN 5, 1090 B)"},
        {"host1",
         {.kind = NET_EVENT_ARRIVAL, .opcode = FRAME_PFC, .bytes = 64, .source = 9},
         "host1:p0",
         "PFC arrives"},
        {"host1",
         {.kind = NET_EVENT_ARRIVAL, .opcode = FRAME_PAUSE, .bytes = 64, .source = 9},
         "host1:p0",
         "PAUSE arrives"},
        {"leaf1", {.port = 1, .kind = NET_EVENT_ARRIVAL}, "leaf1:p1", "a frame arrives"},
        {"leaf1", {.kind = NET_EVENT_DEQUEUE}, "leaf1:p0", "selects the next frame to send"},
        {"host0", {.kind = NET_EVENT_DEQUEUE}, "host0:p0", "selects the next frame to send"},
        {"leaf1", {.kind = NET_EVENT_PFC_ACT}, "leaf1:p0", "a pause takes effect"},
        {"leaf1", {.kind = NET_EVENT_PAUSE_END}, "leaf1:p0", "a pause expires"},
        {"leaf1", {.kind = NET_EVENT_PFC_REFRESH}, "leaf1:p0", "refreshes a pause"},
        {"leaf1", {.kind = NET_EVENT_FIRST_OWN}, "leaf1:p0", "a cut-through frame may leave"},
        {"spine0", {.kind = NET_EVENT_FIRST_OWN + 1}, "spine0:p0", "the PFC watchdog polls"},
        {"host0", {.kind = RNIC_EVENT_DOORBELL}, "host0:p0", "a doorbell"},
        {"host0", {.kind = RNIC_EVENT_TIMEOUT}, "host0:p0", "ACK timeout of a queue pair"},
        {"host0",
         {.kind = RNIC_EVENT_SRQ_LIMIT},
         "host0:p0",
         "few receives are left in a shared receive queue"},
        {"host0",
         {.kind = RNIC_EVENT_REACTION},
         "host0:p0",
         "the RNIC sends a NAK, or follows one"},
        {"host0", {.kind = RNIC_EVENT_CQ_ERROR}, "host0:p0", "a completion queue overran"},
        {"host0", {.kind = HOST_EVENT_PROCESSOR}, "host0:p0", "the CPU is free"},
        {"host0", {.kind = UINT8_MAX}, "host0:p0", "an event"},
    };
    const struct fixture *fixture = *state;
    struct eventlog log;
    struct arena arena = {0};
    eventlog_begin(&log, fixture->world);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct eventlog_event event = rows[i].event;
        event.node = node_of(fixture, rows[i].node);
        event.at = (time_ps)i;
        const struct eventlog_reported reported = eventlog_tell(&log, &event, &arena);
        assert_int_equal(reported.at, i);
        assert_string_equal(reported.port, rows[i].port);
        assert_string_equal(reported.what, rows[i].what);
    }
    arena_free(&arena);
    eventlog_fini(&log);
}

/* Endpoints are the ports of hosts, one after another; a switch has none. */
static void each_port_of_a_host_is_its_hosts(void **state)
{
    (void)state;
    static const char dual[] =
        "stormglass: 1\nname: dual\nduration: 1us\n"
        "fabric: {topology: {kind: explicit, hosts: [a, b, c], switches: [s, t], links: "
        "[{ends: [a, s]}, {ends: [a, t]}, {ends: [b, s]}, {ends: [c, s]}, {ends: [c, t]}, "
        "{ends: [s, t]}]}}\n"
        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n";
    static const char *const hosts[] = {"a", "a", "b", "c", "c"};
    struct fixture fixture = {0};
    struct eventlog log;
    const struct scenario_input input = {.name = "dual", .text = dual, .length = sizeof dual - 1};
    fixture.scenario = scenario_load(&input, &fixture.diag);
    diag_print(&fixture.diag, stderr);
    assert_non_null(fixture.scenario);
    fixture.world = world_build(fixture.scenario, &probe_none, &fixture.diag);
    assert_non_null(fixture.world);
    eventlog_begin(&log, fixture.world);
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++)
        assert_int_equal(log.host_of[i], node_of(&fixture, hosts[i]));
    eventlog_fini(&log);
    world_free(fixture.world);
    scenario_free(fixture.scenario);
}

/* All that is kept counts but the node: that is a number of its own world. */
static void events_are_equal_by_what_happened(void **state)
{
    (void)state;
    const struct eventlog_event event = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct eventlog_event others[] = {event, event, event, event, event,
                                      event, event, event, event, event};
    others[0].at++;
    others[1].meaning++;
    others[2].port++;
    others[3].kind++;
    others[4].opcode++;
    others[5].source++;
    others[6].destination++;
    others[7].qpn++;
    others[8].psn++;
    others[9].bytes++;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(eventlog_equal(&event, &others[i]));
    struct eventlog_event elsewhere = event;
    elsewhere.node++;
    assert_true(eventlog_equal(&event, &elsewhere));
}

/* Three messages of the connection manager, two of a frame each and two acknowledgments. */
static void what_happened_is_kept_in_order(void **state)
{
    struct fixture *fixture = *state;
    struct eventlog log;
    eventlog_init(&log, fixture->world);
    world_run(fixture->world, TIME_NEVER);
    const uint32_t from = node_of(fixture, "host1"), to = node_of(fixture, "host2");
    uint32_t arrived = 0, answered = 0, arrivals = 0, meaning = 0;
    for (uint32_t i = 0; i < log.count; i++) {
        const struct eventlog_event *event = &log.events[i];
        assert_true(i == 0 || event->at >= log.events[i - 1].at);
        assert_int_equal(event->bytes > 0, event->kind == NET_EVENT_ARRIVAL);
        meaning += event->meaning != 0;
        if (event->bytes == 0)
            continue;
        arrivals++;
        const bool there = log.host_of[event->destination] == to;
        assert_int_equal(log.host_of[event->source], there ? from : to);
        arrived += there && event->node == to && event->opcode == FRAME_RC_WRITE_ONLY;
        answered += event->node == from && event->opcode == FRAME_RC_ACKNOWLEDGE;
    }
    assert_int_equal(arrived, 2);
    assert_int_equal(answered, 2);
    assert_int_equal(arrivals, (3 + 2 + 2) * 4); /* over four links */
    assert_in_range(meaning, 4, log.count - 1);
    eventlog_clear(&log);
    assert_int_equal(log.count, 0);
    eventlog_fini(&log);
    assert_null(fixture->world->engine.watch);
}

static void a_log_may_be_of_one_node(void **state)
{
    struct fixture *fixture = *state;
    struct eventlog log;
    eventlog_init(&log, fixture->world);
    log.only = node_of(fixture, "leaf1");
    world_run(fixture->world, TIME_NEVER);
    uint32_t arrivals = 0;
    bool any = false;
    for (uint32_t i = 0; i < log.count; i++) {
        assert_int_equal(log.events[i].node, log.only);
        arrivals += log.events[i].kind == NET_EVENT_ARRIVAL;
        any |= log.events[i].meaning != 0;
    }
    assert_true(any);
    assert_int_equal(arrivals, 3 + 2 + 2);
    eventlog_fini(&log);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(an_event_has_words),
        TEST(each_port_of_a_host_is_its_hosts),
        TEST(events_are_equal_by_what_happened),
        TEST(what_happened_is_kept_in_order),
        TEST(a_log_may_be_of_one_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

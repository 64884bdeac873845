/* SPDX-License-Identifier: Apache-2.0
 * What `show` says of ports, queues, memory, faults and commands is what the world counts. */
#include "base/drop.h"
#include "replay/step/step_command.h"
#include "replay/step/step_say_private.h"
#include "scenarios/load/load.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pauses from 100 us on, a host that pauses without end from 300 us, a link that is down. */
static const char text[] =
    "stormglass: 1\n"
    "name: show\n"
    "duration: 400us\n"
    "drain: 1ms\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 3}\n"
    "  switch: {buffer: 6MiB, headroom: 40KiB, policy: static, xoff: 50KB}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: ideal, congestion-control: none}}\n"
    "workloads:\n"
    "  - {name: hot, kind: rdma-write, from: \"host1..host4\", to: host0, message-size: 64KiB}\n"
    "  - {name: raw, kind: rdma-write, from: host5, to: host3, message-size: 64KiB, stop: 20us}\n"
    "  - {name: late, kind: rdma-write, from: host3, to: host2, start: 390us}\n"
    "faults:\n"
    "  - {at: 100us, for: 150us, kind: slow-receiver, drain: 4%, where: host0}\n"
    "  - {at: 300us, for: 40us, kind: pause-storm, where: [host1, host2]}\n"
    "  - {at: 350us, kind: link-down, where: host5-leaf1}\n";

static struct diag diag;

static struct stepper *begin(struct scenario **scenario)
{
    const struct scenario_input input = {.name = "show", .text = text, .length = sizeof text - 1};
    diag = (struct diag){0};
    *scenario = scenario_load(&input, &diag);
    if (*scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    struct stepper *stepper = stepper_new(*scenario, NULL, &diag);
    assert_non_null(stepper);
    return stepper;
}

static void end(struct scenario *scenario, struct stepper *stepper)
{
    stepper_free(stepper);
    scenario_free(scenario);
}

static void go(struct stepper *stepper, time_ps until)
{
    struct step_moved moved;
    const struct step_goal goal = {.events = UINT64_MAX, .until = until, .slice = UINT64_MAX};
    stepper_move(stepper, &goal, &moved);
}

/* The caller frees it. */
static char *shown(const struct stepper *stepper, const struct step_subject *subject)
{
    char *reported = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&reported, &bytes);
    assert_non_null(out);
    step_show(stepper, subject, 0, out);
    fclose(out);
    return reported;
}

static struct step_subject of_node(const struct stepper *stepper, const char *name)
{
    struct step_subject subject = step_subject_any;
    subject.node = scenario_find_node(stepper_world(stepper)->scenario, name);
    assert_true(subject.node < stepper_world(stepper)->scenario->node_count);
    return subject;
}

/* The text has the line, as a whole and once. */
static void has_line(const char *reported, const char *line)
{
    const size_t length = strlen(line);
    int count = 0;
    for (const char *at = reported; (at = strstr(at, line)) != NULL; at += length)
        count += (at == reported || at[-1] == '\n') && at[length] == '\n';
    if (count != 1)
        fail_msg("%d times '%s' in:\n%s", count, line, reported);
}

static int lines_of(const char *reported)
{
    int count = 0;
    for (; *reported != '\0'; reported++)
        count += *reported == '\n';
    return count;
}

/* ------------------------------------------------------------------ ports */

static bool lane_line(const struct stepper *stepper, uint32_t node, uint16_t index,
                      uint8_t priority, char *line, size_t size)
{
    const struct world *world = stepper_world(stepper);
    const struct port *port = world_port(world, node, index);
    const bool is_switch = world->scenario->nodes[node].kind == SCENARIO_SWITCH;
    const struct step_name peer = step_peer_name(stepper, node, index);
    const time_ps now = world->engine.now;
    const unsigned bit = 1u << priority;
    uint32_t frames = 0;
    int used = snprintf(line, size, "  p%u to %s, priority %u", index, peer.text, priority);
    const int bare = used;
#define SAY(...) used += snprintf(line + used, size - (size_t)used, __VA_ARGS__)
    for (uint32_t at = port->prios[priority].head; at != POOL_NONE;
         at = frame_at(port->frames, at)->next)
        frames++;
    if (frames > 0)
        SAY("; %s queued in %u %s", words_bytes(port->prios[priority].bytes).text, frames,
            frames == 1 ? "frame" : "frames");
    else if (!is_switch && (port->ready & bit) != 0)
        SAY("; has frames to send");
    if ((port->paused & bit) != 0)
        SAY("; paused by %s for %s", peer.text,
            words_time(now - port->pauses[priority].blocked_since).text);
    if ((port->asserted & bit) != 0)
        SAY("; has paused %s for %s", peer.text,
            words_time(now - port->pauses[priority].asserted_since).text);
    if (is_switch) {
        const struct buffer *buffer = &world_switch(world, node)->buffer;
        const struct buffer_group *group = &buffer->groups[index * PRIORITIES + priority];
        const int64_t share = buffer_group_share(group);
        if (buffer_held(group) > 0)
            SAY("; buffers %s received from %s",
                words_bytes(buffer_bytes(buffer, buffer_held(group))).text, peer.text);
        if (buffer_held(group) > 0 && (world_switch(world, node)->lossless & bit) != 0)
            SAY(" (%s in shared memory, XOFF at %s%s%s%s%s)",
                words_bytes(buffer_bytes(buffer, share)).text,
                words_bytes(buffer_bytes(buffer, buffer_group_threshold(buffer, group))).text,
                group->headroom_used > 0 ? "; " : "",
                group->headroom_used > 0
                    ? words_bytes(buffer_bytes(buffer, group->headroom_used)).text
                    : "",
                group->headroom_used > 0 ? " in headroom of " : "",
                group->headroom_used > 0 ? words_bytes(buffer_bytes(buffer, group->headroom)).text
                                         : "");
    }
#undef SAY
    return used > bare;
}

static int expect_lanes(const struct stepper *stepper, const struct step_subject *subject,
                        const char *reported)
{
    char line[320];
    int count = 0;
    for (uint16_t port = 0; port < step_node(stepper, subject->node)->port_count; port++)
        for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
            const bool wanted = subject->port == SCENARIO_ALL_PORTS || subject->port == port;
            if (!wanted || !lane_line(stepper, subject->node, port, priority, line, sizeof line))
                continue;
            has_line(reported, line);
            count++;
        }
    if (count == 0)
        has_line(reported, "  no frame is queued, and no port is paused");
    return count == 0 ? 1 : count;
}

struct seen {
    int stops, waits, on_wire, headroom, without_carrier;
};

static void expect_port(const struct stepper *stepper, uint32_t node, uint16_t index,
                        struct seen *seen)
{
    const struct world *world = stepper_world(stepper);
    const struct port *port = world_port(world, node, index);
    struct step_subject subject = step_subject_any;
    subject.node = node;
    subject.port = index;
    char *reported = shown(stepper, &subject), line[256];
    const bool on_wire = port->busy_until > world->engine.now;
    const bool down = (port->odd & PORT_DOWN) != 0;
    snprintf(line, sizeof line, "%s:p%u: 100 Gb/s to %s%s%s", step_node(stepper, node)->name, index,
             step_peer_name(stepper, node, index).text, down ? ", link down" : "",
             on_wire ? ", transmitting a frame" : "");
    has_line(reported, line);
    int count = 1;
    for (int i = 0; i < PRIORITIES; i++) {
        const struct port_prio *prio = &port->prios[i];
        const struct port_pauses *pauses = &port->pauses[i];
        if (prio->tx_frames == 0 && prio->rx_frames == 0)
            continue;
        snprintf(line, sizeof line,
                 "  priority %d: %" PRIu64 " frame%s sent, %" PRIu64 " received; %" PRIu64
                 " XOFF%s sent, %" PRIu64 " received; longest queue %s",
                 i, prio->tx_frames, prio->tx_frames == 1 ? "" : "s", prio->rx_frames,
                 pauses->tx_xoff, pauses->tx_xoff == 1 ? "" : "s", pauses->rx_xoff,
                 words_bytes(prio->peak).text);
        has_line(reported, line);
        count++;
    }
    count += expect_lanes(stepper, &subject, reported);
    assert_int_equal(lines_of(reported), count);
    seen->on_wire += on_wire;
    seen->without_carrier += down;
    seen->stops += strstr(reported, "; paused by ") != NULL;
    seen->waits += strstr(reported, " queued in ") != NULL;
    seen->headroom += strstr(reported, " in headroom of ") != NULL;
    free(reported);
}

static void ports_tell_what_they_count(void **state)
{
    (void)state;
    struct scenario *scenario;
    struct stepper *stepper = begin(&scenario);
    struct seen seen = {0};
    for (time_ps at = 0; at < 500 * PS_PER_US; at += 17 * PS_PER_US) {
        go(stepper, at);
        for (uint32_t node = 0; node < scenario->node_count; node++)
            for (uint16_t port = 0; port < scenario->nodes[node].port_count; port++)
                expect_port(stepper, node, port, &seen);
    }
    assert_true(seen.stops > 10 && seen.waits > 10 && seen.on_wire > 10);
    assert_true(seen.headroom > 0 && seen.without_carrier > 0);
    end(scenario, stepper);
}

/* ------------------------------------------------------------------ switches and hosts */

static void expect_switch(const struct stepper *stepper, const char *name)
{
    const struct step_subject subject = of_node(stepper, name);
    const struct swtch *swtch = world_switch(stepper_world(stepper), subject.node);
    const struct buffer *buffer = &swtch->buffer;
    const int64_t used = buffer_bytes(buffer, (int64_t)buffer->used + buffer->headroom_used);
    const int64_t all = buffer_bytes(buffer, buffer->total);
    char *reported = shown(stepper, &subject), line[256];
    snprintf(line, sizeof line,
             "%s: packet memory holds %s of 6.00 MiB (%d%%), headroom holds %s of %s", name,
             words_bytes(used).text, (int)(used * 100 / all),
             words_bytes(buffer_bytes(buffer, buffer->headroom_used)).text,
             words_bytes(buffer_bytes(buffer, buffer->headroom_size)).text);
    has_line(reported, line);
    uint64_t dropped = 0;
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        dropped += swtch->counters.dropped[i];
    snprintf(line, sizeof line, "  %" PRIu64 " frame%s dropped, %" PRIu64 " ECN-marked", dropped,
             dropped == 1 ? "" : "s", swtch->counters.ecn_marked);
    has_line(reported, line);
    assert_int_equal(lines_of(reported), 2 + expect_lanes(stepper, &subject, reported));
    free(reported);
}

static void switches_tell_their_memory(void **state)
{
    (void)state;
    struct scenario *scenario;
    struct stepper *stepper = begin(&scenario);
    static const time_ps moments[] = {0, 90, 130, 249, 320, 380, 480};
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        go(stepper, moments[i] * PS_PER_US);
        expect_switch(stepper, "leaf0");
        expect_switch(stepper, "leaf1");
        expect_switch(stepper, "spine0");
    }
    end(scenario, stepper);
}

/* 4 % of 100 Gbit/s; a storm is a fault of its own. */
static void hosts_tell_their_receive_buffers(void **state)
{
    (void)state;
    struct scenario *scenario;
    struct stepper *stepper = begin(&scenario);
    struct step_subject subject = of_node(stepper, "host0");
    const struct rx_buffer *rx = &world_host(stepper_world(stepper), subject.node)->rnics[0]->rx;
    char line[256];
    go(stepper, 200 * PS_PER_US);
    snprintf(line, sizeof line,
             "host0:p0: receive buffer holds %s of %s (XOFF above %s, XON at %s), drained "
             "at 4.00 Gb/s",
             words_bytes(rx->held).text, words_bytes(rx->size).text, words_bytes(rx->xoff).text,
             words_bytes(rx->xon).text);
    assert_true(rx->held > 0);
    char *reported = shown(stepper, &subject);
    has_line(reported, line);
    free(reported);
    reported = shown(stepper, &step_subject_any); /* all in short: those with something in them */
    has_line(reported, line);
    assert_null(strstr(reported, "host1:p0: "));
    free(reported);
    go(stepper, 320 * PS_PER_US);
    subject = of_node(stepper, "host1");
    reported = shown(stepper, &subject);
    assert_non_null(strstr(reported, "; a fault keeps its peer paused\n"));
    assert_null(strstr(reported, ", drained at"));
    free(reported);
    reported = shown(stepper, &step_subject_any);
    assert_non_null(strstr(reported, "host1:p0: "));
    assert_null(strstr(reported, "host3:p0: "));
    free(reported);
    end(scenario, stepper);
}

/* ------------------------------------------------------------------ all in short */

static void faults_are_told_while_they_last(void **state)
{
    (void)state;
    static const struct {
        time_ps at;
        const char *line; /* NULL: none lasts */
    } rows[] = {
        {100 * PS_PER_US - 1, NULL},
        {100 * PS_PER_US, "fault slow-receiver at host0 began 0 ps ago"},
        {250 * PS_PER_US - 1, "fault slow-receiver at host0 began 150 us ago"},
        {250 * PS_PER_US, NULL},
        {310 * PS_PER_US, "fault pause-storm at host1 and other ports began 10.0 us ago"},
        {340 * PS_PER_US, NULL},
        {380 * PS_PER_US, "fault link-down at host5 and other ports began 30.0 us ago"},
    };
    struct scenario *scenario;
    struct stepper *stepper = begin(&scenario);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        go(stepper, rows[i].at);
        char *reported = shown(stepper, &step_subject_any);
        if (rows[i].line != NULL)
            has_line(reported, rows[i].line);
        else
            assert_null(strstr(reported, "fault "));
        free(reported);
    }
    end(scenario, stepper);
}

static void stopped_ports_and_workloads_are_told(void **state)
{
    (void)state;
    struct scenario *scenario;
    struct stepper *stepper = begin(&scenario);
    static const time_ps moments[] = {50, 130, 249, 320, 380, 395};
    int stops = 0;
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
        go(stepper, moments[i] * PS_PER_US);
        const struct world *world = stepper_world(stepper);
        char *reported = shown(stepper, &step_subject_any), line[256];
        for (uint32_t node = 0; node < scenario->node_count; node++)
            for (uint16_t p = 0; p < scenario->nodes[node].port_count; p++)
                for (unsigned priority = 0; priority < PRIORITIES; priority++) {
                    const struct port *port = world_port(world, node, p);
                    const bool stopped = (port->paused >> priority & 1) != 0;
                    assert_int_equal(stepper_paused_since(stepper, node, p, (uint8_t)priority),
                                     stopped ? port->pauses[priority].blocked_since : TIME_NEVER);
                    if (!stopped)
                        continue;
                    snprintf(
                        line, sizeof line, "%s:p%u, priority %u: paused by %s for %s",
                        scenario->nodes[node].name, p, priority,
                        step_peer_name(stepper, node, p).text,
                        words_time(moments[i] * PS_PER_US - port->pauses[priority].blocked_since)
                            .text);
                    has_line(reported, line);
                    stops++;
                }
        for (uint32_t w = 0; w < scenario->workload_count; w++) {
            const struct workload_stats *stats = &world->stats[w];
            snprintf(line, sizeof line,
                     "%s: %" PRIu64 " operation%s issued, %" PRIu64 " completed, 0 failed, %" PRIu64
                     " outstanding",
                     stats->name, stats->issued, stats->issued == 1 ? "" : "s", stats->completed,
                     stats->issued - stats->completed);
            has_line(reported, line);
        }
        free(reported);
    }
    assert_true(stops > 3);
    end(scenario, stepper);
}

/* A port that nothing is linked to. */
static void a_spare_port_has_nobody_at_its_end(void **state)
{
    static const char spare[] =
        "stormglass: 1\nname: spare\nduration: 10us\nfabric: {topology: {kind: explicit, "
        "hosts: [a, b], switches: [s], links: [{ends: [\"s:p0\", a]}, {ends: [\"s:p2\", b]}]}}\n"
        "workloads: [{name: w, kind: rdma-write, from: a, to: b}]\n";
    static const char *const peers[] = {" to a:p0", " to nobody", " to b:p0"};
    const struct scenario_input input = {.name = "s", .text = spare, .length = sizeof spare - 1};
    (void)state;
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    struct stepper *stepper = stepper_new(scenario, NULL, &diag);
    assert_non_null(stepper);
    for (uint16_t i = 0; i < 3; i++) {
        struct step_subject subject = of_node(stepper, "s");
        subject.port = i;
        char *reported = shown(stepper, &subject);
        const size_t line = strcspn(reported, ",\n"), length = strlen(peers[i]);
        if (line < length || memcmp(reported + line - length, peers[i], length) != 0)
            fail_msg("s:p%u is not%s: %s", i, peers[i], reported);
        free(reported);
    }
    end(scenario, stepper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_tell_what_they_count),
        cmocka_unit_test(switches_tell_their_memory),
        cmocka_unit_test(hosts_tell_their_receive_buffers),
        cmocka_unit_test(faults_are_told_while_they_last),
        cmocka_unit_test(stopped_ports_and_workloads_are_told),
        cmocka_unit_test(a_spare_port_has_nobody_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

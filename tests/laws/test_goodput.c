/* SPDX-License-Identifier: Apache-2.0
 * test_goodput - goodput against the frames on the wire.
 * What a workload delivered in its measured part is held against a count that knows nothing of
 * what queue pairs took: packets whose last bit reaches a host in that time with the PSN that is
 * next in their direction of their connection.  What comes again or too soon has another. */
#include "tests/laws/run/run_laws_private.h"

#include "rnic/psn.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLOWS = 2048, MTU = 4096, SQE_BYTES = 64, THREADS = 4, MEMBERS = 64, ASKED = 64 };

/* ------------------------------------------------------------------ what comes by wire */

/* One direction of one connection: requests, or the responses to READs, which have the PSNs that
 * were asked for, in that order. */
struct flow {
    uint32_t destination, qpn, expected;
    bool responses;
    struct asked {
        uint32_t psn, end;
    } asked[ASKED];
    uint32_t answered, asked_count;
};

struct wire {
    const struct world *world;
    bool nvme; /* SENDs are capsules: the data behind a command counts */
    time_ps from, to;
    struct flow flows[FLOWS];
    uint32_t count;
    uint64_t came[RUN_LAWS_NODES]; /* payload by host */
    uint64_t sent, refused;        /* packets with payload; of them, not the next one at a host */
};

static struct flow *flow_of(struct wire *wire, uint32_t destination, uint32_t qpn, bool responses,
                            uint32_t psn)
{
    for (uint32_t i = 0; i < wire->count; i++) {
        struct flow *flow = &wire->flows[i];
        if (flow->destination == destination && flow->qpn == qpn && flow->responses == responses)
            return flow;
    }
    assert_true(wire->count < FLOWS);
    struct flow *flow = &wire->flows[wire->count++];
    *flow = (struct flow){destination, qpn, psn, .responses = responses};
    return flow;
}

/* A READ leaves: what is asked for anew is known. */
static void ask(struct wire *wire, const struct frame *frame)
{
    const struct rnic *responder = wire->world->rnics[frame->destination];
    const uint32_t asking = rnic_find_qp(responder, frame->qpn)->flow.qpn;
    struct flow *flow = flow_of(wire, frame->source, asking, true, frame->psn);
    const uint32_t end = psn_add(frame->psn, psn_count(frame->length, MTU));
    const uint32_t last = flow->asked_count - 1;
    if (flow->asked_count > 0 && psn_diff(frame->psn, flow->asked[last % ASKED].end) < 0)
        return;
    assert_true(flow->asked_count - flow->answered < ASKED);
    if (flow->asked_count == flow->answered)
        flow->expected = frame->psn;
    flow->asked[flow->asked_count++ % ASKED] = (struct asked){frame->psn, end};
}

static void advance(struct flow *flow, const struct frame *frame)
{
    const bool read = frame->opcode == FRAME_RC_READ_REQUEST;
    flow->expected = psn_add(frame->psn, read ? psn_count(frame->length, MTU) : 1);
    if (!flow->responses || flow->expected != flow->asked[flow->answered % ASKED].end)
        return;
    if (++flow->answered != flow->asked_count)
        flow->expected = flow->asked[flow->answered % ASKED].psn;
}

static bool is_write(uint8_t opcode)
{
    return opcode >= FRAME_RC_WRITE_FIRST && opcode <= FRAME_RC_WRITE_ONLY_IMM;
}

/* Payload of I/O in a packet: of capsules, what comes behind a command. */
static uint64_t data_of(const struct wire *wire, const struct frame *frame)
{
    if (!wire->nvme || run_laws_is_response(frame->opcode) || is_write(frame->opcode))
        return frame->payload;
    const bool first = frame->opcode == FRAME_RC_SEND_FIRST ||
                       frame->opcode == FRAME_RC_SEND_ONLY ||
                       frame->opcode == FRAME_RC_SEND_ONLY_INV;
    const uint64_t head = first ? SQE_BYTES : 0;
    return frame->payload > head ? frame->payload - head : 0;
}

static void on_frame(void *self, const struct probe_frame *sent)
{
    struct wire *wire = self;
    const struct frame *frame = sent->frame;
    const struct port *port = world_port(wire->world, sent->node, sent->port);
    if (frame_is_mac_control(frame) ||
        !(run_laws_is_request(frame->opcode) || run_laws_is_response(frame->opcode)))
        return;
    struct flow *flow = flow_of(wire, frame->destination, frame->qpn,
                                run_laws_is_response(frame->opcode), frame->psn);
    const bool leaves = wire->world->scenario->nodes[sent->node].kind == SCENARIO_HOST;
    wire->sent += leaves;
    if (leaves && frame->opcode == FRAME_RC_READ_REQUEST)
        ask(wire, frame);
    if (sent->lost || wire->world->scenario->nodes[port->peer_node].kind != SCENARIO_HOST)
        return;
    if (frame->psn != flow->expected) {
        wire->refused++;
        return;
    }
    advance(flow, frame);
    const time_ps gap = units_transfer_ps(WIRE_GAP_BYTES - WIRE_PREAMBLE_BYTES, port->rate.bps);
    const time_ps at = sent->at + sent->wire_ps - gap + port->arrival_delay;
    if (at >= wire->from && at < wire->to)
        wire->came[port->peer_node] += data_of(wire, frame);
}

/* ------------------------------------------------------------------ playing */

struct outcome {
    struct workload_stats stats;
    struct workload_delivered sum, members[MEMBERS];
    uint32_t count;
    struct digest digest;
    uint64_t told, most; /* bytes over time: all, and the most of an interval */
    time_ps length;      /* of an interval */
};

static struct scenario *load(const char *text, const char *set)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "goodput.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set != NULL};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        diag_print(&diag, stdout);
    assert_non_null(scenario);
    return scenario;
}

static void sum_up(const struct world *world, struct outcome *outcome)
{
    outcome->stats = world->stats[0];
    outcome->stats.history = NULL;
    outcome->count = world_instances(world, 0);
    assert_in_range(outcome->count, 1, MEMBERS);
    for (uint32_t i = 0; i < outcome->count; i++) {
        outcome->members[i] = world_delivered(world, 0, i);
        outcome->sum.read += outcome->members[i].read;
        outcome->sum.written += outcome->members[i].written;
    }
    outcome->digest = engine_digest(&world->engine);
    struct wl_history history;
    world_history(world, 0, &history);
    for (int i = 0; history.intervals != NULL && i < WL_HISTORY_INTERVALS; i++) {
        outcome->told += history.intervals[i].bytes;
        if (history.intervals[i].bytes > outcome->most)
            outcome->most = history.intervals[i].bytes;
    }
    outcome->length = (time_ps)1 << history.shift;
    wl_history_fini(&history);
}

/* wire: NULL: nobody looks.  executors: each host in turn is on the next one. */
static struct outcome play(const char *text, const char *set, struct wire *wire, uint32_t executors)
{
    struct scenario *scenario = load(text, set);
    struct probe probe = probe_none;
    struct diag diag = {0};
    struct outcome outcome = {0};
    uint32_t *executor_of = calloc(scenario->node_count, sizeof *executor_of);
    assert_non_null(executor_of);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        executor_of[i] = i % executors;
    const struct world_division division = {executors, executor_of};
    probe.self = wire;
    probe.frame = wire == NULL ? NULL : on_frame;
    struct world *world =
        world_build_divided(scenario, wire == NULL ? &probe_none : &probe, &division, &diag);
    assert_non_null(world);
    world->engine.hostile = false;
    world->looks = TIME_NEVER;
    if (wire != NULL)
        wire->world = world;
    world_run(world, TIME_NEVER);
    sum_up(world, &outcome);
    world_free(world);
    free(executor_of);
    scenario_free(scenario);
    return outcome;
}

/* ------------------------------------------------------------------ what is on the wire */

#define HEAD(hosts, rnic)                                                                          \
    "stormglass: 1\nname: goodput\nduration: 3ms\ndrain: 50ms\nfabric:\n"                          \
    "  topology: {kind: single-switch, hosts: " hosts "}\n"                                        \
    "  host-links: {rate: 100Gbps, length: 20m}\n"                                                 \
    "  switch: {profile: shared-buffer-32mb}\n"                                                    \
    "hosts:\n"                                                                                     \
    "  defaults: {rnic: {profile: ideal, path-mtu: 4096B, congestion-control: " rnic "}}\n"
#define TARGET "  targets: {where: host0, namespaces: [{media: \"null\"}]}\n"
#define LOSS   "faults:\n  - {kind: drop-every, where: \"host0-switch0\", n: 97}\n"
#define LOAD   "workloads:\n  - {name: load, "

static const struct row {
    const char *name, *text;
    bool nvme, loses;
} rows[] = {
    {"255 flows of 1 MiB into one link",
     HEAD("52", "dcqcn") LOAD "kind: rdma-write, from: \"host1..host51\", to: host0, "
                              "message-size: 1MiB, outstanding: 1, qps: 5}\n",
     false, false},
    {"READs",
     HEAD("9", "none") LOAD "kind: rdma-read, from: host0, to: \"host1..host8\", "
                            "message-size: 300KB, outstanding: 3, qps: 2, start: 1ms}\n",
     false, false},
    {"SENDs",
     HEAD("9", "none") LOAD "kind: rdma-send, from: \"host1..host8\", to: host0, "
                            "message-size: 7000B, outstanding: 4, start: 1ms}\n",
     false, false},
    {"WRITEs sent again",
     HEAD("5", "none") LOAD "kind: rdma-write, from: \"host1..host4\", to: host0, "
                            "message-size: 1MiB, outstanding: 2, start: 1ms}\n" LOSS,
     false, true},
    {"READs asked for again",
     HEAD("5", "none") LOAD "kind: rdma-read, from: \"host1..host4\", to: host0, "
                            "message-size: 1MiB, outstanding: 2, start: 1ms}\n" LOSS,
     false, true},
    {"reads and writes of NVMe, behind a warm-up",
     HEAD("5", "none") TARGET LOAD
     "kind: nvme, from: \"host1..host4\", to: host0, read: 60%, block-size: 128KiB, "
     "queue-depth: 8, queues: 2, start: 1ms, warm-up: 777us}\n",
     true, false},
    {"writes in capsules",
     HEAD("5", "none") TARGET LOAD "kind: nvme, from: \"host1..host4\", to: host0, read: 0%, "
                                   "block-size: 4KiB, queue-depth: 32, start: 1ms}\n",
     true, false},
    {"reads and writes of NVMe, with losses",
     HEAD("5", "none") TARGET LOAD
     "kind: nvme, from: \"host1..host4\", to: host0, read: 50%, block-size: 64KiB, "
     "queue-depth: 4, start: 1ms, warm-up: 500us}\n" LOSS,
     true, true},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void find_window(const struct row *row, struct wire *wire)
{
    struct scenario *scenario = load(row->text, NULL);
    const struct scenario_workload *workload = &scenario->workloads[0];
    const struct opt *warm_up = opt_find(workload->ops->opts, "warm-up");
    int64_t warm = 0;
    if (warm_up != NULL)
        memcpy(&warm, (const char *)workload->params + warm_up->offset, sizeof warm);
    wire->from = workload->start + warm;
    wire->to = scenario->duration;
    scenario_free(scenario);
}

static void what_counts_has_come_by_wire(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        struct wire *wire = calloc(1, sizeof *wire);
        assert_non_null(wire);
        wire->nvme = row->nvme;
        find_window(row, wire);
        const struct outcome outcome = play(row->text, NULL, wire, 1);
        uint64_t came = 0;
        for (unsigned node = 0; node < RUN_LAWS_NODES; node++)
            came += wire->came[node];
        print_message("%s: %llu B read, %llu B written, %llu of %llu packets refused\n", row->name,
                      (unsigned long long)outcome.sum.read, (unsigned long long)outcome.sum.written,
                      (unsigned long long)wire->refused, (unsigned long long)wire->sent);
        assert_int_equal(outcome.sum.read + outcome.sum.written, came);
        assert_int_equal(outcome.told, came);
        assert_true(came > 0);
        assert_int_equal(wire->refused > 0, row->loses);
        free(wire);
    }
}

/* 4096 of 4178 bytes on the wire: 98.04 Gb/s; it begins some microseconds late. */
static void many_flows_have_no_more_than_their_link(void **state)
{
    (void)state;
    const struct outcome outcome = play(rows[0].text, NULL, NULL, 1);
    const uint64_t link = UINT64_C(100000000000) / 1000 * 3 / 8; /* bytes in 3 ms */
    assert_true(outcome.sum.written < link * MTU / (MTU + WIRE_ROCE_BYTES + WIRE_GAP_BYTES));
    assert_true(outcome.sum.written > link * 97 / 100);
    assert_int_equal(outcome.stats.completed_window, 0);             /* not one is complete */
    const uint64_t each = (uint64_t)outcome.length * 100 / 8 / 1000; /* 100 Gb/s */
    assert_true(outcome.most <= each * MTU / (MTU + WIRE_ROCE_BYTES + WIRE_GAP_BYTES) + MTU);
}

static void it_does_not_know_threads(void **state)
{
    (void)state;
    for (unsigned i = 3; i < ROWS; i += 3) {
        const struct outcome one = play(rows[i].text, NULL, NULL, 1);
        for (uint32_t threads = 2; threads <= THREADS; threads++) {
            const struct outcome other = play(rows[i].text, NULL, NULL, threads);
            assert_memory_equal(&one.digest, &other.digest, sizeof one.digest);
            assert_memory_equal(one.members, other.members, sizeof one.members);
            assert_int_equal(one.told, other.told);
            assert_int_equal(one.most, other.most);
        }
    }
}

/* ------------------------------------------------------------------ what is whole, what is void */

static void all_that_was_asked_for_counts(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ROWS; i++) {
        const char *set = rows[i].nvme ? "workloads.load.count=40" : "workloads.load.count=3";
        char text[2048];
        snprintf(text, sizeof text, "%s", rows[i].text);
        char *late = strstr(text, ", warm-up");
        if (late != NULL)
            memset(late, ' ', strcspn(late, "}"));
        memcpy(strstr(text, "duration: 3ms"), "duration: 1s ", 13);
        const struct outcome outcome = play(text, set, NULL, 1);
        assert_int_equal(outcome.stats.failed, 0);
        assert_int_equal(outcome.told, outcome.stats.bytes);
        assert_int_equal(outcome.sum.read, outcome.stats.bytes_read);
        assert_int_equal(outcome.sum.written, outcome.stats.bytes_written);
    }
}

/* Each 97th packet is lost and each message has 257: with go-back-0 none is ever whole. */
static void what_is_begun_anew_for_ever_is_nothing(void **state)
{
    (void)state;
    const struct outcome outcome =
        play(rows[3].text, "hosts.defaults.rnic.loss-recovery=go-back-0", NULL, 1);
    assert_int_equal(outcome.stats.completed, 0);
    assert_int_equal(outcome.sum.written, 0);
}

/* What had come when the target died is sent again to the one that comes back. */
static void what_died_with_a_target_counts_once(void **state)
{
    static const char text[] = HEAD("5", "none") TARGET LOAD
        "kind: nvme, from: \"host1..host4\", to: host0, read: 50%, block-size: 128KiB, "
        "queue-depth: 16, count: 2000, start: 1ms}\n"
        "faults:\n  - {kind: target-crash, where: host0, at: 3ms, for: 5ms}\n";
    (void)state;
    const struct outcome outcome = play(text, "duration=60s", NULL, 1);
    assert_true(outcome.stats.requeued > 0);
    assert_int_equal(outcome.stats.failed, 0);
    assert_int_equal(outcome.stats.completed, 4 * 2000);
    assert_int_equal(outcome.sum.read, outcome.stats.bytes_read);
    assert_int_equal(outcome.sum.written, outcome.stats.bytes_written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts_has_come_by_wire),
        cmocka_unit_test(many_flows_have_no_more_than_their_link),
        cmocka_unit_test(it_does_not_know_threads),
        cmocka_unit_test(all_that_was_asked_for_counts),
        cmocka_unit_test(what_is_begun_anew_for_ever_is_nothing),
        cmocka_unit_test(what_died_with_a_target_counts_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

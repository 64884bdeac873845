/* SPDX-License-Identifier: Apache-2.0
 * However the nodes are divided among executors: the digest, the statistics, and what observers are
 * told, call by call, stay the same.  Divisions are drawn, not chosen: neighbors are as likely
 * apart as together; one is as a run has it, also when it is stopped again and again and goes on.
 * The same but for the digest holds for all events in their one order, which is what a watched
 * engine executes. */
#include "base/hash.h"
#include "scenarios/load/load.h"
#include "scenarios/workload/wl_history.h"
#include "scenarios/world/division.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ what is told, as one number */

struct reported {
    uint64_t chain, calls, stops;
    bool frames, stopping;
    atomic_int stop; /* the run is asked to; see STOP_CALLS */
};

enum { STOP_CALLS = 61 };

static void tell(struct reported *reported, uint64_t word)
{
    digest_chain(&reported->chain, word);
}

static void tell_bytes(void *self, unsigned call, const void *bytes, size_t count)
{
    struct reported *reported = self;
    tell(reported, call);
    tell(reported, hash_bytes(bytes, count, call));
    reported->calls++;
    if (reported->stopping && reported->calls % STOP_CALLS == 0)
        atomic_store(&reported->stop, 1);
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    tell_bytes(self, 1, &drop->at, sizeof drop->at);
    tell(self, (uint64_t)drop->node << 32 | (uint32_t)drop->port << 16 | drop->cause);
    tell(self, (uint64_t)drop->occupancy);
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    tell_bytes(self, 2, &pause->at, sizeof pause->at);
    tell(self, (uint64_t)pause->node << 32 | (uint32_t)pause->port << 16 | pause->xoff);
    if (pause->frame != NULL)
        tell(self, (uint64_t)pause->frame->qpn << 32 | (uint64_t)pause->frame->bytes);
    for (unsigned i = 0; i < pause->reason_count; i++)
        tell(self, (uint64_t)pause->reasons[i].queued << 16 | pause->reasons[i].egress);
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    tell_bytes(self, 3, &blocked->at, sizeof blocked->at);
    tell(self, (uint64_t)blocked->node << 32 | (uint32_t)blocked->port << 16 | blocked->blocked);
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    tell_bytes(self, 4, &io->capsule_at, 7 * sizeof(time_ps));
    tell(self, (uint64_t)io->host_ip << 32 | io->target_ip);
    tell(self, (uint64_t)io->controller << 32 | (uint64_t)io->qid << 16 | io->cid);
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    tell_bytes(self, 5, &io->issued_at, 4 * sizeof(time_ps));
    tell(self, (uint64_t)io->workload << 32 | io->serial);
    tell(self, io->lba << 8 | io->opcode);
}

static void on_state(void *self, const struct probe_state *state)
{
    tell_bytes(self, 6, state->to, strlen(state->to));
    tell(self, hash_text(state->owner, (uint64_t)state->at));
    tell(self, (uint64_t)state->qid);
    CHECK(*state->number < UINT32_MAX);
    ++*state->number; /* the observer's own */
}

/* All of it but where it lies. */
static void on_frame(void *self, const struct probe_frame *sent)
{
    struct frame frame = *sent->frame;
    struct reported *reported = self;
    frame.next = frame.blob = 0;
    tell_bytes(reported, 7, sent->head, sent->head == NULL ? 0 : sent->head_bytes);
    tell(reported, (uint64_t)sent->at);
    tell(reported, (uint64_t)sent->node << 32 | (uint32_t)sent->port << 16 | sent->lost);
    tell(reported, (uint64_t)frame.opcode << 48 | (uint64_t)frame.psn << 16 | frame.bytes);
    tell(reported, (uint64_t)frame.tos << 48 | (uint64_t)frame.ttl << 32 | frame.qpn);
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    tell_bytes(self, 8, text, strlen(text));
    tell(self, hash_text(owner, (uint64_t)at));
}

static struct probe listener(struct reported *reported)
{
    return (struct probe){
        .self = reported,
        .drop = on_drop,
        .pause = on_pause,
        .blocked = on_blocked,
        .target_io = on_target_io,
        .host_io = on_host_io,
        .state = on_state,
        .frame = reported->frames ? on_frame : NULL,
        .note = on_note,
    };
}

/* ------------------------------------------------------------------ divisions */

/* Hosts of a machine stay together. */
static void draw(uint32_t *executor_of, uint32_t executors, const struct scenario *scenario,
                 struct rng *rng)
{
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        executor_of[i] = (uint32_t)rng_below(rng, executors);
        const struct scenario_host *host = scenario->nodes[i].host;
        for (uint32_t j = 0; host != NULL && host->machine != NULL && j < i; j++) {
            const struct scenario_host *other = scenario->nodes[j].host;
            if (other != NULL && other->machine != NULL &&
                strcmp(host->machine, other->machine) == 0)
                executor_of[i] = executor_of[j];
        }
    }
}

static void look(void *self, struct node *node, const struct event *event)
{
    (void)self, (void)node, (void)event;
}

static const struct engine_watch in_order = {.before = look, .after = look};

struct result {
    struct digest digest;
    struct workload_stats *stats;
    uint64_t chain, calls, mailed, stops;
    time_ps end;
    uint64_t histories; /* of the workloads, as one number */
};

/* With five executors some windows are worth threads and some are not. */
enum { FEW = 8 };

struct way {
    const struct world_division *division; /* NULL: one executor */
    const struct engine_watch *watch;
    bool frames, unseen, stopping;
};

/* world_run, which goes on where it was stopped. */
static bool run_on(struct world *world, time_ps until, struct reported *reported)
{
    bool more;
    while (more = world_run(world, until), world->engine.paused) {
        assert_true(more && world->engine.now <= until);
        atomic_store(&reported->stop, 0);
        reported->stops++;
    }
    return more;
}

/* Samples come in any order. */
static uint64_t history_word(const struct wl_history *history)
{
    uint64_t word = (uint64_t)history->base << 8 | (unsigned)history->shift, samples = 0;
    for (int i = 0; i < WL_HISTORY_INTERVALS && history->intervals != NULL; i++)
        word = hash_bytes(&history->intervals[i], sizeof history->intervals[i], word);
    for (uint32_t i = 0; i < history->sample_count; i++)
        samples += hash_mix(hash_mix((uint64_t)history->samples[i].at) +
                            (uint64_t)history->samples[i].latency);
    return hash_mix(word) ^ samples;
}

static struct result play(const struct scenario *scenario, struct way way)
{
    static struct diag diag;
    const struct world_division *division = way.division;
    struct reported reported = {.frames = way.frames, .stopping = way.stopping};
    const struct probe probe = listener(&reported);
    struct world *world =
        world_build_divided(scenario, way.unseen ? &probe_none : &probe, division, &diag);
    if (world == NULL)
        fail_msg("%s", diag.messages[0].text);
    world->engine.hostile = false;
    world->looks = TIME_NEVER;
    world->engine.worth = way.division == NULL || way.division->executors != 5 ? 0 : FEW;
    world->engine.watch = way.watch;
    world->engine.stop = &reported.stop;
    for (time_ps at = 0; run_on(world, at, &reported); at += 77 * PS_PER_US)
        if (at % 7 == 0)
            world_audit(world);
    struct result result = {
        .digest = engine_digest(&world->engine),
        .chain = reported.chain,
        .calls = reported.calls,
        .stops = reported.stops,
        .end = world->engine.now,
    };
    result.stats = calloc(world->workload_count, sizeof *result.stats);
    assert_non_null(result.stats);
    memcpy(result.stats, world->stats, world->workload_count * sizeof *result.stats);
    for (uint32_t i = 0; i < world->workload_count; i++) {
        struct wl_history history;
        world_history(world, i, &history);
        result.histories ^= hash_mix(history_word(&history) + i);
        result.stats[i].history = NULL; /* what each executor told of its own */
        wl_history_fini(&history);
    }
    for (uint32_t i = 0; division != NULL && i < division->executors * division->executors; i++)
        result.mailed += world->mails[i].boxes[0].room + world->mails[i].boxes[1].room;
    world_free(world);
    return result;
}

static void check_same(const struct scenario *scenario, const struct result *one,
                       const struct result *other)
{
    assert_int_equal(one->calls, other->calls);
    assert_int_equal(one->chain, other->chain);
    assert_int_equal(one->end, other->end);
    assert_int_equal(one->histories, other->histories);
    assert_memory_equal(one->stats, other->stats, scenario->workload_count * sizeof *one->stats);
}

/* Plays it divided so, and holds it against one executor's; returns how much went by mail. */
static uint64_t check_divided(const struct scenario *scenario, const struct result *one,
                              bool frames, const struct world_division *division)
{
    const struct way way = {.division = division, .frames = frames};
    const struct result divided = play(scenario, way);
    check_same(scenario, one, &divided);
    assert_memory_equal(&one->digest, &divided.digest, sizeof one->digest);
    free(divided.stats);
    return divided.mailed;
}

/* As a run divides it: most nodes have neighbors of their own executor only, so that executors go
 * ahead of each other. */
static void check_as_run(const struct scenario *scenario, const struct result *one, bool frames)
{
    for (uint32_t executors = 2; executors <= 4; executors++) {
        uint32_t *executor_of = division_make(scenario, executors);
        const struct world_division division = {executors, executor_of};
        check_divided(scenario, one, frames, &division);
        const struct result unseen =
            play(scenario, (struct way){.division = &division, .unseen = true});
        assert_memory_equal(&one->digest, &unseen.digest, sizeof one->digest);
        free(unseen.stats);
        free(executor_of);
    }
}

/* Stopped after every few calls, and gone on with. */
static void check_stopped(const struct scenario *scenario, const struct result *one, bool frames)
{
    for (uint32_t executors = 1; executors <= 3; executors++) {
        uint32_t *executor_of = division_make(scenario, executors);
        const struct world_division division = {executors, executor_of};
        const struct way way = {.division = &division, .frames = frames, .stopping = true};
        const struct result stopped = play(scenario, way);
        check_same(scenario, one, &stopped);
        assert_memory_equal(&one->digest, &stopped.digest, sizeof one->digest);
        assert_true(stopped.stops > 5);
        free(stopped.stats);
        free(executor_of);
    }
}

static void check(struct scenario *scenario, bool frames)
{
    struct rng rng = rng_stream(scenario->seed, scenario->name, "divisions");
    uint32_t *executor_of = calloc(scenario->node_count, sizeof *executor_of);
    assert_non_null(executor_of);
    const struct result one = play(scenario, (struct way){.frames = frames});
    const struct result order = play(scenario, (struct way){.frames = frames, .watch = &in_order});
    check_same(scenario, &one, &order);
    free(order.stats);
    uint64_t mailed = 0;
    for (uint32_t executors = 2; executors <= 8; executors += 3) {
        const struct world_division division = {executors, executor_of};
        draw(executor_of, executors, scenario, &rng);
        mailed += check_divided(scenario, &one, frames, &division);
    }
    assert_true(one.calls > 0 && mailed > 0);
    free(executor_of);
    check_as_run(scenario, &one, frames);
    check_stopped(scenario, &one, frames);
    free(one.stats);
}

/* ------------------------------------------------------------------ scenarios */

static struct scenario *load(const char *path, const char *text)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {
        .name = path, .text = text, .length = text == NULL ? 0 : strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", path, diag.messages[0].text);
    return scenario;
}

static void a_shipped_case_does_not_know_its_division(void **state)
{
    (void)state;
    struct scenario *scenario = load("scenarios/cases/first-io.yaml", NULL);
    check(scenario, true);
    scenario_free(scenario);
}

/* Cut-through, fractions of a picosecond, faults of all places, sends with real bytes.  Links are
 * long: a thread waits for the others once in a lookahead. */
static const char mixed[] =
    "stormglass: 1\nname: mixed\nduration: 500us\ndrain: 2ms\nfabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"
    "  host-links: {rate: 30Gbps, length: 200m}\n"
    "  fabric-links: {length: 200m}\n"
    "  switch: {buffer: 32MB, forwarding: cut-through}\n"
    "  routing: {detection: 20us, convergence: 50us}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: ideal, timeout: 6}}\n"
    "  targets: {where: host7, namespaces: [{media: {kind: fixed}}]}\n"
    "workloads:\n"
    "  - {name: io, kind: nvme, from: \"host0..host2\", to: host7, queue-depth: 8, read: 50%}\n"
    "  - {name: send, kind: rdma-send, from: \"host3..host5\", to: host6, message-size: 3000B}\n"
    "  - {name: burst, kind: rdma-write, from: \"host1..host4\", to: host6, count: 9}\n"
    "faults:\n"
    "  - {kind: link-down, where: leaf0-spine0, at: 30us, for: 20us}\n"
    "  - {kind: bit-errors, where: host1-leaf0, rate: 1e-7}\n"
    "  - {kind: pause-storm, where: host6, at: 60us, for: 50us}\n"
    "  - {kind: target-stall, where: host7, at: 70us, for: 20us}\n";

static void a_mixed_world_does_not_know_its_division(void **state)
{
    (void)state;
    struct scenario *scenario = load("mixed.yaml", mixed);
    check(scenario, true);
    scenario_free(scenario);
}

/* Two machines of two hosts each; only what goes between the machines can go by mail. */
static const char machines[] =
    "stormglass: 1\nname: machines\nduration: 2ms\nfabric:\n"
    "  topology: {kind: single-switch, hosts: 4}\n  host-links: {length: 200m}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: softroce, congestion-control: none},\n"
    "             nvme: {sgl-invalidate: false}}\n"
    "  targets: {where: \"host2..host3\", namespaces: [{media: \"null\"}]}\n"
    "  one: {where: [host0, host2], machine: one}\n"
    "  two: {where: [host1, host3], machine: two}\n"
    "workloads:\n"
    "  - {name: w, kind: nvme, from: \"host0..host1\", to: \"host2..host3\", queue-depth: 4}\n";

static void machines_stay_together(void **state)
{
    (void)state;
    struct scenario *scenario = load("machines.yaml", machines);
    check(scenario, true);
    scenario_free(scenario);
}

/* Hosts of each executor are busy until the end, so executors go ahead; the ends of entries call
 * them back.  Many ends, as one writes and others finish at once. */
static const char ends[] =
    "stormglass: 1\nname: ends\nduration: 300us\nfabric:\n"
    "  topology: {kind: fat-tree, k: 4}\n"
    "  host-links: {delay: 1us}\n  fabric-links: {delay: 1us}\n"
    "workloads:\n"
    "  - {name: a, kind: rdma-write, from: \"host*\", to: \"host*\", pairing: permutation,\n"
    "     message-size: 64KB, count: 3}\n"
    "  - {name: b, kind: rdma-write, from: \"host*\", to: \"host*\", pairing: permutation,\n"
    "     message-size: 4KB, count: 9, start: 7us}\n"
    "  - {name: c, kind: rdma-send, from: \"host*\", to: \"host*\", pairing: permutation,\n"
    "     message-size: 100B, count: 50, start: 11us}\n";

static void ends_do_not_know_who_is_ahead(void **state)
{
    (void)state;
    struct scenario *scenario = load("ends.yaml", ends);
    for (scenario->seed = 1; scenario->seed <= 5; scenario->seed++)
        check(scenario, true);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_do_not_know_who_is_ahead),
        cmocka_unit_test(a_shipped_case_does_not_know_its_division),
        cmocka_unit_test(a_mixed_world_does_not_know_its_division),
        cmocka_unit_test(machines_stay_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

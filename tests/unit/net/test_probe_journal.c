/* SPDX-License-Identifier: Apache-2.0
 * The observer is told in the order of events, whoever went ahead. */
#include "base/rng.h"
#include "net/frame/frame.h"
#include "net/frame/probe_journal.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ an observer that writes */

struct diary {
    char text[1 << 16];
    size_t used;
};

static void write_line(struct diary *diary, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more =
        vsnprintf(diary->text + diary->used, sizeof diary->text - diary->used, format, arguments);
    va_end(arguments);
    diary->used += (size_t)more;
    assert_true(diary->used < sizeof diary->text);
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    write_line(self, "drop %ld %u\n", (long)drop->at, drop->cause);
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    write_line(self, "pause %ld %ld\n", (long)pause->at, (long)pause->reasons[3].queued);
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    write_line(self, "blocked %ld %u\n", (long)blocked->at, blocked->port);
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    write_line(self, "target_io %u %ld\n", io->cid, (long)io->response_at);
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    write_line(self, "host_io %lu %ld\n", (unsigned long)io->serial, (long)io->completed_at);
}

static void on_state(void *self, const struct probe_state *state)
{
    write_line(self, "state %s %d\n", state->to, state->qid);
}

static void on_frame(void *self, const struct probe_frame *frame)
{
    write_line(self, "frame %ld %u %.*s\n", (long)frame->at, frame->frame->psn,
               (int)frame->head_bytes, frame->head == NULL ? "" : (const char *)frame->head);
}

static void on_hop(void *self, const struct probe_hop *hop)
{
    write_line(self, "hop %ld %u\n", (long)hop->at, hop->psn);
}

static void on_ack(void *self, const struct probe_hop *hop)
{
    write_line(self, "ack %ld %u\n", (long)hop->at, hop->psn);
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    write_line(self, "note %ld %s %s\n", (long)at, owner, text);
}

static struct probe writer(struct diary *diary)
{
    memset(diary, 0, sizeof *diary);
    return (struct probe){
        .self = diary,
        .drop = on_drop,
        .pause = on_pause,
        .blocked = on_blocked,
        .target_io = on_target_io,
        .host_io = on_host_io,
        .state = on_state,
        .frame = on_frame,
        .hop = on_hop,
        .ack = on_ack,
        .note = on_note,
    };
}

/* ------------------------------------------------------------------ a model that talks */

enum { EVENTS = 120, EXECUTORS = 3, TEXT_BYTES = 40 };

/* What an event tells of depends on the event alone.  All that pointers lead to is gone after it.
 */
static void talk(const struct probe *probe, const struct event *event)
{
    struct frame frame = {.psn = (uint32_t)event->order};
    char text[TEXT_BYTES], owner[TEXT_BYTES];
    uint32_t number = 0;
    snprintf(text, sizeof text, "text-%.*s", (int)(event->order % 17), "abcdefghijklmnopqrst");
    snprintf(owner, sizeof owner, "node%u", event->node);
    const struct probe_drop drop = {.at = event->at, .cause = event->kind};
    const struct probe_pause pause = {.at = event->at, .reasons[3].queued = event->kind};
    const struct probe_blocked blocked = {.at = event->at, .port = event->port};
    const struct probe_target_io target_io = {.cid = event->port, .response_at = event->at};
    const struct probe_host_io host_io = {.serial = event->order, .completed_at = event->at};
    const struct probe_state state = {
        .to = "ready", .qid = (int32_t)event->order, .number = &number};
    const struct probe_frame sent = {.at = event->at,
                                     .frame = &frame,
                                     .head = (const unsigned char *)text,
                                     .head_bytes = (uint32_t)strlen(text)};
    const struct probe_frame bare = {.at = event->at, .frame = &frame};
    const struct probe_hop hop = {.at = event->at, .psn = (uint32_t)event->order};
    probe->note(probe->self, event->at, owner, text);
    probe->hop(probe->self, &hop);
    probe->ack(probe->self, &hop);
    probe->frame(probe->self, event->kind % 2 == 0 ? &sent : &bare);
    probe->frame(probe->self, &bare);
    probe->drop(probe->self, &drop);
    probe->pause(probe->self, &pause);
    probe->blocked(probe->self, &blocked);
    if (event->kind % 3 == 0)
        return;
    probe->target_io(probe->self, &target_io);
    probe->host_io(probe->self, &host_io);
    probe->state(probe->self, &state);
    memset(&frame, 0xFF, sizeof frame);
    memset(text, 'x', sizeof text - 1);
    memset(owner, 'x', sizeof owner - 1);
}

static bool comes_before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

/* In order; moments coincide often, sources and sequence numbers tell events apart. */
static void make_events(struct event *events, struct rng *rng)
{
    for (unsigned i = 0; i < EVENTS; i++)
        events[i] = (struct event){
            .at = (time_ps)rng_below(rng, 20),
            .order = rng_below(rng, 4) << ORDER_SEQUENCE_BITS | i,
            .node = (uint32_t)rng_below(rng, 9),
            .port = (uint16_t)rng_below(rng, 9),
            .kind = (uint8_t)i,
        };
    for (unsigned i = 1; i < EVENTS; i++)
        for (unsigned j = i; j > 0 && comes_before(&events[j], &events[j - 1]); j--) {
            const struct event later = events[j - 1];
            events[j - 1] = events[j];
            events[j] = later;
        }
}

/* Executes the events of `from` up to `to` node by node, each in its order. */
static void execute(struct probe_journal *journals, const struct event **current,
                    const struct event *events, unsigned from, unsigned to)
{
    for (uint32_t node = 9; node-- > 0;)
        for (unsigned i = from; i < to; i++)
            if (events[i].node == node) {
                current[node % EXECUTORS] = &events[i];
                talk(&journals[node % EXECUTORS].probe, &events[i]);
                current[node % EXECUTORS] = NULL;
            }
}

/* Windows of 30 events, three executors. */
static void calls_come_in_the_order_of_events(void **state)
{
    (void)state;
    static struct diary expected, found;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct rng rng = rng_stream(seed, "journal", "events");
        struct event events[EVENTS];
        make_events(events, &rng);
        const struct probe straight = writer(&expected), observer = writer(&found);
        for (unsigned i = 0; i < EVENTS; i++)
            talk(&straight, &events[i]);
        const struct event *current[EXECUTORS] = {0};
        struct probe_journal journals[EXECUTORS], *list[EXECUTORS];
        for (unsigned i = 0; i < EXECUTORS; i++) {
            list[i] = &journals[i];
            probe_journal_init(list[i], &observer, &current[i]);
        }
        for (unsigned from = 0; from < EVENTS; from += 30) {
            execute(journals, current, events, from, from + 30);
            for (unsigned i = 0; i < EXECUTORS; i++)
                probe_journal_sort(&journals[i]);
            probe_journal_flush(list, EXECUTORS);
        }
        assert_string_equal(found.text, expected.text);
        for (unsigned i = 0; i < EXECUTORS; i++)
            probe_journal_fini(&journals[i]);
    }
}

/* A node posts an event for the present moment, and its key is lower than that of the event that
 * posted it. Another node's event lies between the two keys. */
static void calls_of_a_node_stay_in_the_order_of_execution(void **state)
{
    (void)state;
    static struct diary diary;
    const struct event *current = NULL;
    const struct probe observer = writer(&diary);
    struct probe_journal journal, *const list[] = {&journal};
    probe_journal_init(&journal, &observer, &current);
    const struct event executed[] = {{.at = 7, .order = 9, .node = 2},
                                     {.at = 7, .order = 5, .node = 2},
                                     {.at = 8, .order = 1, .node = 2},
                                     {.at = 7, .order = 6, .node = 1}};
    for (unsigned i = 0; i < 4; i++) {
        current = &executed[i];
        const struct probe_host_io io = {.serial = executed[i].order,
                                         .completed_at = executed[i].at};
        journal.probe.host_io(journal.probe.self, &io);
    }
    current = NULL;
    probe_journal_sort(&journal);
    probe_journal_flush(list, 1);
    assert_string_equal(diary.text, "host_io 6 7\nhost_io 9 7\nhost_io 5 7\nhost_io 1 8\n");
    probe_journal_fini(&journal);
}

static void between_events_calls_go_straight_on(void **state)
{
    (void)state;
    static struct diary diary;
    const struct event *current = NULL;
    const struct probe observer = writer(&diary);
    struct probe_journal journal, *const list[] = {&journal};
    probe_journal_init(&journal, &observer, &current);
    const struct event event = {.at = 7, .order = 5, .kind = 4};
    talk(&journal.probe, &event);
    assert_true(diary.used > 0);
    const size_t used = diary.used;
    current = &event;
    talk(&journal.probe, &event);
    assert_int_equal(diary.used, used);
    current = NULL;
    probe_journal_flush(list, 1);
    assert_int_equal(diary.used, 2 * used);
    assert_memory_equal(diary.text, diary.text + used, used);
    probe_journal_fini(&journal);
}

/* An observer that numbers machines. */
struct census {
    uint32_t machines, seen[8], count;
};

static void on_census(void *self, const struct probe_state *state)
{
    struct census *census = self;
    if (*state->number == 0)
        *state->number = ++census->machines;
    census->seen[census->count++] = *state->number;
}

static void tell_state(struct probe_journal *journal, uint32_t *number)
{
    const struct probe_state state = {.to = "ready", .number = number};
    journal->probe.state(journal->probe.self, &state);
}

/* A queue of a target ends, and its memory is given back, in the window in which it was made. */
static void a_machine_may_be_gone_before_it_is_told(void **state)
{
    (void)state;
    struct census census = {0};
    struct probe observer = probe_none;
    observer.self = &census;
    observer.state = on_census;
    const struct event event = {.at = 7, .order = 5}, *current = &event;
    struct probe_journal journal, *const list[] = {&journal};
    probe_journal_init(&journal, &observer, &current);
    uint32_t *brief = calloc(1, sizeof *brief), lasting = 0;
    assert_non_null(brief);
    tell_state(&journal, brief);
    tell_state(&journal, &lasting);
    tell_state(&journal, brief);
    free(brief);
    probe_journal_flush(list, 1);
    tell_state(&journal, &lasting);
    probe_journal_flush(list, 1);
    current = NULL;
    tell_state(&journal, &lasting);
    static const uint32_t expected[] = {1, 2, 1, 2, 2};
    assert_int_equal(census.count, 5);
    assert_memory_equal(census.seen, expected, sizeof expected);
    probe_journal_fini(&journal);
}

static void frames_that_nobody_wants_are_not_kept(void **state)
{
    (void)state;
    const struct event *current = NULL;
    struct probe_journal journal;
    probe_journal_init(&journal, &probe_none, &current);
    assert_null(journal.probe.frame);
    probe_journal_fini(&journal);
}

/* ------------------------------------------------------------------ a world */

static const char text[] =
    "stormglass: 1\nname: t\nduration: 200us\ndrain: 1ms\nfabric:\n"
    "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 4}\n"
    "workloads:\n"
    "  - {name: w, kind: rdma-write, from: \"host0..host6\", to: host7}\n";

struct clock {
    time_ps last;
    uint64_t frames;
};

static void on_time(void *self, const struct probe_frame *frame)
{
    struct clock *clock = self;
    assert_true(frame->at >= clock->last);
    assert_true(frame->frame->bytes >= WIRE_LEAST_BYTES);
    clock->last = frame->at;
    clock->frames++;
}

static void frames_are_told_in_the_order_of_time(void **state)
{
    (void)state;
    static struct diag diag;
    struct digest digests[2];
    struct clock clock = {0};
    struct probe probe = probe_none;
    probe.self = &clock;
    probe.frame = on_time;
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    assert_non_null(scenario);
    for (int watched = 0; watched < 2; watched++) {
        struct world *world = world_build(scenario, watched ? &probe : &probe_none, &diag);
        assert_non_null(world);
        world->engine.hostile = false;
        while (world_run(world, TIME_NEVER))
            ;
        digests[watched] = engine_digest(&world->engine);
        world_free(world);
    }
    assert_memory_equal(&digests[0], &digests[1], sizeof digests[0]);
    assert_true(clock.frames > 1000);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_come_in_the_order_of_events),
        cmocka_unit_test(calls_of_a_node_stay_in_the_order_of_execution),
        cmocka_unit_test(between_events_calls_go_straight_on),
        cmocka_unit_test(a_machine_may_be_gone_before_it_is_told),
        cmocka_unit_test(frames_that_nobody_wants_are_not_kept),
        cmocka_unit_test(frames_are_told_in_the_order_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * Commands and messages worked by hand: what each waited for, to the picosecond, from the rule in
 * docs/model.md and sizes and times alone.  What a case does not name is to be nothing.
 *
 *   host0 --- 3 m of fibre, 100 Gb/s --- switch0 --- the same --- host1 (target), host2 */
#include "replay/record/observe.h"
#include "replay/run/fabric.h"
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LIVES_MAX = 64, TEXT_BYTES = 4096 };

static const char head[] =
    "stormglass: 1\n"
    "name: by-hand\n"
    "about: A few hosts at one switch.\n"
    "duration: 20ms\n"
    "fabric:\n"
    "  topology: {kind: single-switch, hosts: 3}\n"
    "  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}\n"
    "  switch: {profile: shared-buffer-32mb}\n"
    "hosts:\n"
    "  defaults:\n"
    "    rnic: {profile: rnic-100g, congestion-control: none, path-mtu: 4096B}\n"
    "    nvme: {submit-cost: 1us, complete-cost: 1us}\n"
    "    target: {command-cost: 1us}\n"
    "  targets: {where: host1, namespaces: [{media: {kind: fixed, read-latency: 10us, "
    "write-latency: 10us, parallel: 1}}]}\n";

/* Times of the fabric above, in ps. */
enum {
    BYTE = 80,           /* 8 bits at 100 Gb/s */
    CABLE = 15150,       /* 3 m of 5.05 ns */
    PIPELINE = 300000,   /* of the switch: shared-buffer-32mb */
    DOORBELL = 300000,   /* tx-delay of rnic-100g */
    COMPLETION = 300000, /* rx-delay */
    FETCH = 350000,      /* read-delay */
    OBEYS = 500000       /* pfc-response: from a PFC frame's last bit on */
};

#define US PS_PER_US

/* A frame's bits with its preamble, and with the gap after it. */
#define BITS(bytes) ((time_ps)((bytes) + 8) * BYTE)
#define SLOT(bytes) ((time_ps)((bytes) + 20) * BYTE)

/* RoCEv2 over IPv4 takes 62 bytes; RETH 16, AETH 4, IETH 4. */
enum {
    COMMAND = 62 + 64,          /* a command capsule */
    RESPONSE = 62 + 16,         /* a response capsule */
    DATA_4K = 62 + 4 + 4096,    /* READ RESPONSE FIRST or LAST, a whole MTU */
    RESPONSE_INV = 62 + 16 + 4, /* that invalidates */
    WRITE_1K = 62 + 16 + 1024,  /* WRITE ONLY */
    SEND_1K = 62 + 1024,        /* SEND ONLY */
    WRITE_4K = 62 + 16 + 4096,  /* WRITE FIRST or ONLY, a whole MTU */
    MIDDLE = 62 + 4096,         /* WRITE MIDDLE or LAST, a whole MTU */
    READ_REQUEST = 62 + 16,
    RESPONSE_1K = 62 + 4 + 1024, /* READ RESPONSE ONLY */
    ACK = 62 + 4
};

static struct waits_life lives[LIVES_MAX];
static uint32_t life_count;

static void on_life(void *self, const struct waits_life *life)
{
    (void)self;
    assert_true(life_count < LIVES_MAX);
    lives[life_count++] = *life;
}

/* Plays the head with the rest behind it, on so many threads' executors. */
static void play(const char *rest)
{
    static struct diag diag;
    static char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s%s", head, rest);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    struct explain_fabric fabric;
    struct observe observe;
    fabric_init(&fabric, scenario);
    observe_init(&observe, &fabric, scenario->workload_count,
                 &(struct observe_wishes){.waits = true});
    waits_hear(observe.waits, on_life, NULL);
    life_count = 0;
    struct world *world = world_build(scenario, &observe.probe, &diag);
    assert_non_null(world);
    while (world_run(world, world->engine.now + PS_PER_MS))
        ;
    observe_finish(&observe, world->engine.now);
    world_free(world);
    observe_fini(&observe);
    fabric_fini(&fabric);
    scenario_free(scenario);
}

struct part {
    enum waits_phase phase;
    enum waits_part part;
    time_ps ps;
};

#define PART_IN(phase, part, ps)                                                                   \
    {                                                                                              \
        WAITS_IN_##phase, WAITS_##part, ps                                                         \
    }

static void check_life(const struct waits_life *life, const struct part *parts, size_t count)
{
    time_ps left[WAITS_PHASES][WAITS_PARTS];
    bool same = true;
    memcpy(left, life->ps, sizeof left);
    for (size_t i = 0; i < count; i++)
        left[parts[i].phase][parts[i].part] -= parts[i].ps;
    for (int i = 0; i < WAITS_PHASES * WAITS_PARTS; i++) {
        const time_ps more = left[i / WAITS_PARTS][i % WAITS_PARTS];
        if (more == 0)
            continue;
        print_error("%s in %s: %lld ps, which is %lld more than by hand\n",
                    waits_part_words((enum waits_part)(i % WAITS_PARTS)),
                    waits_phase_key((enum waits_phase)(i / WAITS_PARTS)),
                    (long long)life->ps[i / WAITS_PARTS][i % WAITS_PARTS], (long long)more);
        same = false;
    }
    assert_true(same);
}

#define CHECK_LIFE(life, ...)                                                                      \
    do {                                                                                           \
        const struct part by_hand[] = {__VA_ARGS__};                                               \
        check_life(life, by_hand, sizeof by_hand / sizeof by_hand[0]);                             \
    } while (0)

/* What a single packet takes through the switch when nobody is in its way. */
#define ACROSS(phase, bytes)                                                                       \
    PART_IN(phase, SERIALISATION, 2 * BITS(bytes)), PART_IN(phase, PROPAGATION, 2 * CABLE),        \
        PART_IN(phase, SWITCHING, PIPELINE)

#define CAPSULE(bytes) PART_IN(COMMAND, RNIC, DOORBELL + COMPLETION), ACROSS(COMMAND, bytes)

/* The response to a read of 4 KiB: its data go before it, a slot on the wire of the target and,
 * but for the time that the response itself takes there, again on that of the switch. */
#define READ_RESPONSE                                                                              \
    PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),                                                \
        PART_IN(RESPONSE, SERIALISATION,                                                           \
                SLOT(WRITE_4K) + BITS(WRITE_4K) - BITS(RESPONSE_INV) + 2 * BITS(RESPONSE_INV)),    \
        PART_IN(RESPONSE, PROPAGATION, 2 * CABLE), PART_IN(RESPONSE, SWITCHING, PIPELINE)

#define HOST_AND_TARGET                                                                            \
    PART_IN(SUBMIT, HOST_CPU, 1 * US), PART_IN(TARGET, TARGET_CPU, 1 * US),                        \
        PART_IN(COMPLETE, HOST_CPU, 1 * US)

static void an_idle_read(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
         "queue-depth: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
                   READ_RESPONSE);
}

static void two_reads_at_once(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
         "queue-depth: 2, count: 2}]\n");
    assert_int_equal(life_count, 2);
    CHECK_LIFE(&lives[0], HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
    /* A microsecond behind at the host's CPU, and so at the target's, which is free by then; the
     * medium serves one at a time. */
    CHECK_LIFE(&lives[1], HOST_AND_TARGET, PART_IN(SUBMIT, HOST_CPU, 1 * US), CAPSULE(COMMAND),
               PART_IN(MEDIUM, MEDIA_WAIT, 9 * US), PART_IN(MEDIUM, MEDIA, 10 * US), READ_RESPONSE);
}

static void more_than_the_queue_holds(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
         "queue-depth: 3, count: 3, queues: 1}]\n");
    assert_int_equal(life_count, 3);
    /* Three at the medium, each 10 us: the third waits for two of them, less its delay. */
    CHECK_LIFE(&lives[2], HOST_AND_TARGET, PART_IN(SUBMIT, HOST_CPU, 2 * US), CAPSULE(COMMAND),
               PART_IN(MEDIUM, MEDIA_WAIT, 18 * US), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

static void two_hosts_at_one_target(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: [host0, host2], to: host1, read: 100%, "
         "block-size: 4KiB, queue-depth: 1, count: 1, start: 1ms}]\n");
    assert_int_equal(life_count, 2);
    CHECK_LIFE(&lives[0], HOST_AND_TARGET, CAPSULE(COMMAND), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
    /* Both capsules reach the switch at one moment: the second waits for a slot of the first, and
     * that much later the core, if there is one for both, is still at the first. */
    const struct waits_life *second = &lives[1];
    assert_int_equal(second->ps[WAITS_IN_COMMAND][WAITS_QUEUED], SLOT(COMMAND));
    assert_int_equal(second->ps[WAITS_IN_MEDIUM][WAITS_MEDIA_WAIT] +
                         second->ps[WAITS_IN_TARGET][WAITS_TARGET_WAIT],
                     10 * US - SLOT(COMMAND));
    assert_int_equal(second->place_count, 1);
    assert_int_equal(second->places[0].queued_ps, SLOT(COMMAND));
    assert_int_equal(second->places[0].paused_ps, 0);
}

static void a_write_in_its_capsule(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 0%, block-size: 4KiB, "
         "queue-depth: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    /* Two packets, of 4096 and 64 bytes: the second waits for the first at the host and, less its
     * own bits, at the switch. */
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], HOST_AND_TARGET, CAPSULE(COMMAND),
                   PART_IN(COMMAND, SERIALISATION, SLOT(MIDDLE) + BITS(MIDDLE) - BITS(COMMAND)),
                   PART_IN(MEDIUM, MEDIA, 10 * US), PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),
                   ACROSS(RESPONSE, RESPONSE));
}

static void a_write_whose_data_are_fetched(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 0%, block-size: 8KiB, "
         "queue-depth: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], HOST_AND_TARGET, CAPSULE(COMMAND),
                   PART_IN(FETCH, RNIC, DOORBELL + FETCH + COMPLETION), ACROSS(FETCH, READ_REQUEST),
                   PART_IN(FETCH, SERIALISATION, SLOT(DATA_4K)), ACROSS(FETCH, DATA_4K),
                   PART_IN(MEDIUM, MEDIA, 10 * US), PART_IN(RESPONSE, RNIC, DOORBELL + COMPLETION),
                   ACROSS(RESPONSE, RESPONSE_INV));
}

/* ------------------------------------------------------------------ messages */

/* Until the sender of what has arrived knows. */
#define ACKNOWLEDGED ACROSS(ACKNOWLEDGE, ACK), PART_IN(ACKNOWLEDGE, RNIC, COMPLETION)

static void a_write_of_one_packet(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 3}]\n");
    assert_int_equal(life_count, 3);
    for (int i = 0; i < 3; i++)
        CHECK_LIFE(&lives[i], PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
                   ACKNOWLEDGED);
}

static void a_send_of_one_packet(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-send, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, SEND_1K),
                   ACKNOWLEDGED);
}

static void a_write_of_three_packets(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 12KiB, "
         "outstanding: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    /* The first has 16 bytes more than the others: at the switch they catch up with it by those. */
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], PART_IN(MESSAGE, RNIC, DOORBELL),
                   PART_IN(MESSAGE, SERIALISATION, SLOT(WRITE_4K) + SLOT(MIDDLE) + 16 * BYTE),
                   ACROSS(MESSAGE, MIDDLE), ACKNOWLEDGED);
}

static void a_read_of_one_packet(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-read, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 2}]\n");
    assert_int_equal(life_count, 2);
    for (int i = 0; i < 2; i++)
        CHECK_LIFE(&lives[i], PART_IN(MESSAGE, RNIC, DOORBELL + FETCH + COMPLETION),
                   ACROSS(MESSAGE, READ_REQUEST), ACROSS(MESSAGE, RESPONSE_1K));
}

static void a_second_write_waits_for_the_first(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 2, count: 2}]\n");
    assert_int_equal(life_count, 2);
    CHECK_LIFE(&lives[0], PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               ACKNOWLEDGED);
    CHECK_LIFE(&lives[1], PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, QUEUED, SLOT(WRITE_1K)), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
    assert_int_equal(lives[1].place_count, 1); /* at its own host's port */
}

/* What a packet of so many bytes takes to the other host. */
static time_ps across(unsigned bytes)
{
    return 2 * BITS(bytes) + 2 * CABLE + PIPELINE;
}

static void a_read_beyond_those_that_may_be_under_way(void **state)
{
    (void)state;
    play("  overrides: [{where: [host0, host1], rnic: {max-rd-atomic: 1}}]\n"
         "workloads: [{name: w, kind: rdma-read, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 2, count: 2}]\n");
    assert_int_equal(life_count, 2);
    const time_ps first = across(READ_REQUEST) + FETCH + across(RESPONSE_1K);
    /* As long as the first request is on the wire nobody asks why the second does not go. */
    CHECK_LIFE(&lives[1], PART_IN(MESSAGE, RNIC, DOORBELL + FETCH + COMPLETION),
               PART_IN(MESSAGE, QUEUED, SLOT(READ_REQUEST)),
               PART_IN(MESSAGE, WINDOW, first - SLOT(READ_REQUEST)), ACROSS(MESSAGE, READ_REQUEST),
               ACROSS(MESSAGE, RESPONSE_1K));
}

static void two_writes_meet_at_an_egress(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: [host0, host2], to: host1, "
         "message-size: 1KiB, outstanding: 1, count: 1, start: 1ms}]\n");
    assert_int_equal(life_count, 2);
    CHECK_LIFE(&lives[0], PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               ACKNOWLEDGED);
    CHECK_LIFE(&lives[1], PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, QUEUED, SLOT(WRITE_1K)), ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_lost_packet_is_sent_again(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 1, start: 1ms}]\n"
         "drain: 1s\n"
         "faults: [{kind: drop-every, where: host0, at: 1ms, for: 1us, n: 1, frames: data}]\n");
    assert_int_equal(life_count, 1);
    /* The whole ACK timeout, 4.096 us * 2^14, lies between the two. */
    CHECK_LIFE(&lives[0], PART_IN(MESSAGE, RNIC, DOORBELL),
               PART_IN(MESSAGE, RETRANSMISSION, (time_ps)4096 * PS_PER_NS << 14),
               ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
}

static void a_pause_on_the_way(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 1, start: 1ms}]\n"
         "faults: [{kind: pause-storm, where: host1, at: 900us, for: 200us}]\n");
    assert_int_equal(life_count, 1);
    const struct waits_life *life = &lives[0];
    /* It arrives at the switch's port towards host1 after the doorbell, its bits, the cable and the
     * pipeline, and leaves when its port obeys host1's XON, which takes its bits and a cable. */
    const time_ps arrives = DOORBELL + BITS(WRITE_1K) + CABLE + PIPELINE;
    const time_ps ends = 100 * US + BITS(64) + CABLE + OBEYS;
    CHECK_LIFE(life, PART_IN(MESSAGE, RNIC, DOORBELL), PART_IN(MESSAGE, PAUSED, ends - arrives),
               ACROSS(MESSAGE, WRITE_1K), ACKNOWLEDGED);
    assert_int_equal(life->place_count, 1);
    assert_int_equal(life->places[0].priority, 3);
}

static void a_receive_buffer_that_drains_slowly(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: rdma-write, from: host0, to: host1, message-size: 1KiB, "
         "outstanding: 1, count: 1, start: 1ms}]\n"
         "faults: [{kind: slow-receiver, where: host1, at: 900us, for: 1ms, drain: 1%}]\n");
    assert_int_equal(life_count, 1);
    /* 1 Gb/s: 8 ns for each byte of the frame. */
    CHECK_LIFE(&lives[0], PART_IN(MESSAGE, RNIC, DOORBELL), ACROSS(MESSAGE, WRITE_1K),
               PART_IN(MESSAGE, RECEIVER, (time_ps)WRITE_1K * 8 * PS_PER_NS), ACKNOWLEDGED);
}

static void a_target_that_stands_still(void **state)
{
    (void)state;
    play("workloads: [{name: w, kind: nvme, from: host0, to: host1, read: 100%, block-size: 4KiB, "
         "queue-depth: 1, count: 1, start: 1ms}]\n"
         "faults: [{kind: target-stall, where: host1, at: 900us, for: 200us}]\n");
    assert_int_equal(life_count, 1);
    /* The capsule is heard of while the target stands still. */
    const time_ps heard = 1 * US + DOORBELL + 2 * BITS(COMMAND) + 2 * CABLE + PIPELINE + COMPLETION;
    CHECK_LIFE(&lives[0], HOST_AND_TARGET, CAPSULE(COMMAND),
               PART_IN(COMMAND, STALLED, 100 * US - heard), PART_IN(MEDIUM, MEDIA, 10 * US),
               READ_RESPONSE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_idle_read),
        cmocka_unit_test(two_reads_at_once),
        cmocka_unit_test(more_than_the_queue_holds),
        cmocka_unit_test(two_hosts_at_one_target),
        cmocka_unit_test(a_write_in_its_capsule),
        cmocka_unit_test(a_write_whose_data_are_fetched),
        cmocka_unit_test(a_read_beyond_those_that_may_be_under_way),
        cmocka_unit_test(a_write_of_one_packet),
        cmocka_unit_test(a_send_of_one_packet),
        cmocka_unit_test(a_write_of_three_packets),
        cmocka_unit_test(a_read_of_one_packet),
        cmocka_unit_test(a_second_write_waits_for_the_first),
        cmocka_unit_test(two_writes_meet_at_an_egress),
        cmocka_unit_test(a_lost_packet_is_sent_again),
        cmocka_unit_test(a_pause_on_the_way),
        cmocka_unit_test(a_receive_buffer_that_drains_slowly),
        cmocka_unit_test(a_target_that_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

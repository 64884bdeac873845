/* SPDX-License-Identifier: Apache-2.0
 * test_workload_rdma - the rdma-* kinds and their sink, over acted verbs. */
#include "acted_verbs.h"

#include "scenarios/workload/wl_pace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void each_kind_posts_its_opcode_at_the_granted_buffer(void **state)
{
    static const struct {
        const char *kind;
        enum ibv_wr_opcode opcode;
        uint32_t receives;
    } rows[] = {
        {"rdma-write", IBV_WR_RDMA_WRITE, 1},
        {"rdma-read", IBV_WR_RDMA_READ, 1},
        {"rdma-send", IBV_WR_SEND, 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play *play = acted_begin(rows[i].kind);
        acted_run(play, PS_PER_S);
        assert_int_equal(play->stats.issued, 200);
        assert_int_equal(play->stats.completed, 200);
        assert_int_equal(play->stats.bytes, 200 * INT64_C(1048576));
        assert_int_equal(play->stats.latency.min, 100 * PS_PER_US);
        assert_int_equal(acted.last_opcode, rows[i].opcode);
        assert_int_equal(acted.last_rkey, 0x77);
        assert_int_equal(acted.last_addr, 0xABC000);
        assert_int_equal(acted.most_receives, rows[i].receives);
        assert_int_equal(acted.tried_again, 0);
        assert_int_equal(play->stats.window_from, PS_PER_MS);
        assert_int_equal(play->stats.window_to, 11 * PS_PER_MS);
        assert_int_equal(play->idle, 1);
        acted_end(play);
    }
}

static void each_message_is_answered_before_the_next(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-ping-pong");
    play->params.outstanding = 1;
    acted_run(play, PS_PER_S);
    /* 10 ms, 100 us there and 100 us back; both ends post as many. */
    assert_int_equal(play->stats.completed, 50);
    assert_int_equal(play->stats.failed, 0);
    assert_int_equal(acted.posted, 100);
    assert_int_equal(acted.tried_again, 0);
    assert_int_equal(play->stats.latency.min, 200 * PS_PER_US);
    assert_int_equal(play->stats.latency.max, 200 * PS_PER_US);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

static void a_core_posts_one_message_at_a_time(void **state)
{
    (void)state;
    static const struct {
        int64_t threads;
        uint64_t messages; /* of 10 ms, 50 us each; else four queue pairs with two of 100 us each */
        uint32_t cores;
    } rows[] = {{1, 200, 1}, {2, 400, 2}, {4, 800, 4}, {64, 800, 64}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play *play = acted_begin("rdma-write");
        acted.post_cost = 50 * PS_PER_US;
        play->params.qps = 4;
        play->params.threads = rows[i].threads;
        play->params.doorbell_cost = 0;
        acted_run(play, 6 * PS_PER_MS);
        const struct workload_cpu half = play->kind->cpu(play->workload, 6 * PS_PER_MS);
        assert_int_equal(half.cores, rows[i].cores);
        if (rows[i].threads <= 2)
            assert_int_equal(half.busy, rows[i].threads * 5 * PS_PER_MS);
        acted_run(play, PS_PER_S);
        assert_int_equal(play->stats.completed, rows[i].messages);
        assert_int_equal(play->idle, 1);
        acted_end(play);
    }
}

/* 50 us a message, and 10 us for each other thread of a doorbell: two doorbells of two threads pass
 * a message in 60 us each, one of four a message in 80 us; four need no lock. Four threads of two
 * queue pairs, or of one, share their locks in the same way. */
static void threads_share_doorbells(void **state)
{
    (void)state;
    static const struct {
        int64_t qps, doorbells;
        uint64_t messages; /* of 10 ms */
    } rows[] = {{4, 0, 800},     {4, 4, 800}, {4, 2, 2 * 167}, {4, 1, 125},
                {2, 0, 2 * 167}, {2, 1, 125}, {1, 0, 125}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play *play = acted_begin("rdma-write");
        acted.post_cost = 50 * PS_PER_US;
        play->params.qps = rows[i].qps;
        play->params.threads = 4;
        play->params.doorbells = rows[i].doorbells;
        play->params.doorbell_cost = 10 * PS_PER_US;
        acted_run(play, PS_PER_S);
        assert_int_equal(play->stats.completed, rows[i].messages);
        acted_end(play);
    }
}

static void the_time_of_a_post_varies_about_its_mean(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    acted.post_cost = 50 * PS_PER_US;
    acted.post_spread = 25 * PS_PER_US;
    play->params.qps = 4;
    acted_run(play, PS_PER_S);
    assert_in_range(play->stats.completed, 190, 210); /* 200 without */
    assert_int_not_equal(play->stats.completed * 50 * PS_PER_US,
                         play->kind->cpu(play->workload, PS_PER_S).busy);
    acted_end(play);
}

/* Four messages, posted 50 us apart, take 100 us each: without batches the core is always busy; a
 * batch of four begins each 250 us, and one of two when two of the four are complete. */
static void a_batch_waits_for_room_for_all_of_it(void **state)
{
    (void)state;
    static const struct {
        int64_t batch;
        uint64_t messages; /* of 10 ms */
    } rows[] = {{1, 200}, {2, 200}, {4, 160}, {4096, 160}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct play *play = acted_begin("rdma-write");
        acted.post_cost = 50 * PS_PER_US;
        play->params.outstanding = 4;
        play->params.batch = rows[i].batch;
        acted_run(play, PS_PER_S);
        assert_int_equal(play->stats.completed, rows[i].messages);
        acted_end(play);
    }
}

static void an_open_loop_waits_for_its_core(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    acted.post_cost = 50 * PS_PER_US;
    play->params.rate = 40000 * WL_PACE_EVENT; /* twice what the core posts */
    play->params.outstanding = 4096;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 200);
    assert_in_range(play->stats.missed, 199, 201);
    /* The last that is posted was due in the middle of the time. */
    assert_in_range(play->stats.latency.max, 5000 * PS_PER_US, 5200 * PS_PER_US);
    acted_end(play);
}

static void queue_pairs_share_a_count(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    play->params.qps = 3;
    play->params.outstanding = 4;
    play->params.count = 25;
    acted_run(play, PS_PER_MS + 150 * PS_PER_US);
    assert_int_equal(play->kind->outstanding(play->workload), 12);
    char text[128];
    play->kind->describe(play->workload, text, sizeof text);
    assert_string_equal(text, "12 messages of 1 MiB to 10.0.0.2 outstanding, the oldest for 50 us");
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 25);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

/* Messages of an open loop, one each 25 us, take 100 us each: whichever queue pair has the first
 * that is not complete, and wherever its ring holds it, it is 75 to 100 us old, and was due a
 * multiple of 25 us after all others. */
static void the_oldest_message_is_the_first_under_way(void **state)
{
    (void)state;
    enum { EACH = 25, TAKES = 100, FIRST = 1000 + TAKES + EACH };
    struct play *play = acted_begin("rdma-write");
    play->params.rate = 40000 * WL_PACE_EVENT;
    play->params.qps = 3;
    play->params.outstanding = 7;
    double phase = -1;
    for (int us = FIRST; us < FIRST + 2000; us += 9) {
        char text[128];
        double age = 0;
        acted_run(play, us * PS_PER_US);
        play->kind->describe(play->workload, text, sizeof text);
        assert_int_equal(
            sscanf(text, "4 messages of 1 MiB to 10.0.0.2 outstanding, the oldest for %lf us",
                   &age),
            1);
        assert_true(age >= TAKES - EACH && age <= TAKES);
        const double rest = fmod(us - age, EACH);
        phase = phase < 0 ? rest : phase;
        assert_true(fabs(rest - phase) < 0.2 || fabs(rest - phase) > EACH - 0.2);
    }
    acted_end(play);
}

/* One receive, there again 250 us after each message: those that follow are tried at 100, 200 and
 * 300 us. */
static void a_slow_receiver_has_receives_late(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-send");
    play->params.outstanding = 1;
    play->params.count = 10;
    play->params.receives = 1;
    play->params.receive_delay = 250 * PS_PER_US;
    acted_run(play, PS_PER_S);
    assert_int_equal(acted.most_receives, 1);
    assert_int_equal(play->stats.completed, 10);
    assert_int_equal(acted.tried_again, 9 * 2);
    assert_int_equal(play->stats.latency.min, 100 * PS_PER_US);
    assert_int_equal(play->stats.latency.max, 300 * PS_PER_US);
    acted_end(play);
}

/* Each is posted again a delay after its own message, whatever else is owed. */
static void receives_come_back_one_by_one(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-send");
    play->params.rate = 12500 * WL_PACE_EVENT; /* every 80 us */
    play->params.count = 20;
    play->params.receives = 3;
    play->params.receive_delay = 210 * PS_PER_US;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 20);
    assert_int_equal(acted.taken, 20);
    assert_int_equal(acted.put, 3 + 20);
    for (uint32_t i = 0; i < acted.taken; i++)
        assert_int_equal(acted.put_at[3 + i], acted.taken_at[i] + 210 * PS_PER_US);
    assert_true(acted.taken_at[1] != acted.taken_at[0]);
    acted_end(play);
}

static void an_open_loop_keeps_its_rate(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    play->params.rate = 1000 * WL_PACE_EVENT;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 10);
    assert_int_equal(play->stats.missed, 0);
    acted_end(play);
    play = acted_begin("rdma-write");
    play->params.rate = 100000 * WL_PACE_EVENT; /* two in 100 us: a fifth of it */
    acted_run(play, PS_PER_S);
    assert_in_range(play->stats.completed, 199, 201);
    assert_int_equal(play->stats.completed + play->stats.missed, 1000);
    acted_end(play);
}

static void a_rejected_connection_ends_it(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-send");
    play->params.qps = 2;
    acted.rejects = true;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 2);
    assert_int_equal(play->stats.issued, 2); /* each connection stands for one that failed */
    assert_int_equal(acted.posted, 0);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

static void a_failed_message_takes_its_queue_pair_with_it(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    play->params.qps = 2;
    acted.fails_at = 50;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 2); /* it and the one behind it */
    assert_int_equal(play->stats.issued, play->stats.completed + play->stats.failed);
    assert_true(play->stats.completed > 200); /* the other goes on */
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

static void a_disconnect_ends_it(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    acted.dies_at = 50;
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.issued, 50);
    assert_int_equal(play->stats.issued, play->stats.completed + play->stats.failed);
    assert_int_equal(play->stats.window_to, 11 * PS_PER_MS); /* rates tell of the rest too */
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

static void it_can_be_stopped_early(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-read");
    acted_run(play, 2 * PS_PER_MS + 50 * PS_PER_US);
    play->kind->stop(play->workload);
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 22);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

/* Messages are due every 1 ms and take 100 us: most of the time none is under way. */
static void a_stop_between_messages_takes_effect_at_once(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    play->params.rate = 1000 * WL_PACE_EVENT;
    acted_run(play, 2 * PS_PER_MS + 500 * PS_PER_US);
    assert_int_equal(play->kind->outstanding(play->workload), 0);
    assert_int_equal(play->idle, 0);
    play->kind->stop(play->workload);
    assert_int_equal(play->idle, 1);
    const uint64_t completed = play->stats.completed;
    assert_in_range(completed, 1, 2);
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, completed);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

/* The connection needs 1 ns; only then is the workload idle, and only once. */
static void a_stop_before_the_connection_waits_for_it(void **state)
{
    (void)state;
    struct play *play = acted_begin("rdma-write");
    acted_run(play, 0);
    play->kind->stop(play->workload);
    assert_int_equal(play->idle, 0);
    acted_run(play, PS_PER_S);
    assert_int_equal(play->stats.issued, 0);
    assert_int_equal(play->idle, 1);
    acted_end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_posts_its_opcode_at_the_granted_buffer),
        cmocka_unit_test(each_message_is_answered_before_the_next),
        cmocka_unit_test(a_core_posts_one_message_at_a_time),
        cmocka_unit_test(threads_share_doorbells),
        cmocka_unit_test(the_time_of_a_post_varies_about_its_mean),
        cmocka_unit_test(a_batch_waits_for_room_for_all_of_it),
        cmocka_unit_test(an_open_loop_waits_for_its_core),
        cmocka_unit_test(queue_pairs_share_a_count),
        cmocka_unit_test(the_oldest_message_is_the_first_under_way),
        cmocka_unit_test(a_slow_receiver_has_receives_late),
        cmocka_unit_test(receives_come_back_one_by_one),
        cmocka_unit_test(an_open_loop_keeps_its_rate),
        cmocka_unit_test(a_rejected_connection_ends_it),
        cmocka_unit_test(a_failed_message_takes_its_queue_pair_with_it),
        cmocka_unit_test(a_disconnect_ends_it),
        cmocka_unit_test(it_can_be_stopped_early),
        cmocka_unit_test(a_stop_between_messages_takes_effect_at_once),
        cmocka_unit_test(a_stop_before_the_connection_waits_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * test_workload - scripts, and what all kinds have in common. */
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_rdma.h"
#include "scenarios/workload/wl_script.h"
#include "scenarios/workload/workload.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof(array)[0])

static const struct wl_region megabyte = {.offset = 4096, .bytes = 1 << 20};

static struct rng stream(uint64_t seed)
{
    return rng_stream(seed, "host0", "test");
}

/* Scripts. */

static struct wl_nvme_params params_of(int64_t read)
{
    return (struct wl_nvme_params){.read = read, .block_size = 4096, .queue_depth = 4, .queues = 1};
}

struct tally {
    int64_t reads, writes, read_backs, longest_queue;
    time_ps end;
};

/* Plays a script against a device on which every I/O takes `service`, until its end or `stop`. */
static struct tally play(struct wl_script *script, time_ps service, time_ps stop)
{
    time_ps done[256];
    int64_t under_way = 0, first = 0;
    struct tally tally = {0};
    time_ps now = 0;
    while (now < stop) {
        const struct wl_step step = wl_script_next(script, now, under_way);
        if (step.kind == WL_END)
            break;
        if (step.kind == WL_ISSUE) {
            assert_true(step.at <= now);
            done[(first + under_way++) % 256] = now + service;
            tally.read_backs += step.read_back;
            tally.reads += !step.read_back && step.io.direction == WL_READ;
            tally.writes += step.io.direction == WL_WRITE;
            if (under_way > tally.longest_queue)
                tally.longest_queue = under_way;
            continue;
        }
        const bool completes = under_way > 0 && (step.kind == WL_WAIT || done[first] <= step.at);
        assert_true(completes || step.kind == WL_SLEEP);
        now = completes ? done[first] : step.at;
        if (completes) {
            first = (first + 1) % 256;
            under_way--;
            wl_script_completed(script, now, service);
        }
    }
    tally.end = now;
    return tally;
}

static struct tally play_params(const struct wl_nvme_params *params, int64_t depth, time_ps service,
                                time_ps stop)
{
    struct wl_script script;
    wl_script_init(&script, params, megabyte, depth, 0, stream(21));
    return play(&script, service, stop);
}

static void a_closed_loop_keeps_its_depth_until_its_count(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM);
    params.count = 101;
    const struct tally tally = play_params(&params, 4, 10, PS_PER_S);
    assert_int_equal(tally.reads, 101);
    assert_int_equal(tally.longest_queue, 4);
    assert_int_equal(tally.end, 250); /* the last is issued after 25 rounds of 4 */
}

static void without_a_count_it_goes_on_until_stopped(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM / 4);
    const struct tally tally = play_params(&params, 2, 10, 100000);
    assert_int_equal(tally.reads + tally.writes, 20000);
    assert_in_range(tally.reads, 4750, 5250);
}

static void an_open_loop_issues_at_its_rate_or_tells_what_it_missed(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM);
    params.rate = 1000 * WL_PACE_EVENT;
    struct tally tally = play_params(&params, 4, PS_PER_US, PS_PER_S);
    assert_int_equal(tally.reads, 1000);
    struct wl_script script; /* at most 4 in 10 ms: 400 per second, and 600 of 1000 are missed */
    wl_script_init(&script, &params, megabyte, 4, 0, stream(21));
    tally = play(&script, 10 * PS_PER_MS, PS_PER_S);
    assert_in_range(tally.reads, 400, 404);
    assert_int_equal((int64_t)wl_script_missed(&script, PS_PER_S) + tally.reads, 1000);
}

static void each_direction_keeps_its_own_rate(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM / 2);
    params.fio.rate_iops[WL_READ] = 500;
    params.fio.rate_bytes[WL_WRITE] = 4096 * 100;
    const struct tally tally = play_params(&params, 8, PS_PER_US, PS_PER_S);
    assert_in_range(tally.reads, 499, 500);
    assert_in_range(tally.writes, 99, 100);
    params.read = PPM; /* only reads: the rate of writes counts for nothing */
    struct wl_script script;
    wl_script_init(&script, &params, megabyte, 8, 0, stream(21));
    play(&script, PS_PER_US, PS_PER_S);
    assert_int_equal(wl_script_missed(&script, PS_PER_S), 0);
}

static void think_time_follows_its_blocks_with_nothing_under_way(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM);
    params.think_time = 90;
    params.count = 10;
    struct tally tally = play_params(&params, 1, 10, PS_PER_S);
    assert_int_equal(tally.end, 1000);
    params.fio.think_blocks = 5;
    tally = play_params(&params, 1, 10, PS_PER_S);
    assert_int_equal(tally.end, 280); /* 5 * 10 + 90 twice */
}

static void loops_repeat_bytes_or_ios(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM);
    params.fio.io_bytes = WL_NVME_ONE_PASS;
    params.fio.loops = 3;
    assert_int_equal(play_params(&params, 4, 10, PS_PER_S).reads, 3 * 256);
    params.fio.loop_ios = 10;
    assert_int_equal(play_params(&params, 4, 10, PS_PER_S).reads, 30);
    params.fio.loop_ios = 0;
    params.fio.io_bytes = 4096 * 5;
    assert_int_equal(play_params(&params, 4, 10, PS_PER_S).reads, 15);
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(0);
    params.fio.loop_ios = 20;
    params.fio.verify_backlog = INT64_MAX;
    struct tally tally = play_params(&params, 4, 10, PS_PER_S);
    assert_int_equal(tally.writes, 20);
    assert_int_equal(tally.read_backs, 20);
    assert_int_equal(tally.end, 100); /* five rounds of writes, then five of reads */
    params.fio.verify_backlog = 8;
    tally = play_params(&params, 4, 10, PS_PER_S);
    assert_int_equal(tally.writes, 20);
    assert_int_equal(tally.read_backs, 20);
    params.read = PPM / 2;
    tally = play_params(&params, 4, 10, PS_PER_S);
    assert_int_equal(tally.reads + tally.writes, 20);
    assert_int_equal(tally.read_backs, tally.writes);
}

static void read_backs_go_where_the_writes_went(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM / 2);
    params.fio.loop_ios = 40;
    params.fio.loops = 2;
    params.fio.verify_backlog = 7;
    struct wl_script script;
    wl_script_init(&script, &params, megabyte, 1, 0, stream(33));
    int64_t written[64];
    int writes = 0, read = 0;
    for (;;) {
        const struct wl_step step = wl_script_next(&script, 0, 0);
        if (step.kind == WL_END)
            break;
        assert_int_equal(step.kind, WL_ISSUE);
        if (step.read_back)
            assert_int_equal(step.io.offset, written[read++ % 64]);
        else if (step.io.direction == WL_WRITE)
            written[writes++ % 64] = step.io.offset;
        wl_script_completed(&script, 0, 0);
    }
    assert_true(writes > 20);
    assert_int_equal(read, writes);
}

static void a_latency_search_ends_the_job(void **state)
{
    (void)state;
    struct wl_nvme_params params = params_of(PPM);
    params.fio.latency_target = 1000;
    params.fio.latency_window = 1000;
    params.fio.latency_ppm = PPM;
    const struct tally tally = play_params(&params, 16, 10, PS_PER_S);
    assert_int_equal(tally.longest_queue, 16);
    assert_true(tally.end < PS_PER_S);
}

/* The rest. */

static void private_data_survive_the_wire(void **state)
{
    (void)state;
    uint8_t bytes[WL_RDMA_REP_BYTES];
    const struct wl_rdma_request request = {.opcode = IBV_WR_SEND,
                                            .outstanding = 4096,
                                            .message_bytes = 1 << 30,
                                            .receives = 3,
                                            .receive_delay_us = 30000};
    struct wl_rdma_request got;
    wl_rdma_encode_request(&request, bytes);
    assert_true(wl_rdma_decode_request(bytes, WL_RDMA_REQ_BYTES, &got));
    assert_int_equal(got.opcode, IBV_WR_SEND);
    assert_int_equal(got.outstanding, 4096);
    assert_int_equal(got.message_bytes, 1 << 30);
    assert_int_equal(got.receives, 3);
    assert_int_equal(got.receive_delay_us, 30000);
    assert_false(wl_rdma_decode_request(bytes, WL_RDMA_REQ_BYTES - 1, &got));
    bytes[0] = 1;
    assert_false(wl_rdma_decode_request(bytes, WL_RDMA_REQ_BYTES, &got));
    const struct wl_rdma_grant grant = {
        .length = 77, .rkey = 0x01020304, .addr = UINT64_C(0x1122334455667788)};
    struct wl_rdma_grant granted;
    wl_rdma_encode_grant(&grant, bytes);
    assert_int_equal(bytes[8], 0x11);
    assert_true(wl_rdma_decode_grant(bytes, WL_RDMA_REP_BYTES, &granted));
    assert_memory_equal(&granted, &grant, sizeof grant);
}

static void every_kind_is_found_by_its_word(void **state)
{
    static const char *const words[] = {"nvme",      "rdma-write",     "rdma-read",
                                        "rdma-send", "rdma-ping-pong", "tcp-stream",
                                        "trace"};
    (void)state;
    for (size_t i = 0; i < LENGTH(words); i++) {
        const struct workload_ops *ops = workload_find(words[i]);
        assert_non_null(ops);
        assert_ptr_equal(ops, workload_kinds[i]);
        void *params = malloc(ops->params_bytes);
        assert_non_null(params);
        memset(params, 0, ops->params_bytes);
        opt_presets(ops->opts, params); /* CHECKs each row */
        free(params);
        assert_true(ops->create && ops->start && ops->stop && ops->measure && ops->delivered &&
                    ops->outstanding && ops->describe && ops->destroy);
    }
    assert_null(workload_kinds[LENGTH(words)]);
    assert_null(workload_find("rdma_write"));
}

/* ------------------------------------------------------------------ statistics */

enum { INSTANCES = 7, DEEDS = 40 };

/* One instance's life, from its own stream: up to `deeds` of it. */
static void live(struct workload_stats *stats, unsigned instance, unsigned deeds)
{
    struct rng rng = rng_stream(instance, "instance", "life");
    const time_ps from = 1000, stop = 9000;
    time_ps now = (time_ps)rng_below(&rng, 2000), before = 0;
    bool failed = false;
    workload_begins(stats, from + instance);
    for (unsigned i = 0; i < deeds; i++) {
        const struct workload_completion done = {
            .issued_at = now,
            .now = now + 1 + (time_ps)rng_below(&rng, 500),
            .from = from,
            .stop = stop,
            .bytes = 1 + rng_below(&rng, 100000),
            .read = rng_below(&rng, 2) == 0,
        };
        workload_issued(stats, done.issued_at);
        workload_completed(stats, &done);
        before = now = done.now;
    }
    if (instance % 3 == 2) {
        workload_barred(stats, now, stop);
        failed = true;
    }
    if (deeds == DEEDS)
        workload_done(stats, failed, before, stop);
}

static void fresh(struct workload_stats *stats)
{
    memset(stats, 0, sizeof *stats);
    hist_reset(&stats->latency);
}

/* Hosts go ahead of each other: whose deeds come first decides nothing. */
static void statistics_do_not_know_who_came_first(void **state)
{
    (void)state;
    static struct workload_stats forth, back;
    fresh(&forth);
    fresh(&back);
    for (unsigned i = 0; i < INSTANCES; i++) {
        live(&forth, i, DEEDS);
        live(&back, INSTANCES - 1 - i, DEEDS);
    }
    assert_memory_equal(&forth, &back, sizeof forth);
    assert_int_equal(forth.completed, INSTANCES * DEEDS);
    assert_int_equal(forth.window_from, 1000);
    assert_int_equal(forth.window_to, 9000); /* two were barred */
    assert_true(forth.completed_window < forth.completed &&
                forth.completed_window > forth.completed / 2);
}

/* Told at three places and added up, also after some have told nothing. */
static void statistics_add_up(void **state)
{
    (void)state;
    static struct workload_stats whole, parts[4], sum;
    snprintf(sum.name, sizeof sum.name, "entry");
    fresh(&whole);
    for (int i = 0; i < 4; i++)
        workload_reset(&parts[i]);
    for (unsigned i = 0; i < INSTANCES; i++) {
        live(&whole, i, DEEDS - i % 2);
        live(&parts[1 + i % 3], i, DEEDS - i % 2);
    }
    workload_reset(&sum);
    for (int i = 0; i < 4; i++)
        workload_fold(&sum, &parts[i]);
    assert_string_equal(sum.name, "entry");
    memset(sum.name, 0, sizeof sum.name);
    assert_memory_equal(&sum, &whole, sizeof sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_loop_keeps_its_depth_until_its_count),
        cmocka_unit_test(without_a_count_it_goes_on_until_stopped),
        cmocka_unit_test(an_open_loop_issues_at_its_rate_or_tells_what_it_missed),
        cmocka_unit_test(each_direction_keeps_its_own_rate),
        cmocka_unit_test(think_time_follows_its_blocks_with_nothing_under_way),
        cmocka_unit_test(loops_repeat_bytes_or_ios),
        cmocka_unit_test(what_was_written_is_read_back),
        cmocka_unit_test(read_backs_go_where_the_writes_went),
        cmocka_unit_test(a_latency_search_ends_the_job),
        cmocka_unit_test(private_data_survive_the_wire),
        cmocka_unit_test(every_kind_is_found_by_its_word),
        cmocka_unit_test(statistics_do_not_know_who_came_first),
        cmocka_unit_test(statistics_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

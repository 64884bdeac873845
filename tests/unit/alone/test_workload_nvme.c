/* SPDX-License-Identifier: Apache-2.0
 * test_workload_nvme - kind nvme against an acted controller.
 * acted_controller.h has it: a device that takes a fixed time, remembers the content of each block,
 * and can be made to fail, to lie and to have short queues. */
#include "tests/unit/workload/acted_controller.h"

static void a_closed_loop_runs_from_start_to_stop(void **state)
{
    (void)state;
    struct play *play = begin();
    run(play, PS_PER_S);
    const struct workload_stats *stats = &play->stats;
    assert_int_equal(stats->issued, 400); /* four in each of 100 rounds of 100 us */
    assert_int_equal(stats->completed, 400);
    assert_int_equal(stats->completed_window, 400);
    assert_int_equal(stats->bytes, 400 * 4096);
    assert_int_equal(stats->bytes_read, 400 * 4096);
    assert_int_equal(stats->first_issue, PS_PER_MS);
    assert_int_equal(stats->last_completion, 11 * PS_PER_MS);
    assert_int_equal(stats->window_from, PS_PER_MS);
    assert_int_equal(stats->window_to, 11 * PS_PER_MS);
    assert_int_equal(stats->latency.min, 100 * PS_PER_US);
    assert_int_equal(stats->latency.max, 100 * PS_PER_US);
    assert_int_equal(play->idle, 1);
    assert_int_equal(device.most[0], 4);
    end(play);
}

static void a_count_ends_it_and_the_window_with_it(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.count = 10;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 10);
    assert_int_equal(play->idle, 1);
    assert_int_equal(play->idle_at, PS_PER_MS + 300 * PS_PER_US);
    assert_int_equal(play->stats.window_to, PS_PER_MS + 300 * PS_PER_US);
    assert_int_equal(kind()->outstanding(play->workload), 0);
    end(play);
}

static void queues_are_used_alike(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.queues = 3;
    run(play, PS_PER_S);
    for (int i = 0; i < 3; i++)
        assert_int_equal(device.most[i], 4);
    assert_int_equal(play->stats.completed, 1200);
    end(play);
    play = begin();
    play->params.queues = 4;
    device.grants = 2; /* the target grants fewer */
    run(play, PS_PER_S);
    assert_int_equal(device.most[0], 4);
    assert_int_equal(device.most[1], 4);
    assert_int_equal(play->stats.completed, 800);
    end(play);
}

static void what_a_short_queue_does_not_take_waits_and_counts(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.queue_depth = 6;
    device.queue_size = 2;
    run(play, 5 * PS_PER_MS);
    assert_int_equal(kind()->outstanding(play->workload), 6);
    run(play, PS_PER_S);
    assert_int_equal(device.most[0], 2);
    assert_int_equal(play->stats.issued, play->stats.completed);
    assert_int_equal(play->stats.latency.max, 300 * PS_PER_US); /* three turns */
    assert_int_equal(play->idle, 1);
    end(play);
}

static void an_open_loop_counts_latency_from_when_it_was_due(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.rate = 10000 * WL_PACE_EVENT;
    play->params.queue_depth = 1;
    device.service = 150 * PS_PER_US; /* one and a half intervals: it falls behind */
    run(play, PS_PER_S);
    const struct workload_stats *stats = &play->stats;
    assert_int_equal(stats->issued + stats->missed, 100);
    assert_in_range(stats->issued, 66, 67);
    /* The n-th waits n * 50 us more. */
    assert_in_range(stats->latency.max, 3000 * PS_PER_US, 3500 * PS_PER_US);
    end(play);
}

static void poisson_and_paced_have_the_same_rate(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.rate = 100000 * WL_PACE_EVENT;
    play->params.arrival = WL_PACE_POISSON;
    play->params.queue_depth = 1000;
    device.queue_size = 1000;
    run(play, PS_PER_S);
    assert_in_range(play->stats.issued, 900, 1100);
    assert_int_equal(play->stats.missed, 0);
    end(play);
}

static void a_warm_up_is_not_measured(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.warm_up = 5 * PS_PER_MS;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 400);
    assert_int_equal(play->stats.completed_window, 200);
    assert_int_equal(play->stats.latency.count, 200);
    assert_int_equal(play->stats.window_from, 6 * PS_PER_MS);
    end(play);
}

static void what_completes_after_stop_is_not_in_the_window(void **state)
{
    (void)state;
    struct play *play = begin();
    play->site.stop = PS_PER_MS + 250 * PS_PER_US;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.issued, 12);
    assert_int_equal(play->stats.completed, 12);
    assert_int_equal(play->stats.completed_window, 8);
    assert_int_equal(play->stats.bytes, 12 * 4096);
    assert_int_equal(kind()->delivered(play->workload).read, 8 * 4096);
    assert_int_equal(play->idle_at, PS_PER_MS + 300 * PS_PER_US);
    end(play);
}

static void a_failed_connection_counts_and_ends_it(void **state)
{
    (void)state;
    struct play *play = begin();
    device.ready_status = NVME_STATUS_TRANSPORT;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 1);
    assert_int_equal(play->stats.issued, 1); /* the connection stands for one that failed */
    assert_int_equal(device.submitted, 0);
    assert_int_equal(play->idle, 1);
    end(play);
}

static void what_does_not_fit_the_namespace_is_given_up(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.block_size = 512; /* the blocks have 4096 */
    run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 1);
    assert_int_equal(play->idle, 1);
    end(play);
    play = begin();
    play->params.name_space = 3; /* there are two */
    run(play, PS_PER_S);
    assert_int_equal(play->stats.failed, 1);
    end(play);
}

static void failed_ios_count_and_it_goes_on(void **state)
{
    (void)state;
    struct play *play = begin();
    device.fails_from = 101;
    play->params.count = 200;
    run(play, PS_PER_S);
    assert_int_equal(play->stats.completed, 100);
    assert_int_equal(play->stats.failed, 100);
    assert_int_equal(play->idle, 1);
    assert_int_equal(play->stats.window_to, 11 * PS_PER_MS);
    end(play);
}

static void a_dead_controller_ends_it_with_all_accounted_for(void **state)
{
    (void)state;
    struct play *play = begin();
    play->params.queue_depth = 8;
    device.queue_size = 3; /* some wait in the workload */
    device.dies_at = 50;
    run(play, PS_PER_S);
    const struct workload_stats *stats = &play->stats;
    assert_int_equal(stats->issued, stats->completed + stats->failed);
    assert_int_equal(stats->window_to, 11 * PS_PER_MS);
    assert_int_equal(stats->failed, 7); /* three in the queue, four that waited; none is added */
    assert_int_equal(play->idle, 1);
    assert_int_equal(kind()->outstanding(play->workload), 0);
    end(play);
}

static void reads_are_compared_with_what_was_written(void **state)
{
    (void)state;
    for (int lies = 0; lies < 2; lies++) {
        struct play *play = begin();
        play->params.read = PPM / 2;
        play->params.size = 16 * 4096;
        device.lies = lies != 0;
        run(play, PS_PER_S);
        assert_int_equal(play->stats.corrupt > 0, lies);
        assert_in_range(play->stats.bytes_written / 4096, 150, 250);
        end(play);
    }
}

static void a_fio_job_reads_back_what_it_wrote(void **state)
{
    (void)state;
    for (int lies = 0; lies < 2; lies++) {
        struct play *play = begin();
        struct wl_nvme_fio *fio = &play->params.fio;
        fio->planned = true;
        wl_plan_fixed(&fio->plan, 8192);
        fio->io_bytes = WL_NVME_ONE_PASS;
        fio->verify_backlog = INT64_MAX;
        play->params.size = 64 * 8192;
        play->params.offset = 8192;
        play->site.copy = 7;
        fio->offset_step = 64 * 8192;
        device.lies = lies != 0;
        device.service = PS_PER_US;
        run(play, PS_PER_S);
        assert_int_equal(play->stats.completed, 63 + 63); /* the namespace ends one block earlier */
        assert_int_equal(play->stats.corrupt, lies ? 63 : 0);
        assert_int_equal(play->idle, 1);
        end(play);
    }
}

static void it_can_be_stopped_early(void **state)
{
    (void)state;
    struct play *play = begin();
    run(play, 2 * PS_PER_MS + 50 * PS_PER_US);
    char text[128];
    kind()->describe(play->workload, text, sizeof text);
    assert_string_equal(
        text, "4 I/Os to 10.0.0.2 outstanding, the oldest is a read of 4096 B, issued 50 us ago");
    kind()->stop(play->workload);
    assert_int_equal(play->idle, 0);
    run(play, PS_PER_S);
    assert_int_equal(play->idle, 1);
    assert_int_equal(play->idle_at, 2 * PS_PER_MS + 100 * PS_PER_US);
    assert_int_equal(play->stats.completed, 44);
    end(play);
}

static void it_can_be_stopped_before_it_begins(void **state)
{
    (void)state;
    struct play *play = begin();
    run(play, 500);
    char text[128];
    kind()->describe(play->workload, text, sizeof text);
    assert_string_equal(text, "connecting");
    kind()->stop(play->workload);
    run(play, PS_PER_S);
    assert_int_equal(play->idle, 1);
    assert_int_equal(play->stats.issued, 0);
    end(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_loop_runs_from_start_to_stop),
        cmocka_unit_test(a_count_ends_it_and_the_window_with_it),
        cmocka_unit_test(queues_are_used_alike),
        cmocka_unit_test(what_a_short_queue_does_not_take_waits_and_counts),
        cmocka_unit_test(an_open_loop_counts_latency_from_when_it_was_due),
        cmocka_unit_test(poisson_and_paced_have_the_same_rate),
        cmocka_unit_test(a_warm_up_is_not_measured),
        cmocka_unit_test(what_completes_after_stop_is_not_in_the_window),
        cmocka_unit_test(a_failed_connection_counts_and_ends_it),
        cmocka_unit_test(what_does_not_fit_the_namespace_is_given_up),
        cmocka_unit_test(failed_ios_count_and_it_goes_on),
        cmocka_unit_test(a_dead_controller_ends_it_with_all_accounted_for),
        cmocka_unit_test(reads_are_compared_with_what_was_written),
        cmocka_unit_test(a_fio_job_reads_back_what_it_wrote),
        cmocka_unit_test(it_can_be_stopped_early),
        cmocka_unit_test(it_can_be_stopped_before_it_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

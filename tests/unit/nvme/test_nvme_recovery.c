/* SPDX-License-Identifier: Apache-2.0
 * A controller that is lost: it is connected again, what was under way is sent again, and every
 * I/O completes once; or time runs out, and every I/O is reported once.  A target that stands
 * still, dies, and comes back. */
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nvme_pair pair;

static void start(const char *media)
{
    nvme_pair_init(&pair, media);
    pair.host_params.queues = 2;
    pair.host_params.reconnect_delay = PS_PER_MS;
    pair.host_params.ctrl_loss_tmo = 20 * PS_PER_MS;
}

static void submit(uint32_t first, uint32_t end, enum nvme_opcode opcode)
{
    for (uint32_t i = first; i < end; i++)
        assert_true(
            nvme_host_submit(pair.host, i % 2, nvme_pair_fill(&pair, i, opcode, i * 8, 4096)));
}

static void assert_statuses(uint32_t first, uint32_t end, uint16_t status)
{
    for (uint32_t i = first; i < end; i++)
        assert_int_equal(pair.ios[i].status, status);
}

/* Reads back what the writes from `first` on have left. */
static void assert_contents(uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const struct nvme_io *io = nvme_pair_io(&pair, NVME_READ, i * 8, 4096, 0);
        assert_int_equal(io->status, NVME_STATUS_OK);
        assert_int_equal(io->content, i + 1);
    }
}

static void a_broken_connection_is_made_again(void **state)
{
    (void)state;
    start("flash-tlc");
    nvme_pair_start(&pair);
    submit(1, 101, NVME_WRITE);
    struct nvme_io *large = nvme_pair_fill(&pair, 101, NVME_WRITE, 1 << 20, 300 << 20);
    assert_true(nvme_host_submit(pair.host, 0, large));
    nvme_pair_run(&pair, 60 * PS_PER_US);
    const uint32_t before = pair.completed;
    fake_break(&pair.world);
    nvme_pair_run(&pair, PS_PER_MS / 2);
    assert_false(nvme_host_live(pair.host));
    assert_false(nvme_host_lost(pair.host));
    assert_in_range(pair.completed, before, 100);
    assert_false(nvme_host_submit(pair.host, 0, &pair.ios[200]));
    nvme_pair_run(&pair, 3 * PS_PER_S);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(pair.completed, 101);
    assert_statuses(1, 102, NVME_STATUS_OK);
    const struct nvme_host_stats *stats = nvme_host_stats(pair.host);
    assert_int_equal(stats->losses, 1);
    assert_int_equal(stats->attempts, 1);
    assert_int_equal(stats->reconnects, 1);
    assert_in_range(stats->requeued, 1, 2 * 127);
    assert_in_range(nvme_host_without_service(pair.host, pair.world.now), PS_PER_MS,
                    PS_PER_MS + 200 * PS_PER_US);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    assert_contents(1, 101);
    nvme_pair_fini(&pair);
}

/* A stripe that lost a drive: media errors by NVMe base 2.0, figure 98, or by the target. */
static void media_errors_are_those_of_the_identity(void **state)
{
    (void)state;
    static const struct {
        enum nvme_target_identity identity;
        uint16_t read, write;
    } rows[] = {
        {NVME_TARGET_IS_OWN, 0x281, 0x280},
        {NVME_TARGET_IS_NVMET, 0x006, 0x006},
        {NVME_TARGET_IS_SPDK, 0x006, 0x006},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        start("null");
        pair.target_params.identity = rows[i].identity;
        pair.namespaces[0].params.array =
            (struct array_params){.drives = 2, .layout = ARRAY_STRIPE, .strip = 65536};
        nvme_pair_start(&pair);
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
        assert_true(nvme_target_fail_drive(pair.target, 1, 0));
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, rows[i].read);
        assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 0, 4096, 1)->status, rows[i].write);
        assert_int_equal(nvme_pair_io(&pair, NVME_FLUSH, 0, 0, 0)->status, rows[i].write);
        nvme_pair_fini(&pair);
    }
}

/* Attempts count from each loss: two are enough each time, however often it is lost. */
static void each_loss_has_all_its_attempts(void **state)
{
    (void)state;
    start("null");
    pair.host_params.ctrl_loss_tmo = 2 * PS_PER_MS;
    nvme_pair_start(&pair);
    for (unsigned i = 1; i <= 6; i++) {
        fake_break(&pair.world);
        nvme_pair_run(&pair, 10 * PS_PER_MS);
        assert_false(nvme_host_lost(pair.host));
        assert_true(nvme_host_live(pair.host));
        assert_int_equal(nvme_host_stats(pair.host)->reconnects, i);
    }
    nvme_pair_fini(&pair);
}

/* It is lost again and again, also while it is being connected. */
static void losses_in_any_state(void **state)
{
    (void)state;
    start("flash-tlc");
    pair.host_params.reconnect_delay = 20 * PS_PER_US;
    pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
    nvme_pair_start(&pair);
    submit(1, 121, NVME_WRITE);
    for (unsigned i = 0; i < 100; i++) {
        nvme_pair_run(&pair, 7 * PS_PER_US * (i % 40));
        fake_break(&pair.world);
        nvme_pair_run(&pair, PS_PER_US);
    }
    nvme_pair_run(&pair, PS_PER_S);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(pair.completed, 120);
    assert_statuses(1, 121, NVME_STATUS_OK);
    const struct nvme_host_stats *stats = nvme_host_stats(pair.host);
    assert_true(stats->attempts > stats->reconnects && stats->reconnects == stats->losses);
    assert_contents(1, 121);
    nvme_pair_fini(&pair);
}

/* Broken before it is ready, whatever it is at: it says so once, and its own reads are over. */
static void one_that_was_never_ready_keeps_nothing(void **state)
{
    (void)state;
    bool reading = false;
    for (unsigned i = 0; i < 200; i++) {
        start("flash-tlc");
        pair.host_params.partition_scan = 1;
        nvme_pair_make_target(&pair);
        nvme_pair_make_host(&pair);
        nvme_pair_run(&pair, PS_PER_US * 3 * i);
        reading |= !pair.ready && nvme_host_outstanding(pair.host) > 0;
        fake_break(&pair.world);
        nvme_pair_run(&pair, pair.ready ? 3 * PS_PER_MS : PS_PER_US);
        assert_true(pair.ready || !nvme_host_lost(pair.host)); /* or no connection had begun */
        assert_int_equal(nvme_host_outstanding(pair.host), 0);
        nvme_pair_fini(&pair);
    }
    assert_true(reading);
}

/* 20 attempts of 1 ms each, then everything fails, once. */
static void ctrl_loss_tmo_ends_it(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    submit(0, 50, NVME_READ);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 15 * PS_PER_MS);
    assert_int_equal(pair.completed, 0);
    assert_false(nvme_host_lost(pair.host));
    nvme_pair_run(&pair, 15 * PS_PER_MS);
    assert_true(nvme_host_lost(pair.host));
    assert_int_equal(pair.completed, 50);
    assert_statuses(0, 50, NVME_STATUS_TRANSPORT);
    assert_int_equal(nvme_host_outstanding(pair.host), 0);
    assert_int_equal(nvme_host_stats(pair.host)->attempts, 20);
    assert_int_equal(nvme_host_stats(pair.host)->reconnects, 0);
    /* Given up after 20 ms, and without service ever since. */
    assert_in_range(nvme_host_without_service(pair.host, pair.world.now), 29 * PS_PER_MS,
                    30 * PS_PER_MS);
    assert_int_equal(nvme_host_stats(pair.host)->requeued, 50);
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    nvme_pair_fini(&pair);
}

static void without_patience_nothing_is_tried(void **state)
{
    (void)state;
    start("flash-tlc");
    pair.host_params.ctrl_loss_tmo = 0;
    nvme_pair_start(&pair);
    submit(0, 20, NVME_READ);
    fake_break(&pair.world);
    nvme_pair_run(&pair, PS_PER_US * 10);
    assert_true(nvme_host_lost(pair.host));
    assert_int_equal(pair.completed, 20);
    assert_int_equal(nvme_host_stats(pair.host)->attempts, 0);
    nvme_pair_run(&pair, PS_PER_S);
    nvme_pair_fini(&pair);
}

/* What waits fails early; the controller comes back all the same. */
static void fast_io_fail(void **state)
{
    (void)state;
    start("null");
    pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
    pair.host_params.fast_io_fail_tmo = 5 * PS_PER_MS;
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    submit(0, 10, NVME_READ);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 4 * PS_PER_MS);
    assert_int_equal(pair.completed, 0);
    nvme_pair_run(&pair, 2 * PS_PER_MS);
    assert_int_equal(pair.completed, 10);
    assert_statuses(0, 10, NVME_STATUS_TRANSPORT);
    assert_true(nvme_host_lost(pair.host));
    nvme_pair_run(&pair, 100 * PS_PER_MS);
    nvme_target_stall(pair.target, false);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_true(nvme_host_live(pair.host));
    assert_false(nvme_host_lost(pair.host));
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

/* It comes back with one queue of 8 entries instead of two of 128. */
static void fewer_and_smaller_queues(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    submit(1, 101, NVME_WRITE);
    nvme_pair_run(&pair, 10 * PS_PER_US);
    nvme_target_kill(pair.target, false);
    pair.former = pair.target;
    pair.target_params.max_queues = 1;
    pair.target_params.max_queue_size = 8;
    nvme_pair_make_target(&pair);
    nvme_pair_run(&pair, 50 * PS_PER_MS);
    assert_int_equal(pair.completed, 100);
    assert_statuses(1, 101, NVME_STATUS_OK);
    assert_int_equal(nvme_host_queues(pair.host), 2);
    assert_int_equal(nvme_host_queue_size(pair.host), 8);
    submit(101, 107, NVME_WRITE);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 106);
    assert_contents(1, 107);
    nvme_pair_fini(&pair);
}

/* Fewer namespaces: I/O that waits has nowhere to go, so the attempt does not count.  Each takes
 * some 60 us beside the delay of 1 ms: after nineteen of them 20 ms are over. */
static void other_namespaces_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum nvme_host_limits limit;
        unsigned attempts;
    } rows[] = {{NVME_HOST_LIMITS_ATTEMPTS, 20}, {NVME_HOST_LIMITS_TIME, 19}};
    for (unsigned i = 0; i < 2; i++) {
        start("null");
        pair.host_params.ctrl_loss_limit = rows[i].limit;
        nvme_pair_start(&pair);
        nvme_target_kill(pair.target, false);
        pair.former = pair.target;
        pair.namespace_count = 1;
        nvme_pair_make_target(&pair);
        nvme_pair_run(&pair, 100 * PS_PER_MS);
        assert_true(nvme_host_lost(pair.host));
        assert_int_equal(nvme_host_stats(pair.host)->attempts, rows[i].attempts);
        nvme_pair_fini(&pair);
    }
}

static void data_outlive_a_crash_or_not(void **state)
{
    (void)state;
    for (int lost = 0; lost < 2; lost++) {
        start("null");
        nvme_pair_start(&pair);
        submit(1, 11, NVME_WRITE);
        nvme_pair_run(&pair, PS_PER_MS);
        nvme_target_kill(pair.target, lost);
        nvme_pair_run(&pair, 3 * PS_PER_MS);
        assert_true(nvme_target_revive(pair.target));
        nvme_pair_run(&pair, 3 * PS_PER_MS);
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 8, 4096, 0)->content, lost ? 0 : 2);
        nvme_pair_fini(&pair);
    }
}

/* Stalls of any length up to KATO delay, and nothing else: also of commands on a core, in the
 * media, of a connection that is being made. */
static void a_stall_only_delays(void **state)
{
    (void)state;
    for (time_ps at = 0; at < 200 * PS_PER_US; at += 13 * PS_PER_US) {
        start("flash-tlc");
        nvme_pair_make_target(&pair);
        nvme_pair_make_host(&pair);
        nvme_pair_run(&pair, at);
        nvme_target_stall(pair.target, true);
        nvme_pair_run(&pair, PS_PER_MS);
        nvme_target_stall(pair.target, false);
        nvme_pair_run(&pair, 10 * PS_PER_MS);
        assert_true(nvme_host_live(pair.host));
        submit(1, 101, NVME_WRITE);
        nvme_pair_run(&pair, at);
        const uint32_t before = pair.completed;
        nvme_target_stall(pair.target, true);
        nvme_pair_run(&pair, PS_PER_MS); /* what was answered is completed */
        const uint32_t under_way = pair.completed;
        assert_in_range(under_way, before, 100);
        nvme_pair_run(&pair, PS_PER_S);
        assert_int_equal(pair.completed, under_way);
        nvme_target_stall(pair.target, false);
        nvme_pair_run(&pair, PS_PER_S);
        assert_int_equal(pair.completed, 100);
        assert_statuses(1, 101, NVME_STATUS_OK);
        assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
        assert_contents(1, 101);
        nvme_pair_fini(&pair);
    }
}

/* The stall begins before the death or during it: who comes back within it stands still. */
static void a_stall_outlives_a_death(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        start("null");
        pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
        nvme_pair_start(&pair);
        if (early)
            nvme_target_stall(pair.target, true);
        nvme_target_kill(pair.target, false);
        nvme_pair_run(&pair, 3 * PS_PER_MS);
        nvme_target_stall(pair.target, true);
        nvme_pair_run(&pair, 3 * PS_PER_MS);
        assert_true(nvme_target_revive(pair.target));
        nvme_pair_run(&pair, 50 * PS_PER_MS);
        assert_false(nvme_host_live(pair.host));
        assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
        nvme_target_stall(pair.target, false);
        nvme_pair_run(&pair, PS_PER_S);
        assert_true(nvme_host_live(pair.host));
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
        nvme_pair_fini(&pair);
    }
}

/* Longer than KATO: the keep-alive of the host finds it out, 5 s after it was sent.  When the
 * target goes on, it has a controller whose host has gone; the host has another. */
static void a_long_stall_loses_the_controller(void **state)
{
    (void)state;
    start("null");
    pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
    pair.host_params.admin_timeout = PS_PER_S;
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    submit(1, 11, NVME_WRITE);
    nvme_pair_run(&pair, 5 * PS_PER_S);
    assert_true(nvme_host_live(pair.host));
    nvme_pair_run(&pair, 3 * PS_PER_S);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    nvme_target_stall(pair.target, false);
    nvme_pair_run(&pair, 3 * PS_PER_S);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(pair.completed, 10);
    assert_statuses(1, 11, NVME_STATUS_OK);
    nvme_pair_run(&pair, 60 * PS_PER_S);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    nvme_pair_fini(&pair);
}

/* The link is silent: the target ends the association KATO after the last command that it has
 * seen, rounded up to seconds, and at most as much later as its timer was set before it.  With
 * traffic-based keep-alive the host looks each KATO / 4, and gives up KATO after it has asked. */
static void silence_is_noticed_by_both(void **state)
{
    (void)state;
    for (time_ps kato = PS_PER_S; kato <= 7 * PS_PER_S; kato += 1500 * PS_PER_MS) {
        start("null");
        pair.host_params.keep_alive = kato;
        pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
        nvme_pair_start(&pair);
        nvme_pair_run(&pair, 10 * kato);
        assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
        const time_ps rounded = (kato + PS_PER_S - 1) / PS_PER_S * PS_PER_S;
        pair.world.silent = true;
        const time_ps from = pair.world.now;
        while (nvme_host_live(pair.host) && nvme_target_stats(pair.target)->controllers > 0)
            nvme_pair_run(&pair, PS_PER_MS);
        assert_in_range(pair.world.now - from, rounded < kato ? rounded / 2 : kato / 2, 2 * kato);
        nvme_pair_run(&pair, 2 * rounded);
        assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
        assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
        nvme_pair_fini(&pair);
    }
}

/* A host that was asked to stop ends when nothing waits any more, with its target or without. */
static void stops_while_it_is_lost(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    submit(0, 4, NVME_READ);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    nvme_host_shutdown(pair.host);
    nvme_target_stall(pair.target, false);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    char text[64];
    nvme_host_describe(pair.host, text, sizeof text);
    assert_string_equal(text, "closed");
    nvme_pair_fini(&pair);
    start("null");
    nvme_pair_start(&pair);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    nvme_host_shutdown(pair.host);
    nvme_host_describe(pair.host, text, sizeof text);
    assert_string_equal(text, "closed");
    nvme_pair_run(&pair, PS_PER_S);
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_connection_is_made_again),
        cmocka_unit_test(media_errors_are_those_of_the_identity),
        cmocka_unit_test(each_loss_has_all_its_attempts),
        cmocka_unit_test(losses_in_any_state),
        cmocka_unit_test(one_that_was_never_ready_keeps_nothing),
        cmocka_unit_test(ctrl_loss_tmo_ends_it),
        cmocka_unit_test(without_patience_nothing_is_tried),
        cmocka_unit_test(fast_io_fail),
        cmocka_unit_test(fewer_and_smaller_queues),
        cmocka_unit_test(other_namespaces_are_refused),
        cmocka_unit_test(data_outlive_a_crash_or_not),
        cmocka_unit_test(a_stall_only_delays),
        cmocka_unit_test(a_stall_outlives_a_death),
        cmocka_unit_test(a_long_stall_loses_the_controller),
        cmocka_unit_test(silence_is_noticed_by_both),
        cmocka_unit_test(stops_while_it_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

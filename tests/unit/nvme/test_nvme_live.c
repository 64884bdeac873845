/* SPDX-License-Identifier: Apache-2.0
 * A live controller beside its I/O: events and the logs they are about, admin commands of a user,
 * statuses that are tried again, Abort, no flow control, the end in good order; a host that asks a
 * discovery controller. */
#include "nvme/target/target_private.h"
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct nvme_pair pair;

static void start(const char *media)
{
    nvme_pair_init(&pair, media);
    pair.host_params.reconnect_delay = PS_PER_MS;
    pair.host_params.ctrl_loss_tmo = 20 * PS_PER_MS;
}

static void an_event_brings_the_new_state(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    assert_int_equal(nvme_host_ana(pair.host, 1), NVME_ANA_OPTIMIZED);
    for (unsigned i = 0; i < 6; i++) {
        const enum nvme_ana_state now = i % 2 == 0 ? NVME_ANA_NON_OPTIMIZED : NVME_ANA_OPTIMIZED;
        nvme_target_set_ana(pair.target, 0, 1, now);
        nvme_pair_run(&pair, PS_PER_MS);
        assert_int_equal(nvme_host_ana(pair.host, 1), now);
        assert_int_equal(nvme_host_ana(pair.host, 2), now);
        assert_int_equal(pair.events, i + 1);
    }
    nvme_pair_fini(&pair);
}

/* A group that stays in change for twice ANATT: the controller is connected anew, at once. */
static void change_for_ever_resets(void **state)
{
    (void)state;
    start("null");
    pair.host_params.reconnect_delay = 10 * PS_PER_S;
    pair.host_params.ctrl_loss_tmo = NVME_HOST_NEVER;
    nvme_pair_start(&pair);
    nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_CHANGE);
    fake_run(&pair.world, pair.world.now + 19 * PS_PER_S);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
    fake_run(&pair.world, pair.world.now + 2 * PS_PER_S);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(nvme_host_ana(pair.host, 1), NVME_ANA_CHANGE);
    nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_OPTIMIZED);
    fake_run(&pair.world, pair.world.now + 100 * PS_PER_S);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    nvme_pair_fini(&pair);
}

/* max-retries times, then the status stands; with DNR it stands at once. */
static void statuses_are_tried_again(void **state)
{
    (void)state;
    for (int64_t retries = 0; retries < 7; retries += 3) {
        start("null");
        pair.host_params.max_retries = retries;
        nvme_pair_start(&pair);
        nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_INACCESSIBLE);
        const uint64_t before = pair.target_ios;
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, 0x302);
        assert_int_equal(pair.target_ios, before + 1 + (uint64_t)retries);
        assert_int_equal(nvme_host_stats(pair.host)->retried, retries);
        nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_OPTIMIZED);
        assert_int_equal(nvme_pair_io(&pair, NVME_READ, UINT64_MAX / 2, 4096, 0)->status,
                         NVME_STATUS_LBA_RANGE);
        assert_int_equal(nvme_host_stats(pair.host)->retried, retries);
        nvme_pair_fini(&pair);
    }
}

/* It comes back while it is being tried again: the I/O succeeds. */
static void a_retry_that_helps(void **state)
{
    (void)state;
    start("null");
    pair.host_params.max_retries = 255;
    nvme_pair_start(&pair);
    nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_INACCESSIBLE);
    for (uint32_t i = 0; i < 40; i++) /* pieces of one and others behind it */
        assert_true(
            nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, i, NVME_WRITE, i * 64, 16384)));
    nvme_pair_run(&pair, 20 * PS_PER_US);
    assert_int_equal(pair.completed, 0);
    nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_OPTIMIZED);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.completed, 40);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
        if (i > 0)
            assert_int_equal(nvme_pair_io(&pair, NVME_READ, i * 64, 16384, 0)->content, i + 1);
    }
    assert_true(nvme_host_stats(pair.host)->retried > 0);
    nvme_pair_fini(&pair);
}

static void a_users_admin_commands(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    struct nvme_admin identify = {
        .opcode = NVME_ADMIN_IDENTIFY, .cdw10 = NVME_CNS_CONTROLLER, .bytes = 4096};
    struct nvme_admin smart = {.opcode = NVME_ADMIN_GET_LOG,
                               .nsid = NVME_NSID_ALL,
                               .cdw10 = NVME_LOG_SMART | 127 << 16,
                               .bytes = 512};
    struct nvme_admin bad = {.opcode = 0x55};
    assert_true(nvme_host_admin_submit(pair.host, &identify));
    assert_true(nvme_host_admin_submit(pair.host, &smart));
    assert_true(nvme_host_admin_submit(pair.host, &bad));
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.admin_done, 3);
    assert_int_equal(identify.status, NVME_STATUS_OK);
    assert_int_equal(smart.status, NVME_STATUS_OK);
    assert_int_equal(bad.status, NVME_STATUS_INVALID_OPCODE);
    assert_true(smart.completed_at > smart.issued_at);
    /* As many as there are tags; lost with the controller. */
    static struct nvme_admin many[64];
    uint32_t taken = 0;
    nvme_target_stall(pair.target, true);
    for (; taken < 64; taken++) {
        many[taken] = smart;
        if (!nvme_host_admin_submit(pair.host, &many[taken]))
            break;
    }
    assert_in_range(taken, 20, 29);
    fake_break(&pair.world);
    nvme_pair_run(&pair, 10 * PS_PER_US);
    assert_int_equal(pair.admin_done, 3 + taken);
    assert_int_equal(many[0].status, NVME_STATUS_TRANSPORT);
    assert_false(nvme_host_admin_submit(pair.host, &smart));
    nvme_target_stall(pair.target, false);
    nvme_pair_run(&pair, PS_PER_MS);
    nvme_pair_fini(&pair);
}

/* Of a target that answers nothing it fails after the admin time-out. */
static void an_admin_command_times_out(void **state)
{
    (void)state;
    start("null");
    pair.host_params.admin_timeout = PS_PER_S;
    pair.host_params.keep_alive = 0;
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    struct nvme_admin identify = {
        .opcode = NVME_ADMIN_IDENTIFY, .cdw10 = NVME_CNS_CONTROLLER, .bytes = 4096};
    assert_true(nvme_host_admin_submit(pair.host, &identify));
    nvme_pair_run(&pair, 999 * PS_PER_MS);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
    nvme_pair_run(&pair, 2 * PS_PER_MS);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    assert_int_equal(identify.status, NVME_STATUS_TRANSPORT);
    nvme_target_stall(pair.target, false);
    nvme_pair_run(&pair, PS_PER_MS);
    nvme_pair_fini(&pair);
}

/* Base 2.0, 5.1: no more than ACL are outstanding; ACL 3 is four.  Linux gives the others time. */
static void aborts_within_the_limit(void **state)
{
    (void)state;
    enum { COMMANDS = 18 };
    static const int64_t identities[] = {NVME_TARGET_IS_OWN, NVME_TARGET_IS_SPDK};
    static const uint64_t limits[] = {4, 1};
    for (unsigned i = 0; i < 2; i++) {
        start("null");
        pair.host_params.abort = 1;
        pair.host_params.io_timeout = 10 * PS_PER_MS;
        pair.target_params.identity = identities[i];
        nvme_pair_start(&pair);
        nvme_target_stall(pair.target, true);
        for (uint32_t k = 0; k < COMMANDS; k++)
            assert_true(
                nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, k, NVME_READ, 8 * k, 4096)));
        nvme_pair_run(&pair, 15 * PS_PER_MS);
        assert_int_equal(nvme_host_stats(pair.host)->aborts, limits[i]);
        nvme_target_stall(pair.target, false);
        nvme_pair_run(&pair, PS_PER_MS);
        assert_int_equal(pair.completed, COMMANDS);
        assert_true(nvme_host_live(pair.host));
        nvme_pair_fini(&pair);
    }
}

/* The first time-out aborts, the second is the end of the controller. */
static void a_time_out_aborts_first(void **state)
{
    (void)state;
    start("null");
    pair.host_params.abort = 1;
    pair.host_params.io_timeout = PS_PER_S;
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 0, NVME_READ, 0, 4096)));
    nvme_pair_run(&pair, 1500 * PS_PER_MS);
    assert_int_equal(nvme_host_stats(pair.host)->aborts, 1);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
    nvme_pair_run(&pair, 501 * PS_PER_MS);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
    nvme_target_stall(pair.target, false);
    nvme_pair_run(&pair, PS_PER_MS);
    nvme_pair_fini(&pair);
}

/* Compare, Write Zeroes and Dataset Management: what they find and what they leave. */
static void beside_reads_and_writes(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 0, 16384, 7)->status, NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_COMPARE, 8, 8192, 7)->status, NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_COMPARE, 8, 8192, 8)->status,
                     NVME_STATUS_COMPARE_FAILED);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE_ZEROES, 8, 4096, 0)->status, NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_DATASET, 16, 8192, 0)->status, NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->content, 7);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 8, 12288, 0)->content, 0);
    assert_int_equal(nvme_pair_io(&pair, NVME_COMPARE, 0, 16384, 7)->status,
                     NVME_STATUS_COMPARE_FAILED);
    /* All of a terabyte is not gone through block by block. */
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE, 3, 512, 9)->status, NVME_STATUS_OK);
    for (uint64_t lba = 0; lba < 1 << 16; lba += 1 << 11)
        assert_int_equal(nvme_pair_io(&pair, NVME_WRITE_ZEROES, lba, 1 << 20, 0)->status,
                         NVME_STATUS_OK);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->content, 0);
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE_ZEROES, UINT64_MAX / 2, 4096, 0)->status,
                     NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_pair_io(&pair, NVME_DATASET, UINT64_MAX / 2, 4096, 0)->status,
                     NVME_STATUS_LBA_RANGE);
    nvme_pair_fini(&pair);
}

/* NVMe over the bridge has stores of bytes, which cannot deallocate. */
static void a_store_without_zeroes_rejects_both_commands(void **state)
{
    (void)state;
    nvme_pair_init(&pair, "null");
    nvme_pair_start(&pair);
    struct nvme_store *store = pair.target->namespaces[0].store;
    const struct nvme_store_ops *whole = store->ops;
    struct nvme_store_ops without = *whole;
    without.zero = NULL;
    store->ops = &without;
    assert_int_equal(nvme_pair_io(&pair, NVME_WRITE_ZEROES, 8, 4096, 0)->status & 0x7FF,
                     NVME_STATUS_INVALID_OPCODE);
    assert_int_equal(nvme_pair_io(&pair, NVME_DATASET, 16, 8192, 0)->status & 0x7FF,
                     NVME_STATUS_INVALID_OPCODE);
    store->ops = whole;
    assert_int_equal(nvme_pair_io(&pair, NVME_DATASET, 16, 8192, 0)->status, NVME_STATUS_OK);
    nvme_pair_fini(&pair);
}

static void no_flow_control(void **state)
{
    (void)state;
    start("flash-tlc");
    pair.host_params.flow_control = 0;
    pair.host_params.queue_size = 8;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    pair.resubmit = true;
    for (uint32_t i = 0; i < 7; i++)
        assert_true(
            nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, i, NVME_READ, i * 8, 4096)));
    assert_false(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, 7, NVME_READ, 0, 4096)));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_in_range(pair.completed, 100, PAIR_IOS * 10);
    assert_true(nvme_host_live(pair.host));
    nvme_pair_fini(&pair);
}

/* on_change comes once the connections are gone. */
static void the_end_is_told(void **state)
{
    (void)state;
    start("null");
    nvme_pair_start(&pair);
    nvme_host_shutdown(pair.host);
    assert_false(nvme_host_closed(pair.host));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_true(nvme_host_closed(pair.host));
    assert_int_equal(pair.changes, 1);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
    nvme_pair_fini(&pair);
    /* A lost one has nothing to shut down. */
    start("null");
    nvme_pair_start(&pair);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, PS_PER_US * 100);
    const uint32_t before = pair.changes;
    nvme_host_shutdown(pair.host);
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_true(nvme_host_closed(pair.host));
    assert_true(pair.changes > before);
    nvme_pair_fini(&pair);
}

static void other_names(void **state)
{
    (void)state;
    static const uint32_t second[] = {1};
    static const char *const may[] = {"nqn.me"};
    const struct nvme_target_subsystem subsystem = {.nqn = "nqn.gold",
                                                    .namespaces = second,
                                                    .namespace_count = 1,
                                                    .hosts = may,
                                                    .host_count = 1};
    start("null");
    pair.subsystems = &subsystem;
    pair.subsystem_count = 1;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_CONNECT_PARAMETERS);
    nvme_pair_fini(&pair);
    start("null");
    pair.subsystems = &subsystem;
    pair.subsystem_count = 1;
    pair.subsystem_nqn = "nqn.gold";
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_CONNECT_HOST);
    nvme_pair_fini(&pair);
    start("null");
    pair.subsystems = &subsystem;
    pair.subsystem_count = 1;
    pair.subsystem_nqn = "nqn.gold";
    pair.host_nqn = "nqn.me";
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(nvme_host_namespaces(pair.host), 1);
    nvme_pair_fini(&pair);
}

/* Records at first, and again after each event. */
static void a_discovery_controller(void **state)
{
    (void)state;
    start("null");
    pair.discovery = true;
    nvme_pair_start(&pair);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    assert_int_equal(nvme_host_queues(pair.host), 0);
    assert_int_equal(nvme_host_records(pair.host), 1);
    const struct nvme_discovery_record *record = nvme_host_record(pair.host, 0);
    assert_string_equal(record->subsystem_nqn, NVME_SUBSYSTEM_NQN);
    assert_string_equal(record->address, "0.0.0.1");
    nvme_target_close_port(pair.target, 0, true);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.events, 1);
    assert_int_equal(nvme_host_records(pair.host), 0);
    nvme_target_close_port(pair.target, 0, false);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_int_equal(pair.events, 2);
    assert_int_equal(nvme_host_records(pair.host), 1);
    fake_run(&pair.world, pair.world.now + 300 * PS_PER_S); /* its keep-alives keep it */
    assert_true(nvme_host_live(pair.host));
    nvme_host_shutdown(pair.host);
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_true(nvme_host_closed(pair.host));
    nvme_pair_fini(&pair);
}

/* What is under way is given back at once, with a status that another path may mend. */
static void a_path_gives_back(void **state)
{
    (void)state;
    start("null");
    pair.gives_back = true;
    nvme_pair_start(&pair);
    nvme_target_stall(pair.target, true);
    for (uint32_t i = 0; i < 10; i++)
        assert_true(nvme_host_submit(pair.host, 0, nvme_pair_fill(&pair, i, NVME_READ, 0, 4096)));
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, 100 * PS_PER_US);
    assert_int_equal(pair.completed, 10);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_HOST_PATH);
    assert_false(nvme_host_lost(pair.host));
    nvme_target_stall(pair.target, false);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 10 * PS_PER_MS);
    assert_true(nvme_host_live(pair.host));
    nvme_target_set_ana(pair.target, 0, 1, NVME_ANA_PERSISTENT_LOSS);
    assert_int_equal(nvme_pair_io(&pair, NVME_READ, 0, 4096, 0)->status, 0x301);
    assert_int_equal(nvme_host_stats(pair.host)->retried, 0);
    nvme_pair_fini(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_brings_the_new_state),
        cmocka_unit_test(change_for_ever_resets),
        cmocka_unit_test(statuses_are_tried_again),
        cmocka_unit_test(a_retry_that_helps),
        cmocka_unit_test(a_users_admin_commands),
        cmocka_unit_test(an_admin_command_times_out),
        cmocka_unit_test(a_time_out_aborts_first),
        cmocka_unit_test(aborts_within_the_limit),
        cmocka_unit_test(beside_reads_and_writes),
        cmocka_unit_test(a_store_without_zeroes_rejects_both_commands),
        cmocka_unit_test(no_flow_control),
        cmocka_unit_test(the_end_is_told),
        cmocka_unit_test(other_names),
        cmocka_unit_test(a_discovery_controller),
        cmocka_unit_test(a_path_gives_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

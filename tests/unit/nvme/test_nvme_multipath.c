/* SPDX-License-Identifier: Apache-2.0
 * Two paths of one namespace: which is taken, what happens when one goes and comes back, and every
 * edge of the machine of paths. */
#include "nvme/multipath/multipath.h"
#include "nvme/rdma/rdma.h"
#include "nvme/target/target.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { PATHS = 2, IOS = 256, STATES = PATH_GONE + 1, EVENTS = PATH_ON_GIVE_UP + 1 };

static struct fake_world world;
static struct verbs_device *hosts[PATHS], *targets[PATHS];
static struct nvme_host_params params;
static struct nvme_multipath_params mp_params;
static struct nvme_target_params target_params;
static struct nvme_rdma_params rdma;
static struct nvme_target *target;
static struct nvme_multipath *mp;
static struct nvme_io ios[IOS];
static uint32_t completed, ready;
static uint16_t ready_status;
static bool taken[STATES][EVENTS];

static void on_ready(void *self, uint16_t status)
{
    (void)self;
    ready++;
    ready_status = status;
    if (status == NVME_STATUS_OK)
        nvme_multipath_use(mp, 1);
}

static void on_io(void *self, struct nvme_io *io)
{
    (void)self, (void)io;
    completed++;
}

static uint8_t number_of(const struct nvme_fsm_word *words, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(words[i].name, name) == 0)
            return (uint8_t)i;
    fail_msg("no word %s", name);
    return 0;
}

static void on_state(void *self, const struct probe_state *state)
{
    (void)self;
    if (strcmp(state->machine, "path") != 0)
        return;
    taken[number_of(nvme_fsm_path.states, STATES, state->from)]
         [number_of(nvme_fsm_path.events, EVENTS, state->event)] = true;
}

static void presets(void)
{
    opt_presets(nvme_host_opts, &params);
    opt_presets(nvme_multipath_opts, &mp_params);
    params.queues = 2;
    params.reconnect_delay = PS_PER_MS;
    params.ctrl_loss_tmo = NVME_HOST_NEVER;
}

static void make_target(void)
{
    static struct nvme_target_namespace ns;
    opt_presets(nvme_target_opts, &target_params);
    opt_presets(nvme_rdma_host_opts, &rdma.host);
    opt_presets(nvme_rdma_target_opts, &rdma.target);
    opt_presets(nvme_namespace_opts, &ns.params);
    ns.media = media_find("null");
    struct nvme_transport *further = nvme_rdma_create(&fake_verbs, targets[1], &rdma);
    const struct nvme_target_site site = {
        .env = &world.env,
        .transport = nvme_rdma_create(&fake_verbs, targets[0], &rdma),
        .further = &further,
        .further_count = 1,
        .params = &target_params,
        .namespaces = &ns,
        .namespace_count = 1,
    };
    target = nvme_target_create(&site);
    assert_non_null(target);
}

static void run(time_ps span)
{
    fake_run(&world, world.now + span);
    nvme_multipath_audit(mp);
    nvme_target_audit(target);
}

static void begin(void)
{
    memset(ios, 0, sizeof ios);
    completed = ready = 0;
    fake_init(&world);
    world.probe.state = on_state;
    for (uint32_t i = 0; i < PATHS; i++) {
        hosts[i] = fake_device(&world, 2 + 10 * i);
        targets[i] = fake_device(&world, 1 + 10 * i);
    }
    make_target();
}

static void join(void)
{
    struct nvme_multipath_path paths[PATHS] = {{0}};
    for (uint32_t i = 0; i < PATHS; i++)
        paths[i] = (struct nvme_multipath_path){
            .transport = nvme_rdma_create(&fake_verbs, hosts[i], &rdma),
            .finder = mp_params.discovery ? nvme_rdma_create(&fake_verbs, hosts[i], &rdma) : NULL,
            .target_ip = 1 + 10 * i,
            .nic = i};
    const struct nvme_multipath_site site = {
        .env = &world.env,
        .paths = paths,
        .path_count = PATHS,
        .host = &params,
        .params = &mp_params,
        .user = {.on_ready = on_ready, .on_io = on_io},
    };
    mp = nvme_multipath_create(&site);
    run(20 * PS_PER_MS);
}

static void start(void)
{
    presets();
    begin();
    join();
    assert_int_equal(ready, 1);
    assert_int_equal(ready_status, NVME_STATUS_OK);
}

static void end(void)
{
    nvme_target_stall(target, false);
    fake_run(&world, world.now + PS_PER_MS);
    nvme_multipath_destroy(mp);
    nvme_target_destroy(target);
    for (uint32_t i = 0; i < PATHS; i++)
        assert_int_equal(fake_held(hosts[i]) + fake_held(targets[i]), 0);
    fake_fini(&world);
}

static struct nvme_io *submit(uint32_t index, enum nvme_opcode opcode, uint32_t bytes)
{
    ios[index] = (struct nvme_io){.opcode = (uint8_t)opcode,
                                  .nsid = 1,
                                  .lba = (uint64_t)index * 8,
                                  .bytes = bytes,
                                  .content = index + 1,
                                  .issued_at = world.now};
    nvme_multipath_submit(mp, index, &ios[index]);
    return &ios[index];
}

static void expect_states(enum nvme_path_state first, enum nvme_path_state second)
{
    assert_int_equal(nvme_multipath_state(mp, 0), first);
    assert_int_equal(nvme_multipath_state(mp, 1), second);
}

static void share(uint32_t of[PATHS])
{
    of[0] = of[1] = 0;
    for (uint32_t i = 0; i < 64; i++) {
        submit(i, NVME_READ, 4096);
        run(PS_PER_US);
    }
    run(PS_PER_MS);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(ios[i].status, NVME_STATUS_OK);
        of[ios[i].path]++;
    }
}

static void policies(void **state)
{
    (void)state;
    static const struct {
        enum nvme_io_policy policy;
        int64_t nodes;
        uint32_t first; /* of 64 */
    } rows[] = {
        {NVME_IO_POLICY_NUMA, 1, 64},        /* all NICs are near: the first of the list */
        {NVME_IO_POLICY_NUMA, 2, 32},        /* each queue by the NIC of its node */
        {NVME_IO_POLICY_ROUND_ROBIN, 1, 32}, /* in turns */
        {NVME_IO_POLICY_QUEUE_DEPTH, 1, 32}, /* about */
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t of[PATHS];
        presets();
        mp_params.policy = rows[i].policy;
        mp_params.numa_nodes = rows[i].nodes;
        begin();
        join();
        share(of);
        assert_in_range(of[0], rows[i].first - (i == 3 ? 16 : 0),
                        rows[i].first + (i == 3 ? 16 : 0));
        /* Only optimized paths while there is one. */
        nvme_target_set_ana(target, 0, NVME_TARGET_ALL, NVME_ANA_NON_OPTIMIZED);
        run(PS_PER_MS);
        expect_states(PATH_NON_OPTIMIZED, PATH_OPTIMIZED);
        share(of);
        assert_int_equal(of[0], 0);
        nvme_target_set_ana(target, 1, NVME_TARGET_ALL, NVME_ANA_INACCESSIBLE);
        run(PS_PER_MS);
        share(of);
        assert_int_equal(of[1], 0);
        end();
    }
}

/* One port dies in mid-I/O: all I/O completes by the other, at once; then both serve again. */
static void fail_over_and_back(void **state)
{
    (void)state;
    start();
    nvme_target_stall(target, true);
    for (uint32_t i = 0; i < 100; i++)
        submit(i, i % 2 == 0 ? NVME_WRITE : NVME_READ, 4096);
    run(20 * PS_PER_US);
    nvme_target_kill_port(target, 0);
    nvme_target_stall(target, false);
    run(PS_PER_MS / 2);
    expect_states(PATH_LOST, PATH_OPTIMIZED);
    assert_int_equal(completed, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(ios[i].status, NVME_STATUS_OK);
    struct nvme_multipath_stats stats = nvme_multipath_stats(mp, world.now);
    assert_in_range(stats.failovers, 50, 100);
    assert_in_range(stats.recovery, 1, 100 * PS_PER_US);
    assert_int_equal(stats.controllers.losses, 1);
    assert_true(nvme_target_revive_port(target, 0));
    run(10 * PS_PER_MS);
    expect_states(PATH_OPTIMIZED, PATH_OPTIMIZED);
    uint32_t of[PATHS];
    share(of);
    assert_int_equal(of[0], 64); /* fail-back */
    stats = nvme_multipath_stats(mp, world.now);
    assert_in_range(stats.degraded, PS_PER_MS, 12 * PS_PER_MS);
    assert_int_equal(stats.controllers.reconnects, 1);
    end();
}

/* A write waits for the target to have given it up, a read does not. */
static void writes_wait(void **state)
{
    (void)state;
    presets();
    mp_params.quiesce = 3 * PS_PER_MS;
    begin();
    join();
    nvme_target_stall(target, true);
    submit(0, NVME_WRITE, 4096);
    submit(1, NVME_READ, 4096);
    run(20 * PS_PER_US);
    nvme_target_kill_port(target, 0);
    nvme_target_stall(target, false);
    run(PS_PER_MS);
    assert_int_equal(completed, 1);
    assert_int_equal(ios[1].status, NVME_STATUS_OK);
    run(3 * PS_PER_MS);
    assert_int_equal(completed, 2);
    assert_in_range(ios[0].completed_at - ios[1].completed_at, 2 * PS_PER_MS, 4 * PS_PER_MS);
    end();
}

/* No path is usable, one may be again: I/O waits; none may: it fails. */
static void waiting_and_failing(void **state)
{
    (void)state;
    presets();
    params.fast_io_fail_tmo = 5 * PS_PER_MS;
    begin();
    join();
    nvme_target_set_ana(target, NVME_TARGET_ALL, NVME_TARGET_ALL, NVME_ANA_INACCESSIBLE);
    run(PS_PER_MS);
    submit(0, NVME_READ, 4096);
    run(PS_PER_MS);
    assert_int_equal(completed, 0);
    nvme_target_set_ana(target, 1, NVME_TARGET_ALL, NVME_ANA_OPTIMIZED);
    run(PS_PER_MS);
    assert_int_equal(completed, 1);
    nvme_target_kill(target, false);
    submit(1, NVME_READ, 4096);
    run(4 * PS_PER_MS);
    assert_int_equal(completed, 1);
    assert_false(nvme_multipath_lost(mp));
    run(3 * PS_PER_MS);
    assert_true(nvme_multipath_lost(mp));
    expect_states(PATH_EXPIRED, PATH_EXPIRED);
    assert_int_equal(completed, 2);
    assert_int_equal(ios[1].status, NVME_STATUS_TRANSPORT);
    assert_true(nvme_target_revive(target));
    run(20 * PS_PER_MS);
    assert_int_equal(submit(2, NVME_READ, 4096)->status, 0);
    run(PS_PER_MS);
    assert_int_equal(ios[2].status, NVME_STATUS_OK);
    assert_int_equal(completed, 3);
    end();
}

/* Large I/O is parted before a path is chosen; its parts may go by both. */
static void large_io(void **state)
{
    (void)state;
    presets();
    mp_params.policy = NVME_IO_POLICY_ROUND_ROBIN;
    begin();
    join();
    submit(0, NVME_WRITE, 8 << 20);
    run(20 * PS_PER_US);
    nvme_target_kill_port(target, 1);
    run(20 * PS_PER_MS);
    assert_int_equal(completed, 1);
    assert_int_equal(ios[0].status, NVME_STATUS_OK);
    ios[0].opcode = NVME_READ;
    ios[0].content = 0;
    nvme_multipath_submit(mp, 0, &ios[0]);
    run(20 * PS_PER_MS);
    assert_int_equal(ios[0].content, 1);
    end();
}

/* A port whose log does not list the subsystem is no path, until it does. */
static void found_by_discovery(void **state)
{
    (void)state;
    presets();
    mp_params.discovery = 1;
    begin();
    nvme_target_close_port(target, 1, true);
    join();
    assert_int_equal(ready_status, NVME_STATUS_OK);
    expect_states(PATH_OPTIMIZED, PATH_CONNECTING);
    assert_null(nvme_multipath_host(mp, 1));
    nvme_target_close_port(target, 1, false);
    run(20 * PS_PER_MS);
    expect_states(PATH_OPTIMIZED, PATH_OPTIMIZED);
    nvme_multipath_shutdown(mp);
    run(20 * PS_PER_MS);
    assert_true(nvme_multipath_closed(mp));
    assert_int_equal(nvme_target_stats(target)->controllers, 0);
    end();
}

static const enum nvme_ana_state said[] = {NVME_ANA_OPTIMIZED, NVME_ANA_NON_OPTIMIZED,
                                           NVME_ANA_INACCESSIBLE, NVME_ANA_PERSISTENT_LOSS,
                                           NVME_ANA_CHANGE};

static void say(enum nvme_ana_state state)
{
    nvme_target_set_ana(target, 0, NVME_TARGET_ALL, state);
}

static void from_state_to_state(void)
{
    for (unsigned from = 0; from < 5; from++)
        for (unsigned to = 0; to < 5; to++) {
            say(said[from]);
            run(PS_PER_MS);
            say(said[to]);
            run(PS_PER_MS);
            assert_int_equal(nvme_multipath_state(mp, 0), PATH_OPTIMIZED + to);
        }
}

static void from_loss_to_state(void)
{
    for (unsigned from = 0; from < 5; from++)
        for (unsigned to = 0; to < 10; to++) {
            say(said[from]);
            run(PS_PER_MS);
            nvme_target_kill_port(target, 0);
            say(said[to % 5]);
            run(to < 5 ? PS_PER_MS : 8 * PS_PER_MS); /* past fast-io-fail-tmo */
            assert_int_equal(nvme_multipath_state(mp, 0), to < 5 ? PATH_LOST : PATH_EXPIRED);
            assert_true(nvme_target_revive_port(target, 0));
            run(20 * PS_PER_MS);
            assert_int_equal(nvme_multipath_state(mp, 0), PATH_OPTIMIZED + to % 5);
        }
}

static void refused(unsigned from, unsigned to, bool lost)
{
    say(said[from]);
    nvme_target_set_ana(target, 1, NVME_TARGET_ALL, NVME_ANA_INACCESSIBLE);
    run(PS_PER_MS);
    nvme_target_stall(target, true);
    submit(from * 5 + to, NVME_READ, 4096);
    run(20 * PS_PER_US);
    say(NVME_ANA_INACCESSIBLE);
    nvme_target_stall(target, false);
    for (unsigned i = 0; i < 200 && nvme_multipath_state(mp, 0) != PATH_PENDING; i++)
        run(PS_PER_US / 10);
    if (nvme_multipath_state(mp, 0) == PATH_PENDING)
        say(said[to]);
    if (lost)
        nvme_target_kill_port(target, 0);
    run(PS_PER_MS);
    nvme_target_revive_port(target, 0);
    run(20 * PS_PER_MS);
    say(NVME_ANA_OPTIMIZED);
    run(PS_PER_MS);
}

static void give_up_from(unsigned kind)
{
    presets();
    params.ctrl_loss_tmo = kind == 7 ? 3 * PS_PER_MS : 0;
    params.fast_io_fail_tmo = NVME_HOST_NEVER;
    if (kind == 8) {
        params.ctrl_loss_tmo = 10 * PS_PER_MS;
        params.fast_io_fail_tmo = 2 * PS_PER_MS;
    }
    begin();
    if (kind == 6)
        nvme_target_kill_port(target, 0);
    join();
    if (kind == 5)
        refused(0, 0, true);
    if (kind < 5)
        say(said[kind]);
    run(PS_PER_MS);
    nvme_target_kill_port(target, 0);
    run(30 * PS_PER_MS);
    assert_int_equal(nvme_multipath_state(mp, 0), PATH_GONE);
    end();
}

static void every_edge_is_taken(void **state)
{
    (void)state;
    memset(taken, 0, sizeof taken);
    for (unsigned to = 0; to < 5; to++) {
        presets();
        begin();
        nvme_target_set_ana(target, 0, NVME_TARGET_ALL, said[to]);
        join();
        assert_int_equal(nvme_multipath_state(mp, 0), PATH_OPTIMIZED + to);
        end();
    }
    presets();
    params.fast_io_fail_tmo = 5 * PS_PER_MS;
    params.complete_cost = 0; /* a command is back before the log is read */
    begin();
    join();
    from_state_to_state();
    from_loss_to_state();
    for (unsigned i = 0; i < 10; i++)
        refused(i / 5, i % 5, false);
    refused(0, 0, true);
    end();
    for (unsigned kind = 0; kind < 9; kind++)
        give_up_from(kind);
    for (unsigned i = 0; i < nvme_fsm_path.edge_count; i++) {
        const struct nvme_fsm_edge *edge = &nvme_fsm_path.edges[i];
        if (!taken[edge->from][edge->event])
            fail_msg("not taken: %s %s", nvme_fsm_path.states[edge->from].name,
                     nvme_fsm_path.events[edge->event].name);
    }
}

static void no_other_edge(void **state)
{
    (void)state;
    unsigned edges = 0;
    uint8_t next;
    for (uint8_t from = 0; from < STATES; from++)
        for (uint8_t event = 0; event < EVENTS; event++)
            edges += nvme_fsm_next(&nvme_fsm_path, from, event, &next);
    assert_int_equal(edges, nvme_fsm_path.edge_count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),
        cmocka_unit_test(fail_over_and_back),
        cmocka_unit_test(writes_wait),
        cmocka_unit_test(waiting_and_failing),
        cmocka_unit_test(large_io),
        cmocka_unit_test(found_by_discovery),
        cmocka_unit_test(every_edge_is_taken),
        cmocka_unit_test(no_other_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

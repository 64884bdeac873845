/* SPDX-License-Identifier: Apache-2.0
 * What a target has less of than hosts ask for: I/O queues that all controllers share, receives of
 * a queue pair, cores.  Who gets how many, who waits or gets none, when they are there again. */
#include "base/check.h"
#include "tests/unit/nvme/nvme_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct nvme_pair pair;

enum { HOSTS = 4 };

/* Hosts that ask for `queues` each connect one after the other; pair.host is the last. */
static void join(int64_t budget, int64_t queues, struct nvme_host *hosts[], uint32_t count)
{
    nvme_pair_init(&pair, "null");
    pair.target_params.queue_budget = budget;
    pair.target_params.max_queues = 6;
    pair.host_params.queues = queues;
    nvme_pair_make_target(&pair);
    for (uint32_t i = 0; i < count; i++) {
        pair.ready = false;
        nvme_pair_make_host(&pair);
        hosts[i] = pair.host;
        for (unsigned k = 0; k < 20 && !pair.ready; k++)
            nvme_pair_run(&pair, PS_PER_MS);
        assert_true(pair.ready);
    }
}

static void end(struct nvme_host *hosts[], uint32_t count)
{
    pair.host = NULL;
    nvme_pair_run(&pair, PS_PER_MS);
    for (uint32_t i = 0; i + 1 < count; i++)
        nvme_host_destroy(hosts[i]);
    pair.host = hosts[count - 1];
    nvme_pair_fini(&pair);
}

static void who_comes_first_gets_most(void **state)
{
    (void)state;
    static const struct {
        int64_t budget, queues;
        uint32_t granted[HOSTS]; /* 0: refused */
    } cases[] = {
        {0, 4, {4, 4, 4, 4}},  /* no budget */
        {0, 8, {6, 6, 6, 6}},  /* no more than max-queues */
        {16, 4, {4, 4, 4, 4}}, /* enough */
        {10, 4, {4, 4, 2, 0}}, /* the rest, then none */
        {7, 8, {6, 1, 0, 0}},  {1, 4, {1, 0, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct nvme_host *hosts[HOSTS];
        uint32_t refused = 0;
        join(cases[c].budget, cases[c].queues, hosts, HOSTS);
        for (uint32_t i = 0; i < HOSTS; i++) {
            assert_int_equal(nvme_host_queues(hosts[i]), cases[c].granted[i]);
            assert_int_equal(nvme_host_queues_asked(hosts[i]), cases[c].queues);
            assert_int_equal(nvme_host_live(hosts[i]), cases[c].granted[i] > 0);
            refused += cases[c].granted[i] == 0;
        }
        assert_int_equal(nvme_target_stats(pair.target)->refused, refused);
        if (refused > 0)
            assert_int_equal(pair.ready_status, NVME_STATUS_CONNECT_BUSY);
        end(hosts, HOSTS);
    }
}

static void fewer_than_asked_for_is_noted(void **state)
{
    (void)state;
    struct nvme_host *hosts[1];
    join(3, 4, hosts, 1);
    assert_string_equal(pair.note, "NVMe target grants 3 I/O queues; requested: 4");
    end(hosts, 1);
}

/* All of the budget is one host's, who leaves; and who comes back after a death. */
static void they_are_there_again(void **state)
{
    (void)state;
    struct nvme_host *hosts[2];
    join(4, 4, hosts, 1);
    nvme_host_shutdown(hosts[0]);
    nvme_pair_run(&pair, PS_PER_MS);
    assert_true(nvme_host_closed(hosts[0]));
    pair.ready = false;
    pair.host_params.reconnect_delay = PS_PER_MS;
    nvme_pair_make_host(&pair);
    hosts[1] = pair.host;
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    assert_int_equal(nvme_host_queues(hosts[1]), 4);
    nvme_target_kill(pair.target, false);
    nvme_pair_run(&pair, PS_PER_US * 100);
    assert_true(nvme_target_revive(pair.target));
    nvme_pair_run(&pair, 50 * PS_PER_MS);
    assert_true(nvme_host_live(hosts[1]));
    assert_int_equal(nvme_target_stats(pair.target)->queues, 5);
    assert_int_equal(nvme_target_stats(pair.target)->refused, 0);
    end(hosts, 2);
}

/* An I/O controller must not keep a host from the discovery log. */
static void discovery_needs_none(void **state)
{
    (void)state;
    struct nvme_host *hosts[2];
    join(1, 4, hosts, 1);
    pair.discovery = true;
    pair.ready = false;
    nvme_pair_make_host(&pair);
    hosts[1] = pair.host;
    nvme_pair_run(&pair, 5 * PS_PER_MS);
    assert_true(pair.ready);
    assert_int_equal(pair.ready_status, NVME_STATUS_OK);
    end(hosts, 2);
}

/* All at once, from one core: what finds no receive comes when one is there. */
static void commands_beyond_the_receives_wait(void **state)
{
    (void)state;
    static const struct {
        int64_t receives;
        uint32_t commands, refused;
    } cases[] = {{-1, 40, 0}, {1, 1, 0}, {1, 2, 1}, {3, 3, 0}, {3, 4, 1}, {8, 9, 1}, {1000, 40, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        nvme_pair_init(&pair, "fixed");
        pair.rdma_params.target.receive_queue = cases[c].receives;
        pair.host_params.submit_cost = 0;
        nvme_pair_start(&pair);
        assert_int_equal(pair.ready_status, NVME_STATUS_OK);
        assert_int_equal(pair.world.rnr, 0);
        for (uint32_t i = 0; i < cases[c].commands; i++)
            assert_true(nvme_host_submit(
                pair.host, 0,
                nvme_pair_fill(&pair, i, i % 2 == 0 ? NVME_WRITE : NVME_READ, 64 * i, 8192)));
        nvme_pair_run(&pair, 50 * PS_PER_MS);
        assert_int_equal(pair.completed, cases[c].commands);
        for (uint32_t i = 0; i < cases[c].commands; i++)
            assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
        assert_int_equal(pair.world.rnr, cases[c].refused);
        assert_int_equal(pair.world.bad, 0);
        nvme_pair_fini(&pair);
    }
}

/* ---- cores ---- */

struct cores {
    time_ps busy[8];
    uint32_t count;
};

static void look_at_core(void *self, const struct nvme_station *station)
{
    struct cores *cores = self;
    if (strcmp(station->name, "cores") == 0 && cores->count < 8)
        cores->busy[cores->count++] = nvme_server_busy(&station->servers[0], pair.world.now);
}

/* Of the host's queue, from 0: which core served a flush of it. */
static uint32_t core_of(struct nvme_host *host, uint32_t queue)
{
    struct cores before = {.count = 0}, after = {.count = 0};
    uint32_t found = UINT32_MAX;
    nvme_target_stations(pair.target, look_at_core, &before);
    struct nvme_io *io = nvme_pair_fill(&pair, 0, NVME_FLUSH, 0, 0);
    assert_true(nvme_host_submit(host, queue, io));
    nvme_pair_run(&pair, 100 * PS_PER_US);
    assert_int_equal(io->status, NVME_STATUS_OK);
    nvme_target_stations(pair.target, look_at_core, &after);
    for (uint32_t i = 0; i < after.count; i++) {
        if (after.busy[i] == before.busy[i])
            continue;
        assert_int_equal(found, UINT32_MAX);
        found = i;
    }
    return found;
}

static struct nvme_host *another(void)
{
    pair.ready = false;
    nvme_pair_make_host(&pair);
    for (unsigned k = 0; k < 20 && !pair.ready; k++)
        nvme_pair_run(&pair, PS_PER_MS);
    assert_true(pair.ready);
    return pair.host;
}

/* Four controllers of one queue each, then the second and the fourth go, and two more come. */
static void a_queue_gets_the_core_that_the_scheduling_says(void **state)
{
    (void)state;
    static const struct {
        int64_t scheduling, cores;
        uint32_t core[6];
    } cases[] = {
        /* admin and I/O queues in one turn: every second core */
        {NVME_TARGET_ROUND_ROBIN, 4, {1, 3, 1, 3, 1, 3}},
        {NVME_TARGET_ROUND_ROBIN, 2, {1, 1, 1, 1, 1, 1}},
        {NVME_TARGET_QUEUE_NUMBER, 4, {1, 3, 1, 3, 3, 3}}, /* 2 and 3, then 6 and 7 are free */
        {NVME_TARGET_LEAST_QUEUES, 4, {0, 1, 2, 3, 1, 3}},
        {NVME_TARGET_LEAST_QUEUES, 2, {0, 1, 0, 1, 1, 1}}, /* two are at the first already */
        {NVME_TARGET_LEAST_QUEUES, 1, {0, 0, 0, 0, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct nvme_host *hosts[6];
        nvme_pair_init(&pair, "null");
        pair.target_params.cores = cases[c].cores;
        pair.target_params.core_scheduling = cases[c].scheduling;
        pair.host_params.queues = 1;
        nvme_pair_make_target(&pair);
        for (uint32_t i = 0; i < 4; i++)
            hosts[i] = another();
        for (uint32_t i = 0; i < 4; i++)
            if (core_of(hosts[i], 0) != cases[c].core[i])
                fail_msg("case %zu, host %u: core %u", c, i, core_of(hosts[i], 0));
        for (uint32_t i = 1; i < 4; i += 2) {
            nvme_host_shutdown(hosts[i]);
            nvme_pair_run(&pair, 5 * PS_PER_MS);
        }
        for (uint32_t i = 4; i < 6; i++) {
            hosts[i] = another();
            if (core_of(hosts[i], 0) != cases[c].core[i])
                fail_msg("case %zu, host %u: core %u", c, i, core_of(hosts[i], 0));
        }
        end(hosts, 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_first_gets_most),
        cmocka_unit_test(fewer_than_asked_for_is_noted),
        cmocka_unit_test(they_are_there_again),
        cmocka_unit_test(discovery_needs_none),
        cmocka_unit_test(commands_beyond_the_receives_wait),
        cmocka_unit_test(a_queue_gets_the_core_that_the_scheduling_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

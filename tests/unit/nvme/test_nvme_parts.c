/* SPDX-License-Identifier: Apache-2.0
 * State machines, tags and servers of the NVMe code. */
#include "nvme/fsm/fsm.h"
#include "nvme/host/host.h"
#include "nvme/host/tags.h"
#include "nvme/rdma/rdma.h"
#include "nvme/server.h"
#include "nvme/stall.h"
#include "nvme/target/target.h"
#include "tests/unit/rnic/fake_verbs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct nvme_fsm *const machines[] = {&nvme_fsm_host, &nvme_fsm_host_queue,
                                                  &nvme_fsm_target_queue};

/* Every edge is taken by nvme_fsm_next, everything else is refused, no edge is there twice. */
static void edges_are_legal(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 3; m++) {
        const struct nvme_fsm *fsm = machines[m];
        unsigned legal = 0;
        for (unsigned s = 0; s < fsm->state_count; s++)
            for (unsigned e = 0; e < fsm->event_count; e++) {
                uint8_t next = 0;
                legal += nvme_fsm_next(fsm, (uint8_t)s, (uint8_t)e, &next);
                assert_true(next < fsm->state_count);
            }
        assert_int_equal(legal, fsm->edge_count);
    }
}

/* Every state can be reached from the first one, every event is used. */
static void states_are_reached(void **state)
{
    (void)state;
    for (unsigned m = 0; m < 3; m++) {
        const struct nvme_fsm *fsm = machines[m];
        bool reached[32] = {true}, used[32] = {false};
        for (unsigned round = 0; round < fsm->state_count; round++)
            for (unsigned i = 0; i < fsm->edge_count; i++) {
                const struct nvme_fsm_edge *edge = &fsm->edges[i];
                reached[edge->to] = reached[edge->to] || reached[edge->from];
                used[edge->event] = true;
            }
        for (unsigned s = 0; s < fsm->state_count; s++)
            assert_true(reached[s]);
        for (unsigned e = 0; e < fsm->event_count; e++)
            assert_true(used[e]);
    }
}

/* Whatever is under way, a failure ends it. */
static void every_working_state_can_fail(void **state)
{
    (void)state;
    for (uint8_t s = HOST_ADMIN; s <= HOST_SHUTDOWN; s++)
        assert_int_equal(nvme_fsm_step(&nvme_fsm_host, s, HOST_ON_ERROR), HOST_FAILED);
}

/* Linux at queue depth 1 on a queue of 128: tag after tag of one 16-tag word, then again; 4-tag
 * words on the admin queue; both reserved tags in turn. */
static void tags_walk_through_words(void **state)
{
    (void)state;
    static const struct {
        uint16_t first, count, cycle;
    } rows[] = {{1, 127, 16}, {2, 28, 4}, {0, 2, 2}, {0, 1, 1}, {1, 1, 1}, {1, 15, 2}};
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct nvme_tags tags;
        nvme_tags_init(&tags, rows[r].first, rows[r].count);
        for (unsigned i = 0; i < 100; i++) {
            const uint16_t tag = nvme_tags_get(&tags);
            assert_int_equal(tag, rows[r].first + i % rows[r].cycle);
            nvme_tags_put(&tags, tag);
        }
        nvme_tags_fini(&tags);
    }
}

static void tags_are_out_once(void **state)
{
    (void)state;
    static const uint16_t counts[] = {1, 2, 3, 4, 7, 28, 64, 65, 127, 255, 1000, 1024};
    for (unsigned c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct nvme_tags tags;
        struct rng rng = rng_stream(3, "test", "tags");
        static bool out[2048];
        static uint16_t held[2048];
        unsigned holding = 0;
        memset(out, 0, sizeof out);
        nvme_tags_init(&tags, 5, counts[c]);
        for (unsigned i = 0; i < 20000; i++) {
            if (rng_below(&rng, 100) < 60) {
                const uint16_t tag = nvme_tags_get(&tags);
                assert_int_equal(tag == NVME_TAGS_NONE, holding == counts[c]);
                if (tag == NVME_TAGS_NONE)
                    continue;
                assert_true(tag >= 5 && tag < 5 + counts[c] && !out[tag]);
                out[tag] = true;
                held[holding++] = tag;
            } else if (holding > 0) {
                const unsigned which = (unsigned)rng_below(&rng, holding);
                out[held[which]] = false;
                nvme_tags_put(&tags, held[which]);
                held[which] = held[--holding];
            }
            assert_int_equal(tags.taken, holding);
        }
        nvme_tags_fini(&tags);
    }
}

static void cids_have_generations(void **state)
{
    (void)state;
    assert_int_equal(nvme_tags_cid(0, 17), 0x0011);
    assert_int_equal(nvme_tags_cid(3, 15), 0x300F);
    assert_int_equal(nvme_tags_cid(16, 15), 0x000F);
    assert_int_equal(nvme_tags_of_cid(0x300F), 15);
}

struct line {
    struct fake_world world;
    struct nvme_server server;
    struct nvme_job jobs[8];
    time_ps done[8];
    unsigned count;
    int again; /* jobs that a job's end adds */
};

static void on_job(void *self, struct nvme_job *job)
{
    struct line *line = self;
    line->done[job - line->jobs] = line->world.now;
    line->count++;
    if (line->again-- > 0)
        nvme_server_add(&line->server, job, 0);
}

static void servers_take_turns(void **state)
{
    (void)state;
    static struct line line;
    fake_init(&line.world);
    nvme_server_init(&line.server, &line.world.env, on_job, &line, 7);
    nvme_server_add(&line.server, &line.jobs[0], 100);
    nvme_server_add(&line.server, &line.jobs[1], 50);
    nvme_server_add(&line.server, &line.jobs[2], 0);
    fake_run(&line.world, 1000);
    assert_int_equal(line.done[0], 107);
    assert_int_equal(line.done[1], 157);
    assert_int_equal(line.done[2], 157);
    nvme_server_add(&line.server, &line.jobs[3], 5);
    nvme_server_audit(&line.server);
    fake_run(&line.world, 2000);
    assert_int_equal(line.done[3], 1012);
    fake_fini(&line.world);
}

static time_ps other_cost(void *self, time_ps now)
{
    (void)self;
    (void)now;
    return 30;
}

static void other_done(void *self, time_ps now)
{
    *(time_ps *)self = now;
}

/* The jobs of a server and another user of its core come in turn, one for each of them. */
static void servers_share_a_core(void **state)
{
    (void)state;
    static struct line line;
    struct cpu_core core;
    time_ps ended = 0;
    struct cpu_job other = {.begin = other_cost, .done = other_done, .self = &ended};
    fake_init(&line.world);
    cpu_core_init(&core, &line.world.env);
    nvme_server_init(&line.server, &line.world.env, on_job, &line, 0);
    nvme_server_run_on(&line.server, &core);
    nvme_server_add(&line.server, &line.jobs[0], 100);
    nvme_server_add(&line.server, &line.jobs[1], 50);
    cpu_core_add(&core, &other);
    fake_run(&line.world, 120);
    nvme_server_audit(&line.server);
    assert_int_equal(line.done[0], 100);
    assert_int_equal(nvme_server_busy(&line.server, 120), 100);
    assert_int_equal(nvme_server_occupied(&line.server, 120), 120);
    fake_run(&line.world, 1000);
    assert_int_equal(ended, 130);
    assert_int_equal(line.done[1], 180);
    assert_int_equal(nvme_server_busy(&line.server, 1000), 150);
    assert_int_equal(nvme_server_occupied(&line.server, 1000), 180);
    /* What is discarded still occupies the core to its end. */
    nvme_server_add(&line.server, &line.jobs[2], 100);
    nvme_server_fini(&line.server);
    cpu_core_add(&core, &other);
    fake_run(&line.world, 2000);
    assert_int_equal(line.done[2], 0);
    assert_int_equal(ended, 1130);
    fake_fini(&line.world);
}

/* A job without cost is done at once, also when it comes from another's end, a hundred thousand
 * deep. */
static void free_jobs_are_done_at_once(void **state)
{
    (void)state;
    static struct line line;
    fake_init(&line.world);
    nvme_server_init(&line.server, &line.world.env, on_job, &line, 0);
    line.count = 0;
    line.again = 100000;
    nvme_server_add(&line.server, &line.jobs[0], 0);
    assert_int_equal(line.count, 100001);
    fake_fini(&line.world);
}

enum { CALLS = 200 };

struct heard {
    struct nvme_stall stall;
    int numbers[CALLS];
    unsigned count;
};

static void hear(void *self, const void *what)
{
    struct heard *heard = self;
    heard->numbers[heard->count++] = *(const int *)what;
}

/* Copies, in order, more of them than the list had room for at first. */
static void a_stall_keeps_calls_until_it_ends(void **state)
{
    (void)state;
    struct heard heard = {0};
    for (int i = 0; i < CALLS; i++) {
        heard.stall.on = i > 0;
        assert_int_equal(nvme_stall_holds(&heard.stall, hear, &heard, &i, sizeof i), i > 0);
    }
    assert_int_equal(heard.count, 0);
    nvme_stall_end(&heard.stall);
    assert_false(heard.stall.on);
    assert_int_equal(heard.count, CALLS - 1);
    for (int i = 1; i < CALLS; i++)
        assert_int_equal(heard.numbers[i - 1], i);
    nvme_stall_end(&heard.stall);
    assert_int_equal(heard.count, CALLS - 1);
    nvme_stall_fini(&heard.stall);
}

/* Every row of every table parses and lies inside its bounds, and the defaults are Linux's. */
static void presets_hold(void **state)
{
    (void)state;
    struct nvme_host_params host;
    struct nvme_target_params target;
    struct nvme_namespace_params ns;
    struct nvme_rdma_host_params rdma;
    opt_presets(nvme_host_opts, &host);
    opt_presets(nvme_target_opts, &target);
    opt_presets(nvme_namespace_opts, &ns);
    opt_presets(nvme_rdma_host_opts, &rdma);
    assert_int_equal(host.queue_size, 128);
    assert_int_equal(host.keep_alive, 5 * PS_PER_S);
    assert_int_equal(host.io_timeout, 30 * PS_PER_S);
    assert_int_equal(host.max_transfer, 1 << 20);
    assert_int_equal(host.in_capsule + rdma.sgl_invalidate, 2);
    assert_int_equal(target.in_capsule, 4096);
    assert_int_equal(target.max_queue_size, 128);
    assert_int_equal(ns.block_size, 512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_legal),
        cmocka_unit_test(states_are_reached),
        cmocka_unit_test(every_working_state_can_fail),
        cmocka_unit_test(tags_walk_through_words),
        cmocka_unit_test(tags_are_out_once),
        cmocka_unit_test(cids_have_generations),
        cmocka_unit_test(servers_take_turns),
        cmocka_unit_test(servers_share_a_core),
        cmocka_unit_test(free_jobs_are_done_at_once),
        cmocka_unit_test(a_stall_keeps_calls_until_it_ends),
        cmocka_unit_test(presets_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0
 * The command core on a transport that is not RDMA: connecting, data, errors, loss. */
#include "nvme/host/host.h"
#include "nvme/rdma/rdma.h"
#include "nvme/target/target.h"
#include "tests/unit/nvme/pdu_net.h"

#include "base/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TARGET_IP = 1, HOST_IP, IOS = 256 };

static struct pair {
    struct stage stage;
    struct pdu_net net;
    struct probe probe;
    struct nvme_host_params host_params;
    struct nvme_target_params target_params;
    struct nvme_target_namespace space;
    struct nvme_host *host;
    struct nvme_target *target;
    struct nvme_io ios[IOS];
    uint32_t completed;
    int ready; /* the status; negative: not yet */
    char note[160];
    struct probe_target_io last;
} pair;

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    (void)self, (void)at, (void)owner;
    if (pair.note[0] == '\0')
        snprintf(pair.note, sizeof pair.note, "%s", text);
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    (void)self;
    pair.last = *io;
}

static void on_ready(void *self, uint16_t status)
{
    (void)self;
    pair.ready = status;
}

static void on_io(void *self, struct nvme_io *io)
{
    (void)self, (void)io;
    pair.completed++;
}

static void run(time_ps span)
{
    stage_run(&pair.stage, pair.stage.now + span);
    nvme_host_audit(pair.host);
    nvme_target_audit(pair.target);
}

static void prepare(void)
{
    memset(&pair, 0, sizeof pair);
    stage_init(&pair.stage, 1);
    pdu_net_init(&pair.net, &pair.stage);
    pair.probe = probe_none;
    pair.probe.note = on_note;
    pair.probe.target_io = on_target_io;
    pair.stage.env.probe = &pair.probe;
    pair.ready = -1;
    opt_presets(nvme_host_opts, &pair.host_params);
    opt_presets(nvme_target_opts, &pair.target_params);
    opt_presets(nvme_namespace_opts, &pair.space.params);
    pair.space.media = media_find("null");
    pair.host_params.queues = 2;
    pair.host_params.reconnect_delay = PS_PER_MS;
}

static void start(uint32_t host_target_ip)
{
    const struct nvme_target_site target = {
        .env = &pair.stage.env,
        .transport = pdu_net_transport(&pair.net, TARGET_IP),
        .params = &pair.target_params,
        .namespaces = &pair.space,
        .namespace_count = 1,
    };
    const struct nvme_host_site host = {
        .env = &pair.stage.env,
        .transport = pdu_net_transport(&pair.net, HOST_IP),
        .params = &pair.host_params,
        .target_ip = host_target_ip,
        .user = {.self = &pair, .on_ready = on_ready, .on_io = on_io},
    };
    pair.target = nvme_target_create(&target);
    assert_non_null(pair.target);
    pair.host = nvme_host_create(&host);
    run(10 * PS_PER_MS);
}

static void begin(void)
{
    prepare();
    start(TARGET_IP);
    assert_int_equal(pair.ready, NVME_STATUS_OK);
}

static void end(void)
{
    nvme_host_destroy(pair.host);
    nvme_target_destroy(pair.target);
    pdu_net_fini(&pair.net);
}

static void fill(uint32_t index, enum nvme_opcode opcode, uint64_t lba, uint32_t bytes,
                 uint32_t content)
{
    pair.ios[index] = (struct nvme_io){.opcode = (uint8_t)opcode,
                                       .nsid = 1,
                                       .lba = lba,
                                       .bytes = bytes,
                                       .content = content,
                                       .issued_at = pair.stage.now};
}

static const struct nvme_io *play(enum nvme_opcode opcode, uint64_t lba, uint32_t bytes,
                                  uint32_t content)
{
    const uint32_t before = pair.completed;
    fill(0, opcode, lba, bytes, content);
    assert_true(nvme_host_submit(pair.host, 0, &pair.ios[0]));
    run(PS_PER_MS);
    assert_int_equal(pair.completed, before + 1);
    return &pair.ios[0];
}

/* Writes, half of them in the capsule and half behind an R2T. */
static void submit(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        fill(i, NVME_WRITE, i * 64, i % 2 == 0 ? 4096 : 32768, i + 1);
        assert_true(nvme_host_submit(pair.host, i % 2, &pair.ios[i]));
    }
}

static void assert_written(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(pair.ios[i].status, NVME_STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(play(NVME_READ, i * 64, 4096, 0)->content, i + 1);
}

static void assert_pdus(uint32_t from, const int expected[][2], unsigned count)
{
    assert_int_equal(pair.net.logged - from, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(pair.net.log[from + i].type, expected[i][0]);
        assert_int_equal(pair.net.log[from + i].length, expected[i][1]);
    }
}

/* ---- the tests ---- */

#pragma weak nvme_rdma_create
extern const struct verbs_ops verbs_sim __attribute__((weak));

/* The linker takes what is asked for: had the core asked, there would be an RNIC. */
static void no_rnic_is_in_this_program(void **state)
{
    struct nvme_transport *(*volatile rdma)(const struct verbs_ops *, struct verbs_device *,
                                            const struct nvme_rdma_params *) = nvme_rdma_create;
    const struct verbs_ops *volatile sim = &verbs_sim;
    (void)state;
#if defined(__PIC__) && !defined(__PIE__)
    skip(); /* a shared library has everything */
#endif
    assert_true(rdma == NULL);
    assert_true(sim == NULL);
}

static void connects_and_identifies(void **state)
{
    static const int admin[][2] = {
        {PDU_IC_REQ, 128}, {PDU_IC_RESP, 128}, {PDU_COMMAND, 72 + 1024}, {PDU_RESPONSE, 24}};
    (void)state;
    begin();
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(nvme_host_queues(pair.host), 2);
    assert_int_equal(nvme_host_namespaces(pair.host), 1);
    assert_int_equal(nvme_host_namespace(pair.host, 0)->blocks, (INT64_C(1) << 40) / 512);
    assert_int_equal(nvme_target_stats(pair.target)->queues, 3);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pair.net.log[i].type, admin[i][0]);
        assert_int_equal(pair.net.log[i].length, admin[i][1]);
    }
    end();
}

static void moves_data(void **state)
{
    enum { LARGE = 2 * PDU_H2C_MAX + 4096 };
    static const int read[][2] = {{PDU_COMMAND, 72}, {PDU_C2H, 24 + LARGE}, {PDU_RESPONSE, 24}};
    static const int small[][2] = {{PDU_COMMAND, 72 + 4096}, {PDU_RESPONSE, 24}};
    static const int large[][2] = {{PDU_COMMAND, 72},           {PDU_R2T, 24},
                                   {PDU_H2C, 24 + PDU_H2C_MAX}, {PDU_H2C, 24 + PDU_H2C_MAX},
                                   {PDU_H2C, 24 + 4096},        {PDU_RESPONSE, 24}};
    static const int flush[][2] = {{PDU_COMMAND, 72}, {PDU_RESPONSE, 24}};
    (void)state;
    begin();
    uint32_t from = pair.net.logged;
    assert_int_equal(play(NVME_WRITE, 0, 4096, 7)->status, NVME_STATUS_OK);
    assert_pdus(from, small, 2);
    assert_int_equal(pair.last.qid, 1); /* as Connect said */
    assert_int_equal(pair.last.fetch_at, 0);
    from = pair.net.logged;
    assert_int_equal(play(NVME_WRITE, 1024, LARGE, 8)->status, NVME_STATUS_OK);
    assert_pdus(from, large, 6);
    assert_int_equal(pair.last.fetched_at - pair.last.fetch_at, 2 * PDU_DELAY);
    from = pair.net.logged;
    assert_int_equal(play(NVME_READ, 1024, LARGE, 0)->content, 8);
    assert_pdus(from, read, 3);
    from = pair.net.logged;
    assert_int_equal(play(NVME_FLUSH, 0, 0, 0)->status, NVME_STATUS_OK);
    assert_pdus(from, flush, 2);
    assert_int_equal(play(NVME_READ, 0, 4096, 0)->content, 7);
    assert_int_equal(play(NVME_READ, 4096, 4096, 0)->content, 0);
    end();
}

static void errors_are_statuses(void **state)
{
    (void)state;
    begin();
    const uint64_t beyond = (UINT64_C(1) << 40) / 512;
    assert_int_equal(play(NVME_READ, beyond, 4096, 0)->status, NVME_STATUS_LBA_RANGE);
    assert_int_equal(play(NVME_WRITE, beyond, 65536, 9)->status, NVME_STATUS_LBA_RANGE);
    assert_int_equal(nvme_target_stats(pair.target)->errors, 2);
    assert_true(nvme_host_live(pair.host));
    assert_int_equal(play(NVME_READ, 0, 4096, 0)->status, NVME_STATUS_OK);
    end();
}

static void a_full_transport_makes_commands_wait(void **state)
{
    (void)state;
    begin();
    pair.net.room = 1;
    submit(200);
    run(10 * PS_PER_MS);
    assert_int_equal(pair.completed, 200);
    assert_written(200);
    end();
}

static void nobody_listens(void **state)
{
    (void)state;
    prepare();
    start(77);
    assert_int_equal(pair.ready, NVME_STATUS_TRANSPORT);
    assert_non_null(strstr(pair.note, "disconnected"));
    end();
}

static void a_lost_connection_is_made_again(void **state)
{
    (void)state;
    begin();
    submit(100);
    run(3 * PS_PER_US);
    pdu_net_cut(&pair.net);
    run(PS_PER_MS / 2);
    assert_false(nvme_host_live(pair.host));
    run(10 * PS_PER_MS);
    assert_int_equal(pair.completed, 100);
    assert_int_equal(nvme_host_stats(pair.host)->reconnects, 1);
    assert_true(nvme_host_stats(pair.host)->requeued > 0);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 1);
    assert_written(100);
    end();
}

/* Whichever PDU it is, at either side, the connection ends and the data are whole afterwards. */
static void a_wrong_digest_ends_the_connection(void **state)
{
    static const enum pdu_type types[] = {PDU_COMMAND, PDU_RESPONSE, PDU_H2C, PDU_C2H, PDU_R2T};
    (void)state;
    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        begin();
        submit(20);
        fill(20, NVME_READ, 0, 4096, 0);
        assert_true(nvme_host_submit(pair.host, 0, &pair.ios[20]));
        pair.net.spoils = (int)types[i];
        run(20 * PS_PER_MS);
        assert_int_equal(pair.net.spoils, -1);
        assert_non_null(strstr(pair.note, "wrong digest"));
        assert_int_equal(nvme_host_stats(pair.host)->losses, 1);
        assert_int_equal(nvme_host_stats(pair.host)->reconnects, 1);
        assert_int_equal(pair.completed, 21);
        assert_written(20);
        end();
    }
}

/* Time runs out at the host, and at the target, where the controller ends. */
static void silence_is_a_loss(void **state)
{
    (void)state;
    prepare();
    pair.host_params.io_timeout = PS_PER_S;
    start(TARGET_IP);
    submit(10);
    pair.net.silent = true;
    run(PS_PER_S + 1);
    assert_false(nvme_host_live(pair.host));
    assert_non_null(strstr(pair.note, "timed out"));
    run(20 * PS_PER_S);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
    assert_int_equal(pair.completed, 0);
    pair.net.silent = false;
    run(120 * PS_PER_S);
    assert_int_equal(pair.completed, 10);
    assert_written(10);
    end();
}

/* What comes meanwhile waits. */
static void a_target_stands_still(void **state)
{
    (void)state;
    begin();
    submit(50);
    run(2 * PDU_DELAY);
    nvme_target_stall(pair.target, true);
    run(PS_PER_S);
    assert_true(pair.completed < 50);
    nvme_target_stall(pair.target, false);
    run(PS_PER_MS);
    assert_int_equal(pair.completed, 50);
    assert_int_equal(nvme_host_stats(pair.host)->losses, 0);
    assert_written(50);
    end();
}

static void a_target_dies_and_comes_back(void **state)
{
    (void)state;
    prepare();
    pair.host_params.io_timeout = PS_PER_S;
    start(TARGET_IP);
    submit(50);
    nvme_target_stall(pair.target, true);
    run(PS_PER_MS);
    nvme_target_kill(pair.target, false);
    nvme_target_stall(pair.target, false);
    run(2 * PS_PER_S);
    assert_false(nvme_host_live(pair.host));
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    assert_true(nvme_host_stats(pair.host)->attempts > 1);
    assert_true(nvme_target_revive(pair.target));
    run(10 * PS_PER_MS);
    assert_int_equal(pair.completed, 50);
    assert_written(50);
    end();
}

static void a_host_leaves_in_good_order(void **state)
{
    (void)state;
    begin();
    submit(4);
    nvme_host_shutdown(pair.host);
    run(10 * PS_PER_MS);
    assert_int_equal(pair.completed, 4);
    assert_false(nvme_host_live(pair.host));
    assert_int_equal(nvme_target_stats(pair.target)->queues, 0);
    assert_int_equal(nvme_target_stats(pair.target)->controllers, 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rnic_is_in_this_program),
        cmocka_unit_test(connects_and_identifies),
        cmocka_unit_test(moves_data),
        cmocka_unit_test(errors_are_statuses),
        cmocka_unit_test(a_full_transport_makes_commands_wait),
        cmocka_unit_test(nobody_listens),
        cmocka_unit_test(a_lost_connection_is_made_again),
        cmocka_unit_test(a_wrong_digest_ends_the_connection),
        cmocka_unit_test(silence_is_a_loss),
        cmocka_unit_test(a_target_stands_still),
        cmocka_unit_test(a_target_dies_and_comes_back),
        cmocka_unit_test(a_host_leaves_in_good_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

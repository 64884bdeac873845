/* SPDX-License-Identifier: Apache-2.0
 * Subsystems, hosts that may connect, events that complete, ANA states, Abort, no flow control:
 * what a target answers, byte by byte. */
#include "nvme/wire/discovery.h"
#include "nvme/wire/wire.h"
#include "tests/unit/base/fuzz_input.h"
#include "tests/unit/nvme/raw_host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { DNR = NVME_STATUS_DNR, HELD = NVME_STATUS_TRANSPORT };

static struct raw_host raw;

static const uint32_t all[] = {0};
static const char *const friends[] = {"nqn.other", "nqn.raw"};
static const char *const others[] = {"nqn.other"};
static const struct nvme_target_subsystem subsystems[] = {
    {.nqn = "nqn.gold", .namespaces = all, .namespace_count = 1, .hosts = friends, .host_count = 2},
    {.nqn = "nqn.lead", .namespaces = all, .namespace_count = 1, .hosts = others, .host_count = 1},
    {.nqn = "nqn.none", .namespace_count = 0},
    {.nqn = "nqn.away", .ports = 2},
};

static uint16_t admin(uint8_t opcode, uint16_t cid, uint32_t length, uint32_t cdw10, uint32_t cdw11)
{
    const struct nvme_command command = {
        .opcode = opcode,
        .flags = NVME_FLAGS_SGL,
        .cid = cid,
        .sgl = {raw.buffer->addr, length, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = cdw10,
        .cdw11 = cdw11,
    };
    return raw_send(&raw, 0, &command, 0);
}

static uint16_t get_log(uint8_t id, uint32_t length)
{
    memset(raw.buffer->bytes, 0xEE, length);
    return admin(NVME_ADMIN_GET_LOG, 0, length, (length / 4 - 1) << 16 | id, 0);
}

static uint16_t connect_to(const char *nqn)
{
    struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
    strcpy(data.subsystem_nqn, nqn);
    return raw_fabrics_connect(&raw, 0, 0, 31, &data);
}

static void who_may_connect_to_what(void **state)
{
    (void)state;
    raw_init_as(&raw, subsystems, 4, NVME_TARGET_IS_OWN, 0);
    raw_connect_as(&raw, 0, 0, 32);
    assert_int_equal(connect_to(NVME_SUBSYSTEM_NQN), NVME_STATUS_CONNECT_PARAMETERS | DNR);
    assert_int_equal(raw.queues[0].last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_SUBNQN_AT);
    assert_int_equal(connect_to("nqn.away"), NVME_STATUS_CONNECT_PARAMETERS | DNR);
    assert_int_equal(connect_to("nqn.lead"), NVME_STATUS_CONNECT_HOST | DNR);
    assert_int_equal(raw.queues[0].last.result, NVME_CONNECT_IN_DATA | NVME_CONNECT_HOSTNQN_AT);
    assert_int_equal(connect_to("nqn.gold"), NVME_STATUS_OK);
    /* Its I/O queues are of the same subsystem. */
    struct nvme_connect_data data = raw_identity((uint16_t)raw.queues[0].last.result);
    strcpy(data.subsystem_nqn, "nqn.none");
    raw_connect_as(&raw, 1, 1, 32);
    assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 31, &data),
                     NVME_STATUS_CONNECT_PARAMETERS | DNR);
    raw_fini(&raw);
}

static void a_subsystem_has_its_own_namespaces(void **state)
{
    (void)state;
    static const char *const names[] = {"nqn.gold", "nqn.none"};
    for (uint32_t i = 0; i < 2; i++) {
        raw_init_as(&raw, subsystems, 4, NVME_TARGET_IS_OWN, 0);
        raw_bring_up_named(&raw, names[i]);
        assert_int_equal(admin(NVME_ADMIN_IDENTIFY, 0, 4096, NVME_CNS_ACTIVE_LIST, 0),
                         NVME_STATUS_OK);
        assert_int_equal(wire_get32(raw.buffer->bytes), i == 0);
        assert_int_equal(admin(NVME_ADMIN_IDENTIFY, 0, 4096, NVME_CNS_CONTROLLER, 0),
                         NVME_STATUS_OK);
        assert_string_equal((const char *)raw.buffer->bytes + 768, names[i]);
        const struct nvme_command flush = {
            .opcode = NVME_FLUSH, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
        assert_int_equal(raw_send(&raw, 1, &flush, 0),
                         i == 0 ? NVME_STATUS_OK : NVME_STATUS_INVALID_FIELD | DNR);
        raw_fini(&raw);
    }
}

/* What the host may not use is not listed; what is at no port neither. */
static void the_log_lists_what_the_host_may_use(void **state)
{
    (void)state;
    raw_init_as(&raw, subsystems, 4, NVME_TARGET_IS_OWN, 0);
    raw_bring_up_discovery(&raw);
    assert_int_equal(get_log(NVME_LOG_DISCOVERY, 4096), NVME_STATUS_OK);
    assert_int_equal(wire_get64(raw.buffer->bytes), 1);
    assert_int_equal(wire_get64(raw.buffer->bytes + 8), 3);
    assert_string_equal((const char *)raw.buffer->bytes + 1024 + 256, NVME_DISCOVERY_NQN);
    assert_string_equal((const char *)raw.buffer->bytes + 2048 + 256, "nqn.gold");
    assert_string_equal((const char *)raw.buffer->bytes + 3072 + 256, "nqn.none");
    raw_fini(&raw);
}

/* An event is told once until its page is read; a request that waits is answered. */
static void events_complete(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_NON_OPTIMIZED); /* nobody asked */
    assert_int_equal(admin(NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_ASYNC_EVENT, 0x800),
                     NVME_STATUS_OK);
    assert_int_equal(admin(NVME_ADMIN_ASYNC_EVENT, 70, 0, 0, 0), HELD);
    assert_int_equal(admin(NVME_ADMIN_ASYNC_EVENT, 71, 0, 0, 0), HELD);
    nvme_target_set_ana(raw.target, NVME_TARGET_ALL, NVME_TARGET_ALL, NVME_ANA_INACCESSIBLE);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(raw.queues[0].last.cid, 71); /* the last that came */
    assert_int_equal(raw.queues[0].last.status, NVME_STATUS_OK);
    assert_int_equal(raw.queues[0].last.result, 0x0C0302); /* page, information, notice */
    const uint32_t answered = raw.queues[0].answered;
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_OPTIMIZED);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(raw.queues[0].answered, answered); /* masked until the page is read */
    assert_int_equal(admin(NVME_ADMIN_GET_LOG, 0, 64, 15 << 16 | 1 << 15 | NVME_LOG_ANA, 0),
                     NVME_STATUS_OK); /* retains it */
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_CHANGE);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(raw.queues[0].answered, answered + 1);
    assert_int_equal(get_log(NVME_LOG_ANA, 64), NVME_STATUS_OK);
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_OPTIMIZED);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(raw.queues[0].last.cid, 70);
    /* None is held now: the event waits for one. */
    assert_int_equal(get_log(NVME_LOG_ANA, 64), NVME_STATUS_OK);
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_INACCESSIBLE);
    assert_int_equal(admin(NVME_ADMIN_ASYNC_EVENT, 72, 0, 0, 0), NVME_STATUS_OK);
    assert_int_equal(raw.queues[0].last.cid, 72);
    raw_fini(&raw);
}

/* Base 5.14.1.12: the page's bytes, and what commands come to in each state. */
static void states_of_a_namespace(void **state)
{
    (void)state;
    static const struct {
        enum nvme_ana_state state;
        uint16_t status;
        bool used;
    } rows[] = {
        {NVME_ANA_OPTIMIZED, NVME_STATUS_OK, true},
        {NVME_ANA_NON_OPTIMIZED, NVME_STATUS_OK, true},
        {NVME_ANA_INACCESSIBLE, 0x302, false},
        {NVME_ANA_PERSISTENT_LOSS, 0x301, false},
        {NVME_ANA_CHANGE, 0x303, true},
    };
    raw_init(&raw);
    raw_bring_up(&raw);
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        nvme_target_set_ana(raw.target, 0, 1, rows[i].state);
        assert_int_equal(nvme_target_ana(raw.target, 0, 1), rows[i].state);
        assert_int_equal(get_log(NVME_LOG_ANA, 64), NVME_STATUS_OK);
        unsigned char page[64] = {0};
        page[0] = page[24] = (unsigned char)(2 + i); /* changes */
        page[8] = 1;                                 /* groups */
        page[16] = 1;                                /* the group */
        page[20] = 1;                                /* its namespaces */
        page[32] = (unsigned char)rows[i].state;
        page[48] = 1;
        assert_memory_equal(raw.buffer->bytes, page, sizeof page);
        assert_int_equal(admin(NVME_ADMIN_GET_LOG, 0, 64, 15 << 16 | 1 << 8 | NVME_LOG_ANA, 0),
                         NVME_STATUS_OK); /* groups alone */
        assert_int_equal(wire_get32(raw.buffer->bytes + 20), 0);
        const struct nvme_command flush = {
            .opcode = NVME_FLUSH, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
        assert_int_equal(raw_send(&raw, 1, &flush, 0), rows[i].status);
        const struct nvme_command identify = {
            .opcode = NVME_ADMIN_IDENTIFY,
            .flags = NVME_FLAGS_SGL,
            .nsid = 1,
            .sgl = {raw.buffer->addr, 4096, raw.buffer->rkey, NVME_SGL_KEYED}};
        assert_int_equal(raw_send(&raw, 0, &identify, 0), NVME_STATUS_OK);
        assert_int_equal(wire_get64(raw.buffer->bytes + 16) > 0, rows[i].used);
    }
    raw_fini(&raw);
}

static void a_port_is_closed_and_opened(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    nvme_target_close_port(raw.target, 0, true);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_true(raw.queues[0].down && raw.queues[1].down);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 0);
    memset(raw.queues, 0, sizeof raw.queues);
    raw_bring_up_discovery(&raw);
    assert_int_equal(get_log(NVME_LOG_DISCOVERY, 4096), NVME_STATUS_OK);
    assert_int_equal(wire_get64(raw.buffer->bytes), 2);
    assert_int_equal(wire_get64(raw.buffer->bytes + 8), 1); /* itself alone */
    assert_int_equal(
        admin(NVME_ADMIN_SET_FEATURES, 0, 0, NVME_FEATURE_ASYNC_EVENT, UINT32_C(1) << 31),
        NVME_STATUS_OK);
    assert_int_equal(admin(NVME_ADMIN_ASYNC_EVENT, 9, 0, 0, 0), HELD);
    nvme_target_close_port(raw.target, 0, false);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(raw.queues[0].last.result, 0x70F002);
    assert_int_equal(get_log(NVME_LOG_DISCOVERY, 4096), NVME_STATUS_OK);
    assert_int_equal(wire_get64(raw.buffer->bytes), 3);
    assert_int_equal(wire_get64(raw.buffer->bytes + 8), 2);
    raw_fini(&raw);
}

/* While it stands still nothing changes; then all does, in order. */
static void a_stalled_target_changes_nothing(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    nvme_target_stall(raw.target, true);
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_INACCESSIBLE);
    nvme_target_set_ana(raw.target, 0, 1, NVME_ANA_NON_OPTIMIZED);
    nvme_target_close_port(raw.target, 0, true);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(nvme_target_ana(raw.target, 0, 1), NVME_ANA_OPTIMIZED);
    assert_false(raw.queues[0].down);
    nvme_target_stall(raw.target, false);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(nvme_target_ana(raw.target, 0, 1), NVME_ANA_NON_OPTIMIZED);
    assert_true(raw.queues[0].down);
    raw_fini(&raw);
}

static void a_port_dies_alone(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_bring_up(&raw);
    nvme_target_kill_port(raw.target, 0);
    nvme_target_kill_port(raw.target, 0);
    fake_run(&raw.world, raw.world.now + PS_PER_MS);
    assert_int_equal(nvme_target_stats(raw.target)->controllers, 0);
    memset(raw.queues, 0, sizeof raw.queues);
    raw_connect_as(&raw, 0, 0, 32);
    assert_false(raw.queues[0].up);
    nvme_target_kill(raw.target, false); /* and then all of it */
    assert_true(nvme_target_revive(raw.target));
    memset(raw.queues, 0, sizeof raw.queues);
    raw_connect_as(&raw, 0, 0, 32);
    assert_false(raw.queues[0].up);
    assert_true(nvme_target_revive_port(raw.target, 0));
    memset(raw.queues, 0, sizeof raw.queues);
    raw_bring_up(&raw);
    raw_fini(&raw);
}

/* nvmet aborts nothing; SPDK what has not begun, and event requests. */
static void abort_by_identity(void **state)
{
    (void)state;
    for (int64_t is = NVME_TARGET_IS_OWN; is <= NVME_TARGET_IS_SPDK; is++) {
        const bool aborts = is == NVME_TARGET_IS_SPDK;
        raw_init_as(&raw, NULL, 0, is, 0);
        raw_bring_up(&raw);
        assert_int_equal(admin(NVME_ADMIN_ASYNC_EVENT, 33, 0, 0, 0), HELD);
        const uint32_t answered = raw.queues[0].answered;
        assert_int_equal(admin(NVME_ADMIN_ABORT, 34, 0, 33 << 16, 0), NVME_STATUS_OK);
        assert_int_equal(raw.queues[0].last.result, !aborts);
        assert_int_equal(raw.queues[0].answered, answered + (aborts ? 2 : 1));
        assert_int_equal(admin(NVME_ADMIN_ABORT, 35, 0, 99 << 16 | 1, 0), NVME_STATUS_OK);
        assert_int_equal(raw.queues[0].last.result, 1); /* there is no such command */
        raw_fini(&raw);
    }
}

/* Two commands of 600 us on one core: the second is aborted while it waits for it. */
static void what_waits_is_aborted(void **state)
{
    (void)state;
    struct nvme_command flush = {
        .opcode = NVME_FLUSH, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
    raw_init_as(&raw, NULL, 0, NVME_TARGET_IS_SPDK, 600 * PS_PER_US);
    raw_bring_up(&raw);
    struct nvme_command abort = {.opcode = NVME_ADMIN_ABORT,
                                 .flags = NVME_FLAGS_SGL,
                                 .sgl.type = NVME_SGL_KEYED,
                                 .cdw10 = 8 << 16 | 1};
    for (flush.cid = 5; flush.cid < 9; flush.cid++) {
        nvme_capsule_encode_command(&flush, raw.queues[1].capsule->bytes);
        struct ibv_sge sge = {.addr = raw.queues[1].capsule->addr,
                              .length = NVME_SQE_BYTES,
                              .lkey = raw.queues[1].capsule->lkey};
        struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
        struct ibv_send_wr *bad = NULL;
        fake_verbs.post_send(raw.queues[1].conn, &wr, &bad);
    }
    assert_int_equal(raw_send(&raw, 0, &abort, 0), NVME_STATUS_OK);
    assert_int_equal(raw.queues[0].last.result, 0);
    fake_run(&raw.world, raw.world.now + 3 * PS_PER_MS);
    assert_int_equal(raw.queues[1].last.cid, 8);
    assert_int_equal(raw.queues[1].last.status, NVME_STATUS_ABORTED);
    assert_int_equal(nvme_target_stats(raw.target)->flushes, 3);
    raw_fini(&raw);
}

/* CATTR bit 2: FFFFh to the Connect, then nothing is said (drivers/nvme/target/fabrics-cmd.c). */
static void without_flow_control(void **state)
{
    (void)state;
    raw_init(&raw);
    raw_connect_as(&raw, 0, 0, 32);
    const struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
    nvme_fabrics_encode_connect(&data, raw.buffer->bytes);
    const struct nvme_command connect = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_CONNECT,
        .sgl = {raw.buffer->addr, NVME_CONNECT_BYTES, raw.buffer->rkey, NVME_SGL_KEYED},
        .cdw11 = 31 | 1 << 18,
    };
    assert_int_equal(raw_send(&raw, 0, &connect, 0), NVME_STATUS_OK);
    assert_int_equal(raw.queues[0].last.sqhd, 0xFFFF);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(admin(NVME_ADMIN_KEEP_ALIVE, 1, 0, 0, 0), NVME_STATUS_SEQUENCE | DNR);
        assert_int_equal(raw.queues[0].last.sqhd, 0);
    }
    raw_fini(&raw);
}

/* Any bytes as an ANA page: nothing beyond its end is read, nothing without a state is taken. */
static void pages_that_lie(void **state)
{
    (void)state;
    unsigned char page[256] = {0};
    struct nvme_ana_page reading;
    struct nvme_ana_group group;
    assert_false(nvme_ana_read(&reading, page, 15));
    memset(page, 0xFF, sizeof page);
    assert_true(nvme_ana_read(&reading, page, sizeof page));
    assert_false(nvme_ana_next(&reading, &group)); /* more namespaces than there is room for */
    const struct nvme_ana_group good = {
        .id = 3, .namespaces = 2, .changes = 5, .state = NVME_ANA_CHANGE};
    nvme_ana_put_header(9, 3, page);
    nvme_ana_put_group(&good, page + 16);
    nvme_ana_put_group(&good, page + 16 + 40);
    page[16 + 40 + 16] = 7; /* no such state */
    fuzz_input("ana", page, sizeof page);
    assert_true(nvme_ana_read(&reading, page, sizeof page));
    assert_int_equal(reading.changes, 9);
    assert_true(nvme_ana_next(&reading, &group));
    assert_int_equal(group.id, good.id);
    assert_int_equal(group.namespaces, good.namespaces);
    assert_int_equal(group.changes, good.changes);
    assert_int_equal(group.state, good.state);
    assert_false(nvme_ana_next(&reading, &group));
    for (size_t length = 16; length < 16 + 40; length++) {
        assert_true(nvme_ana_read(&reading, page, length));
        assert_false(nvme_ana_next(&reading, &group));
    }
    assert_null(nvme_ana_state_word(0));
    assert_string_equal(nvme_ana_state_word(15), "change");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_may_connect_to_what),
        cmocka_unit_test(a_subsystem_has_its_own_namespaces),
        cmocka_unit_test(the_log_lists_what_the_host_may_use),
        cmocka_unit_test(events_complete),
        cmocka_unit_test(states_of_a_namespace),
        cmocka_unit_test(a_port_is_closed_and_opened),
        cmocka_unit_test(a_stalled_target_changes_nothing),
        cmocka_unit_test(a_port_dies_alone),
        cmocka_unit_test(abort_by_identity),
        cmocka_unit_test(what_waits_is_aborted),
        cmocka_unit_test(without_flow_control),
        cmocka_unit_test(pages_that_lie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

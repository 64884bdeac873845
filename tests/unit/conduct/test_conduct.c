/* SPDX-License-Identifier: Apache-2.0
 * Where targets differ at Connect, properties, SGLs, identifiers, Abort and keep alive, each
 * identity by its own source: what the standard says (NVM Express base 2.0, NVMe over Fabrics 1.1),
 * what nvmet of
 * Linux 6.1 does (drivers/nvme/target), what SPDK 22.01 does (lib/nvmf). */
#include "tests/unit/conduct/conduct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* ---- Connect ---- */

/* Fabrics 1.1, 3.3: Connect is the first command of a queue, once. */
static void first_and_second_commands(void **state)
{
    (void)state;
    static const uint16_t first[] = {NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_INVALID_OPCODE | DNR,
                                     NVME_STATUS_SEQUENCE};
    static const uint16_t again[] = {NVME_STATUS_SEQUENCE | DNR,
                                     NVME_STATUS_INVALID_OPCODE | DNR | MORE,
                                     NVME_STATUS_INVALID_OPCODE};
    const struct nvme_command read = {
        .opcode = NVME_READ, .flags = NVME_FLAGS_SGL, .nsid = 1, .sgl.type = NVME_SGL_KEYED};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_connect_as(&raw, 0, 0, 32);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_GET, NVME_PROPERTY_CAP, true, 0),
                         first[identity]);
        raw_connect_as(&raw, 1, 1, 128);
        assert_int_equal(raw_send(&raw, 1, &read, 0), first[identity]);
        raw_fini(&raw);

        conduct_start(identity);
        raw_bring_up(&raw);
        struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
        assert_int_equal(raw_fabrics_connect(&raw, 0, 0, 31, &data), again[identity]);
        data.cntlid = 1;
        assert_int_equal(raw_fabrics_connect(&raw, 1, 1, 127, &data), again[identity]);
        raw_fini(&raw);
    }
}

static void hosts_of_a_queue(void **state)
{
    (void)state;
    enum { BAD = NVME_STATUS_CONNECT_PARAMETERS | DNR, IN_DATA = NVME_CONNECT_IN_DATA };
    static const struct {
        bool id, nqn, empty; /* another HOSTID, another HOSTNQN, none */
        uint16_t status[IDENTITIES];
        uint64_t result[IDENTITIES]; /* of a refusal */
    } rows[] = {
        {true, false, false, {BAD, 0, 0}, {IN_DATA | 0}},
        {false, true, false, {BAD, BAD, 0}, {IN_DATA | 512, IN_DATA | 16}},
        {false, true, true, {BAD, BAD, 0}, {IN_DATA | 512, IN_DATA | 16}},
    };
    for (int identity = 0; identity < IDENTITIES; identity++)
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            conduct_start(identity);
            raw_bring_up(&raw);
            struct nvme_connect_data data = raw_identity(1);
            data.host_id[3] = rows[i].id ? 7 : 0;
            if (rows[i].nqn)
                strcpy(data.host_nqn, rows[i].empty ? "" : "nqn.other");
            raw_connect_as(&raw, 2, 2, 128);
            assert_int_equal(raw_fabrics_connect(&raw, 2, 2, 127, &data), rows[i].status[identity]);
            if (rows[i].status[identity] != NVME_STATUS_OK)
                assert_int_equal(raw.queues[2].last.result, rows[i].result[identity]);
            raw_fini(&raw);
        }
}

static void an_empty_name(void **state)
{
    (void)state;
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_connect_as(&raw, 0, 0, 32);
        struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
        data.host_nqn[0] = '\0';
        const uint16_t status = raw_fabrics_connect(&raw, 0, 0, 31, &data);
        assert_int_equal(status, identity == OWN ? NVME_STATUS_CONNECT_PARAMETERS | DNR : 0);
        if (identity == OWN)
            assert_int_equal(raw.queues[0].last.result, NVME_CONNECT_IN_DATA | 512);
        raw_fini(&raw);
    }
}

/* Which of the two names has no end. */
static void names_without_an_end(void **state)
{
    (void)state;
    static const unsigned at[] = {NVME_CONNECT_SUBNQN_AT, NVME_CONNECT_HOSTNQN_AT};
    for (int identity = 0; identity < IDENTITIES; identity++)
        for (unsigned i = 0; i < 2; i++) {
            conduct_start(identity);
            raw_connect_as(&raw, 0, 0, 32);
            const struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
            nvme_fabrics_encode_connect(&data, raw.buffer->bytes);
            memset(raw.buffer->bytes + at[i], 'x', NVME_NQN_BYTES);
            const struct nvme_command connect = {
                .opcode = NVME_FABRICS,
                .flags = NVME_FLAGS_SGL,
                .nsid = NVME_FCTYPE_CONNECT,
                .sgl = {raw.buffer->addr, NVME_CONNECT_BYTES, raw.buffer->rkey, NVME_SGL_KEYED},
                .cdw11 = 31,
            };
            const uint16_t status = raw_send(&raw, 0, &connect, 0) & NVME_STATUS_CODE;
            const bool cut = i == 1 && identity == NVMET;
            assert_int_equal(status, cut ? NVME_STATUS_OK : NVME_STATUS_CONNECT_PARAMETERS);
            if (!cut)
                assert_int_equal(raw.queues[0].last.result, NVME_CONNECT_IN_DATA | at[i]);
            raw_fini(&raw);
        }
}

static void at_another_port(void **state)
{
    (void)state;
    static const uint16_t statuses[] = {NVME_STATUS_CONNECT_PARAMETERS | DNR, NVME_STATUS_OK,
                                        NVME_STATUS_CONNECT_PARAMETERS};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        raw_init_with_ports(&raw, identity);
        raw_bring_up(&raw);
        const struct nvme_connect_data data = raw_identity(1);
        raw.queues[2].port = RAW_SECOND_PORT;
        raw_connect_as(&raw, 2, 2, 128);
        assert_int_equal(raw_fabrics_connect(&raw, 2, 2, 127, &data), statuses[identity]);
        raw_fini(&raw);
    }
}

static void queues_that_exist_or_cannot(void **state)
{
    (void)state;
    static const uint16_t twice[] = {NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_SEQUENCE | DNR,
                                     NVME_STATUS_INVALID_QUEUE};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        struct nvme_connect_data data = raw_identity(1);
        raw_connect_as(&raw, 2, 1, 128);
        assert_int_equal(raw_fabrics_connect(&raw, 2, 1, 127, &data), twice[identity]);
        raw_fini(&raw);
    }
}

/* ---- properties ---- */

static void capabilities(void **state)
{
    (void)state;
    /* MQES 127; CQR; TO; CSS: NVM, and command sets */
    static const uint64_t cap[] = {UINT64_C(0x8200F01007F), UINT64_C(0x8200F00007F),
                                   UINT64_C(0x201E01007F)};
    static const uint16_t bad[] = {NVME_STATUS_INVALID_FIELD | DNR,
                                   NVME_STATUS_INVALID_FIELD | DNR | MORE,
                                   NVME_STATUS_CONNECT_PARAMETERS};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CAP, true), cap[identity]);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_VS, false), 0x10300);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CC, false), ENABLE);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false), NVME_CSTS_READY);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_GET, NVME_PROPERTY_CC, true, 0),
                         bad[identity]);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_GET, 0x20, false, 0),
                         bad[identity]); /* NSSR */
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CAP, true, 0),
                         bad[identity]);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_VS, false, 0),
                         bad[identity]);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CSTS, false, 0),
                         bad[identity]);
        if (identity == SPDK) {
            assert_int_equal(conduct_property_value(NVME_PROPERTY_CAP, false),
                             (uint32_t)cap[identity]);
            assert_int_equal(conduct_property_value(4, false), cap[identity] >> 32);
        } else {
            assert_int_equal(conduct_property(0, NVME_FCTYPE_GET, NVME_PROPERTY_CAP, false, 0),
                             bad[identity]);
        }
        raw_fini(&raw);
    }
}

/* Base 2.0, 3.7.2: a controller reset ends the I/O queues; the admin queue stays. */
static void a_reset(void **state)
{
    (void)state;
    const struct nvme_command event = {.opcode = NVME_ADMIN_ASYNC_EVENT,
                                       .flags = NVME_FLAGS_SGL,
                                       .cid = 0x55,
                                       .sgl.type = NVME_SGL_KEYED};
    const struct row queues = {"Number of Queues behind a reset",
                               NVME_ADMIN_SET_FEATURES,
                               0,
                               0,
                               7,
                               3 << 16 | 3,
                               0,
                               {0, 0, 0},
                               {0x7F007F, 0x7F007F, 0x7F007F}};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        assert_int_equal(raw_send(&raw, 0, &event, 0), HELD);
        const uint32_t answered = raw.queues[0].answered;
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, ENABLE & ~1),
                         0);
        fake_run(&raw.world, raw.world.now + PS_PER_MS);
        assert_int_equal(raw.queues[0].answered - answered, identity == OWN ? 2 : 1);
        assert_int_equal(raw.queues[1].down, identity != NVMET);
        assert_false(raw.queues[0].down);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false), 0);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CC, false), 0);
        const struct row admin = {
            "Identify while disabled",
            NVME_ADMIN_IDENTIFY,
            0,
            4096,
            1,
            0,
            0,
            {NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_SEQUENCE | DNR, NVME_STATUS_SEQUENCE},
            {0}};
        conduct_check(0, &admin, identity);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, ENABLE), 0);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false), NVME_CSTS_READY);
        conduct_check(0, &queues, identity);
        assert_int_equal(raw_send(&raw, 0, &event, 0), HELD); /* also with the former CID */
        if (identity != NVMET) { /* and the same queue can be had again */
            struct nvme_connect_data data = raw_identity(1);
            raw_connect_as(&raw, 2, 1, 128);
            assert_int_equal(raw_fabrics_connect(&raw, 2, 1, 127, &data), NVME_STATUS_OK);
        }
        raw_fini(&raw);
    }
}

/* Base 2.0, 3.6.2: CC.EN and CSTS.RDY are not changed by a shutdown. */
static void a_shutdown(void **state)
{
    (void)state;
    for (int identity = 0; identity < IDENTITIES; identity++) {
        const uint32_t cc = ENABLE | NVME_CC_SHN_NORMAL;
        conduct_start(identity);
        raw_bring_up(&raw);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, cc), 0);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CC, false),
                         identity == NVMET ? 0 : cc);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false),
                         identity == NVMET ? NVME_CSTS_SHST_DONE
                                           : NVME_CSTS_SHST_DONE | NVME_CSTS_READY);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, 0), 0);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, ENABLE), 0);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false), NVME_CSTS_READY);
        raw_fini(&raw);
    }
}

static void enabled_wrongly(void **state)
{
    (void)state;
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, 0), 0);
        assert_int_equal(
            conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, NVME_CC_ENABLE), 0);
        assert_int_equal(conduct_property_value(NVME_PROPERTY_CSTS, false),
                         identity == SPDK ? NVME_CSTS_READY : NVME_CSTS_FATAL);
        raw_fini(&raw);
    }
}

/* ---- any command ---- */

/* Base 2.0, 4.1: the identifier of a command is unique on its queue. */
static void the_same_identifier(void **state)
{
    (void)state;
    static const uint16_t second[] = {NVME_STATUS_ID_CONFLICT | DNR, HELD, HELD};
    struct nvme_command event = {
        .opcode = NVME_ADMIN_ASYNC_EVENT, .flags = NVME_FLAGS_SGL, .sgl.type = NVME_SGL_KEYED};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        event.cid = 0x77;
        assert_int_equal(raw_send(&raw, 0, &event, 0), HELD);
        assert_int_equal(raw_send(&raw, 0, &event, 0), second[identity]);
        event.cid = 0x1077; /* the same slot, another identifier */
        assert_int_equal(raw_send(&raw, 0, &event, 0), HELD);
        raw_fini(&raw);
    }
}

static void flags_and_descriptors(void **state)
{
    (void)state;
    static const struct {
        uint8_t flags, type;
        uint16_t status[IDENTITIES];
    } rows[] = {
        {0x40, 0x40, {0, 0, 0}},
        {0x00, 0x40, {NVME_STATUS_INVALID_FIELD | DNR, NVME_STATUS_INVALID_FIELD | DNR | MORE, 0}},
        {0x80, 0x40, {NVME_STATUS_INVALID_FIELD | DNR, NVME_STATUS_INVALID_FIELD | DNR | MORE, 0}},
        {0x41,
         0x40,
         {NVME_STATUS_INVALID_FIELD | DNR, NVME_STATUS_INVALID_FIELD | DNR | MORE,
          NVME_STATUS_INVALID_FIELD}},
        {0x40,
         0x41,
         {NVME_STATUS_SGL_TYPE | DNR, NVME_STATUS_INVALID_FIELD | DNR | MORE,
          NVME_STATUS_SGL_TYPE}},
        {0x40,
         0x20,
         {NVME_STATUS_SGL_TYPE | DNR, NVME_STATUS_SGL_TYPE | DNR | MORE, NVME_STATUS_SGL_TYPE}},
    };
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
            const struct nvme_command read = {
                .opcode = NVME_READ,
                .flags = rows[i].flags,
                .nsid = 1,
                .sgl = {raw.buffer->addr, 512, raw.buffer->rkey, rows[i].type},
            };
            assert_int_equal(raw_send(&raw, 1, &read, 0), rows[i].status[identity]);
        }
        raw_fini(&raw);
    }
}

static const struct row io_rows[] = {
    {"NSID 0",
     NVME_READ,
     0,
     512,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE,
      NVME_STATUS_INVALID_NAMESPACE | DNR},
     {0}},
    {"an NSID that is not active",
     NVME_READ,
     2,
     512,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_FIELD | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE,
      NVME_STATUS_INVALID_NAMESPACE | DNR},
     {0}},
    {"NSID FFFFFFFFh",
     NVME_READ,
     NVME_NSID_ALL,
     512,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_NAMESPACE | DNR, NVME_STATUS_INVALID_NAMESPACE | DNR | MORE,
      NVME_STATUS_INVALID_NAMESPACE | DNR},
     {0}},
    {"an opcode",
     0x7E,
     1,
     0,
     0,
     0,
     0,
     {NVME_STATUS_INVALID_OPCODE | DNR, NVME_STATUS_INVALID_OPCODE | DNR | MORE,
      NVME_STATUS_INVALID_OPCODE | DNR},
     {0}},
    {"a length",
     NVME_READ,
     1,
     1024,
     0,
     0,
     0,
     {NVME_STATUS_SGL_LENGTH | DNR, NVME_STATUS_SGL_LENGTH | DNR | MORE, NVME_STATUS_SGL_LENGTH},
     {0}},
    {"an LBA",
     NVME_READ,
     1,
     512,
     UINT32_MAX,
     1,
     0,
     {NVME_STATUS_LBA_RANGE | DNR, NVME_STATUS_INTERNAL | DNR | MORE, NVME_STATUS_LBA_RANGE},
     {0}},
    {"Property Get",
     NVME_FABRICS,
     NVME_FCTYPE_GET,
     0,
     0,
     NVME_PROPERTY_VS,
     0,
     {NVME_STATUS_INVALID_OPCODE | DNR, NVME_STATUS_INVALID_OPCODE | DNR | MORE,
      NVME_STATUS_INVALID_OPCODE},
     {0}},
};

static void io_commands(void **state)
{
    (void)state;
    CHECK_ALL(1, io_rows);
}

/* ---- Abort ---- */

/* All at once, on a slow core: ACL 3 is four. */
static void more_aborts_than_acl(void **state)
{
    (void)state;
    enum { SENT = 18 };
    for (int identity = 0; identity < IDENTITIES; identity++) {
        raw_init_as(&raw, NULL, 0, identity, PS_PER_MS / 2);
        raw_bring_up(&raw);
        for (unsigned i = 0; i < SENT; i++) {
            struct nvme_command abort = {.opcode = NVME_ADMIN_ABORT,
                                         .flags = NVME_FLAGS_SGL,
                                         .cid = (uint16_t)i,
                                         .sgl.type = NVME_SGL_KEYED};
            nvme_capsule_encode_command(&abort, raw.queues[0].capsule->bytes + 64 * i);
        }
        raw_post_many(&raw, 0, SENT);
        fake_run(&raw.world, raw.world.now + 20 * PS_PER_MS);
        assert_int_equal(raw.queues[0].limited, identity == OWN ? SENT - 4 : 0);
        raw_fini(&raw);
    }
}

/* Base 2.0, 3.9: with traffic-based keep alive any command will do, without it only Keep Alive. */
static void what_keeps_it_alive(void **state)
{
    (void)state;
    const struct row set = {"KATO",    NVME_ADMIN_SET_FEATURES, 0, 0, 0x0F, 10000, 0, {0, 0, 0},
                            {0, 10, 0}};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        conduct_check(0, &set, identity);
        for (unsigned i = 0; i < 4 && !raw.queues[0].down; i++) {
            fake_run(&raw.world, raw.world.now + 9 * PS_PER_S);
            if (!raw.queues[0].down)
                (void)conduct_property(0, NVME_FCTYPE_GET, NVME_PROPERTY_VS, false, 0);
        }
        assert_int_equal(raw.queues[0].down, identity == SPDK);
        raw_fini(&raw);
    }
}

/* A controller that is disabled has no keep-alive timer; nvmet's and SPDK's go on. */
static void disabled_it_waits(void **state)
{
    (void)state;
    const struct row set = {"KATO",    NVME_ADMIN_SET_FEATURES, 0, 0, 0x0F, 10000, 0, {0, 0, 0},
                            {0, 10, 0}};
    for (int identity = 0; identity < IDENTITIES; identity++) {
        conduct_start(identity);
        raw_bring_up(&raw);
        conduct_check(0, &set, identity);
        assert_int_equal(conduct_property(0, NVME_FCTYPE_SET, NVME_PROPERTY_CC, false, 0), 0);
        fake_run(&raw.world, raw.world.now + 40 * PS_PER_S);
        assert_int_equal(raw.queues[0].down, identity != OWN);
        raw_fini(&raw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_and_second_commands),
        cmocka_unit_test(hosts_of_a_queue),
        cmocka_unit_test(an_empty_name),
        cmocka_unit_test(names_without_an_end),
        cmocka_unit_test(at_another_port),
        cmocka_unit_test(queues_that_exist_or_cannot),
        cmocka_unit_test(capabilities),
        cmocka_unit_test(a_reset),
        cmocka_unit_test(a_shutdown),
        cmocka_unit_test(enabled_wrongly),
        cmocka_unit_test(the_same_identifier),
        cmocka_unit_test(flags_and_descriptors),
        cmocka_unit_test(io_commands),
        cmocka_unit_test(more_aborts_than_acl),
        cmocka_unit_test(what_keeps_it_alive),
        cmocka_unit_test(disabled_it_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
